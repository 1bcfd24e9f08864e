"""Seeding: the demo subjects' conversations, recorded and compiled once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lib.demo.profiles import DemoSubject, demo_subjects
from lib.errors import StoreError
from lib.protocol import MemoryRuntime

_MOST_STEPS = 8
"""Steps in which a long history is written; a short one takes a step per session."""


@dataclass(frozen=True, slots=True)
class SeedProgress:
    """Sessions recorded and compiled, up to `session_id`: `done` of `total`."""

    subject_id: str
    session_id: str
    done: int
    total: int
    episodes: int
    memories: int
    """How many memories this step added."""


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
    """Seeds whoever is not in `marker` yet, in steps; with `reset` everyone, afresh.

    Nothing happens before the first step is asked for. Raises StatewaveError; what was seeded
    until then stays, and the next call goes on from there.
    """
    todo = subjects if reset else _unseeded(marker, subjects)
    total = sum(len(subject.sessions) for subject in todo)
    before = 0
    for subject in todo:
        for step in seed_subject(runtime, subject, reset=reset):
            yield replace(step, done=before + step.done, total=total)
        before += len(subject.sessions)
        _remember(marker, subject.subject_id)


def seed_subject(
    runtime: MemoryRuntime, subject: DemoSubject, *, reset: bool = False
) -> Iterator[SeedProgress]:
    """Records and compiles one subject, session by session or a few at a time; with `reset` deletes
    it first.

    Repeating it changes nothing. Where the runtime ignores idempotency keys, a subject that
    already has episodes is left as it is.
    """
    if reset:
        runtime.delete_subject(subject.subject_id)
    elif "idempotency" not in runtime.capabilities() and _exists(runtime, subject.subject_id):
        return
    sessions = subject.sessions
    # Every write waits for the disk, so that a long history is not written in many small ones.
    together = max(1, len(sessions) // _MOST_STEPS)
    for start in range(0, len(sessions), together):
        some = sessions[start : start + together]
        episodes = [episode for session in some for episode in subject.episodes(session)]
        recorded = runtime.record_episodes(subject.subject_id, episodes)
        report = runtime.compile_memories(subject.subject_id)
        yield SeedProgress(
            subject.subject_id,
            some[-1].id,
            start + len(some),
            len(sessions),
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
