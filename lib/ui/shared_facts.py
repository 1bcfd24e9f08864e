"""Which memory the reply has words of: both texts, with those words marked."""

import re

import streamlit as st

from lib.comparison import Comparison, SharedLine, shared_lines, telling_words
from lib.theme import kind_look
from lib.ui.text import literal

_RULE = (
    "Marked are words that stand in the memory-backed reply and in a memory, but neither in the "
    "question nor in the stateless reply. A memory is listed when it shares two of them, or one "
    "name, identifier or number. That the model took them from there is likely, not proven."
)
_LONGEST = 4_000
"""Characters of a reply or line; beyond them nothing is marked."""


def draw(comparison: Comparison) -> None:
    """The reply and the memories it shares telling words with."""
    if not comparison.comparable:
        st.caption("Nothing is compared, as only two whole replies can be.")
        return
    lines = shared_lines(comparison)
    used = [line for line in lines if line.words]
    if not used:
        st.markdown("**The reply shares no telling words with what was remembered.**")
        st.caption(_RULE)
        return
    words = frozenset[str]().union(*(line.words for line in used))
    one = len(used) == 1
    st.markdown(
        f"**The reply has words of {len(used):,} of {len(lines):,} remembered "
        f"{'line' if one and len(lines) == 1 else 'lines'} that the stateless reply lacks**"
    )
    left, right = st.columns(2, border=True, wrap=True)
    with left:
        st.caption("The memory-backed reply")
        st.markdown(_marked(comparison.memory.reply.text, words))
    with right:
        st.caption("The memories it shares them with")
        for line in used:
            st.markdown(_line(line))
    st.caption(_RULE)


def _line(line: SharedLine) -> str:
    return f"{kind_look(line.kind).mark} {_marked(line.content, line.words)}"


def _marked(text: str, words: frozenset[str]) -> str:
    """The text as it stands, with every word of `words` in bold on the accent's tint."""
    if len(text) > _LONGEST:
        return literal(text)
    parts = [
        f":primary-background[**{literal(part)}**]"
        if telling_words(part) & words
        else literal(part)
        for part in re.split(r"\s+", text.strip())
    ]
    return " ".join(parts)
