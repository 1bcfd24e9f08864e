"""Kept turns in SQL: every statement of the outbox, and the leases that keep senders apart."""

import json
import sqlite3
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from lib.errors import InputError
from lib.models import Message, NewEpisode
from lib.outbox.file import OutboxFile
from lib.outbox.values import Backlog, KeptTurn, Recording

LEASE_S: Final = 25.0
"""Longer than any one call to a runtime (10 s) and the check before it (10 s) take."""

REMEMBERED_S: Final = 7 * 24 * 3600.0
"""How long a recorded turn's episode id stays known; what it said is erased at once."""

_OPEN = "state IN ('waiting', 'refused')"


class OutboxStore:
    """The file's turns, for any number of threads and processes. Raises StoreError."""

    def __init__(self, path: Path, *, clock: Callable[[], float]) -> None:
        self._file = OutboxFile(path)
        self._clock = clock

    def keep(self, turn: KeptTurn, *, owner: str | None = None) -> None:
        """The turn is on disk; one that was kept before stays as it is.

        Until `owner` has sent it nobody else may, unless somebody is sending the subject's turns
        already. Raises InputError for ids that cannot be stored.
        """
        episode = turn.episode
        row = (
            turn.turn_id,
            turn.destination,
            turn.subject_id,
            _to_json(episode),
            turn.replaces_turn,
            turn.state,
            turn.unsure,
            turn.reason,
            turn.kept_at.timestamp(),
        )
        try:
            with self._file.transaction() as connection:
                connection.execute(
                    "INSERT OR IGNORE INTO turns (turn_id, destination, subject_id, episode,"
                    " replaces_turn, state, unsure, reason, kept_at)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    row,
                )
                if owner is not None:
                    self._lease(connection, turn.destination, turn.subject_id, owner)
                connection.execute(
                    f"DELETE FROM turns WHERE NOT {_OPEN} AND kept_at < ?",
                    (self._clock() - REMEMBERED_S,),
                )
        except UnicodeEncodeError as error:
            raise InputError("The subject id holds characters that cannot be stored.") from error

    def find(self, turn_ids: Collection[str]) -> dict[str, Recording]:
        """What became of these turns; those never kept are left out."""
        if not turn_ids or not self._file.exists:
            return {}
        with self._file.reading() as connection:
            rows = connection.execute(
                "SELECT turn_id, state, episode_id, reason FROM turns"
                " WHERE turn_id IN (SELECT value FROM json_each(?))",
                (json.dumps(list(turn_ids)),),
            ).fetchall()
        return {
            row["turn_id"]: Recording(row["state"], row["episode_id"], row["reason"] or None)
            for row in rows
        }

    def waiting_subjects(self, destination: str) -> list[str]:
        """Subjects with waiting turns, the one that has waited longest first."""
        if not self._file.exists:
            return []
        with self._file.reading() as connection:
            rows = connection.execute(
                "SELECT subject_id FROM turns WHERE state = 'waiting' AND destination = ?"
                " GROUP BY subject_id ORDER BY min(seq)",
                (destination,),
            ).fetchall()
        return [str(row["subject_id"]) for row in rows]

    def backlog(self, destination: str) -> Backlog:
        """How many turns are in the file for this destination, and for others."""
        if not self._file.exists:
            return Backlog()
        with self._file.reading() as connection:
            row = connection.execute(
                "SELECT coalesce(sum(destination = :here AND state = 'waiting'), 0) AS waiting,"
                " coalesce(sum(destination = :here AND state = 'refused'), 0) AS refused,"
                " coalesce(sum(destination <> :here), 0) AS elsewhere"
                f" FROM turns WHERE {_OPEN}",
                {"here": destination},
            ).fetchone()
        return Backlog(**dict(row))

    def open_turns(self) -> list[KeptTurn]:
        """Every turn that no runtime has, in the order they were kept."""
        if not self._file.exists:
            return []
        with self._file.reading() as connection:
            rows = connection.execute(f"SELECT * FROM turns WHERE {_OPEN} ORDER BY seq").fetchall()
        return [_to_turn(row) for row in rows]

    def next_to_send(self, destination: str, subject_id: str, *, owner: str) -> KeptTurn | None:
        """The subject's first waiting turn, which only `owner` may send until `settle`.

        None when nothing waits, or somebody else is sending. From now on a later attempt counts
        as unsure; the returned turn says whether an earlier one already does.
        """
        with self._file.transaction() as connection:
            row = connection.execute(
                "SELECT * FROM turns WHERE state = 'waiting' AND destination = ?"
                " AND subject_id = ? ORDER BY seq LIMIT 1",
                (destination, subject_id),
            ).fetchone()
            if row is None:
                return None
            if not self._lease(connection, destination, subject_id, owner):
                return None
            connection.execute("UPDATE turns SET unsure = 1 WHERE seq = ?", (row["seq"],))
            return _to_turn(row)

    def settle(
        self, turn: KeptTurn, became: Recording, *, owner: str, unsure: bool = False
    ) -> None:
        """What an attempt came to; the lease ends when nothing is left to send, or it failed."""
        with self._file.transaction() as connection:
            connection.execute(
                "UPDATE turns SET state = :state, episode_id = :episode, reason = :reason,"
                " unsure = :unsure, episode = CASE :state WHEN 'recorded' THEN '' ELSE episode END"
                # Whoever discarded it meanwhile is not overruled, unless it was recorded.
                " WHERE turn_id = :turn AND (state = 'waiting' OR :state = 'recorded')",
                {
                    "state": became.state,
                    "episode": became.episode_id,
                    "reason": became.reason or "",
                    "unsure": unsure,
                    "turn": turn.turn_id,
                },
            )
            connection.execute(
                "DELETE FROM leases"
                " WHERE destination = :to AND subject_id = :subject AND owner = :owner"
                " AND (:state = 'waiting' OR NOT EXISTS (SELECT 1 FROM turns WHERE"
                " state = 'waiting' AND destination = :to AND subject_id = :subject))",
                {
                    "to": turn.destination,
                    "subject": turn.subject_id,
                    "owner": owner,
                    "state": became.state,
                },
            )

    def hold(self, destination: str, subject_id: str, *, owner: str) -> bool:
        """True when nobody but `owner` may send the subject's turns until `release`."""
        if not self._file.exists:
            return True
        with self._file.transaction() as connection:
            return self._lease(connection, destination, subject_id, owner)

    def release(self, destination: str, subject_id: str, *, owner: str) -> None:
        """Somebody else may send this subject's turns."""
        if not self._file.exists:
            return
        with self._file.transaction() as connection:
            connection.execute(
                "DELETE FROM leases WHERE destination = ? AND subject_id = ? AND owner = ?",
                (destination, subject_id, owner),
            )

    def send_again(self, turn_id: str) -> None:
        """A refused turn waits once more, whether or not an earlier attempt arrived."""
        if self._file.exists:
            with self._file.transaction() as connection:
                connection.execute(
                    "UPDATE turns SET state = 'waiting', unsure = 0"
                    " WHERE turn_id = ? AND state = 'refused'",
                    (turn_id,),
                )

    def discard(self, turn_id: str) -> None:
        """The turn is erased; only its id stays, so that nobody keeps it again."""
        self._erase("turn_id = ?", (turn_id,))

    def discard_subject(self, destination: str, subject_id: str) -> int:
        """How many of the subject's turns for this destination were erased."""
        return self._erase("destination = ? AND subject_id = ?", (destination, subject_id))

    def _lease(
        self, connection: sqlite3.Connection, destination: str, subject_id: str, owner: str
    ) -> bool:
        # The clock is read inside the transaction: waiting for it may take seconds.
        now = self._clock()
        leased = connection.execute(
            "INSERT INTO leases VALUES (:to, :subject, :owner, :until) ON CONFLICT DO UPDATE"
            " SET owner = excluded.owner, until = excluded.until"
            # One that ends far too late was taken before the clock was set back.
            " WHERE owner = excluded.owner OR until < :now OR until > :now + 2 * :lease",
            {
                "to": destination,
                "subject": subject_id,
                "owner": owner,
                "until": now + LEASE_S,
                "now": now,
                "lease": LEASE_S,
            },
        )
        return leased.rowcount == 1

    def _erase(self, which: str, values: tuple[str, ...]) -> int:
        if not self._file.exists:
            return 0
        with self._file.transaction() as connection:
            erased = connection.execute(
                f"UPDATE turns SET state = 'discarded', episode = '' WHERE {_OPEN} AND {which}",
                values,
            ).rowcount
        self._file.shed()
        return erased

    def close(self) -> None:
        """Closes the file; a later call opens it again."""
        self._file.close()


def _to_json(episode: NewEpisode) -> str:
    occurred = episode.occurred_at
    # ASCII, since SQLite refuses the lone surrogates that a model's reply may hold.
    return json.dumps(
        {
            "messages": [[message.role, message.content] for message in episode.messages],
            "session_id": episode.session_id,
            "source": episode.source,
            "type": episode.type,
            "metadata": dict(episode.metadata),
            "occurred_at": occurred.isoformat() if occurred else None,
        }
    )


def _to_turn(row: sqlite3.Row) -> KeptTurn:
    said: dict[str, Any] = json.loads(row["episode"])
    occurred = said["occurred_at"]
    return KeptTurn(
        subject_id=row["subject_id"],
        destination=row["destination"],
        episode=NewEpisode(
            tuple(Message(role, content) for role, content in said["messages"]),
            session_id=said["session_id"],
            source=said["source"],
            type=said["type"],
            metadata=said["metadata"],
            occurred_at=datetime.fromisoformat(occurred) if occurred else None,
            idempotency_key=row["turn_id"],
        ),
        kept_at=datetime.fromtimestamp(row["kept_at"], UTC),
        state=row["state"],
        reason=row["reason"],
        replaces_turn=row["replaces_turn"],
        unsure=bool(row["unsure"]),
    )
