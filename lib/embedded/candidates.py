"""Every line that could enter a context, as columns kept between calls, and its words in SQL."""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lib.embedded.packing import Line
from lib.embedded.passages import FORGOTTEN
from lib.models import EPISODE, KINDS, Episode, Memory, SessionSummary

KIND_CODES: Final = {kind: code for code, kind in enumerate((*KINDS, EPISODE))}
OTHER_KIND: Final = len(KIND_CODES)
IDENTITY_SLOTS: Final = frozenset({"name", "role", "job", "occupation", "employer", "project"})
"""Slots of facts about who the person is, which help with any task."""

CURRENT, DATED, HIDDEN = 0, 1, 2
_CACHED_SUBJECTS = 32
_TALKER_SHARE = 0.1
_NEVER = np.iinfo(np.int64).max

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Detail:
    """What a candidate shows; read only for those that are returned."""

    item_id: str
    line: Line
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """The candidates of one subject in order of entry, one array per property.

    `until` is when a line stopped being true (never, for most); `related` names the memory
    that took its place, by row. Forgotten and replaced lines are not in here at all.
    """

    subject: int
    version: int
    key: Ints
    memory: Ints
    """Sequence number of its memory, 0 for a line of an episode."""
    episode: Ints
    kind: Ints
    identity: NDArray[np.bool_]
    when: Ints
    session: Ints
    tokens: Ints
    dated: NDArray[np.bool_]
    until: Ints
    carried: Ints
    """Rows whose words are all in the row beside it in `carriers`."""
    carriers: Ints
    newest_first: Ints
    """All rows by time, the newest first; of equal times the later entry first."""
    said: Ints
    """Lines of episodes, by session and time."""
    session_start: Ints
    """Where in `said` each session begins, or each episode that is in none."""
    before: Ints
    """Lines of episodes that have a next line in the same session; it stands in `after`."""
    after: Ints
    speaker: Ints
    """Who says a line, as an index of `speakers`; -1 where only a role is known."""
    speakers: tuple[str, ...]
    """Empty for who says so little that it may be no name, such as "Error"."""
    related: dict[int, str]
    session_ids: tuple[str, ...]
    details: dict[int, Detail] = field(default_factory=dict)
    """By row, what was read already; true for as long as these columns are."""
    owners: dict[int, Memory | Episode] = field(default_factory=dict)
    sessions: dict[str, SessionSummary] = field(default_factory=dict)

    def said_by(self, names: Collection[str]) -> NDArray[np.bool_]:
        """True for the lines of these speakers."""
        return np.isin(self.speaker, [self.speakers.index(name) for name in names])

    def rows_of(self, keys: Ints) -> Ints:
        """The rows with these keys; keys that are not candidates are left out."""
        if not len(self.key):
            return np.empty(0, np.int64)
        rows = np.searchsorted(self.key, keys)
        rows[rows == len(self.key)] = 0
        known: Ints = rows[self.key[rows] == keys]
        return known


@dataclass(frozen=True, slots=True)
class _Lines:
    """What never changes about the lines of a subject, hidden ones included."""

    table: Ints
    """One row per line: key, memory, episode, kind, identity, when, session, tokens, speaker."""
    sessions: dict[str, int]
    speakers: dict[str, int]
    pairs: Ints
    """One row per link: its own key, the key of the line, the key of its carrier."""


class CandidateCache:
    """Columns of the subjects used last; reread as soon as the store's version differs."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held: OrderedDict[int, tuple[_Lines, Columns]] = OrderedDict()

    def columns(self, connection: sqlite3.Connection, subject_id: str) -> Columns | None:
        """The subject's candidates at the moment `connection` sees, None if unknown."""
        row = connection.execute(
            "SELECT key, version FROM subjects WHERE subject_id = ?", (subject_id,)
        ).fetchone()
        if row is None:
            return None
        subject, version = row
        with self._guard:
            held = self._held.get(subject)
            if held is not None:
                self._held.move_to_end(subject)
        if held is not None and held[1].version == version:
            return held[1]
        # An older moment than the cached one must not see lines that are not there yet.
        known = held[0] if held is not None and held[1].version < version else None
        lines = _read_lines(connection, subject, known)
        columns = _visible(connection, subject, version, lines)
        with self._guard:
            self._held[subject] = (lines, columns)
            while len(self._held) > _CACHED_SUBJECTS:
                self._held.popitem(last=False)
        return columns


def matching_rows(
    connection: sqlite3.Connection, columns: Columns, terms: Sequence[str]
) -> list[Ints]:
    """The rows that each FTS5 expression matches."""
    # Keys come as one text: making a row of each would take longer than finding them.
    statement = "SELECT group_concat(rowid) FROM words WHERE words MATCH ?"
    found = []
    for term in terms:
        match = f"text : ({term}) AND subject : s{columns.subject}"
        (keys,) = connection.execute(statement, (match,)).fetchone()
        none = np.empty(0, np.int64)
        found.append(columns.rows_of(np.fromstring(keys, np.int64, sep=",")) if keys else none)
    return found


def rows_of_memory(connection: sqlite3.Connection, columns: Columns, memory_id: str) -> list[int]:
    """The rows that are lines of one memory; none when it is forgotten."""
    keys = connection.execute(
        "SELECT p.key FROM memories m JOIN passages p ON p.memory = m.seq"
        " WHERE m.subject = ? AND m.id = ?",
        (columns.subject, memory_id),
    ).fetchall()
    rows: list[int] = columns.rows_of(np.array([row["key"] for row in keys], np.int64)).tolist()
    return rows


def _read_lines(connection: sqlite3.Connection, subject: int, known: _Lines | None) -> _Lines:
    cursor = connection.cursor()
    cursor.row_factory = None
    sessions = dict(known.sessions) if known else {}
    speakers = dict(known.speakers) if known else {}
    last_key = int(known.table[-1, 0]) if known and len(known.table) else 0
    fresh = [
        (
            key,
            memory or 0,
            episode or 0,
            KIND_CODES.get(kind, OTHER_KIND),
            slot in IDENTITY_SLOTS,
            when,
            -1 if session is None else sessions.setdefault(session, len(sessions)),
            tokens,
            -1 if speaker is None else speakers.setdefault(speaker, len(speakers)),
        )
        for key, memory, episode, kind, slot, when, session, tokens, speaker in cursor.execute(
            "SELECT key, memory, episode, kind, slot, when_us, session_id, tokens, speaker"
            " FROM passages WHERE subject = ? AND key > ? ORDER BY key",
            (subject, last_key),
        )
    ]
    table = np.array(fresh, dtype=np.int64).reshape(-1, 9)
    last_link = int(known.pairs[-1, 0]) if known and len(known.pairs) else 0
    links = cursor.execute(
        "SELECT key, passage, carrier FROM carried WHERE subject = ? AND key > ? ORDER BY key",
        (subject, last_link),
    ).fetchall()
    pairs = np.array(links, dtype=np.int64).reshape(-1, 3)
    if known is not None:
        table = np.concatenate([known.table, table])
        pairs = np.concatenate([known.pairs, pairs])
    return _Lines(table, sessions, speakers, pairs)


def _visible(connection: sqlite3.Connection, subject: int, version: int, lines: _Lines) -> Columns:
    keys = lines.table[:, 0]
    state, until, related = _states(connection, subject, keys)
    shown = state < HIDDEN
    table = lines.table[shown]
    said, session_start = _conversations(table)
    together = np.ones(len(said), bool)
    together[session_start] = False
    after = np.flatnonzero(together)
    at = {int(key): row for row, key in enumerate(table[:, 0])} if related else {}
    pairs = lines.pairs[np.isin(lines.pairs[:, 1:], keys[~shown], invert=True).all(axis=1)]
    return Columns(
        subject=subject,
        version=version,
        key=np.ascontiguousarray(table[:, 0]),
        memory=table[:, 1],
        episode=table[:, 2],
        kind=table[:, 3],
        identity=table[:, 4].astype(bool),
        when=table[:, 5],
        session=table[:, 6],
        tokens=table[:, 7],
        dated=state[shown] == DATED,
        until=until[shown],
        carried=np.searchsorted(table[:, 0], pairs[:, 1]),
        carriers=np.searchsorted(table[:, 0], pairs[:, 2]),
        newest_first=np.lexsort((-table[:, 0], -table[:, 5])),
        said=said,
        session_start=session_start,
        before=said[after - 1],
        after=said[after],
        speaker=table[:, 8],
        speakers=_talkers(lines.speakers, table[said, 8]),
        related={at[key]: memory_id for key, memory_id in related.items() if key in at},
        session_ids=tuple(lines.sessions),
    )


def _states(
    connection: sqlite3.Connection, subject: int, keys: Ints
) -> tuple[NDArray[np.int8], Ints, dict[int, str]]:
    """For each line its state and until when it held, and by key what took its place."""
    state = np.zeros(len(keys), np.int8)
    until = np.full(len(keys), _NEVER, np.int64)
    related: dict[int, str] = {}
    for key, new_state, until_us, memory_id in _exceptions(connection, subject):
        row = int(np.searchsorted(keys, key))
        state[row] = max(state[row], new_state)
        if until_us is not None:
            until[row] = min(until[row], until_us)
        if memory_id is not None:
            related[key] = memory_id
    return state, until, related


def _conversations(table: Ints) -> tuple[Ints, Ints]:
    """Lines of episodes by session and time, and where each session begins; an episode in no
    session is one by itself.
    """
    key, memory, episode, when, session = (table[:, column] for column in (0, 1, 2, 5, 6))
    said = np.flatnonzero(memory == 0)
    group = np.where(session >= 0, session, -episode)[said]
    order = np.lexsort((key[said], when[said], group))
    said, group = said[order], group[order]
    first = np.ones(len(said), bool)
    first[1:] = group[1:] != group[:-1]
    return said, np.flatnonzero(first)


def _talkers(names: dict[str, int], speaker: Ints) -> tuple[str, ...]:
    counts = np.bincount(speaker[speaker >= 0], minlength=len(names))
    enough = counts >= _TALKER_SHARE * len(speaker)
    return tuple(name if enough[number] else "" for name, number in names.items())


def _exceptions(
    connection: sqlite3.Connection, subject: int
) -> list[tuple[int, int, int | None, str | None]]:
    """Lines that are not simply current: (key, state, until, id of what took their place)."""
    cursor = connection.cursor()
    cursor.row_factory = None
    return cursor.execute(
        "SELECT p.key, CASE m.status WHEN 'active' THEN :current"
        " WHEN 'superseded' THEN :dated ELSE :hidden END,"
        " m.valid_to_us, json_extract(m.metadata, '$.superseded_by')"
        " FROM memories m JOIN passages p ON p.memory = m.seq"
        " WHERE m.subject = :subject AND (m.status <> 'active' OR m.valid_to_us IS NOT NULL)"
        " UNION ALL SELECT k.passage, CASE k.reason WHEN :forgotten THEN :hidden ELSE :dated END,"
        " k.until_us, m.id"
        " FROM marks k JOIN memories m ON m.seq = k.memory WHERE k.subject = :subject"
        " UNION ALL SELECT p.key, :hidden, NULL, NULL FROM episodes e"
        " JOIN passages p ON p.episode = e.seq"
        " WHERE e.subject = :subject AND e.replaced_by IS NOT NULL",
        {
            "subject": subject,
            "current": CURRENT,
            "dated": DATED,
            "hidden": HIDDEN,
            "forgotten": FORGOTTEN,
        },
    ).fetchall()
