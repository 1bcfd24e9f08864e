"""Episodes and memories in SQL: every statement that reads or writes whole objects."""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from lib.compiling.draft import Draft
from lib.compiling.reconcile import Reconciliation, slot_of
from lib.embedded import passages
from lib.embedded.database import Database
from lib.embedded.memories import (
    active_memories,
    find_memory,
    insert_memory,
    touched_memories,
    update_memory,
)
from lib.embedded.rows import (
    EPISODE_COLUMNS,
    MEMORY_COLUMNS,
    EpisodeRow,
    checked_subject_id,
    to_episode,
    to_json,
    to_memory,
)
from lib.embedded.wording import clean, clean_value
from lib.models import DeleteReport, Episode, Memory, SubjectSummary, Timeline

_WHEN = "coalesce(e.occurred_us, e.created_us), e.seq"


class Store:
    """What is recorded and what was made of it. Raises StoreError where the file fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # Episodes

    def record(self, subject_id: str, rows: Sequence[EpisodeRow]) -> list[Episode]:
        """The stored episodes in order, all in one transaction.

        A row whose idempotency key the subject already has yields the first episode instead.
        """
        with self._changing(subject_id, create=True) as (connection, subject):
            assert subject is not None
            return [self._record_one(connection, subject, row) for row in rows]

    def pending(self, subject_id: str) -> list[Episode]:
        """Episodes not yet compiled, oldest first; replaced ones never are."""
        return self._episodes(
            subject_id, f"e.subject = ? AND NOT e.compiled ORDER BY {_WHEN}", limit=None
        )

    def count_pending(self, subject_id: str) -> int:
        """How many episodes are not yet compiled."""
        with self._reading(subject_id) as (connection, subject):
            (count,) = connection.execute(
                "SELECT count(*) FROM episodes WHERE subject = ? AND NOT compiled", (subject,)
            ).fetchone()
            return int(count)

    # Memories

    def apply(
        self,
        subject_id: str,
        pending: Sequence[Episode],
        drafts: Sequence[Draft],
        reconcile: Callable[[Sequence[Draft], Iterable[Memory]], Reconciliation],
    ) -> Reconciliation | None:
        """What `drafts` of the `pending` episodes changed, or None when those are no longer
        the pending ones, because another process compiled or replaced some meanwhile.
        """
        known = {episode.id for episode in pending}
        drafts = [_cleaned(draft, known) for draft in drafts]
        with self._changing(subject_id) as (connection, subject):
            ids = {
                row["id"]: row["seq"]
                for row in connection.execute(
                    "SELECT id, seq FROM episodes WHERE subject = ? AND NOT compiled", (subject,)
                )
            }
            if subject is None or not known <= ids.keys():
                return None
            result = reconcile(drafts, touched_memories(connection, subject, drafts))
            for memory in result.created:
                insert_memory(connection, subject, memory)
            for memory in result.updated:
                update_memory(connection, memory)
            for replacement in result.replacements:
                passages.mark_stale(connection, replacement.old, replacement.new)
            connection.executemany(
                "UPDATE episodes SET compiled = 1 WHERE seq = ?",
                [(ids[episode.id],) for episode in pending],
            )
            return result

    def change(
        self, subject_id: str, memory_id: str, changed: Callable[[Memory, list[Memory]], Memory]
    ) -> Memory:
        """The memory after `changed`, which also gets the active memories of its slot.

        Passages of its source episodes that carry the words of a forgotten memory are hidden,
        and come back when it is no longer forgotten.
        """
        with self._changing(subject_id) as (connection, subject):
            memory = find_memory(connection, subject, memory_id)
            slot = slot_of(memory)
            rivals = active_memories(connection, subject, "slot", [slot]) if slot else []
            after = changed(memory, rivals)
            update_memory(connection, after)
            passages.unmark_forgotten(connection, after)
            if after.status == "forgotten":
                passages.mark_forgotten(connection, after)
            return after

    def correct(
        self, subject_id: str, memory_id: str, corrected: Callable[[Memory], tuple[Memory, Memory]]
    ) -> Memory:
        """The new memory of the pair (ended, new) that `corrected` makes of the old one."""
        with self._changing(subject_id) as (connection, subject):
            old = find_memory(connection, subject, memory_id)
            assert subject is not None
            ended, new = corrected(old)
            insert_memory(connection, subject, new)
            update_memory(connection, ended)
            passages.mark_stale(connection, ended, new, corrected=True)
            return new

    def memories(
        self, subject_id: str, *, kind: str | None, include_ended: bool
    ) -> tuple[Memory, ...]:
        """Memories by the time they are valid from, newest first."""
        with self._reading(subject_id) as (connection, subject):
            return tuple(
                map(
                    to_memory,
                    connection.execute(
                        f"SELECT {MEMORY_COLUMNS} FROM memories m WHERE m.subject = :subject"
                        " AND (:kind IS NULL OR m.kind = :kind) AND (:ended OR m.status = 'active')"
                        " ORDER BY m.valid_from_us DESC, m.seq DESC",
                        {"subject": subject, "kind": kind, "ended": include_ended},
                    ),
                )
            )

    def memory(self, subject_id: str, memory_id: str) -> Memory:
        """One memory. Raises InputError when the subject has no such memory."""
        with self._reading(subject_id) as (connection, subject):
            return find_memory(connection, subject, memory_id)

    def search(
        self, subject_id: str, match: str | None, substring: str, *, kind: str | None, limit: int
    ) -> list[Memory]:
        """Active memories that the FTS5 expression matches, by BM25; when there are none, or no
        expression, those that hold `substring`, newest first.
        """
        scope = "m.subject = ? AND m.status = 'active' AND (? IS NULL OR m.kind = ?)"
        with self._reading(subject_id) as (connection, subject):
            rows: list[sqlite3.Row] = []
            if match:
                rows = connection.execute(
                    "WITH r AS MATERIALIZED (SELECT rowid AS key, bm25(words, 1.0, 0.0) AS score"
                    " FROM words WHERE words MATCH ?), hit AS (SELECT p.memory AS seq,"
                    " min(r.score) AS best FROM r JOIN passages p ON p.key = r.key"
                    " WHERE p.memory IS NOT NULL GROUP BY p.memory)"
                    f" SELECT {MEMORY_COLUMNS} FROM hit JOIN memories m ON m.seq = hit.seq"
                    f" WHERE {scope}"
                    " ORDER BY hit.best, m.valid_from_us DESC, m.seq DESC LIMIT ?",
                    (f"subject : s{subject} AND text : ({match})", subject, kind, kind, limit),
                ).fetchall()
            if not rows:
                rows = connection.execute(
                    f"SELECT {MEMORY_COLUMNS} FROM memories m WHERE {scope}"
                    " AND instr(lower(m.content), lower(?)) > 0"
                    " ORDER BY m.valid_from_us DESC, m.seq DESC LIMIT ?",
                    (subject, kind, kind, substring, limit),
                ).fetchall()
            return [to_memory(row) for row in rows]

    # Subjects

    def timeline(self, subject_id: str) -> Timeline:
        """Everything about a subject as of one moment, oldest first."""
        with self._reading(subject_id) as (connection, subject):
            episodes = connection.execute(
                f"SELECT {EPISODE_COLUMNS} FROM episodes e WHERE e.subject = ? ORDER BY {_WHEN}",
                (subject,),
            )
            memories = connection.execute(
                f"SELECT {MEMORY_COLUMNS} FROM memories m WHERE m.subject = ?"
                " ORDER BY m.valid_from_us, m.seq",
                (subject,),
            )
            return Timeline(
                subject_id, tuple(map(to_episode, episodes)), tuple(map(to_memory, memories))
            )

    def subjects(self) -> list[SubjectSummary]:
        """Subjects by id, with counts."""
        with self._database.reading() as connection:
            return [
                SubjectSummary(*row)
                for row in connection.execute(
                    "SELECT subject_id, (SELECT count(*) FROM episodes WHERE subject = s.key),"
                    " (SELECT count(*) FROM memories WHERE subject = s.key)"
                    " FROM subjects s ORDER BY subject_id"
                )
            ]

    def delete(self, subject_id: str) -> DeleteReport:
        """What was removed; nothing of it can be read from the file afterwards."""
        with self._changing(subject_id) as (connection, subject):
            if subject is None:
                return DeleteReport(subject_id, 0, 0)
            episodes, memories = connection.execute(
                "SELECT (SELECT count(*) FROM episodes WHERE subject = :subject),"
                " (SELECT count(*) FROM memories WHERE subject = :subject)",
                {"subject": subject},
            ).fetchone()
            connection.execute(
                "DELETE FROM words WHERE rowid IN (SELECT key FROM passages WHERE subject = ?)",
                (subject,),
            )
            connection.execute("DELETE FROM subjects WHERE key = ?", (subject,))
        self._database.shed_deleted()
        return DeleteReport(subject_id, episodes, memories)

    # Pieces

    @contextmanager
    def _reading(self, subject_id: str) -> Iterator[tuple[sqlite3.Connection, int | None]]:
        checked_subject_id(subject_id)
        with self._database.reading() as connection:
            yield connection, _key(connection, subject_id)

    @contextmanager
    def _changing(
        self, subject_id: str, *, create: bool = False
    ) -> Iterator[tuple[sqlite3.Connection, int | None]]:
        """Every change counts up the subject's version, by which cached columns are checked."""
        checked_subject_id(subject_id)
        with self._database.writing() as connection:
            if create:
                connection.execute(
                    "INSERT OR IGNORE INTO subjects (subject_id) VALUES (?)", (subject_id,)
                )
            subject = _key(connection, subject_id)
            yield connection, subject
            connection.execute(
                "UPDATE subjects SET version = version + 1 WHERE key = ?", (subject,)
            )

    def _record_one(self, connection: sqlite3.Connection, subject: int, row: EpisodeRow) -> Episode:
        if row.idempotency_key is not None:
            first = connection.execute(
                f"SELECT {EPISODE_COLUMNS} FROM episodes e"
                " WHERE e.subject = ? AND e.idempotency_key = ?",
                (subject, row.idempotency_key),
            ).fetchone()
            if first is not None:
                return to_episode(first)
        seq = connection.execute(
            "INSERT INTO episodes (id, subject, source, type, session_id, payload, metadata,"
            " provenance, created_us, occurred_us, idempotency_key)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                row.id,
                subject,
                row.source,
                row.type,
                row.session_id,
                row.payload,
                to_json(row.metadata),
                to_json(row.provenance),
                row.created_us,
                row.occurred_us,
                row.idempotency_key,
            ),
        ).lastrowid
        assert seq is not None
        passages.insert_of_episode(connection, subject, seq, row)
        if row.replaces is not None:
            self._hide_replaced(connection, subject, row)
        return to_episode(
            connection.execute(
                f"SELECT {EPISODE_COLUMNS} FROM episodes e WHERE e.seq = ?", (seq,)
            ).fetchone()
        )

    def _hide_replaced(self, connection: sqlite3.Connection, subject: int, row: EpisodeRow) -> None:
        """Takes the replaced episode, and memories from nothing else, out of use."""
        connection.execute(
            "UPDATE episodes SET replaced_by = ?, compiled = 1"
            " WHERE subject = ? AND id = ? AND id <> ?",
            (row.id, subject, row.replaces, row.id),
        )
        connection.execute(
            "UPDATE memories SET status = 'superseded', valid_to_us = max(valid_from_us, :when),"
            " updated_us = :now,"
            " metadata = json_set(metadata, '$.replaced_by_episode', :newer)"
            " WHERE subject = :subject AND status = 'active' AND seq IN ("
            "  SELECT s.memory FROM sources s JOIN episodes e ON e.seq = s.episode"
            "  GROUP BY s.memory HAVING max(e.id = :older) AND min(e.replaced_by IS NOT NULL))",
            {
                "when": row.when_us,
                "now": row.created_us,
                "newer": row.id,
                "subject": subject,
                "older": row.replaces,
            },
        )

    def _episodes(self, subject_id: str, where: str, *, limit: int | None) -> list[Episode]:
        with self._reading(subject_id) as (connection, subject):
            rows = connection.execute(
                f"SELECT {EPISODE_COLUMNS} FROM episodes e WHERE {where} LIMIT ?",
                (subject, -1 if limit is None else limit),
            )
            return [to_episode(row) for row in rows]


def _key(connection: sqlite3.Connection, subject_id: str) -> int | None:
    row = connection.execute(
        "SELECT key FROM subjects WHERE subject_id = ?", (subject_id,)
    ).fetchone()
    return None if row is None else int(row["key"])


def _cleaned(draft: Draft, episode_ids: Collection[str]) -> Draft:
    return replace(
        draft,
        content=clean(draft.content),
        slot=clean(draft.slot) if draft.slot else None,
        tags=tuple(map(clean, draft.tags)),
        labels=tuple(map(clean, draft.labels)),
        metadata=clean_value(draft.metadata),
        source_episode_ids=tuple(id_ for id_ in draft.source_episode_ids if id_ in episode_ids),
    )
