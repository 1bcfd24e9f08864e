"""The outbox's one SQLite file: made when it is first needed, failures explained."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lib.errors import StoreError

APPLICATION_ID = 0x53_57_4F_42
"""Marks a SQLite file as ours ("SWOB" in its header)."""

BUSY_TIMEOUT_S = 5.0

_MAGIC = b"SQLite format 3\x00"
_APPLICATION_ID_AT = slice(68, 72)  # https://www.sqlite.org/fileformat.html, section 1.3

# `episode` is emptied once the runtime has it; the row stays a while, so that a visit that still
# shows the turn can learn its episode's id. A lease names who sends a subject's turns, and until
# when (seconds since 1970) nobody else may.
_VERSION_1 = """
CREATE TABLE turns (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    turn_id TEXT NOT NULL UNIQUE,
    destination TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    episode TEXT NOT NULL,
    replaces_turn TEXT,
    state TEXT NOT NULL,
    unsure INTEGER NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    episode_id TEXT,
    kept_at REAL NOT NULL
);
CREATE INDEX turns_open ON turns (state, destination, subject_id, seq);
CREATE TABLE leases (
    destination TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    until REAL NOT NULL,
    PRIMARY KEY (destination, subject_id)
);
"""

_MIGRATIONS = (_VERSION_1,)
"""Scripts in order; a file's `user_version` says how many of them it has seen."""


class OutboxFile:
    """Transactions on the file, from any thread. Raises StoreError, with what to do, on failure."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None

    @property
    def exists(self) -> bool:
        """True once something was kept; reading an absent file must not make it."""
        return self.path.exists()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction on disk when the block ends; undone when the block raises."""
        with self._lock, self._explained():
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # After some failures SQLite has rolled back already.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection for one statement that changes nothing."""
        with self._lock, self._explained():
            yield self._open()

    def shed(self) -> None:
        """What was erased leaves the write-ahead log as well."""
        with self.reading() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Closes the file; a later call opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and _identity(self.path) != self._identity:
            # Deleted or replaced meanwhile: what is written to an open file without a name is lost.
            self._connection.close()
            self._connection = None
        if self._connection is None:
            _refuse_foreign(self.path)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(
                self.path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            try:
                _prepare(connection, self.path)
            except BaseException:
                connection.close()
                raise
            self._connection, self._identity = connection, _identity(self.path)
        return self._connection

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreError(_explanation(error, self.path)) from error


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")
    if connection.execute("PRAGMA user_version").fetchone()[0] != len(_MIGRATIONS):
        _migrate(connection, path)
    connection.execute("PRAGMA journal_mode = WAL")


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")
    # Read again: another process may have done it since.
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(_MIGRATIONS):
        raise StoreError(
            f"The outbox {path} was written by a newer version of this app. Update the app; "
            "the file was left untouched."
        )
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    for script in _MIGRATIONS[version:]:
        for statement in script.split(";"):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {len(_MIGRATIONS)}")
    connection.execute("COMMIT")


def _refuse_foreign(path: Path) -> None:
    """Reads the header only, so that a file which is not ours stays exactly as it is."""
    if not path.exists():
        return
    with path.open("rb") as file:
        header = file.read(100)
    ours = header.startswith(_MAGIC) and header[_APPLICATION_ID_AT] == APPLICATION_ID.to_bytes(4)
    if header and not ours:
        raise StoreError(
            f"{path} is not an outbox of this app, so it was left untouched. Move it away."
        )


def _explanation(error: sqlite3.Error | OSError, path: Path) -> str:
    name = str(getattr(error, "sqlite_errorname", ""))
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
        return f"The disk of the outbox {path} is full or failing. Free some space."
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")) or not name:
        return f"The outbox {path} cannot be written ({error}). Give this user write access."
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return f"The outbox {path} is damaged ({error}). Move it away; a new one is made."
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return f"Another process kept the outbox {path} locked for {BUSY_TIMEOUT_S:.0f} s."
    return f"The outbox {path} could not do this: {error}."
