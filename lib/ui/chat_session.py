"""Which conversation the Chat page shows, and what the visitor does to it."""

import textwrap
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from uuid import uuid4

import streamlit as st

from lib import resources
from lib.conversation import (
    Conversation,
    PromptMeter,
    SessionEntry,
    list_sessions,
    load_conversation,
    to_json,
    to_markdown,
)
from lib.errors import StatewaveError
from lib.inspection import SubjectMemory
from lib.state import app_state, current_subject
from lib.titles import LONGEST_TITLE
from lib.ui import episode, prompt_meter
from lib.ui.text import file_name, literal

_MESSAGE = "chat_message"
_SESSION = "chat_session"
_URL = "session"
_MAX_CHARACTERS = 100_000
_SESSIONS_SHOWN = 30
_TITLE_LENGTH = 60
_CUT_SHORT = (
    "This server lists only the oldest episodes of a long history, so newer sessions are missing "
    "here and cannot be reloaded."
)

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


def draw_sessions(memory: SubjectMemory, conversation: Conversation | None) -> None:
    """Earlier sessions to go back to, and the way to a new one."""
    named = _named(memory.subject_id)
    titles = _titles(list_sessions(memory.episodes)[:_SESSIONS_SHOWN], named)
    if titles:
        st.menu_button(
            "Sessions",
            list(titles),
            key=_SESSION,
            icon=":material/history:",
            format_func=lambda session_id: titles.get(session_id, literal(session_id)),
            on_click=_open_picked,
            args=(memory,),
            help=None if memory.complete else _CUT_SHORT,
        )
    st.button(
        "New session",
        key="chat_new_session",
        icon=":material/add:",
        disabled=conversation is None,
        on_click=app_state().chat.close,
        args=(memory.subject_id,),
    )


def draw_title(conversation: Conversation) -> None:
    """The session's name, to be changed; kept on this machine, as no runtime keeps one."""
    key = _title_key(conversation)
    named = _named(conversation.subject_id)
    st.session_state.setdefault(key, named.get(conversation.session_id, ""))
    st.text_input(
        "Title of this session",
        key=key,
        max_chars=LONGEST_TITLE,
        placeholder="Its opening words",
        help="Shown under Sessions. Kept on this machine, since episodes are never edited; empty "
        "brings the opening words back.",
        on_change=_rename,
        args=(conversation,),
    )


def _rename(conversation: Conversation) -> None:
    title = str(st.session_state[_title_key(conversation)] or "")
    try:
        resources.session_titles().rename(conversation.subject_id, conversation.session_id, title)
    except StatewaveError as error:
        st.toast(literal(str(error)), icon=":material/error:")


def _title_key(conversation: Conversation) -> str:
    return f"title_{conversation.subject_id}_{conversation.session_id}"


def _named(subject_id: str) -> dict[str, str]:
    try:
        return resources.session_titles().of_subject(subject_id)
    except StatewaveError:
        # Without its names a session still has its opening words; renaming says what is wrong.
        return {}


def draw_download(conversation: Conversation, *, key: str) -> None:
    """The conversation as a file."""
    name = f"{file_name(conversation.subject_id)}-{conversation.session_id[:8]}"
    with st.container(horizontal=True, gap="xsmall"):
        st.download_button(
            "Markdown",
            lambda: to_markdown(conversation).encode(),
            key=f"markdown_{key}",
            file_name=f"{name}.md",
            mime="text/markdown",
            icon=":material/download:",
            on_click="ignore",
        )
        st.download_button(
            "JSON",
            lambda: to_json(conversation).encode(),
            key=f"json_{key}",
            file_name=f"{name}.json",
            mime="application/json",
            icon=":material/download:",
            on_click="ignore",
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
    hints = next(demo, _HINTS_KNOWN if known else _HINTS_NEW)
    # Buttons, not pills: a pill stays chosen in the browser while the reply streams, and whatever
    # reruns the page meanwhile would send it again.
    with st.container(horizontal=True, gap="xsmall"):
        for number, hint in enumerate(hints):
            st.button(
                literal(hint), key=f"chat_hint_{number}", wrap=True, on_click=_ask, args=(hint,)
            )


def draw_input(meter: PromptMeter) -> None:
    """The message box at the bottom of the page, below what the next prompt takes; it is Stop
    while a reply runs.
    """
    with st.bottom, st.container(gap="xxsmall"):
        prompt_meter.draw(meter)
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


def edit_key(turn_id: str) -> str:
    """Where the form that edits a question keeps its text."""
    return f"edit_text_{turn_id}"


def ask_instead(conversation: Conversation, turn_id: str) -> None:
    """Callback: the edited question in place of the last one."""
    if conversation.turns and conversation.turns[-1].id == turn_id:
        question = str(st.session_state[edit_key(turn_id)])
        conversation.ask_instead(question, turn_id=uuid4().hex, at=datetime.now(UTC))


def _ask_typed() -> None:
    _ask(str(st.session_state[_MESSAGE] or ""))


def _ask(text: str) -> None:
    visit = app_state().chat
    subject_id = current_subject()
    conversation = visit.current(subject_id) or visit.open(Conversation(subject_id, str(uuid4())))
    conversation.ask(text, turn_id=uuid4().hex, at=datetime.now(UTC))


def _open_picked(memory: SubjectMemory) -> None:
    picked = st.session_state[_SESSION]
    if picked:
        app_state().chat.open(load_conversation(memory.subject_id, picked, memory.episodes))


def _titles(sessions: Iterable[SessionEntry], named: Mapping[str, str]) -> dict[str, str]:
    """Session id → label; a menu refuses two that are the same."""
    titles: dict[str, str] = {}
    for session in sessions:
        opening = textwrap.shorten(
            named.get(session.session_id, session.title), _TITLE_LENGTH, placeholder=" …"
        )
        shown = literal(opening or session.session_id)
        # The time first, so that the eye can run down the times and down the openings.
        label = f"{episode.clock(session.last_at)} · {shown}"
        if label in titles.values():
            label += f" :small[{literal(session.session_id[:8])}]"
        titles[session.session_id] = label
    return titles
