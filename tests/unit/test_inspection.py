"""Inspection: filters, totals, origins, the timeline, and words for confidence."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import cast

import pytest

from lib.demo.profiles import demo_subjects
from lib.inspection import (
    MemoryFilter,
    SubjectMemory,
    confidence_meaning,
    count_memories,
    example_task,
    filter_memories,
    inspect_subject,
    measure_subject,
    memory_json,
    missing_capabilities,
    timeline_sessions,
)
from lib.models import (
    ARTIFACT_REF,
    EPISODE,
    EPISODE_SUMMARY,
    PROCEDURE,
    PROFILE_FACT,
    ContextBundle,
    Episode,
    Memory,
    MemoryList,
    Timeline,
)
from lib.protocol import Capability, MemoryRuntime
from lib.tokens import count_tokens

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def episode(number: int, said: str = "hello", *, session: str | None = "s1") -> Episode:
    at = START + timedelta(minutes=number)
    messages = [{"role": "user", "content": said}, {"role": "assistant", "content": "ok"}]
    return Episode(f"e{number}", "ada", {"messages": messages}, at, session_id=session)


def memory(number: int, content: str = "Ada likes tea", **changes: object) -> Memory:
    at = START + timedelta(minutes=number)
    made = Memory(f"m{number}", "ada", PROFILE_FACT, content, 0.9, at, at, at)
    return replace(made, **changes)  # type: ignore[arg-type]


class Listed:
    """A runtime that knows what it is given, and finds memories that contain the words."""

    def __init__(
        self,
        memories: Sequence[Memory] = (),
        episodes: Sequence[Episode] = (),
        *,
        complete: bool = True,
        newest: Sequence[Memory] = (),
        able: frozenset[Capability] = frozenset(),
    ) -> None:
        self._timeline = Timeline("ada", tuple(episodes), tuple(memories), complete)
        self._newest = MemoryList(tuple(newest), complete=False)
        self._able = able

    def capabilities(self) -> frozenset[Capability]:
        return self._able

    def timeline(self, subject_id: str) -> Timeline:
        assert subject_id == "ada"
        return self._timeline

    def list_memories(self, subject_id: str) -> MemoryList:
        assert subject_id == "ada"
        return self._newest

    def search_memories(
        self, subject_id: str, query: str, *, kind: str | None, limit: int
    ) -> MemoryList:
        assert subject_id == "ada"
        found = [
            item
            for item in self._timeline.memories
            if item.status == "active" and query in item.content and kind in (None, item.kind)
        ]
        return MemoryList(tuple(found[:limit]))

    def get_context(self, subject_id: str, task: str, *, max_tokens: int) -> ContextBundle:
        return ContextBundle(subject_id, task, "Ada likes tea", min(4, max_tokens))


def runtime(*args: Sequence[Memory] | Sequence[Episode], **options: object) -> MemoryRuntime:
    return cast(MemoryRuntime, Listed(*args, **options))  # type: ignore[arg-type]


def subject(memories: Sequence[Memory], episodes: Sequence[Episode] = ()) -> SubjectMemory:
    return inspect_subject(runtime(memories, episodes), "ada")


def ids(memories: Sequence[Memory]) -> list[str]:
    return [item.id for item in memories]


def test_memories_are_listed_newest_first_and_found_by_id() -> None:
    ada = subject([memory(1), memory(3), memory(2)])
    assert ids(ada.memories) == ["m3", "m2", "m1"]
    assert ada.memory("m2") == memory(2)
    assert ada.memory("elsewhere") is None
    assert ada.memory(None) is None


def test_a_subject_without_anything_is_empty() -> None:
    assert subject([]).is_empty
    assert not subject([], [episode(1)]).is_empty


def test_a_timeline_cut_short_is_completed_by_the_newest_memories() -> None:
    cut = runtime([memory(1)], complete=False, newest=[memory(9), memory(1)])
    ada = inspect_subject(cut, "ada")
    assert ids(ada.memories) == ["m9", "m1"]
    assert not ada.complete


def test_sources_are_the_episodes_in_order_and_missing_ones_are_left_out() -> None:
    made = memory(5, source_episode_ids=("e2", "gone", "e1"))
    ada = subject([made], [episode(1), episode(2)])
    assert [source.id for source in ada.sources(made)] == ["e2", "e1"]


def test_a_superseded_memory_leads_to_its_replacement_and_back() -> None:
    old = memory(1, status="superseded", metadata={"superseded_by": "m2"})
    ada = subject([old, memory(2)])
    assert ada.replacement(old) == memory(2)
    assert ada.replaced(memory(2)) == (old,)
    assert ada.replacement(memory(2)) is None


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (MemoryFilter(), ["m3", "m2", "m1"]),
        (MemoryFilter(kind=PROCEDURE), ["m2"]),
        (MemoryFilter(status="forgotten"), ["m3"]),
        (MemoryFilter(session_id="s2"), ["m2"]),
        (MemoryFilter(kind=PROCEDURE, session_id="s1"), []),
        (MemoryFilter(words="  "), ["m3", "m2", "m1"]),
    ],
)
def test_filters_combine(wanted: MemoryFilter, expected: list[str]) -> None:
    memories = [
        memory(1, source_episode_ids=("e1",)),
        memory(2, kind=PROCEDURE, source_episode_ids=("e2",)),
        memory(3, status="forgotten"),
    ]
    source = runtime(memories, [episode(1), episode(2, session="s2")])
    found = filter_memories(source, inspect_subject(source, "ada"), wanted)
    assert ids(found.memories) == expected


def test_words_find_active_memories_first_then_those_out_of_use() -> None:
    memories = [
        memory(1, "Ada likes tea", status="superseded"),
        memory(2, "Ada likes green tea"),
        memory(3, "Ada likes coffee", status="forgotten"),
    ]
    source = runtime(memories)
    ada = inspect_subject(source, "ada")
    found = filter_memories(source, ada, MemoryFilter(words="tea"))
    assert ids(found.memories) == ["m2", "m1"]
    both = filter_memories(source, ada, MemoryFilter(words="ADA Coffee", status="forgotten"))
    assert ids(both.memories) == ["m3"]


def test_totals_count_active_memories_by_kind_and_the_others_by_status() -> None:
    totals = count_memories(
        [
            memory(1, kind=PROCEDURE),
            memory(2),
            memory(3),
            memory(4, kind="working_theory"),
            memory(5, status="superseded"),
            memory(6, status="forgotten", kind=ARTIFACT_REF),
        ]
    )
    assert totals.active == 4
    assert totals.by_kind == ((PROFILE_FACT, 2), (PROCEDURE, 1), ("working_theory", 1))
    assert (totals.superseded, totals.forgotten) == (1, 1)


def test_the_timeline_groups_sessions_and_puts_memories_below_their_episode() -> None:
    episodes = [episode(1, "one"), episode(2, "two", session="s2"), episode(3, "three")]
    memories = [
        memory(1, source_episode_ids=("e1", "e3")),
        memory(3, source_episode_ids=("e3",)),
        memory(4, status="superseded", source_episode_ids=("e3",)),
    ]
    first, second = timeline_sessions(subject(memories, episodes))
    assert [entry.id for entry in first.entries] == ["e1", "m1", "e3", "m3", "m4"]
    assert [entry.kind == EPISODE for entry in first.entries] == [True, False, True, False, False]
    assert first.entries[0].text == "one"
    assert first.entries[-1].status == "superseded"
    assert (first.episode_count, first.memory_count) == (2, 3)
    assert (first.first_at, first.last_at) == (episode(1).when, episode(3).when)
    assert (second.session_id, second.episode_count, second.memory_count) == ("s2", 1, 0)


def test_what_has_no_session_or_no_source_is_grouped_by_itself() -> None:
    groups = timeline_sessions(subject([memory(2)], [episode(1), episode(3, session=None)]))
    assert [group.session_id for group in groups] == ["s1", None]
    assert [entry.id for entry in groups[1].entries] == ["m2", "e3"]


@pytest.mark.parametrize(
    ("kind", "confidence", "words"),
    [
        (PROFILE_FACT, 0.99, "said more than once"),
        (PROFILE_FACT, 0.9, "said outright"),
        (PROFILE_FACT, 0.75, "said in passing"),
        (PROFILE_FACT, 0.3, "a weak hint"),
        (PROCEDURE, 0.8, "then said to work"),
        (PROCEDURE, 0.6, "not confirmed"),
        (ARTIFACT_REF, 0.7, "named once"),
        (EPISODE_SUMMARY, 0.7, "put together"),
        ("working_theory", -1.0, "a weak hint"),
        (PROFILE_FACT, float("nan"), "a weak hint"),
    ],
)
def test_confidence_is_told_in_words(kind: str, confidence: float, words: str) -> None:
    assert words in confidence_meaning(memory(1, kind=kind, confidence=confidence))


def test_confidence_of_a_correction_and_of_an_unknown_scale_say_so() -> None:
    corrected = memory(1, confidence=1.0, metadata={"corrected_from": "m0"})
    assert confidence_meaning(corrected) == "corrected by hand"
    assert "server" in confidence_meaning(memory(1), documented=False)


def test_raw_json_is_what_a_server_sends() -> None:
    made = memory(1, "Tee → „grün“", source_episode_ids=("e1",))
    data = json.loads(memory_json(made))
    assert data["content"] == "Tee → „grün“"
    assert data["source_episode_ids"] == ["e1"]
    assert "„grün“" in memory_json(made)


def test_only_what_the_runtime_cannot_do_is_named() -> None:
    none = missing_capabilities(runtime())
    able = missing_capabilities(runtime(able=frozenset({"forget", "paging"})))
    assert len(none) - len(able) == 2
    assert not any("forgotten" in sentence for sentence in able)


def test_figures_are_counted_from_what_the_runtime_returns() -> None:
    episodes = [episode(1, "one"), episode(2, "two", session="s2")]
    memories = [memory(1), memory(2, status="superseded")]
    figures = measure_subject(runtime(memories, episodes), "ada", "tea?", max_tokens=800)
    history = sum(count_tokens(item.text) for item in episodes)
    assert (figures.memories, figures.episodes, figures.sessions) == (1, 2, 2)
    assert (figures.history_tokens, figures.context_tokens) == (history, 4)
    assert figures.context_share == pytest.approx(4 / history)


def test_a_subject_without_history_has_no_share() -> None:
    assert measure_subject(runtime(), "ada", "tea?", max_tokens=800).context_share == 0.0


def test_demo_subjects_bring_a_question_of_their_own() -> None:
    for demo in demo_subjects():
        assert example_task(demo) in demo.compare
    assert example_task(None).endswith("?")
