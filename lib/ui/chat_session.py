"""Which conversation the Chat page shows, and what the visitor does to it."""

import textwrap
from collections.abc import Iterable
from datetime import UTC, datetime
from uuid import uuid4

import streamlit as st

from lib import resources
from lib.conversation import (
    Conversation,
    SessionEntry,
    list_sessions,
    load_conversation,
    to_json,
    to_markdown,
)
from lib.inspection import SubjectMemory
from lib.state import app_state, current_subject
from lib.ui import episode
from lib.ui.text import literal

_MESSAGE = "chat_message"
_SESSION = "chat_session"
_HINT = "chat_hint"
_URL = "session"
_MAX_CHARACTERS = 100_000
_TITLE_LENGTH = 40

_HINTS_NEW = (
    "I'm Sam, I build a REST API in Go and deploy it on Fly.io",
    "I prefer short answers with the code first",
    "What do you know about me?",
)
_HINTS_KNOWN = (
    "What do you know about me?",
    "Where did we leave off?",
    "Which tools do I use?",
)


def current(memory: SubjectMemory) -> Conversation | None:
    """The open conversation with the subject, kept in the address; None before the first
    question.
    """
    visit = app_state().chat
    asked_for = st.query_params.get(_URL)
    if asked_for and asked_for != visit.url_session:
        visit.open(load_conversation(memory.subject_id, asked_for, memory.episodes))
    conversation = visit.current(memory.subject_id)
    visit.url_session = conversation.session_id if conversation else None
    if conversation is None:
        st.query_params.pop(_URL, None)
    elif asked_for != conversation.session_id:
        st.query_params[_URL] = conversation.session_id
    return conversation


def draw_picker(memory: SubjectMemory, conversation: Conversation | None) -> None:
    """Earlier sessions to go back to, and the way to a new one."""
    titles = _titles(list_sessions(memory.episodes))
    if conversation and conversation.session_id not in titles:
        opening = conversation.turns[0].question if conversation.turns else "This session"
        titles = {conversation.session_id: _short(opening)} | titles
    st.session_state[_SESSION] = conversation.session_id if conversation else None
    st.selectbox(
        "Session",
        list(titles),
        key=_SESSION,
        format_func=lambda session_id: titles.get(session_id, session_id),
        placeholder="New session" if titles else "First session",
        disabled=not titles,
        label_visibility="collapsed",
        on_change=_open_picked,
        args=(memory,),
        width=300,
    )
    st.button(
        "New session",
        key="chat_new_session",
        icon=":material/add:",
        disabled=conversation is None,
        on_click=app_state().chat.close,
        args=(memory.subject_id,),
    )


def draw_download(conversation: Conversation | None) -> None:
    """The open conversation as a file."""
    with st.popover("Download", icon=":material/download:", disabled=conversation is None):
        if conversation is None:
            return
        name = f"{_file_name(conversation.subject_id)}-{conversation.session_id[:8]}"
        st.download_button(
            "Markdown, to read",
            lambda: to_markdown(conversation).encode(),
            file_name=f"{name}.md",
            mime="text/markdown",
            on_click="ignore",
            width="stretch",
        )
        st.download_button(
            "JSON, with the messages sent",
            lambda: to_json(conversation).encode(),
            file_name=f"{name}.json",
            mime="application/json",
            on_click="ignore",
            width="stretch",
        )


def draw_opening(memory: SubjectMemory) -> None:
    """What to do in an empty conversation, with messages to send by a click."""
    subject_id = memory.subject_id
    known = any(item.status == "active" for item in memory.memories)
    if known:
        st.markdown(
            f"You write as **{literal(subject_id)}**. Before each reply the assistant gets what "
            "memory holds that matters for your message."
        )
    else:
        st.markdown(
            f"You write as **{literal(subject_id)}**, whom nobody knows yet. Say something about "
            "yourself and your project, then ask about it in a new session."
        )
    demo = (item.hints for item in resources.demo_catalogue() if item.subject_id == subject_id)
    st.pills(
        "Messages to start with",
        next(demo, _HINTS_KNOWN if known else _HINTS_NEW),
        key=_HINT,
        format_func=literal,
        label_visibility="collapsed",
        on_change=_ask_hint,
    )


def draw_input() -> None:
    """The message box at the bottom of the page; it is Stop while a reply runs."""
    with st.bottom:
        st.chat_input(
            f"Message, as {current_subject()}",
            key=_MESSAGE,
            max_chars=_MAX_CHARACTERS,
            submit_mode="stop",
            on_submit=_ask_typed,
        )


def ask_again(conversation: Conversation, turn_id: str) -> None:
    """Callback: another reply to the last question; a second click finds that turn gone."""
    if conversation.turns and conversation.turns[-1].id == turn_id:
        conversation.ask_again(turn_id=uuid4().hex, at=datetime.now(UTC))


def record_waiting() -> None:
    """Callback: record the turns that could not be recorded before."""
    app_state().chat.record_waiting(resources.memory_runtime())


def _ask_typed() -> None:
    _ask(str(st.session_state[_MESSAGE] or ""))


def _ask_hint() -> None:
    picked = st.session_state[_HINT]
    if picked:
        # A chip stays chosen otherwise, and could not be sent twice.
        st.session_state[_HINT] = None
        _ask(str(picked))


def _ask(text: str) -> None:
    visit = app_state().chat
    subject_id = current_subject()
    conversation = visit.current(subject_id) or visit.open(Conversation(subject_id, str(uuid4())))
    conversation.ask(text, turn_id=uuid4().hex, at=datetime.now(UTC))


def _open_picked(memory: SubjectMemory) -> None:
    picked = st.session_state[_SESSION]
    if picked:
        app_state().chat.open(load_conversation(memory.subject_id, picked, memory.episodes))
    else:
        app_state().chat.close(memory.subject_id)


def _titles(sessions: Iterable[SessionEntry]) -> dict[str, str]:
    """Session id → label; no two are the same, since a select box goes by its labels."""
    titles: dict[str, str] = {}
    for session in sessions:
        label = f"{_short(session.title)} · {episode.day(session.last_at)}"
        same = sum(other.startswith(label) for other in titles.values())
        titles[session.session_id] = f"{label} ({same + 1})" if same else label
    return titles


def _short(title: str) -> str:
    return textwrap.shorten(title, _TITLE_LENGTH, placeholder=" …") or title[:_TITLE_LENGTH]


def _file_name(subject_id: str) -> str:
    return "".join(each if each.isalnum() or each in "-_" else "_" for each in subject_id)[:60]
