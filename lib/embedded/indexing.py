"""The background index: a thread that gives every line its vector, never while it is written."""

import logging
import sqlite3
import threading
import time
from typing import Final

from lib.embedded.database import Database
from lib.embedded.speakers import without_label
from lib.embedded.vectors import Vectors, to_blob
from lib.embedding import Embedder, EmbeddingUnavailableError
from lib.errors import StoreError

_LOG = logging.getLogger(__name__)

_BATCH: Final = 32
_RETRY_S: Final = 5.0
_LOOK_S: Final = 60.0
"""How long it sleeps at most: another process may write to the file without waking it."""
_POLL_S: Final = 0.02

CONTEXT_WEIGHTS: Final = (0.4, 0.2)
"""A line is also understood by the two lines before it in its session, the nearest first: "yes,
on Friday" means little alone."""
_CONTEXT_REACH: Final = 64
"""Keys to look back for those lines, so that the first line of a session looks no further."""
_KEPT = 256
"""Vectors of the lines embedded last, as the lines after them need them again."""


class Indexer:
    """Embeds lines in the order they were written, from where the file says it stopped."""

    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database, self._embedder = database, embedder
        self._wake, self._stop = threading.Event(), threading.Event()
        self._ready = threading.Event()
        self._problem = ""
        self._recent: dict[int, Vectors] = {}
        self._thread = threading.Thread(target=self._run, name="embedding", daemon=True)
        self._thread.start()

    @property
    def ready(self) -> bool:
        """True once the model has been loaded; asking it before would wait for that."""
        return self._ready.is_set()

    @property
    def problem(self) -> str:
        """Why there is no search by meaning; empty while nothing is wrong."""
        return self._problem

    def notify(self) -> None:
        """Something was written."""
        self._wake.set()

    def wait_until_indexed(self, timeout_s: float) -> bool:
        """True as soon as every line has a vector, False when that takes longer."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline and not self._problem:
            if self.ready and not self._pending():
                return True
            time.sleep(_POLL_S)
        return False

    def close(self) -> None:
        """Stop after the batch at hand."""
        self._stop.set()
        self._wake.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._embedder.embed(["ready"])
        except EmbeddingUnavailableError as error:
            self._problem = str(error)
            _LOG.warning("No search by meaning: %s.", error)
            return
        self._ready.set()
        while not self._stop.is_set():
            self._wake.clear()
            try:
                self._prepare()
                while not self._stop.is_set() and self._embed_next():
                    pass
                self._wake.wait(_LOOK_S)
            except StoreError as error:
                if not self._stop.is_set():
                    _LOG.warning("The index waits %.0f s: %s", _RETRY_S, error)
                self._stop.wait(_RETRY_S)

    def _prepare(self) -> None:
        """Vectors of another model are dropped: they cannot be compared with this one's."""
        with self._database.reading() as connection:
            if _model(connection) == self._embedder.name:
                return
        with self._database.writing() as connection:
            connection.execute("DELETE FROM vectors")
            connection.execute("DELETE FROM embedding")
            connection.execute("INSERT INTO embedding VALUES (?, 0)", (self._embedder.name,))

    def _pending(self) -> bool:
        with self._database.reading() as connection:
            (pending,) = connection.execute(
                "SELECT coalesce((SELECT max(key) FROM passages), 0)"
                " > coalesce((SELECT until_key FROM embedding WHERE model = ?), -1)",
                (self._embedder.name,),
            ).fetchone()
            return bool(pending)

    def _embed_next(self) -> bool:
        """Embeds one batch; False when nothing was left to do."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT key, subject, text, session_id, episode FROM passages WHERE key >"
                " (SELECT until_key FROM embedding) ORDER BY key LIMIT ?",
                (_BATCH,),
            ).fetchall()
            before = [_lines_before(connection, row) for row in rows]
        if not rows:
            return False
        lines = {line["key"]: _said_in(line) for each in (rows, *before) for line in each}
        alone = self._alone(lines)
        vectors = [
            alone[row["key"]]
            + sum(
                weight * alone[line["key"]]
                for weight, line in zip(CONTEXT_WEIGHTS, earlier, strict=False)
            )
            for row, earlier in zip(rows, before, strict=True)
        ]
        with self._database.writing() as connection:
            if _model(connection) != self._embedder.name:
                return True  # another process began anew with another model
            connection.executemany(
                # Not of lines that were deleted meanwhile.
                "INSERT OR REPLACE INTO vectors (subject, passage, vector)"
                " SELECT subject, key, ? FROM passages WHERE key = ?",
                [(to_blob(vector), row["key"]) for vector, row in zip(vectors, rows, strict=True)],
            )
            connection.execute(
                "UPDATE embedding SET until_key = max(until_key, ?)", (rows[-1]["key"],)
            )
        return True

    def _alone(self, lines: dict[int, str]) -> dict[int, Vectors]:
        """The vector of each line by key, whatever stands around it."""
        missing = [key for key in lines if key not in self._recent]
        fresh = self._embedder.embed([lines[key] for key in missing])
        known = {**self._recent, **dict(zip(missing, fresh, strict=True))}
        self._recent = dict(list(known.items())[-_KEPT:])
        return {key: known[key] for key in lines}


def _said_in(line: sqlite3.Row) -> str:
    """What a line says, without who says it."""
    text = str(line["text"])
    if line["episode"] is None:
        return text
    return without_label(text).replace(" assistant: ", " ")


def _model(connection: sqlite3.Connection) -> str | None:
    row = connection.execute("SELECT model FROM embedding").fetchone()
    return None if row is None else str(row["model"])


def _lines_before(connection: sqlite3.Connection, row: sqlite3.Row) -> list[sqlite3.Row]:
    """What was said right before a line, in its session or else its episode, the last first."""
    if row["episode"] is None:
        return []
    same = ("session_id", row["session_id"]) if row["session_id"] else ("episode", row["episode"])
    return connection.execute(
        "SELECT key, text, episode FROM passages WHERE subject = ? AND key BETWEEN ? AND ?"
        f" AND episode IS NOT NULL AND {same[0]} = ? ORDER BY key DESC LIMIT ?",
        (
            row["subject"],
            row["key"] - _CONTEXT_REACH,
            row["key"] - 1,
            same[1],
            len(CONTEXT_WEIGHTS),
        ),
    ).fetchall()
