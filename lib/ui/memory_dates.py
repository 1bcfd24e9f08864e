"""The Dates view: what was in use on two days, and what came and went between them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import streamlit as st

from lib.inspection import SubjectMemory, compare_dates, days_of_change, end_of
from lib.models import Memory
from lib.theme import kind_look
from lib.ui.text import literal

if TYPE_CHECKING:
    from pandas import DataFrame

_ROW_PX = 35
_ROWS_SHOWN = 5


def draw(subject: SubjectMemory) -> None:
    """Two days to choose, then the difference."""
    days = days_of_change(subject)
    if not days:
        st.caption("There is no memory to compare yet.")
        return
    latest = max(datetime.now(UTC).date(), days[-1])
    with st.container(horizontal=True):
        first = st.date_input(
            "As of the end of",
            days[0],
            min_value=days[0],
            max_value=latest,
            key=f"dates_first_{subject.subject_id}",
            width=180,
        )
        second = st.date_input(
            "compared with (UTC)",
            latest,
            min_value=days[0],
            max_value=latest,
            key=f"dates_second_{subject.subject_id}",
            width=180,
        )
    found = compare_dates(subject, first, second)
    st.markdown(f"**{literal(found.finding)}**")
    if not subject.complete:
        st.caption("This server lists only a part, so more may have changed.")
    _draw_list(subject, "Added", found.added, "In use on the later day only.")
    _draw_list(subject, "Gone", found.gone, "In use on the earlier day only.")
    _draw_list(subject, "Passing", found.passing, "Began and ended between the two days.")


def _draw_list(
    subject: SubjectMemory, title: str, memories: Sequence[Memory], meaning: str
) -> None:
    if not memories:
        return
    st.markdown(f"**{title}** {len(memories):,}", help=meaning)
    st.dataframe(
        _rows(subject, memories),
        key=f"dates_{title}",
        height=_ROW_PX * (min(len(memories), _ROWS_SHOWN) + 1) + 2,
        hide_index=True,
        lazy=True,
        column_config={
            "Kind": st.column_config.TextColumn(width=110),
            "Memory": st.column_config.TextColumn(width="large"),
            "From": st.column_config.DateColumn(width=100, format="D MMM YYYY"),
            "Until": st.column_config.DateColumn(width=100, format="D MMM YYYY"),
            "Replaced by": st.column_config.TextColumn(width="medium"),
        },
        alt=f"{title}: {meaning}",
    )


def _rows(subject: SubjectMemory, memories: Sequence[Memory]) -> "DataFrame":
    from pandas import DataFrame

    columns: dict[str, list[object]] = {
        "Kind": [kind_look(memory.kind).label for memory in memories],
        "Memory": [memory.content for memory in memories],
        "From": [memory.valid_from.date() for memory in memories],
    }
    ends = [end_of(memory) for memory in memories]
    if any(ends):
        columns["Until"] = [ended.date() if ended else None for ended in ends]
    newer = [subject.replacement(memory) for memory in memories]
    if any(newer):
        columns["Replaced by"] = [each.content if each else "" for each in newer]
    return DataFrame(columns)
