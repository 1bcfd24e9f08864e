"""The Growth view: memories in use over time, by kind, as a chart and as a table."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import streamlit as st

from lib import growth_chart
from lib.inspection import Growth, SubjectMemory, growth_csv, memory_growth
from lib.theme import kind_look
from lib.ui.text import file_name, literal

if TYPE_CHECKING:
    from pandas import DataFrame


def draw(subject: SubjectMemory) -> None:
    """The chart under its finding, the same as a table, and the file."""
    growth = memory_growth(subject)
    st.markdown(f"**{literal(growth.finding)}**")
    if not growth.points:
        st.caption("The chart begins with the first memory.")
        return
    if not growth.complete:
        st.caption(
            "This server lists only its first memories and its newest, so days between can miss "
            "some."
        )
    st.plotly_chart(
        growth_chart.memories_by_day(
            growth, until=datetime.now(UTC).date(), dark=st.context.theme.type == "dark"
        ),
        key="memory_growth",
        config=growth_chart.CONFIG,
        alt=f"Memories in use by day and kind. {growth.finding}.",
    )
    st.caption(
        "Memories in use at the end of each day (UTC): begun, and not replaced or forgotten."
    )
    with st.expander("As a table", icon=":material/table_rows:"):
        st.dataframe(
            _rows(growth), key="memory_growth_table", hide_index=True, alt="Memories by day"
        )
        st.download_button(
            "Download as CSV",
            data=growth_csv(growth),
            file_name=f"memory-growth-{file_name(subject.subject_id)}.csv",
            mime="text/csv",
            icon=":material/download:",
            on_click="ignore",
        )


def _rows(growth: Growth) -> "DataFrame":
    from pandas import DataFrame

    columns: dict[str, list[object]] = {"Day": [point.day for point in growth.points]}
    for place, kind in enumerate(growth.kinds):
        columns[kind_look(kind).plural] = [point.counts[place] for point in growth.points]
    columns["All"] = [point.total for point in growth.points]
    return DataFrame(columns)
