"""The question of a comparison: typed or picked, and the settings it is asked with."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

import streamlit as st

from lib import resources
from lib.assistant import ReplyOptions
from lib.comparison import (
    DEFAULT_LAST_TURNS,
    BaselineName,
    Comparison,
    new_comparison,
)
from lib.state import app_state
from lib.ui import controls
from lib.ui.sides import HEADERS
from lib.ui.text import literal

BASELINES: dict[BaselineName, str] = {"history": "Full history", "last_turns": "Last turns"}
_PICKED = "compare_picked"
_LISTED = "compare_questions"


@dataclass(frozen=True, slots=True)
class Setup:
    """How the next comparison is asked."""

    options: ReplyOptions
    baselines: tuple[BaselineName, ...]
    last_turns: int

    @property
    def model_name(self) -> str:
        """The model that replies."""
        return self.options.model or resources.chat_model().name

    def compare(self, subject_id: str, message: str, *, record: bool = False) -> Comparison:
        """A comparison of `message` that nobody has been asked yet."""
        return new_comparison(
            subject_id,
            message,
            options=self.options,
            model=resources.chat_model(),
            comparison_id=uuid4().hex,
            record=record,
            baselines=self.baselines,
            last_turns=self.last_turns,
        )


def ask(subject_id: str) -> Setup:
    """Draws title, settings and question; a new question is what `current` returns from now on."""
    with st.container(horizontal=True, vertical_alignment="center", key="compare_head"):
        st.title(f"Compare as {literal(subject_id)}", width="content")
        st.space("stretch")
        _list_questions(subject_id)
        record = st.checkbox(
            "Record in memory",
            key="compare_record",
            persist_state="session",
            help="Off: nothing of a comparison is recorded. On: the next exchange, that is the "
            "question and its memory-backed reply, is recorded once, as one episode.",
        )
        with st.popover("Settings", icon=":material/tune:"):
            baselines = _baselines()
            last_turns = _last_turns(baselines)
            setup = Setup(controls.reply_options(), tuple(baselines), last_turns)
    with st.container():
        typed = st.chat_input(
            "One message for every side", key="compare_message", submit_mode="stop"
        )
    message = typed or st.session_state.pop(_PICKED, None)
    if message:
        app_state().show_comparison(setup.compare(subject_id, message, record=record))
    return setup


def _baselines() -> list[BaselineName]:
    chosen = st.pills(
        "Compare with more sides",
        list(BASELINES),
        selection_mode="multi",
        key="compare_baselines",
        persist_state="session",
        format_func=BASELINES.__getitem__,
        help="The same model and prompt, with recorded turns in the place of memory: all of them, "
        "as far as the model's window goes, or only the last.",
    )
    return [name for name in BASELINES if name in chosen]


def _last_turns(baselines: Sequence[BaselineName]) -> int:
    if "last_turns" not in baselines:
        return DEFAULT_LAST_TURNS
    st.session_state.setdefault("compare_last_turns", DEFAULT_LAST_TURNS)
    return int(
        st.number_input(
            "Last turns",
            min_value=1,
            max_value=1_000,
            key="compare_last_turns",
            persist_state="session",
            help="How many of the newest recorded turns that side sends.",
        )
    )


def current(subject_id: str) -> Comparison | None:
    """What is being compared for this subject, if anything."""
    comparison = app_state().comparison
    return comparison if comparison and comparison.subject_id == subject_id else None


def _questions(subject_id: str) -> tuple[str, ...]:
    return next(
        (item.compare for item in resources.demo_catalogue() if item.subject_id == subject_id), ()
    )


def _list_questions(subject_id: str) -> None:
    """The ready-made questions in one button, once their place is taken by the replies."""
    questions = _questions(subject_id)
    if questions and current(subject_id):
        st.menu_button(
            "Questions",
            questions,
            key=_LISTED,
            icon=":material/forum:",
            format_func=literal,
            on_click=_pick_listed,
        )


def _pick_listed() -> None:
    _pick(st.session_state[_LISTED])


def _pick(question: str) -> None:
    """Callback: the run that follows asks this."""
    st.session_state[_PICKED] = question


def draw_empty(subject_id: str) -> None:
    """Questions to ask, and what will stand on each side."""
    questions = _questions(subject_id)
    if questions:
        # Buttons, not pills: a pill stays chosen in the browser while the replies stream, and
        # whatever reruns the page meanwhile would send it again.
        with st.container(horizontal=True, gap="xsmall"):
            for number, question in enumerate(questions):
                st.button(
                    literal(question),
                    key=f"compare_question_{number}",
                    wrap=True,
                    on_click=_pick,
                    args=(question,),
                )
    left, right = st.columns(2, border=True, wrap=True)
    left.markdown(HEADERS["stateless"])
    left.markdown("The model gets the system prompt and your message, and nothing else.")
    right.markdown(HEADERS["memory"])
    right.markdown(
        "The same model, temperature and text, with one block more: what is remembered about "
        f"**{literal(subject_id)}** that matters for the message."
    )
    pick = "Pick a question above or type your own." if questions else "Type a message above."
    st.caption(
        f"{pick} Below the replies you see what memory cost in tokens and USD, and the prompts "
        "line by line. Nothing is recorded unless you tick **Record in memory**."
    )
