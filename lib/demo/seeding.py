"""Seeding: the demo subjects' conversations, recorded and compiled once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lib.demo.profiles import DemoSubject, demo_subjects
from lib.errors import StoreError
from lib.protocol import MemoryRuntime


@dataclass(frozen=True, slots=True)
class SeedProgress:
    """One more session recorded and compiled: `done` of `total`."""

    subject_id: str
    session_id: str
    done: int
    total: int
    episodes: int
    memories: int
    """How many memories this session added."""


def needs_seeding(marker: Path, *, subjects: Sequence[DemoSubject] | None = None) -> bool:
    """True while a demo subject has never been seeded here.

    The file `marker` remembers who was, so that a subject the visitor deleted stays deleted.
    """
    return bool(_unseeded(marker, subjects))


def seed_demo(
    runtime: MemoryRuntime,
    subjects: Sequence[DemoSubject],
    *,
    marker: Path,
    reset: bool = False,
) -> Iterator[SeedProgress]:
    """Seeds whoever is not in `marker` yet, one step per session; with `reset` everyone, afresh.

    Nothing happens before the first step is asked for. Raises StatewaveError; what was seeded
    until then stays, and the next call goes on from there.
    """
    todo = subjects if reset else _unseeded(marker, subjects)
    total = sum(len(subject.sessions) for subject in todo)
    done = 0
    for subject in todo:
        for step in seed_subject(runtime, subject, reset=reset):
            done += 1
            yield SeedProgress(
                step.subject_id, step.session_id, done, total, step.episodes, step.memories
            )
        _remember(marker, subject.subject_id)


def seed_subject(
    runtime: MemoryRuntime, subject: DemoSubject, *, reset: bool = False
) -> Iterator[SeedProgress]:
    """Records and compiles one subject session by session; with `reset` deletes it first.

    Repeating it changes nothing. Where the runtime ignores idempotency keys, a subject that
    already has episodes is left as it is.
    """
    if reset:
        runtime.delete_subject(subject.subject_id)
    elif "idempotency" not in runtime.capabilities() and _exists(runtime, subject.subject_id):
        return
    for done, session in enumerate(subject.sessions, start=1):
        # Compiled after each session, as in life: a later session must be able to change a fact.
        recorded = runtime.record_episodes(subject.subject_id, subject.episodes(session))
        report = runtime.compile_memories(subject.subject_id)
        yield SeedProgress(
            subject.subject_id,
            session.id,
            done,
            len(subject.sessions),
            len(recorded),
            len(report.created),
        )


def _exists(runtime: MemoryRuntime, subject_id: str) -> bool:
    return any(
        row.subject_id == subject_id and row.episode_count > 0 for row in runtime.list_subjects()
    )


def _unseeded(marker: Path, subjects: Sequence[DemoSubject] | None) -> tuple[DemoSubject, ...]:
    seeded = _seeded_ids(marker)
    chosen = demo_subjects() if subjects is None else subjects
    return tuple(subject for subject in chosen if subject.subject_id not in seeded)


def _seeded_ids(marker: Path) -> frozenset[str]:
    try:
        return frozenset(marker.read_text(encoding="utf-8").split())
    except FileNotFoundError:
        return frozenset()
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(
            f"{marker} cannot be read, so it is unknown which demo subjects were seeded: {error}"
        ) from error


def _remember(marker: Path, subject_id: str) -> None:
    ids = sorted(_seeded_ids(marker) | {subject_id})
    try:
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.write_text("\n".join(ids) + "\n", encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"{marker} cannot be written, so the demo subjects would be seeded again at the next "
            f"start: {error}"
        ) from error
