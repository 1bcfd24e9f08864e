"""The table of memories: totals, filters, rows, and which one is open."""

from collections.abc import Sequence

import streamlit as st

from lib.inspection import STATUSES, MemoryFilter, SubjectMemory, Totals, count_memories
from lib.models import Memory, MemoryList
from lib.theme import kind_look
from lib.ui.memory_actions import MEMORY_PARAMETER, open_memory, session_filter_key
from lib.ui.text import literal

TABLE_KEY = "memory_table"
_ROW_PX = 35
_ROWS_SHOWN = 6


def draw_totals(subject: SubjectMemory) -> None:
    """One line: how many memories the subject has, by kind and status."""
    totals = count_memories(subject.memories)
    st.markdown(f"**{literal(subject.subject_id)}**: {totals_sentence(totals, subject.complete)}")


def totals_sentence(totals: Totals, complete: bool) -> str:
    """The totals as Markdown; of a list cut short it never names a total."""
    count = f"{totals.active:,} {_plural('memory', 'memories', totals.active)}"
    if not complete:
        count = f"the first {count} the server lists"
    kinds = " · ".join(
        f"{kind_look(kind).mark} {number:,} {_kind_name(kind, number)}"
        for kind, number in totals.by_kind
    )
    rest = ", ".join(
        f"{number:,} {status}"
        for status, number in (("superseded", totals.superseded), ("forgotten", totals.forgotten))
        if number
    )
    return "; ".join(part for part in (f"{count}: {kinds}" if kinds else count, rest) if part)


def draw_filters(subject: SubjectMemory) -> MemoryFilter:
    """The row of filters, and what they are set to."""
    search, kind, status, session = st.columns([5, 3, 3, 4])
    kinds = [kind for kind, _ in count_memories(subject.memories).by_kind]
    known = list(dict.fromkeys([*kinds, *(memory.kind for memory in subject.memories)]))
    words = search.text_input(
        "Search",
        key="memory_words",
        persist_state="session",
        placeholder="Words in the memory",
        icon=":material/search:",
    )
    return MemoryFilter(
        words=words,
        kind=kind.selectbox(
            "Kind",
            [None, *known],
            key="memory_kind",
            format_func=lambda kind: kind_look(kind).plural if kind else "All kinds",
        ),
        status=status.selectbox(
            "Status",
            [None, *STATUSES],
            key="memory_status",
            format_func=lambda status: status.capitalize() if status else "Any status",
            help="Superseded: a newer memory took its place. Forgotten: taken out by hand. "
            "Only active memories reach a prompt.",
        ),
        session_id=session.selectbox(
            "Session",
            [None, *subject.session_ids],
            key=session_filter_key(subject.subject_id),
            format_func=lambda session_id: session_id or "All sessions",
            help="A session is one conversation.",
        ),
    )


def opened_memory(subject: SubjectMemory, listed: Sequence[Memory]) -> Memory | None:
    """The memory the address names; without one, the first in the list."""
    named = subject.memory(st.query_params.get(MEMORY_PARAMETER))
    return named or (listed[0] if listed else None)


def draw_table(found: MemoryList, opened: Memory | None) -> None:
    """The rows; picking one opens it."""
    memories = found.memories
    ids = [memory.id for memory in memories]
    # The address says which one is open, so a picked row must not outlive a change of filter.
    row = ids.index(opened.id) if opened and opened.id in ids else None
    st.session_state[TABLE_KEY] = {
        "selection": {"rows": [] if row is None else [row], "columns": [], "cells": []}
    }
    st.dataframe(
        {
            "Kind": [[kind_look(memory.kind).label] for memory in memories],
            "Memory": [memory.content for memory in memories],
            "Confidence": [memory.confidence for memory in memories],
            "Valid from": [memory.valid_from.date() for memory in memories],
            "Status": [memory.status.capitalize() for memory in memories],
            "Sources": [len(memory.source_episode_ids) for memory in memories],
        },
        key=TABLE_KEY,
        height=_ROW_PX * (min(len(memories), _ROWS_SHOWN) + 1) + 2,
        hide_index=True,
        on_select=lambda: _open_picked(ids),
        selection_mode=["single-row", "single-cell"],
        column_config=_columns(memories),
        alt="Memories that match the filters, one a row",
    )
    if not found.complete:
        st.caption(f"The first {len(memories):,}; the server lists no more.")


def _open_picked(ids: Sequence[str]) -> None:
    picked = st.session_state[TABLE_KEY].selection
    rows = [*picked.rows, *(cell[0] for cell in picked.cells)]
    if rows:
        open_memory(ids[rows[-1]])


def _columns(memories: Sequence[Memory]) -> dict[str, object]:
    looks = [kind_look(kind) for kind in dict.fromkeys(memory.kind for memory in memories)]
    config = st.column_config
    return {
        "Kind": config.MultiselectColumn(
            width=110,
            options=[look.label for look in looks],
            color=[look.colour for look in looks],
        ),
        "Memory": config.TextColumn(width="large"),
        "Confidence": config.NumberColumn(
            width=90, format="%.2f", help="How sure the memory is, from 0 to 1."
        ),
        "Valid from": config.DateColumn(width=100, format="D MMM YYYY"),
        "Status": config.TextColumn(width=100),
        "Sources": config.NumberColumn(
            width=70, help="Episodes, that is recorded turns, the memory came from."
        ),
    }


def _kind_name(kind: str, number: int) -> str:
    look = kind_look(kind)
    return (look.label if number == 1 else look.plural).lower()


def _plural(one: str, many: str, number: int) -> str:
    return one if number == 1 else many
