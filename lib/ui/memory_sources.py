"""The Sources view: every episode, and the memories that came from the one picked."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from lib.inspection import Source, SubjectMemory, episode_sources
from lib.theme import kind_look
from lib.ui import episode, memory_actions, memory_table
from lib.ui.text import literal

if TYPE_CHECKING:
    from pandas import DataFrame

_TABLE = "sources_table"
_ROW_PX = 35
_ROWS_SHOWN = 6
_MEMORIES_SHOWN = 50
_OPENING_LENGTH = 300


def draw(subject: SubjectMemory) -> None:
    """The episodes as a table, and below it the picked one beside what was made of it."""
    sources = episode_sources(subject)
    if not sources:
        st.caption("The runtime lists no episode of this subject.")
        return
    without = sum(not source.memories for source in sources)
    count = f"{len(sources):,} {'episode' if len(sources) == 1 else 'episodes'}, newest first"
    none = f"; {without:,} led to no memory" if without else ""
    st.caption(f"{count}{none}. Pick one to see what was made of it.")
    wanted = st.query_params.get(memory_actions.EPISODE_PARAMETER)
    named = (source for source in sources if source.episode.id == wanted)
    picked = next(named, sources[0])
    _draw_table(memory_table.row_page(sources, key="sources_page"), picked)
    _draw_source(subject, picked)


def _draw_table(sources: Sequence[Source], opened: Source) -> None:
    # The address says which one is open, so a picked row must not outlive a change of it.
    ticked = sources.index(opened) if opened in sources else None
    rows = [] if ticked is None else [ticked]
    st.session_state[_TABLE] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    st.dataframe(
        _rows(sources),
        key=_TABLE,
        height=_ROW_PX * (min(len(sources), _ROWS_SHOWN) + 1) + 2,
        hide_index=True,
        on_select=lambda: _open_picked(sources, ticked),
        selection_mode=["single-row", "single-cell"],
        column_config={
            "When (UTC)": st.column_config.DatetimeColumn(width=130, format="D MMM YYYY, HH:mm"),
            "Session": st.column_config.TextColumn(width=150),
            "Said": st.column_config.TextColumn(width="large"),
            "Memories": st.column_config.NumberColumn(width=80),
        },
        alt="Episodes, newest first, one a row",
    )


def _rows(sources: Sequence[Source]) -> "DataFrame":
    from pandas import Categorical, DataFrame

    return DataFrame(
        {
            "When (UTC)": [source.episode.when.replace(tzinfo=None) for source in sources],
            "Session": Categorical([source.episode.session_id or "" for source in sources]),
            "Said": [source.opening[:_OPENING_LENGTH] for source in sources],
            "Memories": [len(source.memories) for source in sources],
        }
    )


def _open_picked(sources: Sequence[Source], ticked: int | None) -> None:
    picked = st.session_state[_TABLE].selection
    rows = [row for row in picked.rows if row != ticked]
    if not rows and picked.rows:
        rows = [row for row, _column in picked.cells]
    if rows:
        memory_actions.open_episode(sources[rows[-1]].episode.id)


def _draw_source(subject: SubjectMemory, source: Source) -> None:
    said, made = st.columns(2, gap="medium")
    with said:
        st.markdown(f"**{episode.heading(source.episode)}**")
        with st.container(border=True, gap="xsmall"):
            episode.draw(source.episode)
    with made:
        count = len(source.memories)
        st.markdown(f"**{count:,} {'memory' if count == 1 else 'memories'} from it**")
        if not count:
            st.caption("Nothing in it was kept as a memory, or it is not compiled yet.")
        with st.container(gap="xxsmall", key="source_memories"):
            for memory in source.memories[:_MEMORIES_SHOWN]:
                look = kind_look(memory.kind)
                status = "" if memory.status == "active" else f" ({memory.status})"
                st.button(
                    literal(memory.content) + status,
                    key=f"made_{memory.id}",
                    icon=look.icon,
                    type="tertiary",
                    wrap=True,
                    help=f"{look.label}: open it",
                    on_click=memory_actions.open_memory,
                    args=(memory.id,),
                )
        if count > _MEMORIES_SHOWN:
            st.caption(f"{count - _MEMORIES_SHOWN:,} more")
    if not subject.complete:
        st.caption("The server lists only the oldest episodes.")
