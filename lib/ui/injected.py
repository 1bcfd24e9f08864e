"""What was injected: the exact messages sent, what memory put in, what it left out and why."""

import textwrap
from collections.abc import Sequence

import streamlit as st

from lib.assistant import PreparedPrompt
from lib.models import EPISODE, ContextBundle, ContextItem
from lib.theme import kind_look
from lib.ui import score
from lib.ui.figures import format_ms
from lib.ui.text import joined, literal

_CUT_SHOWN = 8
_CUT_CHARACTERS = 160
_RELATED_CHARACTERS = 80
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
        for note in bundle.notes:
            st.caption(literal(note))


def _count(bundle: ContextBundle) -> str:
    memories, raw = len(bundle.memories), len(bundle.episodes)
    parts = [f"{memories:,} {'memory' if memories == 1 else 'memories'}"] if memories else []
    parts += [f"{raw:,} raw {'passage' if raw == 1 else 'passages'}"] if raw else []
    return " and ".join(parts)


def _took(prompt: PreparedPrompt) -> str:
    return "" if prompt.context_ms is None else f" · found in {format_ms(prompt.context_ms)}"


def _draw_kept(bundle: ContextBundle) -> None:
    kept = [item for item in bundle.items if item.included]
    if kept:
        longest = _longest(bundle)
        legend = score.legend(item.parts for item in kept if item.parts)
        if legend:
            st.markdown(f":small[What each score is made of: {legend}]")
        _draw_items([(item, _figures(item)) for item in kept], longest=longest)
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
    reasons = {item.id: literal(_why_cut(item, bundle)) for item in cut}
    _draw_items(
        [(item, f"{_figures(item)} · {reasons[item.id]}") for item in cut],
        longest=_longest(bundle),
        shorten=True,
    )
    hidden = sum(counts.values()) - len(cut)
    if hidden > 0:
        st.caption(f"These {len(cut)} came closest; {hidden:,} more are not listed.")


def _why_cut(item: ContextItem, bundle: ContextBundle) -> str:
    """The reason in words, with the item it names where the bundle tells of it."""
    related = {each.id: each.content for each in bundle.items}.get(item.related_id or "")
    if not related:
        return why_cut(item.reason)
    quoted = f"“{textwrap.shorten(related, _RELATED_CHARACTERS, placeholder=' …')}”"
    if item.reason == "suppressed":
        return f"already said by {quoted}"
    return f"replaced by {quoted}" if item.reason == "superseded" else why_cut(item.reason)


def _longest(bundle: ContextBundle) -> float:
    """The points of the longest bar: all of one view have the same scale."""
    return max((score.reach(item.parts) for item in bundle.items if item.parts), default=0.0)


def _figures(item: ContextItem) -> str:
    tokens = f"{item.tokens:,} tokens"
    if item.score is None:
        return joined([tokens])
    # The sum may break anywhere: it is longer than a phone is wide.
    parts = f" = {score.in_words(item.parts)}" if item.parts else ""
    return joined([tokens, f"score {item.score:.1f}"]) + parts


def _draw_items(
    items: Sequence[tuple[ContextItem, str]], *, longest: float, shorten: bool = False
) -> None:
    lines = []
    for item, figures in items:
        content = item.content
        if shorten:
            content = textwrap.shorten(content, _CUT_CHARACTERS, placeholder=" …")
        # On a line of their own, below each other, bars can be compared.
        picture = f"  \n{score.bar(item.parts, longest=longest)}" if item.parts else ""
        lines.append(
            f"{kind_look(item.kind).mark} {literal(content)}{picture} :small[:gray[{figures}]]"
        )
    with st.container(gap="xxsmall"):
        for line in lines:
            st.markdown(line)
