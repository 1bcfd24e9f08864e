"""Passages in SQL: the lines that are indexed and ranked, who carries whom, and marks."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from lib.embedded.packing import (
    episode_passages,
    line_tokens,
    memory_passages,
    without_sentences,
)
from lib.embedded.rows import EpisodeRow, to_us
from lib.embedded.speakers import speaker_of, without_label
from lib.embedded.wording import carries, content_words, spaced
from lib.models import EPISODE, Memory, Message

STALE = "stale"
FORGOTTEN = "forgotten"

_VALUE_SHARE = 0.5
"""A passage states a value when it has half of the words that set it apart."""


@dataclass(frozen=True, slots=True)
class _Owner:
    """What the lines of one memory or episode have in common."""

    subject: int
    memory: int | None
    episode: int | None
    kind: str
    slot: str | None
    when_us: int
    session: str | None
    speaker: str | None


def insert_of_episode(
    connection: sqlite3.Connection, subject: int, seq: int, row: EpisodeRow
) -> None:
    """Stores and indexes the lines of a new episode."""
    messages = [Message(role, text) for role, text in row.messages]
    speaker = speaker_of(messages, row.metadata)
    owner = _Owner(subject, None, seq, EPISODE, None, row.when_us, row.session_id, speaker)
    _insert(connection, owner, episode_passages(messages, speaker=speaker), "")


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
    when_us = to_us(memory.valid_from)
    owner = _Owner(subject, seq, None, memory.kind, slot, when_us, session, None)
    also = " ".join((*memory.tags, str(slot or "")))
    _insert(connection, owner, memory_passages(memory.content), also)
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
    owner: _Owner,
    texts: Sequence[str],
    also: str,
    *,
    first: int = 0,
) -> None:
    for position, (text, tokens) in enumerate(zip(texts, line_tokens(texts), strict=True), first):
        key = connection.execute(
            "INSERT INTO passages (subject, memory, episode, kind, slot, when_us, session_id,"
            " speaker, position, text, tokens) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                owner.subject,
                owner.memory,
                owner.episode,
                owner.kind,
                owner.slot,
                owner.when_us,
                owner.session,
                owner.speaker,
                position,
                text,
                tokens,
            ),
        ).lastrowid
        connection.execute(
            "INSERT INTO words (rowid, text, subject) VALUES (?, ?, ?)",
            (key, spaced(f"{text} {also}"), f"s{owner.subject}"),
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
        "SELECT p.episode AS seq, p.subject, p.when_us, p.session_id, p.speaker,"
        " (SELECT max(position) + 1 FROM passages WHERE episode = p.episode) AS position"
        " FROM passages p WHERE p.key = ?",
        (line["key"],),
    ).fetchone()
    owner = _Owner(
        subject=episode["subject"],
        memory=None,
        episode=episode["seq"],
        kind=EPISODE,
        slot=None,
        when_us=episode["when_us"],
        session=episode["session_id"],
        speaker=episode["speaker"],
    )
    _insert(connection, owner, [rest], "", first=episode["position"])
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
    """The words of an episode's line without who says them."""
    return content_words(without_label(line))
