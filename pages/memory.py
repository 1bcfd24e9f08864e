"""Memory: what the runtime remembers about a subject, why, and where it came from."""

import streamlit as st

from lib import resources
from lib.inspection import filter_memories
from lib.state import current_subject
from lib.ui import (
    inspected,
    memory_actions,
    memory_compile,
    memory_dates,
    memory_empty,
    memory_forgetting,
    memory_growth,
    memory_sources,
    memory_table,
    opened_memory,
    subject_removal,
    timeline,
)
from lib.ui.text import literal

subject_id = current_subject()
runtime = resources.memory_runtime()

st.title(f"Memory of {literal(subject_id)}")
memory_compile.settle(subject_id)
# In a box that is always there, a message moves nothing below it, so open boxes stay open.
with st.container():
    memory_actions.carry_out_bulk()
    memory_actions.report_outcome()
subject = inspected.load(subject_id)
if subject.is_empty and memory_empty.draw(subject_id):
    subject = inspected.load(subject_id)

if not subject.is_empty:
    with st.container(horizontal=True, vertical_alignment="center", key="memory_head"):
        memory_table.draw_totals(subject)
        memory_compile.draw(subject_id, inspected.pending())
    memory_compile.draw_report(subject)
    memories_tab, *others = st.tabs(
        [memory_actions.MEMORIES_VIEW, memory_actions.SOURCES_VIEW, "Timeline", "Growth", "Dates"],
        key=memory_actions.VIEW,
        on_change="rerun",
    )
    views = (memory_sources.draw, timeline.draw, memory_growth.draw, memory_dates.draw)
    for tab, draw in zip(others, views, strict=True):
        if tab.open:
            with tab:
                draw(subject)
    if memories_tab.open:
        with memories_tab:
            if subject.memories:
                able = runtime.capabilities()
                row = memory_table.filter_row()
                wanted = memory_table.draw_filters(
                    row, subject, by_meaning="semantic_search" in able
                )
                found = filter_memories(runtime, subject, wanted)
                if "forget" in able:
                    with row:
                        memory_forgetting.draw(subject, found)
                opened = memory_table.opened_memory(subject, found.memories)
                if found.memories:
                    memory_table.draw_table(found, opened)
                else:
                    memory_empty.draw_no_match(subject)
                if opened:
                    can_change = "forget" in able
                    opened_memory.draw(subject, opened, found.memories, can_change=can_change)
            else:
                memory_empty.draw_uncompiled(subject, inspected.pending())
    subject_removal.draw(subject)
