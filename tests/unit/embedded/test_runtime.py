"""Recording, compiling, changing and finding memories on the embedded engine."""

import math
import threading
import tomllib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from lib import VERSION
from lib.compiling.draft import Draft
from lib.embedded import EmbeddedRuntime
from lib.errors import InputError
from lib.models import Episode, Memory, Message, NewEpisode, Skipped, SubjectSummary
from lib.protocol import MemoryRuntime
from tests.support.plain_compiler import PlainCompiler
from tests.unit.embedded.conftest import START

Compile = Callable[[EmbeddedRuntime, str], Memory]


def remember(runtime: EmbeddedRuntime, text: str) -> Memory:
    """The memory made of one sentence."""
    runtime.record_episode("ada", text)
    return runtime.compile_memories("ada").created[-1]


def contents(runtime: EmbeddedRuntime, *, ended: bool = False) -> list[str]:
    found = runtime.list_memories("ada", include_superseded=ended)
    return [memory.content for memory in found.memories]


def test_it_is_a_memory_runtime_and_says_where_it_is(runtime: EmbeddedRuntime, path: Path) -> None:
    as_runtime: MemoryRuntime = runtime
    info = as_runtime.info()
    assert (info.name, info.version, info.location) == ("Embedded", VERSION, str(path))
    assert runtime.ping() >= 0
    assert "strict_budget" in runtime.capabilities()
    assert "semantic_search" not in runtime.capabilities()


def test_the_version_is_the_projects() -> None:
    project = tomllib.loads(
        (Path(__file__).resolve().parents[3] / "pyproject.toml").read_text(encoding="utf-8")
    )["project"]
    assert project["version"] == VERSION


def test_a_recorded_episode_comes_back_as_it_was(runtime: EmbeddedRuntime) -> None:
    when = datetime(2025, 3, 1, 12, 30, 15, 123456, tzinfo=timezone(timedelta(hours=2)))
    episode = runtime.record_episode(
        "ada",
        [Message("user", "Hi"), Message("assistant", "Hello")],
        session_id="s1",
        source="import",
        type="ticket",
        metadata={"stopped": True, "n": [1, None]},
        occurred_at=when,
    )
    assert episode.messages == (Message("user", "Hi"), Message("assistant", "Hello"))
    assert (episode.session_id, episode.source, episode.type) == ("s1", "import", "ticket")
    assert episode.metadata == {"stopped": True, "n": [1, None]}
    assert episode.occurred_at == when
    assert runtime.timeline("ada").episodes == (episode,)


def test_what_cannot_be_stored_is_made_safe(runtime: EmbeddedRuntime) -> None:
    episode = runtime.record_episode(
        "ada", "a\x00b \ud800 <|endoftext|>", metadata={"k\x00": math.nan, "x": "\udfff"}
    )
    assert episode.messages[0].content == "ab \ufffd <|endoftext|>"
    assert episode.metadata == {"k": None, "x": "\ufffd", "recording_notes": list(episode.notes)}
    assert episode.notes == (
        "Characters and numbers that cannot be stored were left out or replaced.",
    )
    runtime.compile_memories("ada")
    assert runtime.get_context("ada", "\ud800 endoftext").context_used


@pytest.mark.parametrize("subject_id", ["", "  ", "x" * 257, "a\x00", "\ud800"])
def test_an_unusable_subject_id_is_refused(runtime: EmbeddedRuntime, subject_id: str) -> None:
    with pytest.raises(InputError, match="subject id"):
        runtime.record_episode(subject_id, "hello")
    assert runtime.list_subjects() == []


@pytest.mark.parametrize("subject_id", ["x" * 256, "a/b?c#d..", "'; DROP TABLE episodes; --", "é"])
def test_any_other_subject_id_works(runtime: EmbeddedRuntime, subject_id: str) -> None:
    runtime.record_episode(subject_id, "I ship on Fridays.")
    runtime.compile_memories(subject_id)
    assert runtime.get_context(subject_id, "ship").context_used
    assert runtime.list_subjects() == [SubjectSummary(subject_id, 1, 1)]


@pytest.mark.parametrize("messages", ["", "\x00 ", [], [Message("user", " \n")]])
def test_an_episode_without_text_is_refused(
    runtime: EmbeddedRuntime, messages: str | list[Message]
) -> None:
    with pytest.raises(InputError, match="text"):
        runtime.record_episode("ada", messages)


def test_metadata_must_be_json(runtime: EmbeddedRuntime) -> None:
    with pytest.raises(InputError, match="JSON"):
        runtime.record_episode("ada", "hello", metadata={"when": START})
    assert runtime.timeline("ada").episodes == ()


def test_a_repeated_key_returns_the_first_episode(runtime: EmbeddedRuntime) -> None:
    first = runtime.record_episode("ada", "one", idempotency_key="k")
    assert runtime.record_episode("ada", "two", idempotency_key="k") == first
    assert runtime.record_episode("bob", "one", idempotency_key="k") != first
    repeated = NewEpisode((Message("user", "three"),), idempotency_key="k")
    assert runtime.record_episodes("ada", [repeated, repeated]) == [first, first]
    assert runtime.pending_episodes("ada") == 1


def test_a_batch_is_recorded_whole_or_not_at_all(runtime: EmbeddedRuntime) -> None:
    good, empty = NewEpisode((Message("user", "one"),)), NewEpisode(())
    with pytest.raises(InputError):
        runtime.record_episodes("ada", [good, empty])
    assert runtime.timeline("ada").episodes == ()
    recorded = runtime.record_episodes("ada", [good, good])
    assert runtime.timeline("ada").episodes == tuple(recorded)


def test_the_timeline_goes_by_when_things_happened(runtime: EmbeddedRuntime) -> None:
    for days in (3, 1, 2):
        runtime.record_episode(
            "ada", f"I did {days}.", occurred_at=START + timedelta(days=days, microseconds=days)
        )
    runtime.compile_memories("ada")
    timeline = runtime.timeline("ada")
    assert [episode.text for episode in timeline.episodes] == [
        "user: I did 1.",
        "user: I did 2.",
        "user: I did 3.",
    ]
    assert [memory.content for memory in timeline.memories] == ["I did 1.", "I did 2.", "I did 3."]
    assert contents(runtime) == ["I did 3.", "I did 2.", "I did 1."]


def test_compiling_again_changes_nothing(runtime: EmbeddedRuntime) -> None:
    runtime.record_episode("ada", "I live in Porto. I ship on Fridays.")
    report = runtime.compile_memories("ada")
    assert (len(report.created), report.episodes_compiled, report.compiler) == (2, 1, "plain")
    before = runtime.timeline("ada")
    again = runtime.compile_memories("ada")
    assert (again.created, again.episodes_compiled, again.merged) == ((), 0, 0)
    assert runtime.timeline("ada") == before
    assert runtime.pending_episodes("ada") == 0


def test_the_report_is_what_the_store_holds(runtime: EmbeddedRuntime) -> None:
    runtime.record_episode("ada", "I live in Rome. I live in Porto.")
    report = runtime.compile_memories("ada")
    assert report.created == runtime.timeline("ada").memories
    assert report.superseded_ids == (report.created[0].id,)


def test_the_report_says_what_was_left_out_and_why(runtime: EmbeddedRuntime) -> None:
    runtime.record_episode("ada", "I live in Rome.")
    asked = runtime.record_episode("ada", "Should I move?")
    report = runtime.compile_memories("ada")
    assert report.skipped == (Skipped("question", "Should I move?", asked.id),)
    assert report.skipped_counts == {"question": 1}
    runtime.record_episode("ada", "i live in rome")
    again = runtime.compile_memories("ada")
    assert (again.merged_ids, again.skipped) == ((report.created[0].id,), ())


def test_a_fact_said_twice_is_one_memory_with_both_sources(runtime: EmbeddedRuntime) -> None:
    first = runtime.record_episode("ada", "I ship on Fridays.")
    runtime.compile_memories("ada")
    second = runtime.record_episode("ada", "i ship on fridays")
    assert runtime.compile_memories("ada").merged == 1
    (memory,) = runtime.list_memories("ada").memories
    assert memory.source_episode_ids == (first.id, second.id)
    assert 0.8 < memory.confidence <= 0.99


class _SlowCompiler(PlainCompiler):
    """Lets a second thread try while the first is at work."""

    def __init__(self) -> None:
        self.calls = 0
        self.started, self.finish = threading.Event(), threading.Event()

    def draft(self, episodes: Sequence[Episode], *, known: Sequence[Memory] = ()) -> list[Draft]:
        self.calls += 1
        self.started.set()
        self.finish.wait(5)
        return super().draft(episodes, known=known)


def test_two_threads_never_compile_an_episode_twice(path: Path) -> None:
    compiler = _SlowCompiler()
    one, two = (EmbeddedRuntime(path, compiler=compiler) for _ in range(2))
    one.record_episode("ada", "I ship on Fridays.")
    threads = [
        threading.Thread(target=runtime.compile_memories, args=("ada",)) for runtime in (one, two)
    ]
    threads[0].start()
    assert compiler.started.wait(5)
    threads[1].start()
    compiler.finish.set()
    for thread in threads:
        thread.join(10)
    assert (compiler.calls, len(one.list_memories("ada").memories)) == (1, 1)
    one.close()
    two.close()


class _InterruptedCompiler(PlainCompiler):
    """Somebody else compiles while this one is still drafting."""

    def __init__(self, meanwhile: Callable[[], object]) -> None:
        self._meanwhile: Callable[[], object] | None = meanwhile

    def draft(self, episodes: Sequence[Episode], *, known: Sequence[Memory] = ()) -> list[Draft]:
        meanwhile, self._meanwhile = self._meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return super().draft(episodes, known=known)


def test_drafts_of_an_episode_replaced_meanwhile_are_thrown_away(path: Path) -> None:
    def replace_first() -> None:
        runtime.record_episode("ada", "I ship on Mondays.", metadata={"replaces": first.id})

    runtime = EmbeddedRuntime(path, compiler=_InterruptedCompiler(replace_first))
    first = runtime.record_episode("ada", "I ship on Fridays.")
    report = runtime.compile_memories("ada")
    assert [memory.content for memory in report.created] == ["I ship on Mondays."]
    runtime.close()


def test_many_threads_record_and_read_at_once(runtime: EmbeddedRuntime) -> None:
    failures: list[Exception] = []

    def work(name: int) -> None:
        try:
            for number in range(10):
                runtime.record_episode("ada", f"I keep note {name}-{number}.")
                runtime.compile_memories("ada")
                runtime.get_context("ada", "note")
        except Exception as error:  # noqa: BLE001 - whatever it is, the test has to show it
            failures.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert failures == []
    assert runtime.list_subjects() == [SubjectSummary("ada", 60, 60)]


def test_a_forgotten_memory_is_nowhere_but_in_the_history(runtime: EmbeddedRuntime) -> None:
    memory = remember(runtime, "I take insulin daily.")
    kept = remember(runtime, "I ship on Fridays.")
    forgotten = runtime.forget_memory("ada", memory.id)
    assert forgotten.status == "forgotten"
    assert contents(runtime) == [kept.content]
    assert runtime.search_memories("ada", "insulin").memories == ()
    assert set(contents(runtime, ended=True)) == {memory.content, kept.content}
    assert forgotten in runtime.timeline("ada").memories
    with pytest.raises(InputError, match="forgotten"):
        runtime.explain("ada", "insulin", memory.id)


@pytest.mark.parametrize(
    "task", ["insulin", "What do you know about me?", "What did I take before?", "recap"]
)
def test_forgetting_keeps_the_words_from_coming_back_through_the_episode(
    runtime: EmbeddedRuntime, task: str
) -> None:
    memory = remember(runtime, "I take insulin daily.")
    remember(runtime, "I ship on Fridays.")
    runtime.forget_memory("ada", memory.id)
    bundle = runtime.get_context("ada", task, max_tokens=5000)
    assert "insulin" not in bundle.assembled_context.partition("\n\n")[2]
    assert not any("insulin" in item.content for item in bundle.items)


def test_a_superseded_memory_can_be_forgotten_too(runtime: EmbeddedRuntime) -> None:
    rome = remember(runtime, "I live in Rome. Is it warm?")
    remember(runtime, "I live in Porto.")
    runtime.forget_memory("ada", rome.id)
    bundle = runtime.get_context("ada", "Where did I live before?")
    assert not any("Rome" in item.content for item in bundle.items)
    assert bundle.context_used


def test_forgetting_hides_only_the_lines_that_say_it(runtime: EmbeddedRuntime) -> None:
    filler = " ".join(f"Glaze {number} needs a slow cool down?" for number in range(30))
    memory = remember(runtime, f"{filler} I take insulin daily.")
    runtime.forget_memory("ada", memory.id)
    assert "Glaze 3 " in runtime.get_context("ada", "slow cool down").assembled_context


def test_a_restored_memory_and_its_episode_are_back(runtime: EmbeddedRuntime) -> None:
    memory = remember(runtime, "I take insulin daily. How much?")
    before = runtime.get_context("ada", "insulin")
    runtime.forget_memory("ada", memory.id)
    assert runtime.restore_memory("ada", memory.id).status == "active"
    assert runtime.get_context("ada", "insulin").assembled_context == before.assembled_context


def test_a_superseded_memory_comes_back_superseded(runtime: EmbeddedRuntime) -> None:
    rome = remember(runtime, "I live in Rome.")
    remember(runtime, "I live in Porto.")
    runtime.forget_memory("ada", rome.id)
    assert runtime.restore_memory("ada", rome.id).status == "superseded"


def test_a_memory_whose_place_was_taken_comes_back_superseded(runtime: EmbeddedRuntime) -> None:
    rome = remember(runtime, "I live in Rome.")
    runtime.forget_memory("ada", rome.id)
    porto = remember(runtime, "I live in Porto.")
    assert runtime.restore_memory("ada", rome.id).superseded_by == porto.id
    assert contents(runtime) == ["I live in Porto."]


def test_a_forgotten_fact_said_again_is_a_new_memory(runtime: EmbeddedRuntime) -> None:
    runtime.forget_memory("ada", remember(runtime, "I take insulin daily.").id)
    again = remember(runtime, "I take insulin daily.")
    assert contents(runtime) == ["I take insulin daily."]
    assert "insulin" in runtime.get_context("ada", "insulin").assembled_context.split("##")[2]
    assert again.status == "active"


def test_a_correction_supersedes_and_the_old_value_stays_out(runtime: EmbeddedRuntime) -> None:
    old = remember(runtime, "I live in Rome.")
    new = runtime.correct_memory("ada", old.id, " I live in Porto.\x00 ")
    assert (new.content, new.kind, new.confidence) == ("I live in Porto.", old.kind, 1.0)
    assert new.source_episode_ids == old.source_episode_ids
    assert (new.metadata["corrected_from"], new.metadata["supersedes"]) == (old.id, old.id)
    assert new.metadata["slot"] == "home"
    (ended, stored) = runtime.timeline("ada").memories
    assert stored == new
    assert (ended.status, ended.superseded_by, ended.valid_to) == (
        "superseded",
        new.id,
        new.valid_from,
    )
    text = runtime.get_context("ada", "Where do I live?").assembled_context
    assert "Porto" in text
    assert "Rome" not in text


@pytest.mark.parametrize(("content", "why"), [(" ", "text"), ("I live in Rome.", "already")])
def test_a_correction_must_say_something_new(
    runtime: EmbeddedRuntime, content: str, why: str
) -> None:
    memory = remember(runtime, "I live in Rome.")
    with pytest.raises(InputError, match=why):
        runtime.correct_memory("ada", memory.id, content)


def test_only_an_active_memory_can_be_corrected(runtime: EmbeddedRuntime) -> None:
    memory = remember(runtime, "I live in Rome.")
    runtime.forget_memory("ada", memory.id)
    with pytest.raises(InputError, match="forgotten"):
        runtime.correct_memory("ada", memory.id, "I live in Porto.")


def test_an_unknown_memory_is_refused(runtime: EmbeddedRuntime) -> None:
    memory = remember(runtime, "I live in Rome.")
    runtime.record_episode("bob", "hello")
    for subject_id in ("bob", "nobody"):
        with pytest.raises(InputError, match="no such memory"):
            runtime.forget_memory(subject_id, memory.id)


def test_lists_can_be_of_one_kind(runtime: EmbeddedRuntime) -> None:
    runtime.record_episode("ada", "I live in Rome. To deploy, push to main. See chunk.py")
    runtime.compile_memories("ada")
    found = runtime.list_memories("ada", kind="procedure").memories
    assert [memory.content for memory in found] == ["To deploy, push to main."]
    assert runtime.search_memories("ada", "deploy", kind="artifact_ref").memories == ()


def test_search_ranks_matches_and_completes_the_last_word(runtime: EmbeddedRuntime) -> None:
    for text in ("I use Postgres for storage.", "I like storage rooms.", "I ship on Fridays."):
        remember(runtime, text)
    found = runtime.search_memories("ada", "postgres stor").memories
    assert [memory.content for memory in found] == [
        "I use Postgres for storage.",
        "I like storage rooms.",
    ]


@pytest.mark.parametrize("query", ["++", "%", "C++", "_x"])
def test_a_search_without_words_looks_for_the_text_itself(
    runtime: EmbeddedRuntime, query: str
) -> None:
    remember(runtime, "I write C++ at 50% with _x as prefix")
    remember(runtime, "I ship on Fridays.")
    found = runtime.search_memories("ada", query).memories
    assert [memory.content for memory in found] == ["I write C++ at 50% with _x as prefix"]


def test_a_search_says_whether_it_is_complete(runtime: EmbeddedRuntime) -> None:
    for number in range(3):
        remember(runtime, f"I keep glaze {number}.")
    assert not runtime.search_memories("ada", "glaze", limit=2).complete
    assert runtime.search_memories("ada", "glaze", limit=3).complete
    with pytest.raises(InputError, match="at least 1"):
        runtime.search_memories("ada", "glaze", limit=0)


def test_deleting_a_subject_removes_it_and_nobody_else(runtime: EmbeddedRuntime) -> None:
    remember(runtime, "I live in Rome.")
    runtime.record_episode("bob", "I live in Rome.")
    report = runtime.delete_subject("ada")
    assert (report.episodes_deleted, report.memories_deleted) == (1, 1)
    assert runtime.list_subjects() == [SubjectSummary("bob", 1, 0)]
    assert not runtime.get_context("ada", "Where do I live?").context_used
    assert runtime.get_context("bob", "Where do I live?").context_used
    assert runtime.delete_subject("ada").episodes_deleted == 0


def test_a_deleted_subject_can_begin_anew(runtime: EmbeddedRuntime) -> None:
    remember(runtime, "I live in Rome.")
    runtime.get_context("ada", "Where do I live?")
    runtime.delete_subject("ada")
    remember(runtime, "I ship on Fridays.")
    text = runtime.get_context("ada", "What do you know about me?").assembled_context
    assert "Rome" not in text
    assert "Fridays" in text


def test_nothing_of_a_deleted_subject_can_be_read_from_the_file(
    runtime: EmbeddedRuntime, path: Path
) -> None:
    runtime.record_episode("bob", "I ship on Fridays.")
    for number in range(50):
        remember(runtime, f"I take xylofluorid dose {number}.")
    runtime.delete_subject("ada")
    files = [path, *path.parent.glob(f"{path.name}-*")]
    assert not any(b"xylofluorid" in file.read_bytes() for file in files)


class _TaggingCompiler:
    """One memory of a tag, a label and metadata."""

    name = "tagging"

    def draft(
        self,
        episodes: Sequence[Episode],
        *,
        known: Sequence[Memory] = (),  # noqa: ARG002
    ) -> list[Draft]:
        extra: dict[str, Any] = {"metadata": {"origin": "test"}, "labels": ("secret",)}
        return [
            Draft(
                "profile_fact", "Stores rows", 0.5, e.when, (e.id, "gone"), None, ("db",), **extra
            )
            for e in episodes
        ]


def test_tags_labels_and_metadata_of_a_draft_are_kept(path: Path) -> None:
    ids = (f"id{number}" for number in count())
    runtime = EmbeddedRuntime(path, compiler=_TaggingCompiler(), new_id=lambda: next(ids))
    runtime.record_episode("ada", "hello", occurred_at=START)
    runtime.compile_memories("ada")
    (memory,) = runtime.list_memories("ada").memories
    assert (memory.id, memory.tags, memory.labels) == ("id1", ("db",), ("secret",))
    assert memory.metadata["origin"] == "test"
    assert memory.source_episode_ids == ("id0",)
    assert memory.valid_from == START.astimezone(UTC)
    assert runtime.get_context("ada", "Which db?").memory_ids == {"id1"}
    runtime.close()
