"""The Budget page's map and its tokens by kind, each with the same numbers as a table."""

import streamlit as st

from lib import charts
from lib.sweep import (
    Sweep,
    SweepPoint,
    comes_and_goes,
    kind_finding,
    largest_kind,
    map_finding,
)
from lib.theme import kind_look
from lib.ui import chart_frame


def draw_map(sweep: Sweep, chosen: SweepPoint) -> None:
    """Which budgets hold each memory and passage."""
    finding = map_finding(sweep)
    if not sweep.entries:
        st.markdown(f"**{finding}**")
        return
    entries = sweep.entries
    chart_frame.draw(
        charts.memories_map(sweep, chosen, dark=chart_frame.is_dark()),
        title=finding,
        alt=f"{finding}. One row an item, from the token budget that first holds it.",
        key="budget_map",
        table={
            "Enters at, tokens": [entry.enters_at for entry in entries],
            "Kind": [kind_look(entry.kind).label for entry in entries],
            "Text": [entry.content for entry in entries],
            "Tokens": [entry.tokens for entry in entries],
        },
    )
    st.caption(" · ".join(_marks(sweep)) + _rest(sweep))
    dropped = comes_and_goes(sweep)
    if dropped:
        st.caption(
            f":material/flag: {dropped:,} of them are dropped again by a larger budget: the gaps "
            "are what this runtime returned."
        )


def _marks(sweep: Sweep) -> list[str]:
    kinds = dict.fromkeys(entry.kind for entry in sweep.entries[: charts.ROWS_SHOWN])
    return [f"{kind_look(kind).mark} {kind_look(kind).label}" for kind in kinds]


def _rest(sweep: Sweep) -> str:
    hidden = len(sweep.entries) - charts.ROWS_SHOWN
    return f"; {hidden:,} more enter later and are in the table" if hidden > 0 else ""


def draw_kinds(sweep: Sweep, chosen: SweepPoint) -> None:
    """What the tokens of every budget go to."""
    kind = largest_kind(chosen)
    if kind is None:
        finding = f"At {chosen.max_tokens:,} tokens nothing is in the prompt"
    else:
        finding = kind_finding(chosen, label=charts.kind_name(kind), kind=kind)
    kinds = charts.kinds_of(sweep)
    chart_frame.draw(
        charts.tokens_by_kind(sweep, chosen, dark=chart_frame.is_dark()),
        title=finding,
        alt=f"{finding}. Tokens used by kind, for every token budget.",
        key="budget_kinds",
        table={
            "Token budget": [point.max_tokens for point in sweep.points],
            **{
                charts.kind_name(kind): [
                    point.tokens_by_kind.get(kind, 0) for point in sweep.points
                ]
                for kind in kinds
            },
            "Tokens used": [point.token_estimate for point in sweep.points],
        },
    )
    st.caption("Headings are the lines that every context has around what is remembered.")
