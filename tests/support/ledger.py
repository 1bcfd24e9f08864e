"""A runtime that keeps episodes as lines of a file, and fails as it is told to."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from lib.errors import StatewaveConnectionError, StatewaveError
from lib.models import Episode, Message, RuntimeInfo, Timeline
from lib.protocol import Capability
from tests.support.values import NOW


def never() -> StatewaveError | None:
    """No failure."""
    return None


@dataclass(slots=True)
class LedgerRuntime:
    """Only what recording needs. Any number of processes may share the file.

    `before` fails a call that then stores nothing, `after` one that has stored the episode.
    Without `honours_keys` the same turn sent twice is there twice. `shows` bounds the timeline.
    """

    path: Path
    honours_keys: bool = True
    before: Callable[[], StatewaveError | None] = never
    after: Callable[[], StatewaveError | None] = never
    shows: int | None = None
    version: str = "1"
    calls: list[str] = field(default_factory=list)

    def info(self) -> RuntimeInfo:
        return RuntimeInfo("Ledger", self.version, str(self.path))

    def capabilities(self) -> frozenset[Capability]:
        return frozenset({"idempotency"} if self.honours_keys else set())

    def record_episode(
        self,
        subject_id: str,
        messages: Sequence[Message] | str,
        *,
        session_id: str | None = None,
        source: str = "chat",
        type: str = "conversation",
        metadata: dict[str, Any] | None = None,
        occurred_at: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> Episode:
        assert not isinstance(messages, str)
        self.calls.append(f"record {idempotency_key}")
        if error := self.before():
            raise error
        row: dict[str, Any] = {
            "id": f"episode-of-{idempotency_key}",
            "subject_id": subject_id,
            "key": idempotency_key,
            "said": [[each.role, each.content] for each in messages],
            "metadata": metadata or {},
            "session_id": session_id,
            "source": source,
            "type": type,
            "occurred_at": occurred_at.isoformat() if occurred_at else None,
        }
        known = {each["key"] for each in self.rows()} if self.honours_keys else set()
        if idempotency_key not in known:
            self._append(row)
        if error := self.after():
            raise error
        return _episode(row)

    def timeline(self, subject_id: str) -> Timeline:
        self.calls.append(f"timeline {subject_id}")
        if error := self.before():
            raise error
        episodes = [_episode(row) for row in self.rows() if row["subject_id"] == subject_id]
        shown = episodes[: self.shows]
        return Timeline(subject_id, tuple(shown), (), complete=len(shown) == len(episodes))

    def rows(self) -> list[dict[str, Any]]:
        """Everything stored, in order."""
        if not self.path.exists():
            return []
        return [json.loads(line) for line in self.path.read_text().splitlines()]

    def turn_ids(self) -> list[str]:
        """The keys of everything stored, in order."""
        return [row["key"] for row in self.rows()]

    def close(self) -> None:
        """Nothing is held open."""

    def _append(self, row: dict[str, Any]) -> None:
        # One write call: a kill leaves the whole line or none of it.
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(file, json.dumps(row).encode() + b"\n")
        finally:
            os.close(file)


def away(*, reached: bool = False) -> StatewaveError:
    """What a runtime that does not answer raises."""
    return StatewaveConnectionError("The runtime did not answer.", reached=reached)


def _episode(row: dict[str, Any]) -> Episode:
    occurred = row["occurred_at"]
    return Episode(
        id=row["id"],
        subject_id=row["subject_id"],
        payload={"messages": [{"role": role, "content": text} for role, text in row["said"]]},
        created_at=NOW,
        source=row["source"],
        type=row["type"],
        metadata=row["metadata"],
        session_id=row["session_id"],
        occurred_at=datetime.fromisoformat(occurred) if occurred else None,
    )
