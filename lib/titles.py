"""The names a visitor gives to sessions, in a small file of this machine.

Episodes are never edited and no runtime keeps a session's name, so it cannot live there: whoever
opens the same runtime from another machine sees the opening words instead.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from lib.errors import StoreError

LONGEST_TITLE: Final = 80
_BUSY_TIMEOUT_S: Final = 2.0

_SCHEMA = """
CREATE TABLE IF NOT EXISTS titles (
    destination TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    title TEXT NOT NULL,
    PRIMARY KEY (destination, subject_id, session_id)
)
"""


class SessionTitles:
    """Titles for the sessions of one runtime, `destination`; the file is made by the first one.

    Every method raises StoreError when the file cannot be used.
    """

    def __init__(self, path: Path, *, destination: str) -> None:
        self._path, self._destination = path, destination

    def of_subject(self, subject_id: str) -> dict[str, str]:
        """Session → title, for the sessions that have one."""
        if not self._path.exists():
            return {}
        with self._open() as connection:
            rows = connection.execute(
                "SELECT session_id, title FROM titles WHERE destination = ? AND subject_id = ?",
                (self._destination, subject_id),
            )
            return dict(rows.fetchall())

    def rename(self, subject_id: str, session_id: str, title: str) -> None:
        """Gives the session this title, cut to LONGEST_TITLE; an empty one takes it away."""
        # Lone surrogates cannot be stored.
        text = " ".join(title.encode("utf-8", "replace").decode().split())[:LONGEST_TITLE]
        place = (self._destination, subject_id, session_id)
        with self._open() as connection:
            if text:
                connection.execute(
                    "INSERT OR REPLACE INTO titles VALUES (?, ?, ?, ?)", (*place, text)
                )
            else:
                connection.execute(
                    "DELETE FROM titles WHERE destination = ? AND subject_id = ?"
                    " AND session_id = ?",
                    place,
                )

    def forget_subject(self, subject_id: str) -> None:
        """Erases the titles of a subject that was deleted."""
        if self._path.exists():
            with self._open() as connection:
                connection.execute(
                    "DELETE FROM titles WHERE destination = ? AND subject_id = ?",
                    (self._destination, subject_id),
                )

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            opened = sqlite3.connect(self._path, timeout=_BUSY_TIMEOUT_S)
            # The inner block commits or undoes; only closing lets go of the file.
            with closing(opened) as connection, connection:
                connection.execute("PRAGMA secure_delete = ON")
                connection.execute(_SCHEMA)
                yield connection
        except (sqlite3.Error, OSError) as error:
            raise StoreError(
                f"The session titles in {self._path} cannot be used ({error}). Check that this "
                "user may write there, or move the file away."
            ) from error
