"""The table of memories: totals, filters, rows, and which one is open."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lib.inspection import STATUSES, MemoryFilter, SubjectMemory, count_memories
from lib.models import KINDS, Memory, MemoryList
from lib.state import app_state
from lib.theme import kind_look
from lib.ui import memory_actions

if TYPE_CHECKING:
    from pandas import DataFrame

T = TypeVar("T")

TABLE_KEY = "memory_table"
_SELECT_PX = 150
_ROW_PX = 35
_ROWS_SHOWN = 6
_ROWS_PER_PAGE = 1000
_TEXT_PX = 362
"""What the other columns leave in a window 1280 pixels wide."""


def draw_totals(subject: SubjectMemory) -> None:
    """One line: how many memories the subject has, by kind and status."""
    st.markdown(totals_sentence(subject))


def totals_sentence(subject: SubjectMemory) -> str:
    """The totals as Markdown; of lists cut short it never names a total."""
    totals = count_memories(subject.memories)
    memories = _count(totals.active, "memory", "memories")
    episodes = _count(len(subject.episodes), "episode", "episodes")
    head = f"{memories} from {episodes}"
    if not subject.complete:
        head = f"the server lists {head} and stops there"
    kinds = " · ".join(
        f"{kind_look(kind).mark} {_count(number, *_kind_names(kind))}"
        for kind, number in totals.by_kind
    )
    rest = ", ".join(
        f"{number:,} {status}"
        for status, number in (("superseded", totals.superseded), ("forgotten", totals.forgotten))
        if number
    )
    return "; ".join(part for part in (f"{head}: {kinds}" if kinds else head, rest) if part)


def filter_row() -> DeltaGenerator:
    """Where the filters go, and what is done with all that they leave; two rows on a phone."""
    return st.container(horizontal=True, vertical_alignment="bottom", key="memory_filters")


def draw_filters(row: DeltaGenerator, subject: SubjectMemory, *, by_meaning: bool) -> MemoryFilter:
    """The filters, kept in the address, and what they are set to.

    `by_meaning` is what the runtime's search does beside looking for the words.
    """
    kinds = list(dict.fromkeys([*KINDS, *(memory.kind for memory in subject.memories)]))
    with row:
        words = st.text_input(
            "Search",
            key="memory_words",
            bind="query-params",
            placeholder="Words or meaning" if by_meaning else "Words",
            help="Finds active memories by their words and by their meaning; superseded and "
            "forgotten ones by their words."
            if by_meaning
            else "Finds memories by their words.",
            icon=":material/search:",
            on_change=memory_actions.close_memory,
        )
        kind = _choose("Kind", kinds, key="memory_kind", name=lambda kind: kind_look(kind).plural)
        status = _choose(
            "Status",
            STATUSES,
            key="memory_status",
            name=str.capitalize,
            help="Superseded: a newer memory took its place. Forgotten: taken out by hand. "
            "Only active memories reach a prompt.",
        )
        session_id = _choose(
            "Session",
            subject.session_ids,
            key=memory_actions.session_filter_key(subject.subject_id),
            name=str,
            help="A session is one conversation.",
        )
    return MemoryFilter(words=words, kind=kind, status=status, session_id=session_id)


def _choose(
    label: str,
    options: Sequence[str],
    *,
    key: str,
    name: Callable[[str], str],
    help: str | None = None,
) -> str | None:
    chosen = st.selectbox(
        label,
        [memory_actions.ANY, *options],
        key=key,
        format_func=lambda option: name(option) if option else "All",
        help=help,
        width=_SELECT_PX,
        bind="query-params",
        on_change=memory_actions.close_memory,
    )
    return chosen or None


def opened_memory(subject: SubjectMemory, listed: Sequence[Memory]) -> Memory | None:
    """The memory the address names; without one, the first in the list."""
    state = app_state()
    wanted = st.query_params.get(memory_actions.MEMORY_PARAMETER)
    named = subject.memory(wanted)
    if wanted and not named:
        if state.opened_of in (None, subject.subject_id):
            st.caption("The memory this address names is not there (any more).")
        else:
            # The visitor chose another subject; the address still names a memory of the last one.
            memory_actions.close_memory()
    state.opened_of = subject.subject_id
    return named or (listed[0] if listed else None)


def draw_table(found: MemoryList, opened: Memory | None) -> None:
    """The rows, a thousand at a time; picking one opens it."""
    shown = row_page(found.memories, key="memory_page")
    ids = [memory.id for memory in shown]
    # The address says which one is open, so a picked row must not outlive a change of filter.
    row = ids.index(opened.id) if opened and opened.id in ids else None
    st.session_state[TABLE_KEY] = {
        "selection": {"rows": [] if row is None else [row], "columns": [], "cells": []}
    }
    st.dataframe(
        _rows(shown),
        key=TABLE_KEY,
        height=_ROW_PX * (min(len(ids), _ROWS_SHOWN) + 1) + 2,
        hide_index=True,
        on_select=lambda: _open_picked(ids, row),
        selection_mode=["single-row", "single-cell"],
        column_config=_columns(),
        alt="Memories that match the filters, one a row",
    )
    if not found.complete:
        st.caption(f"The first {len(found.memories):,}; the server lists no more.")


def row_page(rows: Sequence[T], *, key: str) -> Sequence[T]:
    """The rows of the chosen page. A table whose rows can be picked reaches the browser whole,
    so a long one is cut into pages.
    """
    pages = math.ceil(len(rows) / _ROWS_PER_PAGE)
    if pages < 2:
        return rows
    with st.container(horizontal=True, vertical_alignment="center"):
        # A page that a filter has left no rows for would be refused.
        st.session_state[key] = min(st.session_state.get(key, 1), pages)
        page = st.pagination(pages, key=key)
        first = (page - 1) * _ROWS_PER_PAGE
        shown = rows[first : first + _ROWS_PER_PAGE]
        st.caption(f"{first + 1:,} to {first + len(shown):,} of {len(rows):,}")
    return shown


def _rows(memories: Sequence[Memory]) -> "DataFrame":
    # Imported when a table is drawn: pandas takes half a second, which a start must not wait for.
    from pandas import Categorical, DataFrame

    # Categories travel as numbers: 10,000 rows are 0.8 MB instead of 2.7.
    return DataFrame(
        {
            "": Categorical([_dot(memory.kind) for memory in memories]),
            "Kind": Categorical([kind_look(memory.kind).label for memory in memories]),
            "Memory": [memory.content for memory in memories],
            "Confidence": [memory.confidence for memory in memories],
            "Valid from": [memory.valid_from.date() for memory in memories],
            "Status": Categorical([memory.status.capitalize() for memory in memories]),
            "Sources": [len(memory.source_episode_ids) for memory in memories],
        }
    )


def _open_picked(ids: Sequence[str], ticked: int | None) -> None:
    picked = st.session_state[TABLE_KEY].selection
    rows = [row for row in picked.rows if row != ticked]
    # A tick that is taken back also reports a cell nobody touched; then nothing was picked.
    if not rows and picked.rows:
        rows = [row for row, _column in picked.cells]
    if rows:
        memory_actions.open_memory(ids[rows[-1]])


def _columns() -> dict[str, Any]:
    config = st.column_config
    return {
        "": config.ImageColumn(width=36),
        "Kind": config.TextColumn(width=92),
        "Memory": config.TextColumn(width=_TEXT_PX),
        "Confidence": config.NumberColumn(
            width=88, format="%.2f", help="How sure the memory is, from 0 to 1."
        ),
        "Valid from": config.DateColumn(width=98, format="D MMM YYYY"),
        "Status": config.TextColumn(width=92),
        "Sources": config.NumberColumn(
            width=70, help="Episodes, that is recorded turns, the memory came from."
        ),
    }


def _dot(kind: str) -> str:
    """The kind's mark as a picture: a cell cannot hold coloured text beside plain text."""
    colour = kind_look(kind).colour.removeprefix("#")
    return (
        "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'%3E"
        f"%3Ccircle cx='4.5' cy='4.5' r='2' fill='%23{colour}'/%3E%3C/svg%3E"
    )


def _kind_names(kind: str) -> tuple[str, str]:
    look = kind_look(kind)
    return look.label.lower(), look.plural.lower()


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
