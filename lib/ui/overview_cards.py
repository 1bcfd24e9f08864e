"""The Overview page's three steps, each with the chosen subject's own numbers."""

import streamlit as st

from lib.inspection import SubjectFigures
from lib.ui.text import literal

CHAT_PAGE = "../../pages/chat.py"
COMPARE_PAGE = "../../pages/compare.py"
BUDGET_PAGE = "../../pages/budget.py"
MEMORY_PAGE = "../../pages/memory.py"
"""Relative to the router, as Streamlit wants it."""


def draw(subject_id: str, task: str, figures: SubjectFigures) -> None:
    """Three cards: chat, compare, budget."""
    with st.container(key="steps"):
        chat, compare, budget = st.columns(3, border=True, gap="small")
    with chat:
        st.markdown("**1. Chat with memory**")
        st.metric(f"Memories of {literal(subject_id)}", f"{_at_least(figures)}{figures.memories:,}")
        st.markdown(_history(figures))
        _draw_link(CHAT_PAGE, "Open Chat")
    with compare:
        st.markdown("**2. Compare with and without**")
        st.metric("Memory adds to the prompt", f"{figures.context_tokens:,} tokens")
        st.markdown(f"when asked “{literal(task)}”")
        _draw_link(COMPARE_PAGE, "Open Compare")
    with budget:
        st.markdown("**3. Choose a budget**")
        st.metric(
            "Everything said so far", f"{_at_least(figures)}{figures.history_tokens:,} tokens"
        )
        st.markdown(_saving(figures))
        _draw_link(BUDGET_PAGE, "Open Budget")


def draw_empty(subject_id: str) -> None:
    """What to do for a subject nothing was recorded of."""
    with st.container(border=True):
        st.markdown(f"**Nothing is remembered about {literal(subject_id)} yet.**")
        st.markdown(
            "Say who you are and what you work on in Chat; what you said is remembered the next "
            "time. Or choose another subject in the sidebar."
        )
        st.page_link(CHAT_PAGE, label="Open Chat", icon=":material/arrow_forward:")


def _draw_link(page: str, label: str) -> None:
    st.space("stretch")
    st.page_link(
        page, label=label, icon=":material/arrow_forward:", icon_position="right", width="stretch"
    )


def _history(figures: SubjectFigures) -> str:
    return (
        f"compiled from {_count(figures.episodes, 'episode')}, that is recorded turns, in "
        f"{_count(figures.sessions, 'session')}"
    )


def _saving(figures: SubjectFigures) -> str:
    return (
        f"With a budget of {figures.max_tokens:,} tokens, memory sends {figures.context_tokens:,}: "
        f"{figures.context_share:.0%} of that"
    )


def _at_least(figures: SubjectFigures) -> str:
    return "" if figures.complete else "≥ "


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
