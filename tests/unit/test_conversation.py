"""Turns: asked once, recorded once, replaced by name, reloaded as they were."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lib.assistant import PreparedPrompt
from lib.conversation import (
    HISTORY_TURNS,
    CompileGate,
    Conversation,
    ReplyFigures,
    Turn,
    Visit,
    compile_once,
    compile_when_due,
    list_sessions,
    load_conversation,
    record_turn,
    to_json,
    to_markdown,
)
from lib.embedded.runtime import EmbeddedRuntime
from lib.errors import StatewaveConnectionError
from lib.models import Episode, Message
from lib.outbox import Outbox
from tests.support.plain_compiler import PlainCompiler
from tests.support.values import NOW

FIGURES = ReplyFigures(model="gpt-4o-mini", memories=2, context_tokens=40, total_ms=12.5)
PROMPT = PreparedPrompt((Message("user", "Hello"),), None, None)


class FlakyRuntime(EmbeddedRuntime):
    """Refuses to record while `away`; `lost_answers` records and then says it did not."""

    away = False
    lost_answers = False

    def record_episode(self, *args: Any, **kwargs: Any) -> Episode:
        if self.away:
            raise StatewaveConnectionError("away")
        episode = super().record_episode(*args, **kwargs)
        if self.lost_answers:
            raise StatewaveConnectionError("no answer")
        return episode


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[FlakyRuntime]:
    engine = FlakyRuntime(tmp_path / "memory.db", compiler=PlainCompiler())
    yield engine
    engine.close()


@pytest.fixture
def outbox(tmp_path: Path, runtime: FlakyRuntime) -> Iterator[Outbox]:
    """Sends only when it is asked to."""
    outbox = Outbox(tmp_path / "outbox.db", runtime, destination="here", sends_by_itself=False)
    yield outbox
    outbox.close()


def answered(conversation: Conversation, question: str, reply: str, *, at: datetime = NOW) -> Turn:
    """The last turn after asking `question` and getting `reply` whole."""
    conversation.ask(question, turn_id=f"turn-{len(conversation.turns)}-{question}", at=at)
    turn = conversation.waiting
    assert turn
    turn.begin(PROMPT, FIGURES)
    turn.reply = reply
    turn.finish(FIGURES)
    return turn


def test_a_double_click_asks_once() -> None:
    talk = Conversation("ann", "s")
    talk.ask("Hello", turn_id="1", at=NOW)
    talk.ask("Hello", turn_id="2", at=NOW + timedelta(seconds=0.3))
    assert [turn.id for turn in talk.turns] == ["1"]


def test_the_same_question_later_is_another_turn() -> None:
    talk = Conversation("ann", "s")
    answered(talk, "Hello", "Hi")
    talk.ask("Hello", turn_id="2", at=NOW + timedelta(minutes=1))
    assert len(talk.turns) == 2


def test_an_empty_message_is_none_and_nul_and_surrogates_are_replaced() -> None:
    talk = Conversation("ann", "s")
    talk.ask("  ", turn_id="1", at=NOW)
    assert talk.turns == []
    talk.ask("a\x00b\ud800", turn_id="2", at=NOW)
    assert talk.turns[0].question == "a\ufffdb?"


def test_a_reply_stopped_in_the_middle_is_kept_as_stopped() -> None:
    talk = Conversation("ann", "s")
    talk.ask("Hello", turn_id="1", at=NOW)
    turn = talk.turns[0]
    turn.begin(PROMPT, FIGURES)
    turn.reply = "Half a"
    talk.interrupt(turn, stopped=True)
    assert turn.state == "stopped"
    assert turn.unrecorded


def test_a_click_before_the_first_word_leaves_the_question_waiting_but_stop_ends_it() -> None:
    talk = Conversation("ann", "s")
    talk.ask("Hello", turn_id="1", at=NOW)
    turn = talk.turns[0]
    turn.begin(PROMPT, FIGURES)
    talk.interrupt(turn, stopped=False)
    assert talk.waiting is turn
    turn.begin(PROMPT, FIGURES)
    talk.interrupt(turn, stopped=True)
    assert talk.waiting is None
    assert turn.state == "stopped"


def test_stopping_a_regeneration_before_its_first_word_keeps_the_earlier_reply() -> None:
    talk = Conversation("ann", "s")
    earlier = answered(talk, "Hello", "Hi")
    talk.ask_again(turn_id="2", at=NOW)
    again = talk.turns[-1]
    again.begin(PROMPT, FIGURES)
    talk.interrupt(again, stopped=True)
    assert talk.turns == [earlier]


def test_history_holds_the_last_answered_turns_and_no_failed_one() -> None:
    talk = Conversation("ann", "s")
    for number in range(HISTORY_TURNS + 2):
        answered(talk, f"q{number}", f"a{number}")
    talk.turns[-1].fail("no")
    talk.ask("now", turn_id="now", at=NOW)
    history = talk.history(talk.turns[-1])
    assert len(history) == 2 * HISTORY_TURNS
    assert history[0].content == "q1"
    assert history[-1].content == f"a{HISTORY_TURNS}"


def test_a_turn_is_recorded_once_even_when_the_answer_was_lost(
    runtime: FlakyRuntime, outbox: Outbox
) -> None:
    visit = Visit()
    talk = visit.open(Conversation("ann", "s"))
    turn = answered(talk, "Hello", "Hi")
    runtime.lost_answers = True
    visit.record(outbox, talk, turn)
    assert (turn.record_state, turn.record_error) == ("waiting", "no answer")
    runtime.lost_answers = False
    outbox.send_now()
    visit.refresh(outbox)
    visit.record(outbox, talk, turn)
    (episode,) = runtime.timeline("ann").episodes
    assert episode.id == turn.episode_id
    assert turn.record_error is None
    assert episode.session_id == "s"
    assert episode.when == NOW
    assert episode.messages == (Message("user", "Hello"), Message("assistant", "Hi"))


def test_a_stopped_reply_says_so_and_a_failed_one_is_not_stored(
    runtime: FlakyRuntime, outbox: Outbox
) -> None:
    talk = Conversation("ann", "s")
    stopped = answered(talk, "Hello", "Hi th")
    stopped.state = "stopped"
    record_turn(outbox, talk, stopped)
    failed = answered(talk, "And?", "")
    failed.fail("no key")
    record_turn(outbox, talk, failed)
    assert failed.record_state is None
    (episode,) = runtime.timeline("ann").episodes
    assert episode.metadata["stopped"] is True


@pytest.mark.parametrize("away", [False, True])
def test_a_replacement_records_what_it_replaces_first_and_names_it(
    runtime: FlakyRuntime, outbox: Outbox, *, away: bool
) -> None:
    talk = Conversation("ann", "s")
    first = answered(talk, "Hello", "Hi")
    talk.ask_again(turn_id="2", at=NOW + timedelta(seconds=5))
    second = talk.turns[-1]
    second.begin(PROMPT, FIGURES)
    second.reply = "Good day"
    second.finish(FIGURES)
    assert [turn.id for turn in talk.unrecorded()] == [first.id, "2"]
    runtime.away = away
    record_turn(outbox, talk, second)
    runtime.away = False
    outbox.send_now()
    one, two = runtime.timeline("ann").episodes
    assert [message.content for message in one.messages] == ["Hello", "Hi"]
    assert two.metadata["replaces"] == one.id


def test_turns_wait_while_the_runtime_is_away_and_the_visit_learns_when_they_are_recorded(
    runtime: FlakyRuntime, outbox: Outbox
) -> None:
    visit = Visit()
    talk = visit.open(Conversation("ann", "s"))
    runtime.away = True
    for question in ("One", "Two"):
        visit.record(outbox, talk, answered(talk, question, "reply"))
    assert [turn.record_state for turn in talk.turns] == ["waiting", "waiting"]
    assert visit.unkept() == []
    assert visit.compile_due == {}
    runtime.away = False
    outbox.send_now()
    assert visit.compile_due == {}
    visit.refresh(outbox)
    assert all(turn.episode_id for turn in talk.turns)
    assert visit.compile_due == {"ann": False}
    assert len(runtime.timeline("ann").episodes) == 2


def test_a_turn_that_no_disk_takes_stays_in_the_visit_and_follows_the_next_one(
    runtime: FlakyRuntime, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    nowhere = Outbox(tmp_path / "file" / "outbox.db", runtime, destination="here")
    visit = Visit()
    talk = visit.open(Conversation("ann", "s"))
    runtime.away = True
    one, two = answered(talk, "One", "1"), answered(talk, "Two", "2")
    visit.record(nowhere, talk, one)
    visit.record(nowhere, talk, two)
    assert visit.unkept() == [(talk, one), (talk, two)]
    assert "cannot be written" in (one.record_error or "")
    runtime.away = False
    visit.record(nowhere, talk, answered(talk, "Three", "3"))
    assert visit.unkept() == []
    assert [each.text for each in runtime.timeline("ann").episodes] == [
        "user: One\nassistant: 1",
        "user: Two\nassistant: 2",
        "user: Three\nassistant: 3",
    ]


def test_a_discarded_turn_is_not_handed_over_again(runtime: FlakyRuntime, outbox: Outbox) -> None:
    visit = Visit()
    talk = visit.open(Conversation("ann", "s"))
    runtime.away = True
    turn = answered(talk, "Hello", "Hi")
    visit.record(outbox, talk, turn)
    outbox.discard(turn.id)
    visit.refresh(outbox)
    assert turn.record_state == "discarded"
    runtime.away = False
    visit.record(outbox, talk, turn)
    assert runtime.timeline("ann").episodes == ()


def test_a_session_reloads_as_it_was_with_the_newest_reply_only(
    runtime: FlakyRuntime, outbox: Outbox
) -> None:
    talk = Conversation("ann", "s")
    record_turn(outbox, talk, answered(talk, "Hello", "Hi"))
    talk.ask_again(turn_id="again", at=NOW + timedelta(seconds=5))
    second = talk.turns[-1]
    second.begin(PROMPT, FIGURES)
    second.reply = "Good day"
    second.finish(replace(FIGURES, first_token_ms=3.0))
    record_turn(outbox, talk, second)
    loaded = load_conversation("ann", "s", runtime.timeline("ann").episodes)
    (turn,) = loaded.turns
    assert (turn.question, turn.reply, turn.state) == ("Hello", "Good day", "whole")
    assert turn.figures == second.figures
    assert turn.can_regenerate


def test_an_episode_of_several_turns_loads_as_such_and_is_not_replaced_alone(
    runtime: FlakyRuntime,
) -> None:
    said = [
        Message("user", "One"),
        Message("assistant", "1"),
        Message("user", "Two"),
        Message("assistant", "2"),
    ]
    runtime.record_episode("ann", said, session_id="s")
    loaded = load_conversation("ann", "s", runtime.timeline("ann").episodes)
    assert [(turn.question, turn.reply) for turn in loaded.turns] == [("One", "1"), ("Two", "2")]
    assert not loaded.turns[-1].can_regenerate


def test_sessions_are_listed_latest_first_with_their_first_message(runtime: FlakyRuntime) -> None:
    for session, at in (("a", NOW), ("b", NOW + timedelta(days=1))):
        runtime.record_episode(
            "ann", [Message("user", f"First of {session}")], session_id=session, occurred_at=at
        )
    runtime.record_episode("ann", [Message("user", "No session")])
    entries = list_sessions(runtime.timeline("ann").episodes)
    assert [(entry.session_id, entry.title) for entry in entries] == [
        ("b", "First of b"),
        ("a", "First of a"),
    ]


def test_compiling_is_due_after_so_many_episodes_and_never_at_zero(runtime: FlakyRuntime) -> None:
    gate = CompileGate()
    runtime.record_episode("ann", "Ann lives in Porto.")
    assert compile_when_due(runtime, "ann", every=0, gate=gate) is None
    assert compile_when_due(runtime, "ann", every=2, gate=gate) is None
    runtime.record_episode("ann", "Ann ships on Fridays.")
    report = compile_when_due(runtime, "ann", every=2, gate=gate)
    assert report
    assert report.episodes_compiled == 2


def test_a_subject_is_compiled_by_one_at_a_time(runtime: FlakyRuntime) -> None:
    gate = CompileGate()
    with ThreadPoolExecutor(1) as other_tab:
        assert other_tab.submit(gate.enter, "ann").result()
        assert compile_once(runtime, "ann", gate=gate) is None
        assert compile_once(runtime, "bob", gate=gate) is not None
        other_tab.submit(gate.leave, "ann").result()
    assert compile_once(runtime, "ann", gate=gate) is not None


def test_a_reply_regenerated_in_two_tabs_is_shown_once(runtime: FlakyRuntime) -> None:
    said = (Message("user", "Hello"), Message("assistant", "One"))
    first = runtime.record_episode("ada", said, session_id="s1")
    for number in (2, 3):
        again = (Message("user", "Hello"), Message("assistant", f"Reply {number}"))
        runtime.record_episode("ada", again, session_id="s1", metadata={"replaces": first.id})
    loaded = load_conversation("ada", "s1", runtime.timeline("ada").episodes)
    assert [turn.reply for turn in loaded.turns] == ["Reply 3"]


def test_figures_are_read_back_whole() -> None:
    kept = json.loads(json.dumps({"reply": FIGURES.as_metadata()}))
    assert ReplyFigures.from_metadata(kept) == FIGURES


def test_figures_of_another_app_under_the_same_name_are_left_out() -> None:
    foreign = {
        "model": "their-model",
        "memories": "many",
        "raw_episodes": -1,
        "context_tokens": True,
        "total_ms": float("inf"),
        "measured": "yes",
        "memory_error": {"code": 3},
        "unknown": 1,
    }
    assert ReplyFigures.from_metadata({"reply": foreign}) == ReplyFigures(model="their-model")


def test_a_conversation_can_be_kept_as_markdown_and_json() -> None:
    talk = Conversation("ann", "s")
    turn = answered(talk, "Hello", "Hi")
    turn.episode_id = "e1"
    text = to_markdown(talk)
    for part in ("# Conversation with ann", "Hello", "Hi", "2 memories", "gpt-4o-mini", "e1"):
        assert part in text
    data = json.loads(to_json(talk))
    assert data["session_id"] == "s"
    assert data["turns"][0]["messages_sent"] == [{"role": "user", "content": "Hello"}]
    assert data["turns"][0]["figures"]["context_tokens"] == 40
