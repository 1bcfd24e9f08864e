"""The outbox: nothing lost, nothing twice, in order, refused turns kept aside."""

import json
import threading
import time
from datetime import datetime
from pathlib import Path

import pytest

from lib.errors import (
    InputError,
    StatewaveAPIError,
    StatewaveAuthError,
    StatewaveError,
    StatewaveRateLimitError,
)
from lib.models import Message
from lib.outbox import Backlog, Outbox, kept_as_json
from tests.support.ledger import LedgerRuntime, away, never
from tests.support.values import NOW
from tests.unit.outbox.conftest import OpenOutbox, turn


def wait_until_recorded(runtime: LedgerRuntime, count: int) -> None:
    deadline = time.monotonic() + 10
    while len(runtime.turn_ids()) < count:
        assert time.monotonic() < deadline, runtime.turn_ids()
        time.sleep(0.005)


def test_a_runtime_that_takes_the_turn_needs_no_file(
    outbox: Outbox, runtime: LedgerRuntime, path: Path
) -> None:
    made = outbox.record("ann", turn("1"))
    assert (made.state, made.episode_id) == ("recorded", "episode-of-1")
    assert outbox.backlog() == Backlog()
    assert outbox.open_turns() == []
    outbox.send_now()
    assert not path.exists()
    (row,) = runtime.rows()
    assert row["said"] == [["user", "Hello"], ["assistant", "Reply to Hello"]]
    assert row["session_id"] == "s"
    assert row["occurred_at"] == NOW.isoformat()


def test_a_turn_waits_on_disk_while_the_runtime_is_away_and_is_sent_on_request(
    outbox: Outbox, runtime: LedgerRuntime, path: Path
) -> None:
    runtime.before = away
    made = outbox.record("ann", turn("1", metadata={"stopped": True}))
    assert (made.state, made.reason) == ("waiting", "The runtime did not answer.")
    assert path.exists()
    assert outbox.backlog() == Backlog(waiting=1)
    outbox.send_now()
    assert outbox.find(["1"])["1"].state == "waiting"
    runtime.before = never
    outbox.send_now()
    assert outbox.backlog() == Backlog()
    assert outbox.find(["1"])["1"].episode_id == "episode-of-1"
    (row,) = runtime.rows()
    assert row["metadata"] == {"stopped": True, "turn_id": "1"}


def test_turns_of_a_subject_arrive_in_order_and_later_ones_wait_behind(
    outbox: Outbox, runtime: LedgerRuntime
) -> None:
    runtime.before = away
    outbox.record("ann", turn("1"))
    runtime.before = never
    outbox.record("ann", turn("2"))
    outbox.send_now()
    outbox.record("ann", turn("3"))
    assert runtime.turn_ids() == ["1", "2", "3"]


def test_while_the_runtime_is_known_to_be_away_a_turn_is_kept_without_asking_it(
    outbox: Outbox, runtime: LedgerRuntime
) -> None:
    runtime.before = lambda: StatewaveRateLimitError("Slow down.", retry_after_s=300)
    outbox.record("ann", turn("1"))
    asked = len(runtime.calls)
    assert outbox.record("bob", turn("2")).state == "waiting"
    assert len(runtime.calls) == asked


@pytest.mark.parametrize("keeps_first", [False, True])
@pytest.mark.parametrize("honours_keys", [False, True])
def test_an_answer_that_was_lost_does_not_make_a_second_episode(
    open_outbox: OpenOutbox, runtime: LedgerRuntime, *, keeps_first: bool, honours_keys: bool
) -> None:
    outbox = open_outbox(keeps_first=keeps_first)
    runtime.honours_keys = honours_keys
    runtime.after = lambda: away(reached=True)
    assert outbox.record("ann", turn("1")).state == "waiting"
    assert outbox.record("ann", turn("1")).state == "waiting"
    runtime.after = never
    outbox.send_now()
    assert outbox.record("ann", turn("1")).episode_id == "episode-of-1"
    assert runtime.turn_ids() == ["1"]


def test_a_turn_that_never_arrived_is_not_looked_for(
    outbox: Outbox, runtime: LedgerRuntime
) -> None:
    runtime.honours_keys = False
    runtime.before = away
    outbox.record("ann", turn("1"))
    runtime.before = never
    outbox.send_now()
    assert "timeline ann" not in runtime.calls
    assert runtime.turn_ids() == ["1"]


def test_where_the_timeline_does_not_show_all_the_visitor_decides(
    outbox: Outbox, runtime: LedgerRuntime
) -> None:
    runtime.honours_keys, runtime.shows = False, 1
    outbox.record("ann", turn("0"))
    outbox.record("ann", turn("1"))
    runtime.after = lambda: away(reached=True)
    outbox.record("ann", turn("2"))
    runtime.after = never
    runtime.version = "unknown"
    outbox.send_now()
    assert outbox.backlog() == Backlog(waiting=1)
    runtime.version = "0.7.1"
    outbox.send_now()
    assert outbox.backlog() == Backlog(refused=1)
    assert "may have arrived" in (outbox.find(["2"])["2"].reason or "")
    outbox.send_again("2")
    assert runtime.turn_ids() == ["0", "1", "2", "2"]
    assert outbox.backlog() == Backlog()


def test_a_replacement_names_the_episode_of_what_it_replaces_once_that_is_known(
    outbox: Outbox, runtime: LedgerRuntime
) -> None:
    runtime.before = away
    outbox.record("ann", turn("1"))
    outbox.record("ann", turn("2"), replaces_turn="1")
    runtime.before = never
    outbox.send_now()
    outbox.record("ann", turn("3"), replaces_turn="2")
    named = [row["metadata"].get("replaces") for row in runtime.rows()]
    assert named == [None, "episode-of-1", "episode-of-2"]


@pytest.mark.parametrize(
    "error",
    [
        InputError("Too long."),
        StatewaveAPIError("Not accepted.", status=422),
        StatewaveAPIError("Too large.", status=413),
    ],
    ids=["input", "422", "413"],
)
def test_a_refused_turn_is_kept_aside_with_the_reason_and_does_not_hold_up_others(
    outbox: Outbox, runtime: LedgerRuntime, error: StatewaveError
) -> None:
    runtime.before = away
    outbox.record("ann", turn("1"))
    outbox.record("ann", turn("2"))
    answers = iter([error])
    runtime.before = lambda: next(answers, None)
    outbox.send_now()
    assert outbox.backlog() == Backlog(refused=1)
    assert outbox.find(["1"])["1"].reason == str(error)
    assert runtime.turn_ids() == ["2"]
    asked = len(runtime.calls)
    outbox.send_now()
    assert outbox.record("ann", turn("1")).state == "refused"
    assert len(runtime.calls) == asked
    outbox.send_again("1")
    assert runtime.turn_ids() == ["2", "1"]


def test_a_turn_refused_at_once_is_kept_aside_too(outbox: Outbox, runtime: LedgerRuntime) -> None:
    runtime.before = lambda: InputError("Too long.")
    assert outbox.record("ann", turn("1", "precious")).state == "refused"
    assert outbox.backlog() == Backlog(refused=1)
    assert "precious" in kept_as_json(outbox.open_turns())


@pytest.mark.parametrize(
    "error",
    [
        StatewaveAuthError("Wrong key.", status=403),
        StatewaveAPIError("Which tenant?", status=400, code="missing_tenant"),
        StatewaveAPIError("Not available.", status=503),
        StatewaveAPIError("Elsewhere.", status=307),
    ],
    ids=["auth", "tenant", "503", "redirect"],
)
def test_what_settings_or_time_can_mend_is_no_refusal(
    outbox: Outbox, runtime: LedgerRuntime, error: StatewaveError
) -> None:
    runtime.before = lambda: error
    assert outbox.record("ann", turn("1")).state == "waiting"


def test_a_server_error_of_one_subject_does_not_hold_up_another(
    outbox: Outbox, runtime: LedgerRuntime
) -> None:
    runtime.before = away
    outbox.record("ann", turn("1"))
    outbox.record("bob", turn("2"))
    answers = iter([StatewaveAPIError("Failed.", status=500)])
    runtime.before = lambda: next(answers, None)
    outbox.send_now()
    assert runtime.turn_ids() == ["2"]
    assert outbox.backlog() == Backlog(waiting=1)


def test_a_discarded_turn_is_erased_from_the_file_and_never_sent(
    outbox: Outbox, runtime: LedgerRuntime, path: Path
) -> None:
    runtime.before = away
    for number in range(3):
        outbox.record("ann", turn(str(number), f"zebra {number}"))
    outbox.record("bob", turn("b", "heron"))
    outbox.discard("1")
    assert outbox.delete_subject("ann", lambda: "deleted") == "deleted"
    runtime.before = never
    outbox.send_now()
    assert runtime.turn_ids() == ["b"]
    assert outbox.record("ann", turn("1")).state == "discarded"
    files = list(path.parent.glob("outbox.db*"))
    assert not any(b"zebra" in file.read_bytes() for file in files)


def test_a_subject_that_could_not_be_deleted_keeps_its_waiting_turns(
    outbox: Outbox, runtime: LedgerRuntime
) -> None:
    def fail() -> None:
        # What is said meanwhile is kept as well, and not sent.
        runtime.before = never
        outbox.send_now()
        assert runtime.turn_ids() == []
        raise away()

    runtime.before = away
    outbox.record("ann", turn("1"))
    with pytest.raises(StatewaveError):
        outbox.delete_subject("ann", fail)
    outbox.send_now()
    assert runtime.turn_ids() == ["1"]


def test_a_subject_is_not_deleted_while_one_of_its_turns_is_under_way(
    open_outbox: OpenOutbox, runtime: LedgerRuntime
) -> None:
    first, second = open_outbox(), open_outbox()

    def delete_meanwhile() -> None:
        with pytest.raises(InputError, match="being recorded"):
            second.delete_subject("ann", lambda: None)

    runtime.before = away
    first.record("ann", turn("1"))
    runtime.before = delete_meanwhile
    first.send_now()
    assert runtime.turn_ids() == ["1"]


def test_turns_for_another_destination_stay_until_it_is_connected_again(
    open_outbox: OpenOutbox, runtime: LedgerRuntime, tmp_path: Path
) -> None:
    first = open_outbox()
    runtime.before = away
    first.record("ann", turn("1"))
    first.close()
    runtime.before = never
    other = LedgerRuntime(tmp_path / "other.jsonl")
    elsewhere = open_outbox(destination="there", runtime=other)
    elsewhere.send_now()
    assert elsewhere.backlog() == Backlog(elsewhere=1)
    assert other.rows() == []
    (kept,) = elsewhere.open_turns()
    assert kept.destination == "here"
    open_outbox().send_now()
    assert runtime.turn_ids() == ["1"]


def test_what_an_earlier_process_left_is_counted_and_sent_without_being_asked(
    open_outbox: OpenOutbox, runtime: LedgerRuntime
) -> None:
    first = open_outbox()
    runtime.before = away
    first.record("ann", turn("1"))
    first.close()
    runtime.before = never
    again = open_outbox(sends_by_itself=True)
    assert again.backlog() == Backlog(waiting=1)
    wait_until_recorded(runtime, 1)


def test_the_thread_keeps_trying_tells_what_it_sent_and_ends_when_nothing_waits(
    open_outbox: OpenOutbox, runtime: LedgerRuntime
) -> None:
    sent: list[str] = []
    outbox = open_outbox(sends_by_itself=True, first_pause_s=0.01, after_sending=sent.append)
    failures = iter([away()] * 3)
    runtime.before = lambda: next(failures, None)
    outbox.record("ann", turn("1"))
    wait_until_recorded(runtime, 1)
    deadline = time.monotonic() + 10
    while any(thread.name == "outbox" for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    assert sent == ["ann"]
    runtime.before = lambda: next(failures, None)
    failures = iter([away()])
    outbox.record("ann", turn("2"))
    wait_until_recorded(runtime, 2)


def test_pauses_double_up_to_a_minute_and_honour_what_the_server_asks(
    outbox: Outbox, runtime: LedgerRuntime
) -> None:
    waits: list[float] = []
    runtime.before = away
    outbox.record("ann", turn("1"))
    for _ in range(8):
        waits.append(outbox.pause_s)
        outbox.send_now()
    assert waits[0] == 1.0
    assert waits == sorted(waits)
    assert waits[-1] == 60.0
    runtime.before = lambda: StatewaveRateLimitError("Slow down.", retry_after_s=90)
    outbox.send_now()
    assert outbox.pause_s == 90.0


def test_closing_ends_the_thread_and_leaves_what_waits(
    open_outbox: OpenOutbox, runtime: LedgerRuntime
) -> None:
    runtime.before = away
    outbox = open_outbox(sends_by_itself=True, first_pause_s=0.001)
    outbox.record("ann", turn("1"))
    outbox.close()
    assert not any(thread.name == "outbox" for thread in threading.enumerate())
    assert open_outbox().backlog() == Backlog(waiting=1)


def test_two_senders_on_one_file_do_not_send_a_turn_twice(
    open_outbox: OpenOutbox, runtime: LedgerRuntime
) -> None:
    runtime.honours_keys = False
    runtime.before = away
    first, second = open_outbox(), open_outbox()
    for number in range(40):
        first.record(f"subject-{number % 4}", turn(str(number)))

    def slow() -> None:
        time.sleep(0.002)

    runtime.before = slow
    threads = [threading.Thread(target=each.send_now) for each in (first, second, first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    first.send_now()
    assert sorted(runtime.turn_ids(), key=int) == [str(number) for number in range(40)]


def test_a_sender_that_died_is_followed_by_another_after_its_lease(
    open_outbox: OpenOutbox, runtime: LedgerRuntime
) -> None:
    now = [1000.0]
    first = open_outbox(clock=lambda: now[0])

    def die() -> StatewaveError | None:
        raise SystemExit

    runtime.before = away
    first.record("ann", turn("1"))
    runtime.before = die
    with pytest.raises(SystemExit):
        first.send_now()
    runtime.before = never
    second = open_outbox(clock=lambda: now[0])
    second.send_now()
    assert runtime.turn_ids() == []
    now[0] += 60
    second.send_now()
    assert runtime.turn_ids() == ["1"]


def test_text_that_no_database_likes_is_kept_as_it_was(
    outbox: Outbox, runtime: LedgerRuntime
) -> None:
    runtime.before = away
    odd = "nul \x00, half \ud800, 🎉, שלום"
    outbox.record("ann", turn("1", odd))
    (kept,) = outbox.open_turns()
    assert kept.episode.messages[0] == Message("user", odd)
    assert outbox.record("half \ud800", turn("2")).state == "refused"


def test_kept_turns_can_be_exported(outbox: Outbox, runtime: LedgerRuntime) -> None:
    runtime.before = away
    outbox.record("ann", turn("1", "I keep bees"))
    (row,) = json.loads(kept_as_json(outbox.open_turns()))
    assert row["messages"][0] == {"role": "user", "content": "I keep bees"}
    assert row["reason"] == "The runtime did not answer."
    assert datetime.fromisoformat(row["occurred_at"]) == NOW
