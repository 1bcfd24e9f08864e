"""One episode in full: who said what, exactly as it was recorded."""

import json
from datetime import UTC, datetime

import streamlit as st

from lib.models import Episode
from lib.ui.text import literal


def day(moment: datetime) -> str:
    """A date as people write it, such as 3 Mar 2026 (UTC)."""
    utc = moment.astimezone(UTC)
    return f"{utc.day} {utc:%b %Y}"


def clock(moment: datetime) -> str:
    """Date and time, such as 3 Mar 2026, 10:32 UTC."""
    return f"{day(moment)}, {moment.astimezone(UTC):%H:%M} UTC"


def heading(episode: Episode) -> str:
    """When an episode happened and in which session, as Markdown."""
    session = f" · session {literal(episode.session_id)}" if episode.session_id else ""
    return f"{clock(episode.when)}{session}"


def draw(episode: Episode) -> None:
    """Every message of the episode, literally; a payload without messages as JSON."""
    if not episode.messages:
        st.code(json.dumps(dict(episode.payload), indent=2, ensure_ascii=False), language=None)
    for message in episode.messages:
        speaker = episode.subject_id if message.role == "user" else message.role.capitalize()
        st.markdown(f"**{literal(speaker)}**")
        # st.text neither parses Markdown nor joins lines.
        st.text(message.content, width="stretch")
    for note in episode.notes:
        st.caption(literal(note))
