"""Memories: compiling, listing, searching, and changing one."""

from operator import attrgetter

import pytest

from lib.errors import InputError
from lib.models import ARTIFACT_REF, PROCEDURE, PROFILE_FACT, Memory, Message
from lib.protocol import MemoryRuntime
from tests.support.capabilities import requires

NOBODY = "nobody-here"


@pytest.fixture
def runtime_of_ada(runtime: MemoryRuntime) -> MemoryRuntime:
    """Ada told four things in two sessions, and all of it is compiled."""
    runtime.record_episode(
        "ada",
        [
            Message("user", "I live in Porto. I prefer green tea. Should I use Rust?"),
            Message("assistant", "You love Rust."),
        ],
        session_id="s1",
    )
    runtime.record_episode(
        "ada",
        "To publish captions, export the text first. See captions.vtt for an example.",
        session_id="s2",
    )
    runtime.compile_memories("ada")
    return runtime


def contents(memories: tuple[Memory, ...]) -> set[str]:
    return {memory.content for memory in memories}


def named(runtime: MemoryRuntime, content: str) -> Memory:
    memories = runtime.list_memories("ada", include_superseded=True).memories
    return next(memory for memory in memories if memory.content == content)


def in_context(runtime: MemoryRuntime, memory: Memory, task: str) -> bool:
    bundle = runtime.get_context("ada", task, max_tokens=2000)
    return memory.id in bundle.memory_ids or memory.content in bundle.assembled_context


def test_compiling_makes_memories_with_sources(runtime: MemoryRuntime) -> None:
    episode = runtime.record_episode("ada", "I live in Porto. I prefer green tea.")
    report = runtime.compile_memories("ada")
    assert report.subject_id == "ada"
    assert report.episodes_compiled == 1
    assert contents(report.created) == {"I live in Porto.", "I prefer green tea."}
    for memory in report.created:
        assert memory.source_episode_ids == (episode.id,)
        assert memory.kind == PROFILE_FACT
        assert memory.status == "active"
        assert 0 < memory.confidence <= 1
        assert memory.valid_from == episode.when
        assert memory.valid_to is None
    listed = runtime.list_memories("ada").memories
    assert sorted(listed, key=attrgetter("id")) == sorted(report.created, key=attrgetter("id"))


def test_compiling_again_makes_nothing_new(runtime_of_ada: MemoryRuntime) -> None:
    before = runtime_of_ada.list_memories("ada", include_superseded=True)
    report = runtime_of_ada.compile_memories("ada")
    assert (report.created, report.superseded_ids, report.episodes_compiled) == ((), (), 0)
    assert runtime_of_ada.list_memories("ada", include_superseded=True) == before


def test_pending_counts_what_is_not_compiled(runtime: MemoryRuntime) -> None:
    assert runtime.pending_episodes(NOBODY) == 0
    runtime.record_episode("ada", "I live in Porto.")
    runtime.record_episode("ada", "Is it raining?")
    assert runtime.pending_episodes("ada") == 2
    runtime.compile_memories("ada")
    assert runtime.pending_episodes("ada") == 0


def test_a_changed_fact_supersedes_the_old_one(runtime_of_ada: MemoryRuntime) -> None:
    old = named(runtime_of_ada, "I live in Porto.")
    runtime_of_ada.record_episode("ada", "I live in Lisbon.")
    report = runtime_of_ada.compile_memories("ada")
    assert report.superseded_ids == (old.id,)
    (new,) = report.created
    ended = named(runtime_of_ada, "I live in Porto.")
    assert (ended.status, ended.superseded_by) == ("superseded", new.id)
    assert ended.valid_to is not None
    listed = contents(runtime_of_ada.list_memories("ada").memories)
    assert "I live in Lisbon." in listed
    assert "I live in Porto." not in listed
    assert ended in runtime_of_ada.timeline("ada").memories


def test_a_list_is_newest_first_and_filtered_by_kind(runtime_of_ada: MemoryRuntime) -> None:
    listed = runtime_of_ada.list_memories("ada")
    times = [memory.valid_from for memory in listed.memories]
    assert times == sorted(times, reverse=True)
    procedures = runtime_of_ada.list_memories("ada", kind=PROCEDURE).memories
    assert contents(procedures) == {"To publish captions, export the text first."}
    everything = runtime_of_ada.list_memories("ada", kind=ARTIFACT_REF, include_superseded=True)
    assert contents(everything.memories) == {"See captions.vtt for an example."}


@requires("paging")
def test_lists_and_timelines_are_complete_beyond_any_page(runtime: MemoryRuntime) -> None:
    for start in range(0, 1100, 100):
        lines = " ".join(f"Number {number} is kept." for number in range(start, start + 100))
        runtime.record_episode("ada", lines)
    runtime.compile_memories("ada")
    for superseded in (False, True):
        listed = runtime.list_memories("ada", include_superseded=superseded)
        assert listed.complete
        assert len({memory.id for memory in listed.memories}) == 1100
    timeline = runtime.timeline("ada")
    assert timeline.complete
    assert (len(timeline.episodes), len(timeline.memories)) == (11, 1100)


def test_search_finds_words_and_honours_kind_and_limit(runtime_of_ada: MemoryRuntime) -> None:
    found = runtime_of_ada.search_memories("ada", "tea")
    assert contents(found.memories) == {"I prefer green tea."}
    assert found.complete
    assert runtime_of_ada.search_memories("ada", "tea", kind=PROCEDURE).memories == ()
    limited = runtime_of_ada.search_memories("ada", "captions", limit=1)
    assert len(limited.memories) == 1
    assert not limited.complete


@pytest.mark.parametrize("query", ["zeppelin", "100%", "\\", '"', "a AND (", "\x00", "🦊"])
def test_an_odd_search_finds_nothing_and_fails_nothing(
    runtime_of_ada: MemoryRuntime, query: str
) -> None:
    assert runtime_of_ada.search_memories("ada", query + "zeppelin").memories == ()


def test_a_search_for_less_than_one_is_refused(runtime_of_ada: MemoryRuntime) -> None:
    with pytest.raises(InputError):
        runtime_of_ada.search_memories("ada", "tea", limit=0)


def test_superseded_memories_are_not_found(runtime_of_ada: MemoryRuntime) -> None:
    runtime_of_ada.record_episode("ada", "I live in Lisbon.")
    runtime_of_ada.compile_memories("ada")
    assert runtime_of_ada.search_memories("ada", "Porto").memories == ()


@requires("forget")
def test_a_forgotten_memory_is_nowhere_until_it_is_restored(
    runtime_of_ada: MemoryRuntime,
) -> None:
    memory = named(runtime_of_ada, "I prefer green tea.")
    task = "Which tea do I prefer?"
    assert in_context(runtime_of_ada, memory, task)

    assert runtime_of_ada.forget_memory("ada", memory.id).status == "forgotten"
    assert not in_context(runtime_of_ada, memory, task)
    assert memory.id not in {each.id for each in runtime_of_ada.list_memories("ada").memories}
    assert runtime_of_ada.search_memories("ada", "tea").memories == ()
    assert runtime_of_ada.forget_memory("ada", memory.id).status == "forgotten"

    assert runtime_of_ada.restore_memory("ada", memory.id).status == "active"
    assert in_context(runtime_of_ada, memory, task)
    assert contents(runtime_of_ada.search_memories("ada", "tea").memories) == {memory.content}


@requires("forget")
def test_a_correction_supersedes_the_old_memory(runtime_of_ada: MemoryRuntime) -> None:
    old = named(runtime_of_ada, "I prefer green tea.")
    new = runtime_of_ada.correct_memory("ada", old.id, "I prefer black tea.")
    assert new.id != old.id
    assert (new.kind, new.content, new.status) == (old.kind, "I prefer black tea.", "active")
    ended = named(runtime_of_ada, "I prefer green tea.")
    assert (ended.status, ended.superseded_by) == ("superseded", new.id)
    task = "Which tea do I prefer?"
    assert in_context(runtime_of_ada, new, task)
    assert old.id not in runtime_of_ada.get_context("ada", task, max_tokens=2000).memory_ids


@requires("forget")
def test_a_correction_needs_text(runtime_of_ada: MemoryRuntime) -> None:
    memory = named(runtime_of_ada, "I prefer green tea.")
    for empty in ("", "  "):
        with pytest.raises(InputError):
            runtime_of_ada.correct_memory("ada", memory.id, empty)
    assert named(runtime_of_ada, "I prefer green tea.") == memory


@requires("forget")
@pytest.mark.parametrize("memory_id", ["no-such-id", "", "a/b", "..", "é?#%"])
def test_changing_a_memory_nobody_has_is_refused(
    runtime_of_ada: MemoryRuntime, memory_id: str
) -> None:
    with pytest.raises(InputError):
        runtime_of_ada.forget_memory("ada", memory_id)
    with pytest.raises(InputError):
        runtime_of_ada.restore_memory("ada", memory_id)
    with pytest.raises(InputError):
        runtime_of_ada.correct_memory("ada", memory_id, "I prefer black tea.")


@requires("forget")
def test_one_subject_cannot_change_anothers_memory(runtime_of_ada: MemoryRuntime) -> None:
    memory = named(runtime_of_ada, "I prefer green tea.")
    runtime_of_ada.record_episode("bob", "I live in Rome.")
    with pytest.raises(InputError):
        runtime_of_ada.forget_memory("bob", memory.id)
    assert named(runtime_of_ada, "I prefer green tea.") == memory


def test_nobody_has_nothing(runtime: MemoryRuntime) -> None:
    assert runtime.compile_memories(NOBODY).created == ()
    assert runtime.list_memories(NOBODY).memories == ()
    assert runtime.list_memories(NOBODY, include_superseded=True).memories == ()
    assert runtime.search_memories(NOBODY, "tea").memories == ()
    assert runtime.list_subjects() == []
