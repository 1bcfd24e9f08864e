"""The two sides of a comparison: asking, streaming at once, and what each one cost."""

import time
from contextlib import closing
from dataclasses import replace
from uuid import uuid4

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lib import resources
from lib.comparison import (
    Comparison,
    Side,
    SideName,
    SideReply,
    SideRun,
    new_comparison,
    record_exchange,
    reply_cost,
)
from lib.errors import StatewaveError
from lib.state import app_state
from lib.ui import compiling, controls
from lib.ui.figures import format_ms, format_usd
from lib.ui.streaming import interruptible, pass_yield_point
from lib.ui.text import inert, literal

_POLL_S = 0.05
_WATCH_S = 0.5
_PICKED = "compare_picked"
_LISTED = "compare_questions"
_HEADERS: dict[SideName, str] = {
    "stateless": ":gray[●] **Stateless**",
    "memory": ":primary[●] **Memory-backed**",
}


def ask(subject_id: str) -> Comparison | None:
    """Draws title, settings and question; what is being compared for this subject, if anything."""
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
            options = controls.reply_options()
    with st.container():
        typed = st.chat_input(
            "One message for both sides", key="compare_message", submit_mode="stop"
        )
    message = typed or st.session_state.pop(_PICKED, None)
    state = app_state()
    if message:
        state.comparison = new_comparison(
            subject_id,
            message,
            options=options,
            model=resources.chat_model(),
            comparison_id=uuid4().hex,
            record=record,
        )
    return _current(subject_id)


def _current(subject_id: str) -> Comparison | None:
    comparison = app_state().comparison
    return comparison if comparison and comparison.subject_id == subject_id else None


def _questions(subject_id: str) -> tuple[str, ...]:
    return next(
        (item.compare for item in resources.demo_catalogue() if item.subject_id == subject_id), ()
    )


def _list_questions(subject_id: str) -> None:
    """The ready-made questions in one button, once their place is taken by the replies."""
    questions = _questions(subject_id)
    if questions and _current(subject_id):
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
    left.markdown(_HEADERS["stateless"])
    left.markdown("The model gets the system prompt and your message, and nothing else.")
    right.markdown(_HEADERS["memory"])
    right.markdown(
        "The same model, temperature and text, with one block more: what is remembered about "
        f"**{literal(subject_id)}** that matters for the message."
    )
    pick = "Pick a question above or type your own." if questions else "Type a message above."
    st.caption(
        f"{pick} Below the replies you see what memory cost in tokens and USD, and the prompts "
        "line by line. Nothing is recorded unless you tick **Record in memory**."
    )


def draw(comparison: Comparison) -> Comparison:
    """Both sides, each streaming on its own; the comparison once both have settled."""
    under_way = not comparison.settled
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{literal(comparison.message)}**", width="stretch")
        if under_way:
            # A click is a rerun, and a rerun ends the streams.
            st.button("Stop", key="compare_stop", icon=":material/stop_circle:")
    if under_way:
        _settle_after_stop(comparison)
    left, right = st.columns(2, border=True, wrap=True)
    with left:
        _draw_side(comparison, "stateless")
    with right:
        _draw_side(comparison, "memory")
    # Parallel fragments do not hold up the page: nothing may be said before both have ended.
    while not comparison.settled:
        time.sleep(_POLL_S)
        pass_yield_point()
    comparison = _record(comparison)
    if under_way:
        # Ends the watch for Stop, and lets the sidebar see what was recorded.
        st.rerun()
    return comparison


@st.fragment(run_every=_WATCH_S)
def _settle_after_stop(comparison: Comparison) -> None:
    """After Stop no script is left that could redraw the page; this one notices and does."""
    if comparison.settled:
        st.rerun()


@st.fragment(parallel=True)
def _draw_side(comparison: Comparison, name: SideName) -> None:
    side = comparison.stateless if name == "stateless" else comparison.memory
    header, body = st.empty(), st.empty()
    header.markdown(_HEADERS[name])
    if not side.settled:
        _stream(comparison, side, body)
    reply = side.reply
    if reply.memory_missing:
        header.markdown(":gray[○] **Memory not available**")
    if reply.text:
        body.markdown(inert(reply.text))
    elif reply.state == "whole":
        body.caption("The reply is empty.")
    else:
        body.empty()
    _draw_ending(comparison, side)


def _stream(comparison: Comparison, side: Side, body: DeltaGenerator) -> None:
    run = SideRun(
        comparison, side, runtime=resources.memory_runtime(), model=resources.chat_model()
    )
    text = ""
    body.markdown(":shimmer[Waiting for the first word…]")
    try:
        with closing(interruptible(run.open)) as pieces:
            for piece in pieces:
                text += run.add(piece)
                body.markdown(inert(text))
        run.finish()
    except StatewaveError as error:
        run.fail(error)
    finally:
        run.leave()


def _draw_ending(comparison: Comparison, side: Side) -> None:
    """What the reply cost, or why there is none and how to try again."""
    reply = side.reply
    if reply.state == "whole":
        st.caption(_facts(comparison, reply))
        return
    if reply.state == "failed":
        title = "No memory, so no reply" if reply.memory_missing else "The model gave no reply"
        st.error(literal(reply.error or ""), title=title, icon=":material/error:")
    else:
        st.caption(":material/stop_circle: Stopped before the end")
    st.button(
        "Retry" if reply.state == "failed" else "Ask again",
        key=f"ask_again_{side.name}",
        icon=":material/refresh:",
        on_click=comparison.ask_again,
    )


def _facts(comparison: Comparison, reply: SideReply) -> str:
    end = reply.end
    assert end is not None
    how = "measured" if end.measured else "counted"
    tokens = f"{end.prompt_tokens:,} prompt + {end.completion_tokens:,} completion tokens, {how}"
    usd = reply_cost(reply, pricing_model=comparison.pricing_model)
    price = literal(comparison.pricing_model)
    if usd is None:
        cost = f"price of {price} unknown"
    elif comparison.is_language_model:
        cost = literal(format_usd(usd))
    else:
        cost = f"{literal(format_usd(usd))} if sent to {price}"
    first = "" if end.first_token_ms is None else f"first token {format_ms(end.first_token_ms)} · "
    return f"{tokens}  \n{cost} · {first}total {format_ms(end.total_ms)}"


def _record(comparison: Comparison) -> Comparison:
    """Records the exchange where that was asked for, and keeps why if it could not be."""
    if comparison.record_error is not None:
        return comparison
    runtime, subject_id = resources.memory_runtime(), comparison.subject_id
    recorded = comparison
    try:
        recorded = record_exchange(runtime, comparison)
        if recorded is not comparison:
            compiling.start(subject_id, every=resources.app_settings().compile_every)
    except StatewaveError as error:
        recorded = replace(recorded, record_error=str(error))
    if recorded is not comparison:
        app_state().comparison = recorded
        resources.forget_cached_subjects()
    return recorded


def record_again(comparison: Comparison) -> None:
    """Callback: the next run records once more."""
    app_state().comparison = replace(comparison, record_error=None)
