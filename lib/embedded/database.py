"""The store's one SQLite file: opened safely, written by one at a time, failures explained."""

import sqlite3
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakValueDictionary

from lib.embedded.packing import line_tokens
from lib.embedded.schema import APPLICATION_ID, MIGRATIONS
from lib.errors import StoreError

BUSY_TIMEOUT_S = 5.0
"""How long a write waits for another process before it gives up."""

_MAGIC = b"SQLite format 3\x00"
_APPLICATION_ID_AT = slice(68, 72)  # https://www.sqlite.org/fileformat.html, section 1.3


class _Locks:
    """The locks that every runtime of this process on one file shares."""

    def __init__(self) -> None:
        self.writing = threading.Lock()
        self.compiling: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


# Shared by all runtimes of the process because SQLite's own lock is polled, not queued: waiting
# for a thread of this process would otherwise cost a sleep per write.
_locks: WeakValueDictionary[Path, _Locks] = WeakValueDictionary()
_locks_guard = threading.Lock()


def _locks_for(path: Path) -> _Locks:
    with _locks_guard:
        return _locks.setdefault(path, _Locks())


class Database:
    """Transactions on one file. Raises StoreError, with what to do, wherever SQLite fails.

    A connection serves one thread at a time and goes back to a pool afterwards, so there are
    never more than there are threads at work. Other processes may have the file open too.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._locks = _locks_for(path.resolve())
        self._idle: list[sqlite3.Connection] = []
        self._guard = threading.Lock()
        self._closed = False
        self._identity: tuple[int, int] | None = None
        with self._explained():
            _refuse_foreign(path)
            self._migrate()
            self._identity = _identity(path)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees one moment of the file."""
        with self._explained(), self._borrowed() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                _roll_back(connection)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction on disk when the block ends; undone when the block raises."""
        with self._explained(), self._locks.writing, self._borrowed() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                _roll_back(connection)
                raise

    @contextmanager
    def compiling(self, subject_id: str) -> Iterator[None]:
        """Keeps a second thread from compiling the same subject meanwhile."""
        with self._locks.compiling[subject_id]:
            yield

    def shed_deleted(self) -> None:
        """Deleted text leaves the word index and the write-ahead log as well."""
        with self.writing() as connection:
            connection.execute("INSERT INTO words (words) VALUES ('optimize')")
        with self._explained(), self._borrowed() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close every connection; whatever is asked afterwards raises StoreError."""
        with self._guard:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    @contextmanager
    def _borrowed(self) -> Iterator[sqlite3.Connection]:
        with self._guard:
            if self._closed:
                raise StoreError(f"The memory store {self.path} is closed; open it again.")
            self._refuse_replaced()
            connection = self._idle.pop() if self._idle else None
        connection = connection or self._connect()
        try:
            yield connection
        finally:
            with self._guard:
                if not self._closed:
                    self._idle.append(connection)
                    connection = None
            if connection is not None:
                connection.close()

    def _refuse_replaced(self) -> None:
        """An open file goes on working after it was deleted, and what is written to it is lost."""
        if self._identity is not None and _identity(self.path) != self._identity:
            raise StoreError(
                f"The memory store {self.path} was deleted, moved or replaced while the app runs, "
                "so nothing more is written. Put it back, or start the app again."
            )

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
        return connection

    def _migrate(self) -> None:
        with self.writing() as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version > len(MIGRATIONS):
                raise StoreError(
                    f"The memory store {self.path} was written by a newer version of this app "
                    f"(schema {version}, this one knows {len(MIGRATIONS)}). Update the app, or "
                    "set STATEWAVE_DATA_DIR to another folder."
                )
            if version == 0:
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.create_function("line_tokens", 1, lambda text: line_tokens([text])[0])
            for script in MIGRATIONS[version:]:
                for statement in script.split(";"):
                    connection.execute(statement)
            if version < len(MIGRATIONS):
                connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        with self._borrowed() as connection:
            # Only now: until the first commit nothing says that the file is ours.
            connection.execute("PRAGMA journal_mode = WAL")

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


def _roll_back(connection: sqlite3.Connection) -> None:
    # After some failures SQLite has rolled back already, and saying so would hide the failure.
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _refuse_foreign(path: Path) -> None:
    """Reads the header only, so that a file which is not ours stays exactly as it is."""
    if not path.exists():
        return
    with path.open("rb") as file:
        header = file.read(100)
    if not header:
        return
    ours = APPLICATION_ID.to_bytes(4, "big")
    if not header.startswith(_MAGIC) or header[_APPLICATION_ID_AT] != ours:
        raise StoreError(
            f"{path} is not a memory store of this app, so it was left untouched. "
            "Move it away, or set STATEWAVE_DATA_DIR to another folder."
        )


def _explanation(error: sqlite3.Error | OSError, path: Path) -> str:
    name = str(getattr(error, "sqlite_errorname", ""))
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
        return (
            f"The memory store {path} could not be written: the disk is full or failing. "
            "Free some space and try again; nothing of this change was kept."
        )
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")) or not name:
        return (
            f"The memory store {path} cannot be opened for writing ({error}). Give this user "
            "write access to its folder, or set STATEWAVE_DATA_DIR to another one."
        )
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return (
            f"The memory store {path} is damaged ({error}). Move it away and restore a backup, "
            "or start again with an empty one."
        )
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return (
            f"Another process kept the memory store {path} locked for {BUSY_TIMEOUT_S:.0f} s. "
            "Try again when it has finished."
        )
    return f"The memory store {path} could not do this: {error}."
