"""What one budget holds and what it leaves out, as tables."""

from collections.abc import Sequence

import streamlit as st

from lib.sweep import BudgetView, Candidate
from lib.theme import kind_look
from lib.ui import injected
from lib.ui.text import literal

_ROWS_SHOWN = 8
_TABLE_PX = 420
"""For longer tables, which scroll inside it under their header."""


def draw_kept(view: BudgetView) -> None:
    """What the budget holds, best first."""
    budget = f"{view.point.max_tokens:,} tokens"
    if view.kept:
        st.caption(f"{len(view.kept):,} in {budget}, best first")
        _draw_candidates(view.kept, cut=False, alt=f"What {budget} hold, best first")
    else:
        st.caption(f"Nothing fits in {budget}, or nothing has to do with the task.")


def draw_cut(view: BudgetView) -> None:
    """What the budget leaves out, and why."""
    budget = f"{view.point.max_tokens:,} tokens"
    if view.cut:
        all_cut = len(view.cut) + view.unlisted
        listed = f"; the best {len(view.cut):,} are listed" if view.unlisted else ""
        st.caption(f"{all_cut:,} left out of {budget}{listed}")
        _draw_candidates(view.cut, cut=True, alt=f"What {budget} leave out, and why")
    else:
        st.caption("Nothing is left out: a larger budget would return the same.")


def _draw_candidates(candidates: Sequence[Candidate], *, cut: bool, alt: str) -> None:
    columns = {
        "Rank": [f"{item.rank:,}" for item in candidates],
        "Kind": [_kind(item) for item in candidates],
        "Text": [literal(item.content) for item in candidates],
        "Tokens": [f"{item.tokens:,}" for item in candidates],
    }
    if any(item.score is not None for item in candidates):
        columns["Score"] = [_score(item) for item in candidates]
    if cut:
        columns["Why it is cut"] = [_why(item) for item in candidates]
    many = len(candidates) > _ROWS_SHOWN
    with st.container(key="budget_cut" if cut else "budget_kept"):
        st.table(
            columns,
            border="horizontal",
            hide_index=True,
            height=_TABLE_PX if many else "content",
            alt=alt,
        )


def _kind(candidate: Candidate) -> str:
    look = kind_look(candidate.kind)
    # On one line, however much room the text takes.
    return f"{look.mark} {look.label}".replace(" ", "\u00a0")


def _score(candidate: Candidate) -> str:
    return "–" if candidate.score is None else f"{candidate.score:.1f}"


def _why(candidate: Candidate) -> str:
    if candidate.covered_by is not None:
        return f"Already said by rank {candidate.covered_by}, which is in the prompt"
    return injected.why_cut(candidate.reason).capitalize()
