"""Subjects: timeline, list, deletion, and what a runtime says of itself."""

from typing import get_args

import pytest

from lib.protocol import Capability, MemoryRuntime

AWKWARD = [
    "a?x",
    "a#b",
    "a%2Fb",
    "a%b",
    "a b",
    "é🦊אב",
    "a..b",
    "pilot:mira",
    "a;b=c&d+e",
    "<b>",
    "a\\b",
]


@pytest.mark.parametrize("subject_id", AWKWARD)
def test_an_awkward_id_is_a_subject_like_any_other(runtime: MemoryRuntime, subject_id: str) -> None:
    runtime.record_episode(subject_id, "I live in Porto.")
    # What a careless path would address instead.
    runtime.record_episode("a", "I live in Rome.")
    runtime.compile_memories(subject_id)
    assert runtime.get_context(subject_id, "Where do I live?").subject_id == subject_id
    assert [each.subject_id for each in runtime.timeline(subject_id).episodes] == [subject_id]
    assert {row.subject_id for row in runtime.list_subjects()} == {subject_id, "a"}
    assert runtime.delete_subject(subject_id).episodes_deleted == 1
    assert [row.subject_id for row in runtime.list_subjects()] == ["a"]


def test_the_longest_id_is_a_subject_like_any_other(runtime: MemoryRuntime) -> None:
    longest = "é" * 256
    runtime.record_episode(longest, "I live in Porto.")
    assert runtime.delete_subject(longest).subject_id == longest
    assert runtime.list_subjects() == []


def test_a_timeline_is_oldest_first_with_superseded_memories(runtime: MemoryRuntime) -> None:
    for place in ("Rome", "Porto", "Lisbon"):
        runtime.record_episode("ada", f"I live in {place}.")
    runtime.compile_memories("ada")
    timeline = runtime.timeline("ada")
    assert timeline.subject_id == "ada"
    assert timeline.complete
    assert [each.text[-8:] for each in timeline.episodes] == ["in Rome.", "n Porto.", " Lisbon."]
    assert [each.when for each in timeline.episodes] == sorted(
        each.when for each in timeline.episodes
    )
    assert [each.valid_from for each in timeline.memories] == sorted(
        each.valid_from for each in timeline.memories
    )
    assert [each.status for each in timeline.memories].count("active") == 1
    assert len(timeline.memories) == 3


def test_subjects_are_listed_by_id_with_counts(runtime: MemoryRuntime) -> None:
    for subject_id in ("zoe", "ada", "bob"):
        runtime.record_episode(subject_id, "I live in Porto. I prefer tea.")
    runtime.record_episode("ada", "I live in Lisbon.")
    runtime.compile_memories("ada")
    rows = [
        (row.subject_id, row.episode_count, row.memory_count) for row in runtime.list_subjects()
    ]
    assert rows == [("ada", 2, 3), ("bob", 1, 0), ("zoe", 1, 0)]


def test_more_subjects_than_a_page_are_all_listed(runtime: MemoryRuntime) -> None:
    names = [f"subject-{number:03}" for number in range(205)]
    for name in names:
        runtime.record_episode(name, "hello there")
    assert [row.subject_id for row in runtime.list_subjects()] == names


def test_deleting_a_subject_removes_all_of_it_and_nothing_else(runtime: MemoryRuntime) -> None:
    for subject_id in ("ada", "bob"):
        runtime.record_episode(subject_id, "I live in Porto. I prefer tea.")
        runtime.compile_memories(subject_id)
    report = runtime.delete_subject("ada")
    assert (report.subject_id, report.episodes_deleted, report.memories_deleted) == ("ada", 1, 2)
    assert runtime.timeline("ada").episodes == ()
    assert runtime.search_memories("ada", "Porto").memories == ()
    assert not runtime.get_context("ada", "Where do I live?").context_used
    assert len(runtime.list_memories("bob").memories) == 2
    again = runtime.delete_subject("ada")
    assert (again.episodes_deleted, again.memories_deleted) == (0, 0)


def test_one_subject_never_sees_anothers_memories(runtime: MemoryRuntime) -> None:
    runtime.record_episode("ada", "I live in Porto.")
    runtime.record_episode("bob", "I live in Rome.")
    runtime.compile_memories("ada")
    bundle = runtime.get_context("bob", "Where do I live?")
    assert "Rome" in bundle.assembled_context
    assert "Porto" not in bundle.assembled_context


def test_a_runtime_says_what_it_is(runtime: MemoryRuntime) -> None:
    capabilities = runtime.capabilities()
    assert capabilities <= set(get_args(Capability))
    assert "sessions" in capabilities
    info = runtime.info()
    assert info.name
    assert info.version
    assert info.location
    assert runtime.ping() >= 0
