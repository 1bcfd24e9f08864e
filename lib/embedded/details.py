"""What the returned candidates show and belong to, read from SQL and kept with the columns."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from lib.embedded.candidates import Columns, Detail
from lib.embedded.packing import Line, line_tokens
from lib.embedded.rows import EPISODE_COLUMNS, MEMORY_COLUMNS, from_us, to_episode, to_memory
from lib.models import EPISODE, Episode, Memory, SessionSummary

_BATCH = 500  # ids per statement: below the 999 parameters that old SQLite builds allow


def read_details(
    connection: sqlite3.Connection, columns: Columns, rows: Iterable[int]
) -> dict[int, Detail]:
    """What each row shows. A line that no longer holds says until when it did."""
    missing = [row for row in rows if row not in columns.details]
    at = {int(columns.key[row]): row for row in missing}
    for found in _select(
        connection,
        "SELECT p.key, p.text, p.kind, p.tokens, p.position, coalesce(m.id, e.id) AS id,"
        " CASE WHEN m.seq IS NULL THEN json_array(e.id) ELSE (SELECT json_group_array(id) FROM"
        "  (SELECT o.id FROM sources s JOIN episodes o ON o.seq = s.episode"
        "   WHERE s.memory = m.seq ORDER BY s.rowid)) END AS sources"
        " FROM passages p LEFT JOIN memories m ON m.seq = p.memory"
        " LEFT JOIN episodes e ON e.seq = p.episode WHERE p.key",
        list(at),
    ):
        row = at[found["key"]]
        columns.details[row] = Detail(
            # The first line bears the id itself, so that most items can be looked up by it.
            item_id=f"{found['id']}#{found['position'] + 1}" if found["position"] else found["id"],
            line=_line(columns, row, found),
            sources=tuple(json.loads(found["sources"])),
        )
    return columns.details


def read_owners(
    connection: sqlite3.Connection, columns: Columns, rows: Iterable[int]
) -> dict[int, Memory | Episode]:
    """The memory or the episode that each row is a line of."""
    missing = [row for row in rows if row not in columns.owners]
    memories = {int(columns.memory[row]) for row in missing if columns.memory[row]}
    episodes = {int(columns.episode[row]) for row in missing if columns.episode[row]}
    found_memories = {
        found["seq"]: to_memory(found)
        for found in _select(
            connection,
            f"SELECT {MEMORY_COLUMNS} FROM memories m WHERE m.seq",
            list(memories),
        )
    }
    found_episodes = {
        found["seq"]: to_episode(found)
        for found in _select(
            connection,
            f"SELECT {EPISODE_COLUMNS} FROM episodes e WHERE e.seq",
            list(episodes),
        )
    }
    for row in missing:
        memory, episode = int(columns.memory[row]), int(columns.episode[row])
        columns.owners[row] = found_memories[memory] if memory else found_episodes[episode]
    return columns.owners


def read_sessions(
    connection: sqlite3.Connection, columns: Columns, numbers: Iterable[int]
) -> dict[str, SessionSummary]:
    """What the timeline says of each session, by id."""
    named = {columns.session_ids[number] for number in numbers if number >= 0}
    for found in _select(
        connection,
        "SELECT session_id, count(*) AS episodes, min(coalesce(occurred_us, created_us)) AS first,"
        " max(coalesce(occurred_us, created_us)) AS last FROM episodes"
        f" WHERE subject = {columns.subject} AND session_id",
        list(named - columns.sessions.keys()),
        after="GROUP BY session_id",
    ):
        columns.sessions[found["session_id"]] = SessionSummary(
            found["session_id"], found["episodes"], from_us(found["first"]), from_us(found["last"])
        )
    return columns.sessions


def _line(columns: Columns, row: int, found: sqlite3.Row) -> Line:
    text, kind, tokens = found["text"], found["kind"], found["tokens"]
    if not columns.dated[row] or kind == EPISODE:
        return Line(text, kind, tokens)
    # Shown only when the task asks about the past, and then never as what holds now.
    dated = f"{text} (until {from_us(int(columns.until[row])):%Y-%m-%d})"
    return Line(dated, kind, line_tokens([dated])[0])


def _select(
    connection: sqlite3.Connection, statement: str, ids: Sequence[int | str], *, after: str = ""
) -> Iterator[sqlite3.Row]:
    for start in range(0, len(ids), _BATCH):
        some = ids[start : start + _BATCH]
        marks = ", ".join("?" * len(some))
        yield from connection.execute(f"{statement} IN ({marks}) {after}", some)
