"""The timeline: each session's episodes in order, with the memories made of them."""

import math
from datetime import UTC
from textwrap import shorten

import streamlit as st

from lib.inspection import ACTIVE, SubjectMemory, TimelineEntry, TimelineSession, timeline_sessions
from lib.models import EPISODE
from lib.theme import kind_look
from lib.ui import episode
from lib.ui.text import literal

_SESSIONS_PER_PAGE = 10
_OPENING_LENGTH = 160
_ENTRIES_SHOWN = 300


def draw(subject: SubjectMemory) -> None:
    """All sessions, oldest first, ten to a page."""
    sessions = timeline_sessions(subject)
    pages = math.ceil(len(sessions) / _SESSIONS_PER_PAGE)
    st.caption(
        f"{kind_look(EPISODE).mark} an episode: one recorded turn, never edited. "
        "Below each, the memories made of it. Times are UTC."
    )
    page = st.pagination(pages, key="timeline_page") if pages > 1 else 1
    if not subject.complete:
        st.caption("The server lists only the oldest part of this timeline.")
    for session in sessions[(page - 1) * _SESSIONS_PER_PAGE : page * _SESSIONS_PER_PAGE]:
        _draw_session(subject, session)


def _draw_session(subject: SubjectMemory, session: TimelineSession) -> None:
    name = literal(session.session_id) if session.session_id else "No session"
    with st.container(border=True):
        st.markdown(
            f"**{name}** · {episode.day(session.first_at)} · "
            f"{session.episode_count:,} episodes · {session.memory_count:,} memories"
        )
        # A session of thousands would keep the browser busy for seconds.
        shown = session.entries[:_ENTRIES_SHOWN]
        st.markdown("\n".join(_line(entry) for entry in shown))
        if len(session.entries) > len(shown):
            st.caption(
                f"The first {len(shown):,} of {len(session.entries):,} episodes and memories; "
                "Sources and Memories list them all."
            )
        ids = {entry.id for entry in shown if entry.kind == EPISODE}
        if ids:
            with st.expander("Read the conversation", icon=":material/forum:"):
                for item in subject.episodes:
                    if item.id in ids:
                        st.caption(episode.clock(item.when))
                        episode.draw(item)


def _line(entry: TimelineEntry) -> str:
    mark = kind_look(entry.kind).mark
    if entry.kind == EPISODE:
        text = literal(shorten(entry.text, _OPENING_LENGTH, placeholder=" …")) or "No text"
        return f"\n{mark} {entry.at.astimezone(UTC):%H:%M} {text}\n"
    status = "" if entry.status == ACTIVE else f" ({entry.status})"
    # A quotation, so that wrapped lines stay indented below their episode; two spaces end a line.
    return f"> {mark} {literal(entry.text)}{status}  "
