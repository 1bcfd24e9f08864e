"""The conversation: turns with what each reply took, and the one being streamed."""

from contextlib import closing
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import StopException

from lib import resources
from lib.assistant import PreparedPrompt, ReplyOptions, open_reply, prepare_prompt
from lib.conversation import Conversation, ReplyFigures, Turn
from lib.conversation.turns import final_figures
from lib.errors import ModelError
from lib.pricing import price_of
from lib.protocol import ReplyStream
from lib.state import app_state
from lib.ui import chat_session, injected, pending
from lib.ui.figures import format_ms, format_usd
from lib.ui.streaming import interruptible
from lib.ui.text import inert, literal

_SHOWN_CHARACTERS = 4_000
_LOOK_EVERY_S = 0.5
_TURNS_SHOWN = 20
_TURNS_MORE = 40
_RECORD_STATES = {
    "waiting": "**not recorded yet**",
    "unkept": "**only in this visit**",
    "refused": "**not recorded**",
    "discarded": "discarded",
}


def draw(conversation: Conversation, options: ReplyOptions, *, history_turns: int) -> None:
    """The latest turns, earlier ones on request; a waiting one is answered while the page looks
    on, then everything is redrawn.
    """
    waiting = conversation.waiting
    # After Stop no script is left that could redraw the page; this look from time to time does.
    every = _LOOK_EVERY_S if waiting else None
    st.fragment(_redraw_when_settled, run_every=every)(waiting)
    for turn in _shown_turns(conversation):
        if turn is not waiting:
            _draw_turn(conversation, turn, is_last=turn is conversation.turns[-1])
    if waiting:
        _draw_question(waiting)
        with st.chat_message("assistant", avatar=":material/auto_awesome:"):
            _answer(conversation, waiting, options, history_turns)
        # The sidebar, the panel and the buttons were drawn before there was a reply.
        st.rerun()


def _shown_turns(conversation: Conversation) -> list[Turn]:
    """The last turns: two hundred would take the browser seconds at every message."""
    key = f"chat_shown_{conversation.session_id}"
    shown = int(st.session_state.get(key, _TURNS_SHOWN))
    hidden = len(conversation.turns) - shown
    if hidden > 0:
        st.button(
            f"Show earlier turns ({hidden:,})",
            key="show_earlier",
            icon=":material/expand_less:",
            type="tertiary",
            on_click=st.session_state.update,
            args=({key: shown + _TURNS_MORE},),
        )
    return conversation.turns[-shown:]


def _draw_turn(conversation: Conversation, turn: Turn, *, is_last: bool) -> None:
    _draw_question(turn)
    with st.chat_message("assistant", avatar=":material/auto_awesome:"):
        if turn.reply:
            st.markdown(inert(turn.reply))
        if turn.state == "failed":
            st.error(literal(turn.error or ""), title="The model gave no reply")
        elif not turn.reply:
            st.caption("Stopped before the first word.")
        with st.container(gap="xxsmall"):
            if turn.figures:
                st.caption(_line(turn), help=_details(turn, turn.figures))
            _draw_recording(turn)
            _draw_actions(conversation, turn, is_last=is_last)


def _draw_recording(turn: Turn) -> None:
    """What the visitor should know before the only copy of a turn is gone."""
    if turn.record_state == "unkept":
        st.warning(
            f"Only this visit has this turn: {literal(turn.record_error or '')} Keep this tab "
            "open until it is recorded, or download the conversation (Copy).",
            title="Neither recorded nor on disk",
        )
    elif turn.record_state == "refused":
        st.warning(literal(turn.record_error or ""), title="The runtime did not take this turn")
        pending.draw_decision(turn.id, place="reply")


def _draw_question(turn: Turn) -> None:
    with st.chat_message("user", avatar=":material/person:"):
        st.text(turn.question[:_SHOWN_CHARACTERS], width="stretch")
        if len(turn.question) > _SHOWN_CHARACTERS:
            st.caption(
                f"The first {_SHOWN_CHARACTERS:,} of {len(turn.question):,} characters; "
                "all of them were sent."
            )


def _answer(
    conversation: Conversation, turn: Turn, options: ReplyOptions, history_turns: int
) -> None:
    outbox, visit = resources.outbox(), app_state().chat
    stopped = False
    try:
        _stream(conversation, turn, options, history_turns)
    except ModelError as error:
        turn.fail(str(error))
    except StopException:
        stopped = True
        raise
    finally:
        # Runs after Stop, a page switch and a closed tab too, so that no reply is lost. Nothing of
        # Streamlit may be touched here: that would end it before the turn is recorded.
        conversation.interrupt(turn, stopped=stopped)
        visit.record(outbox, conversation, turn)
        resources.forget_cached_subjects()


def _stream(
    conversation: Conversation, turn: Turn, options: ReplyOptions, history_turns: int
) -> None:
    reply, line, sent = st.empty(), st.empty(), st.empty()
    first = "Looking into memory…" if options.use_memory else "Waiting for the first word…"
    reply.markdown(f":shimmer[{first}]")
    model = resources.chat_model()
    prompt = prepare_prompt(
        resources.memory_runtime(),
        conversation.subject_id,
        message=turn.question,
        options=options,
        session_id=conversation.session_id,
        history=conversation.history(turn, turns=history_turns),
    )
    figures = ReplyFigures.before_reply(prompt, model, name=options.model)
    turn.begin(prompt, figures)
    # Stop ends the script here and now, so what belongs below the reply is drawn before it.
    reply.markdown(":shimmer[Waiting for the first word…]")
    line.caption(_line(turn))
    with sent.container(), _injected_popover():
        injected.draw(prompt)
    opened: list[ReplyStream] = []

    def start() -> ReplyStream:
        opened.append(open_reply(model, prompt, options=options))
        return opened[0]

    with closing(interruptible(start)) as pieces:
        for piece in pieces:
            turn.reply += piece
            reply.markdown(inert(turn.reply))
    turn.finish(replace(figures, **final_figures(figures, opened[0].end)))


def _redraw_when_settled(turn: Turn | None) -> None:
    if turn and turn.settled:
        st.rerun()


def _draw_actions(conversation: Conversation, turn: Turn, *, is_last: bool) -> None:
    failed = turn.state == "failed"
    with st.container(horizontal=True, gap="small"):
        if turn.prompt and not failed:
            _draw_injected(turn.prompt, turn.id, is_last=is_last)
        if turn.reply and not failed:
            _draw_copy(conversation, turn)
        if is_last and (failed or turn.can_regenerate):
            st.button(
                "Retry" if failed else "Regenerate",
                key="ask_again",
                icon=":material/refresh:",
                type="secondary" if failed else "tertiary",
                on_click=chat_session.ask_again,
                args=(conversation, turn.id),
            )
        if is_last and (failed or turn.can_regenerate) and turn.question:
            _draw_edit(conversation, turn)
        if is_last and failed and turn.replaces:
            st.button("Keep the earlier reply", type="tertiary", on_click=conversation.keep_earlier)
        if turn.record_state in ("waiting", "unkept"):
            # The sidebar offers it as well, but a phone hides that.
            st.button(
                "Record now",
                key=f"record_{turn.id}",
                icon=":material/schedule:",
                type="tertiary",
                on_click=pending.record_now,
            )


def _draw_edit(conversation: Conversation, turn: Turn) -> None:
    with (
        st.popover("Edit", icon=":material/edit:", type="tertiary"),
        st.form(f"edit_{turn.id}", border=False),
    ):
        st.text_area(
            "Your message",
            turn.question,
            key=chat_session.edit_key(turn.id),
            help="The new message and its reply take the place of these; the old turn stays on "
            "record as replaced.",
        )
        st.form_submit_button(
            "Send instead",
            icon=":material/send:",
            on_click=chat_session.ask_instead,
            args=(conversation, turn.id),
        )


def _draw_injected(prompt: PreparedPrompt, turn_id: str, *, is_last: bool) -> None:
    if is_last:
        with _injected_popover():
            injected.draw(prompt)
    else:
        _draw_injected_when_opened(prompt, turn_id)


def _injected_popover() -> DeltaGenerator:
    return st.popover("What was injected", icon=":material/input:", type="tertiary")


@st.fragment
def _draw_injected_when_opened(prompt: PreparedPrompt, turn_id: str) -> None:
    """Long conversations stay light: earlier prompts reach the browser when they are opened."""
    box = st.popover(
        "What was injected",
        icon=":material/input:",
        type="tertiary",
        key=f"injected_{turn_id}",
        on_change="rerun",
    )
    with box:
        if box.open:
            injected.draw(prompt)


def _draw_copy(conversation: Conversation, turn: Turn) -> None:
    with st.popover("Copy", icon=":material/content_copy:", type="tertiary"):
        st.caption("This reply")
        st.code(turn.reply, language=None, wrap_lines=True)
        st.caption("The whole conversation")
        chat_session.draw_download(conversation, key=turn.id)


def _line(turn: Turn) -> str:
    figures = turn.figures
    assert figures
    parts = [*_memory_part(figures), *_record_part(turn)]
    if figures.first_token_ms is not None:
        parts.append(f"first token {format_ms(figures.first_token_ms)}")
    if figures.total_ms is not None:
        parts.append(f"total {format_ms(figures.total_ms)}")
    return "\u00a0· ".join([*parts, literal(figures.model)])


def _memory_part(figures: ReplyFigures) -> list[str]:
    if figures.memory_error:
        return ["○ **Without memory: it did not answer**"]
    if figures.memory_off:
        return ["○ memory off"]
    if not figures.memories and not figures.raw_episodes:
        return ["○ no memory used"]
    noun = "memory" if figures.memories == 1 else "memories"
    count = f":primary[●] {figures.memories:,} {noun}"
    if figures.raw_episodes:
        passages = "passage" if figures.raw_episodes == 1 else "passages"
        count += f" + {figures.raw_episodes:,} raw {passages}"
    return [count, f"{figures.context_tokens:,} context tokens"]


def _record_part(turn: Turn) -> list[str]:
    state = {"stopped": ["stopped"], "streaming": ["unfinished"], "failed": ["nothing stored"]}
    parts = state.get(turn.state, [])
    if turn.episode_id:
        return [*parts, f"episode {literal(turn.episode_id[:8])}"]
    said = _RECORD_STATES.get(turn.record_state or "")
    return [*parts, said] if said else parts


def _details(turn: Turn, figures: ReplyFigures) -> str:
    """What the line has no room for."""
    rows = [f"Episode `{turn.episode_id}`"] if turn.episode_id else []
    if turn.record_error:
        rows.append(f"Not recorded: {literal(turn.record_error)}")
    if figures.memory_error:
        rows.append(f"Memory: {literal(figures.memory_error)}")
    if figures.context_ms is not None:
        rows.append(f"Context found in {format_ms(figures.context_ms)}")
    if figures.prompt_tokens is not None and figures.completion_tokens is not None:
        how = "measured" if figures.measured else "counted"
        rows.append(
            f"{figures.prompt_tokens:,} prompt and {figures.completion_tokens:,} completion "
            f"tokens, {how}"
        )
        price = price_of(figures.pricing_model)
        if price:
            usd = literal(format_usd(price.cost(figures.prompt_tokens, figures.completion_tokens)))
            to = "" if figures.is_language_model else f" if sent to {literal(price.model)}"
            rows.append(f"{usd}{to}")
    return "  \n".join(rows) or "No more is known about this reply."
