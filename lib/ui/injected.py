"""What was injected: the exact messages sent, what memory put in, what it left out and why."""

from collections.abc import Sequence

import streamlit as st

from lib.assistant import PreparedPrompt
from lib.models import ContextBundle, ContextItem, CutReason
from lib.theme import kind_look
from lib.ui.text import literal

_CUT_SHOWN = 8
_ROLES = {"system": "System prompt", "user": "You", "assistant": "Assistant"}
_WHY: dict[CutReason, str] = {
    "budget": "did not fit the token budget",
    "floor": "not relevant enough to the message",
    "suppressed": "already said by another item",
    "superseded": "replaced by a newer memory",
    "filtered": "kept out by its labels",
}


def why_cut(reason: str) -> str:
    """A cut reason in words."""
    return _WHY.get(reason, reason) if reason else "not chosen"  # type: ignore[call-overload]


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
        st.markdown(_table(kept, last="Score", cell=_score))
        return
    # A server that does not explain its bundle still says what is in it.
    rows = [(memory.kind, memory.content) for memory in bundle.memories]
    rows += [("episode", episode.text) for episode in bundle.episodes]
    st.markdown("\n".join(f"- {kind_look(kind).mark} {literal(text)}" for kind, text in rows))


def _draw_cut(bundle: ContextBundle) -> None:
    counts = {reason: count for reason, count in bundle.cut_counts.items() if count}
    if not counts:
        return
    st.markdown("**Left out**")
    st.markdown(" · ".join(f"{count:,} {why_cut(reason)}" for reason, count in counts.items()))
    cut = [item for item in bundle.items if not item.included][:_CUT_SHOWN]
    if cut:
        st.markdown(_table(cut, last="Why", cell=lambda item: why_cut(item.reason)))
    hidden = sum(counts.values()) - len(cut)
    if cut and hidden > 0:
        st.caption(f"The {len(cut)} that came closest; {hidden:,} more are not listed here.")


def _score(item: ContextItem) -> str:
    return "–" if item.score is None else f"{item.score:.1f}"


def _table(items: Sequence[ContextItem], *, last: str, cell: object) -> str:
    assert callable(cell)
    rows = [f"| Memory | Tokens | {last} |", f"|:--|--:|{'--:' if last == 'Score' else ':--'}|"]
    for item in items:
        mark = kind_look(item.kind).mark
        rows.append(f"| {mark} {literal(item.content)} | {item.tokens:,} | {cell(item)} |")
    return "\n".join(rows)
