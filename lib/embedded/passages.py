"""Passages in SQL: the lines that are indexed and ranked, who carries whom, and marks."""

import sqlite3
from collections.abc import Sequence

from lib.embedded.packing import (
    ORIGIN_END,
    episode_passages,
    line_tokens,
    memory_passages,
    without_sentences,
)
from lib.embedded.rows import EpisodeRow, to_us
from lib.embedded.wording import carries, content_words, spaced
from lib.models import EPISODE, Memory, Message

STALE = "stale"
FORGOTTEN = "forgotten"

_VALUE_SHARE = 0.5
"""A passage states a value when it has half of the words that set it apart."""


def insert_of_episode(
    connection: sqlite3.Connection, subject: int, seq: int, row: EpisodeRow
) -> None:
    """Stores and indexes the lines of a new episode."""
    messages = [Message(role, text) for role, text in row.messages]
    texts = episode_passages(messages, source=row.source, type=row.type)
    owner = (None, seq, EPISODE, None, row.when_us, row.session_id)
    _insert(connection, subject, owner, texts, "")


def insert_of_memory(
    connection: sqlite3.Connection, subject: int, seq: int, memory: Memory
) -> None:
    """Stores and indexes the lines of a new memory; its tags are found as its words are."""
    (session,) = connection.execute(
        "SELECT (SELECT e.session_id FROM sources s JOIN episodes e ON e.seq = s.episode"
        " WHERE s.memory = ? ORDER BY s.rowid LIMIT 1)",
        (seq,),
    ).fetchone()
    slot = memory.metadata.get("slot")
    owner = (seq, None, memory.kind, slot, to_us(memory.valid_from), session)
    also = " ".join((*memory.tags, str(slot or "")))
    _insert(connection, subject, owner, memory_passages(memory.content), also)
    link(connection, seq)


def link(connection: sqlite3.Connection, memory: int) -> None:
    """Notes which line of the memory and of its source episodes has all words of the other.

    Lines never change and sources are only added, so what was noted once stays true.
    """
    own = connection.execute(
        "SELECT key, subject, text FROM passages WHERE memory = ?", (memory,)
    ).fetchall()
    theirs = [
        (row["key"], _said(row["text"]))
        for row in connection.execute(
            "SELECT p.key, p.text FROM sources s JOIN passages p ON p.episode = s.episode"
            " WHERE s.memory = ?",
            (memory,),
        )
    ]
    pairs: list[tuple[int, int, int]] = []
    for row in own:
        words = content_words(row["text"])
        for key, said in theirs:
            if carries(said, words):
                pairs.append((row["subject"], row["key"], key))
            if carries(words, said):
                pairs.append((row["subject"], key, row["key"]))
    connection.executemany(
        "INSERT OR IGNORE INTO carried (subject, passage, carrier) VALUES (?, ?, ?)", pairs
    )


def mark_stale(
    connection: sqlite3.Connection, old: Memory, new: Memory, *, corrected: bool = False
) -> None:
    """Marks the lines that state the old value, so that none brings it back as current.

    What else such a line says stays findable: a line without those sentences takes its place.

    An episode that the new memory comes from as well is left alone: it tells of the change.
    A correction comes from the old memory's own episodes, so there this does not hold.
    """
    had, has = content_words(old.content), content_words(new.content)
    if had == has:
        return
    value = had - has or had
    kept = () if corrected else new.source_episode_ids
    until = None if old.valid_to is None else to_us(old.valid_to)
    lines = [
        row
        for row in _source_lines(connection, old)
        if not row["stale"] and row["episode_id"] not in kept and _states(row["text"], value)
    ]
    _mark(connection, [row["key"] for row in lines], new, STALE, until)
    for row in lines:
        _keep_rest(connection, row, value)


def mark_forgotten(connection: sqlite3.Connection, memory: Memory) -> None:
    """Hides the lines of its source episodes that say what the memory says.

    That is every line with half of its words, or else the line with the most.
    """
    words = content_words(memory.content)
    shared = {
        row["key"]: len(words & _said(row["text"])) for row in _source_lines(connection, memory)
    }
    most = max(shared.values(), default=0)
    enough = max(1.0, min(most, _VALUE_SHARE * len(words)))
    _mark(connection, [key for key, n in shared.items() if n >= enough], memory, FORGOTTEN, None)


def unmark_forgotten(connection: sqlite3.Connection, memory: Memory) -> None:
    """Shows again what was hidden when the memory was forgotten."""
    connection.execute(
        "DELETE FROM marks WHERE reason = ? AND memory = (SELECT seq FROM memories WHERE id = ?)",
        (FORGOTTEN, memory.id),
    )


def _insert(
    connection: sqlite3.Connection,
    subject: int,
    owner: tuple[int | None, int | None, str, str | None, int, str | None],
    texts: Sequence[str],
    also: str,
    *,
    first: int = 0,
) -> None:
    for position, (text, tokens) in enumerate(zip(texts, line_tokens(texts), strict=True), first):
        key = connection.execute(
            "INSERT INTO passages (subject, memory, episode, kind, slot, when_us, session_id,"
            " position, text, tokens) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (subject, *owner, position, text, tokens),
        ).lastrowid
        # The origin is on every line of an episode, so as a word it would say nothing.
        words = text.partition(ORIGIN_END)[2] if owner[1] is not None else text
        connection.execute(
            "INSERT INTO words (rowid, text, subject) VALUES (?, ?, ?)",
            (key, spaced(f"{words} {also}"), f"s{subject}"),
        )


def _states(text: str, value: frozenset[str]) -> bool:
    return carries(_said(text), value, share=_VALUE_SHARE)


def _keep_rest(connection: sqlite3.Connection, line: sqlite3.Row, value: frozenset[str]) -> None:
    rest = without_sentences(
        line["text"], lambda said: carries(content_words(said), value, share=_VALUE_SHARE)
    )
    if rest is None or not _said(rest):
        return
    episode = connection.execute(
        "SELECT e.seq, e.subject, coalesce(e.occurred_us, e.created_us) AS when_us, e.session_id,"
        " (SELECT max(position) + 1 FROM passages WHERE episode = e.seq) AS position"
        " FROM episodes e WHERE e.id = ?",
        (line["episode_id"],),
    ).fetchone()
    owner = (None, episode["seq"], EPISODE, None, episode["when_us"], episode["session_id"])
    _insert(connection, episode["subject"], owner, [rest], "", first=episode["position"])
    for (memory,) in connection.execute(
        "SELECT memory FROM sources WHERE episode = ?", (episode["seq"],)
    ).fetchall():
        link(connection, memory)


def _source_lines(connection: sqlite3.Connection, memory: Memory) -> list[sqlite3.Row]:
    return connection.execute(
        "SELECT p.key, p.text, e.id AS episode_id, EXISTS"
        " (SELECT 1 FROM marks k WHERE k.passage = p.key AND k.reason = ?) AS stale"
        " FROM memories m"
        " JOIN sources s ON s.memory = m.seq JOIN episodes e ON e.seq = s.episode"
        " JOIN passages p ON p.episode = e.seq WHERE m.id = ?",
        (STALE, memory.id),
    ).fetchall()


def _mark(
    connection: sqlite3.Connection,
    keys: Sequence[int],
    memory: Memory,
    reason: str,
    until_us: int | None,
) -> None:
    connection.executemany(
        "INSERT OR IGNORE INTO marks (passage, memory, subject, reason, until_us)"
        " SELECT ?, seq, subject, ?, ? FROM memories WHERE id = ?",
        [(key, reason, until_us, memory.id) for key in keys],
    )


def _said(line: str) -> frozenset[str]:
    """The words of an episode's line without its origin."""
    return content_words(line.partition(ORIGIN_END)[2])
