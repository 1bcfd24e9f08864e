"""Memories in SQL: found, inserted, changed."""

import sqlite3
from collections.abc import Sequence
from typing import Literal

from lib.compiling.draft import Draft
from lib.compiling.reconcile import normalised, slot_of
from lib.embedded import passages
from lib.embedded.rows import MEMORY_COLUMNS, to_json, to_memory, to_us
from lib.embedded.wording import clean
from lib.errors import InputError
from lib.models import Memory

_BATCH = 500  # values per statement: below the 999 parameters that old SQLite builds allow


def find_memory(connection: sqlite3.Connection, subject: int | None, memory_id: str) -> Memory:
    """One memory. Raises InputError when the subject has no such memory."""
    row = connection.execute(
        f"SELECT {MEMORY_COLUMNS} FROM memories m WHERE m.subject = ? AND m.id = ?",
        (subject, clean(memory_id)),
    ).fetchone()
    if row is None:
        raise InputError("This subject has no such memory; reload the list and try again.")
    return to_memory(row)


def touched_memories(
    connection: sqlite3.Connection, subject: int, drafts: Sequence[Draft]
) -> list[Memory]:
    """Active memories that share a content or a slot with a draft."""
    norms = list({normalised(draft.content) for draft in drafts})
    slots = list({draft.slot for draft in drafts if draft.slot})
    found = [
        *active_memories(connection, subject, "norm", norms),
        *active_memories(connection, subject, "slot", slots),
    ]
    return list({memory.id: memory for memory in found}.values())


def active_memories(
    connection: sqlite3.Connection,
    subject: int | None,
    column: Literal["norm", "slot"],
    values: Sequence[str],
) -> list[Memory]:
    """Active memories with one of the values in `column`, in order of entry."""
    found: list[Memory] = []
    for start in range(0, len(values), _BATCH):
        some = values[start : start + _BATCH]
        marks = ", ".join("?" * len(some))
        rows = connection.execute(
            f"SELECT {MEMORY_COLUMNS} FROM memories m WHERE m.subject = ?"
            f" AND m.status = 'active' AND m.{column} IN ({marks}) ORDER BY m.seq",
            (subject, *some),
        )
        found.extend(map(to_memory, rows))
    return found


def insert_memory(connection: sqlite3.Connection, subject: int, memory: Memory) -> None:
    """Stores a new memory with its sources and its lines."""
    seq = connection.execute(
        "INSERT INTO memories (id, subject, kind, content, summary, confidence, valid_from_us,"
        " valid_to_us, created_us, updated_us, status, metadata, labels, norm, slot)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            memory.id,
            subject,
            memory.kind,
            memory.content,
            memory.summary,
            memory.confidence,
            to_us(memory.valid_from),
            None if memory.valid_to is None else to_us(memory.valid_to),
            to_us(memory.created_at),
            to_us(memory.updated_at),
            memory.status,
            to_json(memory.metadata),
            to_json(memory.labels),
            normalised(memory.content),
            slot_of(memory),
        ),
    ).lastrowid
    assert seq is not None
    _add_sources(connection, seq, memory)
    passages.insert_of_memory(connection, subject, seq, memory)


def update_memory(connection: sqlite3.Connection, memory: Memory) -> None:
    """Stores what may change about a memory; its content, kind and beginning never do."""
    (seq,) = connection.execute(
        "UPDATE memories SET confidence = ?, valid_to_us = ?, updated_us = ?, status = ?,"
        " metadata = ?, labels = ? WHERE id = ? RETURNING seq",
        (
            memory.confidence,
            None if memory.valid_to is None else to_us(memory.valid_to),
            to_us(memory.updated_at),
            memory.status,
            to_json(memory.metadata),
            to_json(memory.labels),
            memory.id,
        ),
    ).fetchone()
    if _add_sources(connection, seq, memory):
        passages.link(connection, seq)


def _add_sources(connection: sqlite3.Connection, seq: int, memory: Memory) -> int:
    before = connection.total_changes
    connection.executemany(
        "INSERT OR IGNORE INTO sources (memory, episode)"
        " SELECT m.seq, e.seq FROM memories m JOIN episodes e ON e.subject = m.subject"
        " WHERE m.seq = ? AND e.id = ?",
        [(seq, id_) for id_ in memory.source_episode_ids],
    )
    return connection.total_changes - before
