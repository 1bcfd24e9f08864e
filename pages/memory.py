"""Memory: what the runtime remembers about a subject, why, and where it came from."""

import streamlit as st

from lib import resources
from lib.inspection import filter_memories
from lib.state import current_subject
from lib.ui import (
    inspected,
    memory_actions,
    memory_compile,
    memory_empty,
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
    memory_actions.report_outcome()
subject = inspected.load(subject_id)
if subject.is_empty and memory_empty.draw(subject_id):
    subject = inspected.load(subject_id)

if not subject.is_empty:
    with st.container(horizontal=True, vertical_alignment="center", key="memory_head"):
        memory_table.draw_totals(subject)
        memory_compile.draw(subject_id, inspected.pending())
    memory_compile.draw_report(subject)
    memories_tab, timeline_tab = st.tabs(
        ["Memories", "Timeline"], key="memory_view", on_change="rerun"
    )
    if timeline_tab.open:
        with timeline_tab:
            timeline.draw(subject)
    elif subject.memories:
        with memories_tab:
            by_meaning = "semantic_search" in runtime.capabilities()
            wanted = memory_table.draw_filters(subject, by_meaning=by_meaning)
            found = filter_memories(runtime, subject, wanted)
            opened = memory_table.opened_memory(subject, found.memories)
            if found.memories:
                memory_table.draw_table(found, opened)
            else:
                memory_empty.draw_no_match(subject)
            if opened:
                can_change = "forget" in runtime.capabilities()
                opened_memory.draw(subject, opened, found.memories, can_change=can_change)
    else:
        with memories_tab:
            memory_empty.draw_uncompiled(subject, inspected.pending())
    subject_removal.draw(subject)
