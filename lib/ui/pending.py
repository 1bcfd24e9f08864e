"""Turns that no runtime has yet: how many, why, and what the visitor can do about them."""

import streamlit as st

from lib import resources
from lib.errors import StatewaveError
from lib.outbox import Backlog, KeptTurn, kept_as_json
from lib.state import app_state
from lib.ui import episode
from lib.ui.text import literal

_LOOK_EVERY_S = 2.0
_SHOWN = 20
_SHOWN_CHARACTERS = 80


def draw() -> None:
    """What waits, in the sidebar; drawn anew when that changes, so that nobody has to click."""
    visit, outbox = app_state().chat, resources.outbox()
    visit.refresh(outbox)
    backlog, unkept = outbox.backlog(), len(visit.unkept())
    every = _LOOK_EVERY_S if backlog.waiting else None
    st.fragment(_redraw_when_changed, run_every=every)(backlog)
    if backlog.error:
        st.warning(literal(backlog.error), title="The outbox cannot be used")
    if unkept:
        st.warning(
            "Neither the runtime nor the disk took them. Keep this tab open, or download the "
            "conversation under a reply.",
            title=f"{_turns(unkept)} only in this visit",
            icon=":material/warning:",
        )
    if backlog.waiting or unkept:
        if backlog.waiting:
            st.badge(
                f"{_turns(backlog.waiting)} not recorded yet",
                icon=":material/schedule:",
                color="yellow",
            )
        st.button(
            "Record now",
            key="record_waiting",
            on_click=record_now,
            help="They are on disk and sent again by themselves until the runtime takes them, "
            "each once and in order.",
        )
    if backlog.refused or backlog.elsewhere:
        _draw_set_aside(backlog)


def record_now() -> None:
    """Callback: send what waits, of this visit and of others."""
    outbox, visit = resources.outbox(), app_state().chat
    outbox.send_now()
    visit.record_unkept(outbox)


def send_again(turn_id: str) -> None:
    """Callback: send a refused turn once more."""
    try:
        resources.outbox().send_again(turn_id)
    except StatewaveError as error:
        st.toast(literal(str(error)), icon=":material/error:")


def discard(turn_id: str) -> None:
    """Callback: erase a turn that was not recorded."""
    try:
        resources.outbox().discard(turn_id)
    except StatewaveError as error:
        st.toast(literal(str(error)), icon=":material/error:")


def _redraw_when_changed(drawn: Backlog) -> None:
    # A reply under way is not interrupted: it ends with a new run anyway.
    talks = app_state().chat.conversations.values()
    talking = any(not turn.settled for talk in talks for turn in talk.turns[-1:])
    if not talking and resources.outbox().backlog() != drawn:
        st.rerun()


def _draw_set_aside(backlog: Backlog) -> None:
    count = backlog.refused + backlog.elsewhere
    box = st.popover(
        f"{_turns(count)} set aside",
        icon=":material/inventory_2:",
        key="set_aside",
        on_change="rerun",
    )
    with box:
        if box.open:
            _draw_turns()


def _draw_turns() -> None:
    st.caption("These are not sent by themselves. They stay on disk until you decide.")
    try:
        turns = resources.outbox().open_turns()
    except StatewaveError as error:
        st.error(literal(str(error)))
        return
    here = resources.outbox().destination
    aside = [turn for turn in turns if turn.state == "refused" or turn.destination != here]
    st.download_button(
        "Download all",
        lambda: kept_as_json(aside).encode(),
        file_name="turns-not-recorded.json",
        mime="application/json",
        icon=":material/download:",
        on_click="ignore",
    )
    for turn in aside[:_SHOWN]:
        _draw_turn(turn, is_here=turn.destination == here)
    if len(aside) > _SHOWN:
        st.caption(f"{len(aside) - _SHOWN:,} more are in the download.")


def _draw_turn(turn: KeptTurn, *, is_here: bool) -> None:
    said = turn.episode.messages[0].content[:_SHOWN_CHARACTERS]
    why = turn.reason if is_here else f"It was said while connected to {turn.destination}."
    with st.container(border=True, gap="xsmall"):
        st.markdown(f"**{literal(turn.subject_id)}** · {episode.clock(turn.kept_at)}")
        st.text(said)
        st.caption(literal(why))
        draw_decision(turn.turn_id, place="aside", can_send=is_here)


def draw_decision(turn_id: str, *, place: str, can_send: bool = True) -> None:
    """What to do with a turn that was set aside."""
    with st.container(horizontal=True, gap="small"):
        if can_send:
            st.button(
                "Record again",
                key=f"{place}_again_{turn_id}",
                icon=":material/refresh:",
                type="tertiary",
                on_click=send_again,
                args=(turn_id,),
            )
        st.button(
            "Discard",
            key=f"{place}_discard_{turn_id}",
            icon=":material/delete:",
            type="tertiary",
            help="Erases it from the outbox. It is recorded nowhere.",
            on_click=discard,
            args=(turn_id,),
        )


def _turns(count: int) -> str:
    return f"{count:,} {'turn' if count == 1 else 'turns'}"
