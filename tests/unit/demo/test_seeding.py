"""Seeding: once, in order, resumable, and never against the visitor's wish."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lib.compiling.offline import OfflineCompiler
from lib.demo.profiles import DemoSubject, demo_subjects
from lib.demo.seeding import needs_seeding, seed_demo, seed_subject
from lib.embedded.runtime import EmbeddedRuntime
from lib.errors import StoreError
from lib.protocol import Capability, MemoryRuntime

ALICE: DemoSubject = demo_subjects()[0]
PRIYA: DemoSubject = demo_subjects()[2]


class ForgetfulRuntime(EmbeddedRuntime):
    """A runtime that does not promise to honour idempotency keys."""

    def capabilities(self) -> frozenset[Capability]:
        return super().capabilities() - {"idempotency"}


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[EmbeddedRuntime]:
    """An empty engine."""
    engine = EmbeddedRuntime(tmp_path / "memory.db", compiler=OfflineCompiler())
    yield engine
    engine.close()


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """Where the seeded subjects are remembered."""
    return tmp_path / "data" / "seeded"


def episode_count(runtime: MemoryRuntime, subject_id: str) -> int:
    """How many episodes the runtime has of a subject."""
    return sum(r.episode_count for r in runtime.list_subjects() if r.subject_id == subject_id)


def test_every_session_is_one_step(runtime: EmbeddedRuntime, marker: Path) -> None:
    steps = list(seed_demo(runtime, [PRIYA], marker=marker))
    assert [step.session_id for step in steps] == [session.id for session in PRIYA.sessions]
    assert [(step.done, step.total) for step in steps] == [(1, 3), (2, 3), (3, 3)]
    assert sum(step.episodes for step in steps) == episode_count(runtime, PRIYA.subject_id)
    assert all(step.memories > 0 for step in steps)


def test_original_times_and_sessions_are_kept(runtime: EmbeddedRuntime) -> None:
    list(seed_subject(runtime, PRIYA))
    episodes = runtime.timeline(PRIYA.subject_id).episodes
    assert episodes[0].occurred_at == PRIYA.sessions[0].at
    assert {episode.session_id for episode in episodes} == {s.id for s in PRIYA.sessions}


def test_it_is_needed_until_it_is_done(runtime: EmbeddedRuntime, marker: Path) -> None:
    subjects = [ALICE, PRIYA]
    assert needs_seeding(marker, subjects=subjects)
    list(seed_demo(runtime, [PRIYA], marker=marker))
    assert needs_seeding(marker, subjects=subjects)
    list(seed_demo(runtime, subjects, marker=marker))
    assert not needs_seeding(marker, subjects=subjects)
    assert list(seed_demo(runtime, subjects, marker=marker)) == []


def test_an_interrupted_seeding_goes_on_without_doubles(
    runtime: EmbeddedRuntime, marker: Path
) -> None:
    next(seed_demo(runtime, [PRIYA], marker=marker))
    assert needs_seeding(marker, subjects=[PRIYA])
    list(seed_demo(runtime, [PRIYA], marker=marker))
    turns = sum(len(session.turns) for session in PRIYA.sessions)
    assert episode_count(runtime, PRIYA.subject_id) == turns


def test_a_deleted_subject_stays_deleted_until_asked(
    runtime: EmbeddedRuntime, marker: Path
) -> None:
    list(seed_demo(runtime, [PRIYA], marker=marker))
    runtime.delete_subject(PRIYA.subject_id)
    list(seed_demo(runtime, [PRIYA], marker=marker))
    assert episode_count(runtime, PRIYA.subject_id) == 0
    list(seed_demo(runtime, [PRIYA], marker=marker, reset=True))
    assert episode_count(runtime, PRIYA.subject_id) > 0


def test_a_reset_removes_what_was_added(runtime: EmbeddedRuntime) -> None:
    list(seed_subject(runtime, PRIYA))
    seeded = episode_count(runtime, PRIYA.subject_id)
    runtime.record_episode(PRIYA.subject_id, "I moved from Bengaluru to Oslo.")
    list(seed_subject(runtime, PRIYA, reset=True))
    assert episode_count(runtime, PRIYA.subject_id) == seeded


def test_without_idempotency_an_existing_subject_is_left_alone(tmp_path: Path) -> None:
    engine = ForgetfulRuntime(tmp_path / "memory.db", compiler=OfflineCompiler())
    engine.record_episode(PRIYA.subject_id, "Something of my own.")
    assert list(seed_subject(engine, PRIYA)) == []
    assert episode_count(engine, PRIYA.subject_id) == 1
    engine.close()


def test_a_marker_that_cannot_be_written_is_explained(
    runtime: EmbeddedRuntime, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder", encoding="utf-8")
    with pytest.raises(StoreError, match="cannot be"):
        list(seed_demo(runtime, [PRIYA], marker=blocked / "seeded"))
