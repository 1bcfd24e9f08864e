"""A chart with the finding as its title, and the same numbers as a table and as CSV."""

from typing import Any

import streamlit as st

from lib import charts
from lib.table import Table, table_csv


def is_dark() -> bool:
    """True when the page is drawn in the dark theme."""
    return st.context.theme.type == "dark"


def draw(figure: Any, *, title: str, alt: str, key: str, table: Table) -> None:
    """The chart under `title`, which is Markdown; `alt` says what it shows in words."""
    st.markdown(f"**{title}**")
    st.plotly_chart(figure, key=key, config=charts.config(_file_name(key)), alt=alt)
    with st.popover("As table", type="tertiary", icon=":material/table_rows:", key=f"{key}_table"):
        draw_table(table, alt=alt, key=key)


def draw_table(table: Table, *, alt: str, key: str) -> None:
    """The numbers, and the button that saves them."""
    st.dataframe(
        dict(table),
        key=f"{key}_rows",
        hide_index=True,
        column_config={
            name: st.column_config.NumberColumn(format="localized")
            for name, values in table.items()
            if any(isinstance(value, int | float) for value in values)
        },
        alt=alt,
    )
    st.download_button(
        "Download as CSV",
        data=table_csv(table),
        file_name=f"{_file_name(key)}.csv",
        mime="text/csv",
        key=f"{key}_csv",
        icon=":material/download:",
        on_click="ignore",
    )


def _file_name(key: str) -> str:
    return key.replace("_", "-")
