"""What the demo subjects become in the engine: few, true, typed, well-told memories."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from lib.compiling.offline import OfflineCompiler
from lib.demo.profiles import demo_subjects
from lib.demo.seeding import seed_subject
from lib.embedded.runtime import EmbeddedRuntime
from lib.models import PROFILE_FACT, Memory
from lib.tokens import count_tokens

COUNTS = {"dev_alice": (11, 15), "dev_bob": (15, 20), "dev_priya": (12, 19)}


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedRuntime]:
    """An engine with all demo subjects seeded."""
    path: Path = tmp_path_factory.mktemp("demo") / "memory.db"
    engine = EmbeddedRuntime(path, compiler=OfflineCompiler())
    for subject in demo_subjects():
        for _ in seed_subject(engine, subject):
            pass
    yield engine
    engine.close()


def active(runtime: EmbeddedRuntime, subject_id: str) -> tuple[Memory, ...]:
    """The subject's current memories."""
    return runtime.list_memories(subject_id).memories


@pytest.mark.parametrize("subject_id", COUNTS)
def test_there_are_neither_too_few_nor_too_many(runtime: EmbeddedRuntime, subject_id: str) -> None:
    least, most = COUNTS[subject_id]
    assert least <= len(active(runtime, subject_id)) <= most


@pytest.mark.parametrize("subject_id", COUNTS)
def test_every_kind_is_there(runtime: EmbeddedRuntime, subject_id: str) -> None:
    assert len({memory.kind for memory in active(runtime, subject_id)}) == 4


@pytest.mark.parametrize("subject_id", COUNTS)
def test_every_memory_reads_well(runtime: EmbeddedRuntime, subject_id: str) -> None:
    everything = runtime.list_memories(subject_id, include_superseded=True).memories
    for memory in everything:
        assert count_tokens(memory.content) <= 60, memory.content
        text = re.sub(r'"[^"]*"', "“…”", memory.content)
        assert text[0].isupper(), text
        assert text.endswith("."), text
        assert "?" not in text, text
        assert not re.search(r"\b(?:I|me|my|we|our|us|you|your|btw)\b", text), text
        assert not re.search(r"\b(?:and|or|but|because|the|a|to|with|of)\.$", text), text
        assert "`" not in text, text


@pytest.mark.parametrize("subject_id", COUNTS)
def test_nothing_is_said_twice(runtime: EmbeddedRuntime, subject_id: str) -> None:
    words = [set(re.findall(r"\w{4,}", m.content.lower())) for m in active(runtime, subject_id)]
    for number, first in enumerate(words):
        for second in words[number + 1 :]:
            assert len(first & second) / len(first | second) < 0.7, (first, second)


@pytest.mark.parametrize(
    ("current", "ended"),
    [
        ("lives in Bengaluru", "lives in Pune"),
        ("uses CockroachDB", "database is Postgres 15"),
        ("audit deadline is now 11 December", "audit deadline is 30 October"),
        ("is the team lead", "is a backend engineer"),
        ("no longer uses Celery", "runs the nightly matching with Celery"),
    ],
)
def test_a_changed_fact_ends_the_old_one(
    runtime: EmbeddedRuntime, current: str, ended: str
) -> None:
    memories = runtime.list_memories("dev_priya", include_superseded=True).memories
    (new,) = [memory for memory in memories if current in memory.content]
    (old,) = [memory for memory in memories if ended in memory.content]
    assert new.status == "active"
    assert old.status == "superseded"
    assert old.superseded_by == new.id
    assert old.valid_to == new.valid_from


def test_facts_that_did_not_change_stay(runtime: EmbeddedRuntime) -> None:
    facts = [m.content for m in active(runtime, "dev_priya") if m.kind == PROFILE_FACT]
    assert "Priya works at Lendora." in facts
    assert "Priya is writing a payment reconciliation service with FastAPI." in facts


def test_compiling_again_makes_nothing_new(runtime: EmbeddedRuntime) -> None:
    before = active(runtime, "dev_bob")
    report = runtime.compile_memories("dev_bob")
    assert report.created == ()
    assert active(runtime, "dev_bob") == before


def test_seeding_again_makes_nothing_new(runtime: EmbeddedRuntime) -> None:
    (alice,) = [subject for subject in demo_subjects() if subject.subject_id == "dev_alice"]
    before = active(runtime, "dev_alice")
    for _ in seed_subject(runtime, alice):
        pass
    assert active(runtime, "dev_alice") == before
