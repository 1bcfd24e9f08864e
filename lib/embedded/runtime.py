"""The embedded engine: a MemoryRuntime in this process, on one file."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from lib import VERSION
from lib.compiling.draft import Compiler
from lib.compiling.journal import Journal, drafts_with_reasons
from lib.compiling.reconcile import reconcile
from lib.embedded.assembly import Assembly
from lib.embedded.candidates import CandidateCache, Columns, matching_rows, rows_of_memory
from lib.embedded.changes import corrected, forgotten, restored
from lib.embedded.database import Database
from lib.embedded.dates import within_named_times
from lib.embedded.meaning import Meaning
from lib.embedded.ranking import Ranking, rank
from lib.embedded.relevance import Floats, relevance
from lib.embedded.retrieval import Reading, checked_budget, read_task, search_expression
from lib.embedded.rows import checked_subject_id, episode_row, to_us
from lib.embedded.searching import alike_memories, fused
from lib.embedded.speakers import as_asked_of
from lib.embedded.store import Store
from lib.embedded.wording import clean
from lib.embedding import Embedder
from lib.errors import InputError
from lib.models import (
    PROCEDURE,
    PROFILE_FACT,
    CompileReport,
    ContextBundle,
    ContextItem,
    DeleteReport,
    Episode,
    Memory,
    MemoryList,
    Message,
    NewEpisode,
    RuntimeInfo,
    SubjectSummary,
    Timeline,
)
from lib.protocol import Capability, Progress

DEFAULT_MAX_TOKENS = 800
_CAPABILITIES: frozenset[Capability] = frozenset(
    {
        "strict_budget",
        "nested",
        "explain",
        "idempotency",
        "occurred_at",
        "paging",
        "forget",
        "sessions",
    }
)


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _uuid4() -> str:
    return str(uuid4())


class EmbeddedRuntime:
    """A MemoryRuntime on one SQLite file; what it acknowledged survives a crash.

    Every method may be called from any thread. `deadline_s` is not needed and not looked at:
    no call leaves the process, and a write waits at most 5 s for another process.
    """

    def __init__(
        self,
        path: Path,
        *,
        compiler: Compiler,
        embedder: Embedder | None = None,
        clock: Callable[[], datetime] = _utc_now,
        new_id: Callable[[], str] = _uuid4,
    ) -> None:
        self._compiler, self._clock, self._new_id = compiler, clock, new_id
        self._database = Database(path)
        self._store = Store(self._database)
        self._candidates = CandidateCache()
        self._meaning = Meaning(self._database, embedder) if embedder else None

    def info(self) -> RuntimeInfo:
        """Name and version of the engine, the file it keeps everything in, how it searches."""
        return RuntimeInfo("Embedded", VERSION, str(self._database.path), self._search_detail())

    def capabilities(self) -> frozenset[Capability]:
        """What this engine can do; search by meaning only while its embedder can run."""
        if self._meaning is None or self._meaning.index.problem:
            return _CAPABILITIES
        return _CAPABILITIES | {"semantic_search"}

    def wait_until_indexed(self, timeout_s: float) -> bool:
        """True as soon as everything recorded can be found by meaning; False when it takes
        longer or there is no embedder.
        """
        return self._meaning is not None and self._meaning.index.wait_until_indexed(timeout_s)

    def ping(self) -> float:
        """Time of one read from the file, in ms."""
        start = time.perf_counter()
        with self._database.reading() as connection:
            connection.execute("SELECT 1 FROM subjects LIMIT 1").fetchone()
        return (time.perf_counter() - start) * 1000

    def record_episode(
        self,
        subject_id: str,
        messages: Sequence[Message] | str,
        *,
        session_id: str | None = None,
        source: str = "chat",
        type: str = "conversation",
        metadata: dict[str, Any] | None = None,
        occurred_at: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> Episode:
        """The stored episode, on disk; a repeated `idempotency_key` returns the first one.

        `metadata["replaces"]`, an episode id, takes that episode out of compile and context.
        Raises InputError for a subject id that is not 1–256 characters, or without any text.
        """
        said = (Message("user", messages),) if isinstance(messages, str) else tuple(messages)
        episode = NewEpisode(
            messages=said,
            session_id=session_id,
            source=source,
            type=type,
            metadata=metadata or {},
            occurred_at=occurred_at,
            idempotency_key=idempotency_key,
        )
        return self.record_episodes(subject_id, [episode])[0]

    def record_episodes(self, subject_id: str, episodes: Sequence[NewEpisode]) -> list[Episode]:
        """The stored episodes in order, all or none."""
        rows = [episode_row(each, id=self._new_id(), now=self._clock()) for each in episodes]
        recorded = self._store.record(subject_id, rows)
        self._written()
        return recorded

    def compile_memories(
        self, subject_id: str, *, on_progress: Progress | None = None
    ) -> CompileReport:
        """What was made of all episodes not yet compiled; nothing new the second time."""
        with self._database.compiling(subject_id):
            while pending := self._store.pending(subject_id):
                known = self._known(subject_id)
                journal = Journal(on_progress)
                drafts = drafts_with_reasons(self._compiler, pending, known=known, journal=journal)
                result = self._store.apply(
                    subject_id,
                    pending,
                    drafts,
                    partial(
                        reconcile, subject_id=subject_id, now=self._clock(), new_id=self._new_id
                    ),
                )
                if result is not None:
                    self._written()
                    return CompileReport(
                        subject_id,
                        created=result.created,
                        superseded_ids=tuple(each.old.id for each in result.replacements),
                        merged=result.merged,
                        masked=result.masked,
                        episodes_compiled=len(pending),
                        compiler=self._compiler.name,
                        merged_ids=result.merged_ids,
                        skipped=journal.skipped,
                        skipped_counts=journal.skipped_counts,
                        notes=journal.notes,
                    )
        return CompileReport(subject_id, compiler=self._compiler.name)

    def _known(self, subject_id: str) -> tuple[Memory, ...]:
        """What the compiler is told of: current facts, and procedures that may turn out to work."""
        return tuple(
            memory
            for kind in (PROFILE_FACT, PROCEDURE)
            for memory in self._store.memories(subject_id, kind=kind, include_ended=False)
        )

    def pending_episodes(self, subject_id: str) -> int:
        """How many recorded episodes are neither compiled nor replaced."""
        return self._store.count_pending(subject_id)

    def get_context(
        self,
        subject_id: str,
        task: str,
        *,
        max_tokens: int = DEFAULT_MAX_TOKENS,
        session_id: str | None = None,
        deadline_s: float | None = None,  # noqa: ARG002
    ) -> ContextBundle:
        """Ranked context for `task` of at most `max_tokens` tokens, counted with cl100k_base.

        Empty when nothing fits or nothing is known. Raises InputError below one token.
        """
        return next(self.sweep_context(subject_id, task, [max_tokens], session_id=session_id))

    def sweep_context(
        self, subject_id: str, task: str, budgets: Sequence[int], *, session_id: str | None = None
    ) -> Iterator[ContextBundle]:
        """One bundle per budget, in order; ranked once, as of one moment."""
        for budget in budgets:
            checked_budget(budget)
        reading = read_task(task)
        with self._database.reading() as connection:
            ranking = self._ranked(connection, subject_id, reading, session_id)
            if ranking is None:
                return (ContextBundle(subject_id, reading.text, "", 0) for _ in budgets)
            assembly = Assembly(
                connection, ranking, subject_id=subject_id, task=reading.text, budgets=budgets
            )
        return (assembly.bundle(budget) for budget in budgets)

    def explain(self, subject_id: str, task: str, memory_id: str) -> ContextItem:
        """Where one memory stands for `task` at the default budget of 800 tokens.

        Raises InputError for an unknown memory and for a forgotten one, which has no rank.
        """
        memory = self._store.memory(subject_id, memory_id)
        reading = read_task(task)
        with self._database.reading() as connection:
            ranking = self._ranked(connection, subject_id, reading, None)
            rows = rows_of_memory(connection, ranking.columns, memory.id) if ranking else []
            if ranking is None or not rows:
                raise InputError("This memory is forgotten, so it has no rank; restore it first.")
            assembly = Assembly(
                connection,
                ranking,
                subject_id=subject_id,
                task=reading.text,
                budgets=[DEFAULT_MAX_TOKENS],
            )
            return assembly.explain(connection, rows, DEFAULT_MAX_TOKENS)

    def list_memories(
        self, subject_id: str, *, kind: str | None = None, include_superseded: bool = False
    ) -> MemoryList:
        """All active memories, newest first; superseded and forgotten ones too if asked."""
        return MemoryList(
            self._store.memories(subject_id, kind=kind, include_ended=include_superseded)
        )

    def search_memories(
        self, subject_id: str, query: str, *, kind: str | None = None, limit: int = 100
    ) -> MemoryList:
        """Active memories with any word of `query`, its last word as a beginning, and those that
        mean something like it, best first.

        Where no word matches, memories that hold `query` as it stands. Raises InputError when
        `limit` is below one.
        """
        if limit < 1:
            raise InputError(f"A search returns at least 1 memory, not {limit}.")
        text = clean(query).strip()
        by_words = self._store.search(
            subject_id, search_expression(text), text, kind=kind, limit=limit + 1
        )
        found = fused(by_words, self._alike(subject_id, text, kind), limit + 1)
        return MemoryList(found[:limit], complete=len(found) <= limit)

    def timeline(self, subject_id: str) -> Timeline:
        """Every episode and memory, oldest first, superseded and forgotten included."""
        return self._store.timeline(subject_id)

    def list_subjects(self) -> list[SubjectSummary]:
        """All subjects by id."""
        return self._store.subjects()

    def delete_subject(self, subject_id: str) -> DeleteReport:
        """Counts of what was removed for good; zeros for an unknown subject."""
        return self._store.delete(subject_id)

    def forget_memory(self, subject_id: str, memory_id: str) -> Memory:
        """The memory, now `forgotten`: neither it nor the lines of its source episodes that
        say the same reach a context, a list or a search again, until it is restored.

        Another memory is another statement, also where it repeats these words: it stays until it
        is forgotten as well.
        Said again later, it is remembered again, as a new memory.
        """
        return self._store.change(subject_id, memory_id, self._forgotten)

    def restore_memory(self, subject_id: str, memory_id: str) -> Memory:
        """The memory as it was before it was forgotten.

        It comes back superseded when its place was taken meanwhile.
        """
        return self._store.change(subject_id, memory_id, self._restored)

    def correct_memory(self, subject_id: str, memory_id: str, content: str) -> Memory:
        """The new memory, of the same kind and sources, certain, that supersedes the old one.

        Raises InputError when there is no text, nothing new, or the memory is not active.
        """
        text = clean(content).strip()
        if not text:
            raise InputError("A correction needs some text; to remove a memory, forget it.")
        new = self._store.correct(subject_id, memory_id, partial(self._corrected, content=text))
        self._written()
        return new

    def close(self) -> None:
        """Close the file; using the runtime afterwards raises StoreError."""
        if self._meaning:
            self._meaning.index.close()
        self._database.close()

    def _ranked(
        self,
        connection: sqlite3.Connection,
        subject_id: str,
        reading: Reading,
        session_id: str | None,
    ) -> Ranking | None:
        columns = self._candidates.columns(connection, checked_subject_id(subject_id))
        if columns is None or not len(columns.key):
            return None
        asked, names = as_asked_of(reading.text, columns.speakers)
        terms = reading.terms_without(names)
        sessions, now = columns.session_ids, self._clock()
        return rank(
            columns,
            relevance(
                columns,
                matching_rows(connection, columns, terms),
                likeness=self._likeness(connection, columns, asked) if terms else None,
                asked_of=columns.said_by(names) if names else None,
                then=within_named_times(columns.when, reading.text, now=now),
            ),
            reading,
            session=sessions.index(session_id) if session_id in sessions else -1,
            now_us=to_us(now),
        )

    def _likeness(
        self, connection: sqlite3.Connection, columns: Columns, text: str
    ) -> Floats | None:
        return self._meaning.likeness(connection, columns, text) if self._meaning else None

    def _alike(self, subject_id: str, text: str, kind: str | None) -> list[tuple[Memory, float]]:
        with self._database.reading() as connection:
            columns = self._candidates.columns(connection, subject_id)
            likeness = self._likeness(connection, columns, text) if columns and text else None
            if columns is None or likeness is None:
                return []
            return alike_memories(connection, columns, likeness, kind=kind)

    def _written(self) -> None:
        if self._meaning:
            self._meaning.index.notify()

    def _search_detail(self) -> str:
        if self._meaning is None:
            return "search by words"
        problem = self._meaning.index.problem
        return f"search by words only: {problem}" if problem else "search by words and by meaning"

    def _forgotten(self, memory: Memory, rivals: list[Memory]) -> Memory:  # noqa: ARG002
        return forgotten(memory, now=self._clock())

    def _restored(self, memory: Memory, rivals: list[Memory]) -> Memory:
        return restored(memory, rivals, now=self._clock())

    def _corrected(self, old: Memory, *, content: str) -> tuple[Memory, Memory]:
        return corrected(old, content, now=self._clock(), new_id=self._new_id())
