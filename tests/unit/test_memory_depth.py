"""Growth, history, two dates, sources, forgetting many: what a subject's memories tell."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import cast

import pytest

from lib.errors import InputError, StatewaveNotFoundError
from lib.inspection import (
    SubjectMemory,
    compare_dates,
    days_of_change,
    episode_sources,
    forget_each,
    growth_csv,
    memory_growth,
    memory_history,
    restore_each,
)
from lib.models import PROCEDURE, PROFILE_FACT, Episode, Memory
from lib.protocol import MemoryRuntime

FIRST = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def at(day: int) -> datetime:
    return FIRST + timedelta(days=day)


def on(day: int) -> date:
    return at(day).date()


def memory(number: int, day: int, *, kind: str = PROFILE_FACT, **changes: object) -> Memory:
    made = Memory(f"m{number}", "ada", kind, f"Fact {number}", 0.9, at(day), at(day), at(day))
    return replace(made, **changes)  # type: ignore[arg-type]


def ended(number: int, day: int, until: int, by: int | None = None) -> Memory:
    metadata = {} if by is None else {"superseded_by": f"m{by}"}
    return memory(number, day, status="superseded", valid_to=at(until), metadata=metadata)


def subject(
    memories: Sequence[Memory], episodes: Sequence[Episode] = (), *, complete: bool = True
) -> SubjectMemory:
    newest = sorted(memories, key=lambda item: item.valid_from, reverse=True)
    return SubjectMemory("ada", tuple(newest), tuple(episodes), complete)


def ids(memories: Sequence[Memory]) -> list[str]:
    return sorted(item.id for item in memories)


def test_growth_counts_what_is_in_use_at_the_end_of_each_day_of_change() -> None:
    growth = memory_growth(subject([ended(1, 0, 5, 3), memory(2, 0, kind=PROCEDURE), memory(3, 5)]))
    assert growth.kinds == (PROFILE_FACT, PROCEDURE)
    assert [(point.day, point.counts) for point in growth.points] == [
        (on(0), (1, 1)),
        (on(5), (1, 1)),
    ]


def test_a_forgotten_memory_leaves_on_the_day_it_was_forgotten() -> None:
    growth = memory_growth(subject([memory(1, 0, status="forgotten", updated_at=at(4))]))
    assert [point.total for point in growth.points] == [1, 0]


def test_what_ends_on_its_first_day_is_never_counted() -> None:
    assert [point.total for point in memory_growth(subject([ended(1, 0, 0)])).points] == [0]


def test_the_finding_says_from_when_to_when_and_of_what() -> None:
    growth = memory_growth(subject([memory(1, 0), memory(2, 3), memory(3, 3, kind=PROCEDURE)]))
    assert growth.finding == (
        "From 1 memory on 2 Mar 2026 to 3 on 5 Mar 2026; 67 % are profile facts"
    )
    one_day = memory_growth(subject([memory(1, 0), memory(2, 0)]))
    assert one_day.finding == "2 memories, all since 2 Mar 2026"
    assert memory_growth(subject([])).finding == "Nothing is remembered yet"


def test_the_finding_of_a_part_claims_no_total() -> None:
    growth = memory_growth(subject([memory(1, 0), memory(2, 3)], complete=False))
    assert growth.finding.count("at least") == 2


def test_growth_as_csv_has_a_row_a_day_and_a_column_a_kind() -> None:
    growth = memory_growth(subject([memory(1, 0), memory(2, 3, kind=PROCEDURE)]))
    assert growth_csv(growth) == (
        "day,profile_fact,procedure,memories\n2026-03-02,1,0,1\n2026-03-05,1,1,2\n"
    )


def test_history_tells_the_whole_line_from_any_of_its_memories() -> None:
    line = [ended(1, 0, 5, 2), ended(2, 5, 9, 3), memory(3, 9, metadata={"corrected_from": "m2"})]
    ada = subject([*line, memory(4, 2)])
    for each in line:
        steps = memory_history(ada, each)
        assert [(step.kind, step.memory.id) for step in steps] == [
            ("began", "m1"),
            ("replaced", "m2"),
            ("corrected", "m3"),
        ]


def test_history_tells_when_it_was_said_again_and_forgotten() -> None:
    again = {"confirmed_at": at(3).isoformat()}
    one = memory(1, 0, metadata=again, status="forgotten", updated_at=at(8))
    steps = memory_history(subject([one]), one)
    assert [(step.kind, step.at) for step in steps] == [
        ("began", at(0)),
        ("said_again", at(3)),
        ("forgotten", at(8)),
    ]


def test_two_memories_that_became_one_are_both_in_its_history() -> None:
    ada = subject([ended(1, 0, 5, 3), ended(2, 1, 5, 3), memory(3, 5)])
    line = memory_history(ada, memory(3, 5))
    assert [step.memory.id for step in line] == ["m1", "m2", "m3"]


def test_a_line_that_leads_back_to_itself_and_a_strange_date_end() -> None:
    one = ended(1, 0, 5, 2)
    two = replace(ended(2, 5, 6, 1), metadata={"superseded_by": "m1", "confirmed_at": "soon"})
    steps = memory_history(subject([one, two]), one)
    assert [step.memory.id for step in steps] == ["m1", "m2"]


def test_a_memory_out_of_use_without_a_successor_ended() -> None:
    one = ended(1, 0, 5)
    assert [step.kind for step in memory_history(subject([one]), one)] == ["began", "ended"]


def test_two_dates_tell_what_was_added_what_is_gone_and_what_passed_between() -> None:
    ada = subject([ended(1, 0, 6, 3), memory(2, 0), memory(3, 6), ended(4, 3, 5), memory(5, 20)])
    found = compare_dates(ada, on(1), on(10))
    assert (ids(found.then), ids(found.now)) == (["m1", "m2"], ["m2", "m3"])
    assert (ids(found.added), ids(found.gone), ids(found.passing)) == (["m3"], ["m1"], ["m4"])
    assert found.finding == "2 in use then, 2 later: 1 added, 1 gone"


def test_the_order_of_the_two_dates_does_not_matter() -> None:
    ada = subject([memory(1, 0), memory(2, 4)])
    assert compare_dates(ada, on(9), on(1)) == compare_dates(ada, on(1), on(9))
    assert "choose two" in compare_dates(ada, on(1), on(1)).finding
    assert "Nothing changed" in compare_dates(ada, on(5), on(6)).finding
    assert days_of_change(ada) == (on(0), on(4))


def test_each_episode_leads_to_its_memories_newest_episode_first() -> None:
    payload = {"messages": [{"role": "user", "content": "I like\n tea"}]}
    episodes = [Episode(f"e{day}", "ada", payload, at(day)) for day in (1, 2)]
    made = [memory(1, 1, source_episode_ids=("e1", "e2")), memory(2, 2, source_episode_ids=("e2",))]
    newest, oldest = episode_sources(subject(made, episodes))
    assert (newest.episode.id, ids(newest.memories)) == ("e2", ["m1", "m2"])
    assert (oldest.episode.id, ids(oldest.memories)) == ("e1", ["m1"])
    assert newest.opening == "I like tea"


class Forgetful:
    """Forgets and restores what it is told; `gone` it does not know, at `fails` it fails."""

    def __init__(self, *, gone: str = "", fails: str = "") -> None:
        self.forgotten: set[str] = set()
        self._gone, self._fails = gone, fails

    def _check(self, memory_id: str) -> None:
        if memory_id == self._gone:
            raise StatewaveNotFoundError("No such memory.", status=404)
        if memory_id == self._fails:
            raise InputError("Not now.")

    def forget_memory(self, subject_id: str, memory_id: str) -> None:
        assert subject_id == "ada"
        self._check(memory_id)
        self.forgotten.add(memory_id)

    def restore_memory(self, subject_id: str, memory_id: str) -> None:
        assert subject_id == "ada"
        self._check(memory_id)
        self.forgotten.remove(memory_id)


def test_many_are_forgotten_and_brought_back_and_what_is_gone_is_left_out() -> None:
    double = Forgetful(gone="m2")
    runtime = cast(MemoryRuntime, double)
    done = list(forget_each(runtime, "ada", ["m1", "m2", "m3"]))
    assert done == ["m1", "m3"]
    assert double.forgotten == {"m1", "m3"}
    assert list(restore_each(runtime, "ada", done)) == done
    assert not double.forgotten


def test_a_failure_half_way_leaves_what_was_done_known() -> None:
    double = Forgetful(fails="m2")
    done: list[str] = []
    with pytest.raises(InputError):
        done.extend(forget_each(cast(MemoryRuntime, double), "ada", ["m1", "m2", "m3"]))
    assert double.forgotten == {"m1"}
