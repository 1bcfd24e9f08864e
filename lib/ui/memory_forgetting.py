"""Forgetting several memories at once: pick them, forget them, take it back."""

from collections.abc import Sequence

import streamlit as st

from lib.inspection import ACTIVE, SubjectMemory
from lib.models import Memory, MemoryList
from lib.state import app_state
from lib.theme import kind_look
from lib.ui import memory_actions

_TABLE = "forget_table"
_MOST = 1000
_HEIGHT_PX = 260
_WIDTH_PX = 620


def draw(subject: SubjectMemory, found: MemoryList) -> None:
    """The box with what the filters leave, to pick from; it offers undo once something is gone."""
    active = [memory for memory in found.memories if memory.status == ACTIVE][:_MOST]
    batches = app_state().forgotten.get(subject.subject_id, [])
    box = st.popover(
        "Forget several",
        icon=":material/block:",
        key="forget_several",
        on_change="rerun",
        disabled=not active and not batches,
    )
    with box:
        if box.open:
            _draw_undo(subject, batches)
            if active:
                _draw_choice(subject, active)


def _draw_undo(subject: SubjectMemory, batches: Sequence[Sequence[str]]) -> None:
    if batches:
        last = batches[-1]
        st.button(
            f"Undo: restore the last {len(last):,}",
            key="undo_forgetting",
            icon=":material/undo:",
            on_click=memory_actions.start_bulk,
            args=(subject.subject_id, last),
            kwargs={"undo": True},
        )


def _draw_choice(subject: SubjectMemory, active: Sequence[Memory]) -> None:
    first = "The first " if len(active) == _MOST else ""
    st.caption(
        f"{first}{len(active):,} active of those listed. Tick the ones to forget; the box on top "
        "ticks all. Forgotten memories never reach a prompt. Undo works while this tab is open."
    )
    from pandas import DataFrame

    picked = st.dataframe(
        DataFrame(
            {
                "Kind": [kind_look(memory.kind).label for memory in active],
                "Memory": [memory.content for memory in active],
            }
        ),
        # A new list starts with nothing ticked, or the ticks would stay with other memories.
        key=f"{_TABLE}_{hash(tuple(memory.id for memory in active))}",
        width=_WIDTH_PX,
        height=_HEIGHT_PX,
        hide_index=True,
        on_select="rerun",
        selection_mode="multi-row",
        column_config={
            "Kind": st.column_config.TextColumn(width=110),
            "Memory": st.column_config.TextColumn(width=430),
        },
        alt="Active memories that match the filters, to tick",
    )
    ids = [active[row].id for row in picked.selection.rows if row < len(active)]
    st.button(
        f"Forget {len(ids):,} ticked",
        key="forget_ticked",
        icon=":material/block:",
        disabled=not ids,
        on_click=memory_actions.start_bulk,
        args=(subject.subject_id, ids),
        kwargs={"undo": False},
    )
