"""What was injected: the exact messages sent, what memory put in, what it left out and why."""

import textwrap
from collections.abc import Sequence

import streamlit as st

from lib.assistant import PreparedPrompt
from lib.models import EPISODE, ContextBundle, ContextItem
from lib.theme import kind_look
from lib.ui.text import joined, literal

_CUT_SHOWN = 8
_CUT_CHARACTERS = 160
_ROLES = {"system": "System prompt", "user": "You", "assistant": "Assistant"}
_WHY: dict[str, str] = {
    "budget": "did not fit the token budget",
    "floor": "not relevant enough to the message",
    "suppressed": "already said by another item",
    "superseded": "replaced by a newer memory",
    "filtered": "kept out by its labels",
}


def why_cut(reason: str) -> str:
    """A cut reason in words."""
    return _WHY.get(reason, reason) if reason else "not chosen"


def draw(prompt: PreparedPrompt) -> None:
    """Items and messages of one prompt, as text that does nothing."""
    bundle = prompt.bundle
    if prompt.memory_error:
        st.markdown(f"No memory was sent: {literal(prompt.memory_error)}")
    elif bundle is None:
        st.markdown("No memory was asked for: only the messages below were sent.")
    elif not bundle.context_used:
        st.markdown("Memory was asked, and nothing in it matters for this message.")
    else:
        st.markdown(f"**{_count(bundle)} · {bundle.token_estimate:,} tokens**{_took(prompt)}")
        _draw_kept(bundle)
    st.markdown("**Messages sent, word for word**")
    for message in prompt.messages:
        st.caption(_ROLES.get(message.role, literal(message.role)))
        st.code(message.content, language=None, wrap_lines=True)
    if bundle is not None:
        _draw_cut(bundle)


def _count(bundle: ContextBundle) -> str:
    memories, raw = len(bundle.memories), len(bundle.episodes)
    parts = [f"{memories:,} {'memory' if memories == 1 else 'memories'}"] if memories else []
    parts += [f"{raw:,} raw {'episode' if raw == 1 else 'episodes'}"] if raw else []
    return " and ".join(parts)


def _took(prompt: PreparedPrompt) -> str:
    return "" if prompt.context_ms is None else f" · found in {prompt.context_ms:,.0f} ms"


def _draw_kept(bundle: ContextBundle) -> None:
    kept = [item for item in bundle.items if item.included]
    if kept:
        _draw_items([(item, joined(_score(item))) for item in kept])
        return
    # A server that does not explain its bundle still says what is in it.
    rows = [(memory.kind, memory.content) for memory in bundle.memories]
    rows += [(EPISODE, item.text) for item in bundle.episodes]
    st.markdown("\n".join(f"- {kind_look(kind).mark} {literal(text)}" for kind, text in rows))


def _draw_cut(bundle: ContextBundle) -> None:
    counts = {reason: count for reason, count in bundle.cut_counts.items() if count}
    if not counts:
        return
    st.markdown(
        "**Left out**: "
        + ", ".join(f"{count:,} {why_cut(reason)}" for reason, count in counts.items())
    )
    cut = [item for item in bundle.items if not item.included][:_CUT_SHOWN]
    if not cut:
        return
    _draw_items(
        [(item, joined([*_score(item), why_cut(item.reason)])) for item in cut], shorten=True
    )
    hidden = sum(counts.values()) - len(cut)
    if hidden > 0:
        st.caption(f"These {len(cut)} came closest; {hidden:,} more are not listed.")


def _score(item: ContextItem) -> list[str]:
    tokens = [f"{item.tokens:,} tokens"]
    return tokens if item.score is None else [*tokens, f"score {item.score:.1f}"]


def _draw_items(items: Sequence[tuple[ContextItem, str]], *, shorten: bool = False) -> None:
    lines = []
    for item, figures in items:
        content = item.content
        if shorten:
            content = textwrap.shorten(content, _CUT_CHARACTERS, placeholder=" …")
        lines.append(f"{kind_look(item.kind).mark} {literal(content)} :small[:gray[{figures}]]")
    with st.container(gap="xxsmall"):
        for line in lines:
            st.markdown(line)
