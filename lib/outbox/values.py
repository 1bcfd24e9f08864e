"""A turn as the outbox keeps it, and what became of one."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from lib.models import NewEpisode

RecordState = Literal["recorded", "waiting", "refused", "discarded", "unkept"]
"""waiting: on disk, sent again by itself; refused: on disk, sent again only on request;
unkept: neither recorded nor on disk, so the caller has the only copy.
"""


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """One turn in the file; `episode.idempotency_key` is its id.

    `unsure` says that an earlier attempt may have reached the runtime.
    """

    subject_id: str
    destination: str
    episode: NewEpisode
    kept_at: datetime
    state: RecordState = "waiting"
    reason: str = ""
    replaces_turn: str | None = None
    unsure: bool = False

    @property
    def turn_id(self) -> str:
        """The id by which a runtime and the outbox know the turn."""
        assert self.episode.idempotency_key
        return self.episode.idempotency_key


@dataclass(frozen=True, slots=True)
class Recording:
    """What became of one turn: its episode, or why there is none."""

    state: RecordState
    episode_id: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Backlog:
    """How many turns wait for this runtime, were refused by it, or wait for another one.

    `error` says why the file could not be read.
    """

    waiting: int = 0
    refused: int = 0
    elsewhere: int = 0
    error: str | None = None
