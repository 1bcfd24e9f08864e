"""The comparisons of this visit: opened again, and kept as files."""

import streamlit as st

from lib.comparison import Comparison, comparisons_csv, comparisons_json
from lib.state import app_state
from lib.ui.side_costs import NAMES
from lib.ui.text import literal

_LISTED = 20


def draw(subject_id: str) -> None:
    """What was compared for this subject, latest first; nothing before the first."""
    state = app_state()
    kept = [item for item in state.compared.values() if item.subject_id == subject_id][::-1]
    if not kept:
        return
    count = f"{len(kept):,} comparison{'' if len(kept) == 1 else 's'}"
    with st.expander("This visit's comparisons", icon=":material/history:", key="compared"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"{count} of {literal(subject_id)}, latest first", width="stretch")
            _draw_downloads(kept)
        with st.container(gap="xxsmall"):
            for item in kept[:_LISTED]:
                _draw_row(item, is_open=item is state.comparison)
        if len(kept) > _LISTED:
            st.caption(f"{len(kept) - _LISTED:,} earlier ones are in the files only.")


def _draw_row(item: Comparison, *, is_open: bool) -> None:
    st.button(
        literal(item.message),
        key=f"compared_{item.id}",
        type="tertiary",
        icon=":material/visibility:" if is_open else ":material/history:",
        disabled=is_open,
        help="Shown above" if is_open else "Open it again; nothing is asked anew",
        on_click=app_state().show_comparison,
        args=(item,),
    )
    sides = ", ".join(f"{NAMES[side.name].lower()} {side.reply.state}" for side in item.sides)
    st.caption(f"{literal(item.model)} · {item.options.max_tokens:,} tokens · {sides}")


def _draw_downloads(kept: list[Comparison]) -> None:
    st.download_button(
        "JSON",
        data=lambda: comparisons_json(kept).encode(),
        file_name="comparisons.json",
        mime="application/json",
        key="compared_json",
        icon=":material/download:",
        on_click="ignore",
        help="Questions, prompts, replies and costs, as one JSON document a comparison.",
    )
    st.download_button(
        "CSV",
        data=lambda: comparisons_csv(kept).encode(),
        file_name="comparisons.csv",
        mime="text/csv",
        key="compared_csv",
        icon=":material/download:",
        on_click="ignore",
        help="One row a side: question, reply, tokens, USD and times.",
    )
