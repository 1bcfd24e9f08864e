"""The sides of a comparison: streaming at once, and what each one cost."""

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lib import resources
from lib.comparison import (
    Comparison,
    HistoryUse,
    Side,
    SideName,
    SideReply,
    SideRun,
    record_exchange,
    reply_cost,
)
from lib.errors import StatewaveError
from lib.state import app_state
from lib.ui import compiling
from lib.ui.figures import format_ms, format_usd
from lib.ui.streaming import interruptible, pass_yield_point
from lib.ui.text import inert, literal

_POLL_S = 0.05
_WATCH_S = 0.5
HEADERS: dict[SideName, str] = {
    "stateless": ":gray[●] **Stateless**",
    "memory": ":primary[●] **Memory-backed**",
    "history": ":gray[◆] **Full history**",
    "last_turns": ":gray[◇] **Last turns**",
}
_IN_A_ROW = 3
"""More sides than this stand in rows of two."""


def draw(comparison: Comparison) -> Comparison:
    """Every side, each streaming on its own; the comparison once all have settled."""
    under_way = not comparison.settled
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{literal(comparison.message)}**", width="stretch")
        if under_way:
            # A click is a rerun, and a rerun ends the streams.
            st.button("Stop", key="compare_stop", icon=":material/stop_circle:")
    if under_way:
        _settle_after_stop(comparison)
    sides = comparison.sides
    in_a_row = len(sides) if len(sides) <= _IN_A_ROW else 2
    for first in range(0, len(sides), in_a_row):
        row = sides[first : first + in_a_row]
        for place, side in zip(st.columns(in_a_row, border=True, wrap=True), row, strict=True):
            with place:
                _draw_side(comparison, side.name)
    # Parallel fragments do not hold up the page: nothing may be said before all have ended.
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
    side = next(each for each in comparison.sides if each.name == name)
    header, body = st.empty(), st.empty()
    header.markdown(HEADERS[name])
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
    body.markdown(":shimmer[Waiting for the first word…]")
    stream(comparison, side, on_text=lambda text: body.markdown(inert(text)))


def stream(
    comparison: Comparison, side: Side, *, on_text: Callable[[str], object] | None = None
) -> None:
    """Asks one side to its end; `on_text` hears the whole reply so far."""
    run = SideRun(
        comparison, side, runtime=resources.memory_runtime(), model=resources.chat_model()
    )
    text = ""
    try:
        with closing(interruptible(run.open)) as pieces:
            for piece in pieces:
                text += run.add(piece)
                if on_text:
                    on_text(text)
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
        if reply.history:
            st.caption(_history(reply.history))
        return
    if reply.state == "failed":
        title = "The model gave no reply"
        if reply.prompt is None or reply.memory_missing:
            title = f"No {'memory' if side.name == 'memory' else 'history'}, so no reply"
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


def _history(use: HistoryUse) -> str:
    """How much of the recorded history was sent, and what the model's window left out."""
    recorded = f"{use.recorded:,}" if use.complete else f"the first {use.recorded:,}"
    said = f"{use.sent:,} of {recorded} recorded turns sent"
    window = f"{use.window:,} tokens{'' if use.window_known else ', assumed'}"
    if use.left_out:
        return f"{said}; the oldest {use.left_out:,} do not fit the model's window of {window}"
    return f"{said}, whole; the model's window holds {window}"


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
        app_state().show_comparison(recorded)
        resources.forget_cached_subjects()
    return recorded


def record_again(comparison: Comparison) -> None:
    """Callback: the next run records once more."""
    app_state().show_comparison(replace(comparison, record_error=None))
