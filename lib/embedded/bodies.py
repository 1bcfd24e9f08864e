"""Request bodies of the `/v1` contract, with its limits."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, StringConstraints

from lib.models import Episode, NewEpisode, payload_messages
from lib.protocol import MemoryRuntime

DEFAULT_MAX_TOKENS = 4000
"""The contract's default; the app itself always says how many."""

Id = Annotated[str, StringConstraints(min_length=1, max_length=256)]
Task = Annotated[str, StringConstraints(min_length=1, max_length=4000)]
Budget = Annotated[
    int,
    BeforeValidator(lambda value: DEFAULT_MAX_TOKENS if value is None else value),
    Field(ge=1, le=128_000),
]


class SubjectBody(BaseModel):
    """Names a subject."""

    subject_id: Id


class EpisodeBody(SubjectBody):
    """One episode to record."""

    source: Id
    type: Annotated[str, StringConstraints(min_length=1, max_length=128)]
    payload: dict[str, Any]
    metadata: dict[str, Any] = Field(default_factory=dict)
    provenance: dict[str, Any] = Field(default_factory=dict)
    session_id: Annotated[str, StringConstraints(max_length=256)] | None = None
    occurred_at: datetime | None = None
    idempotency_key: Id | None = None

    def as_new_episode(self) -> NewEpisode:
        """What the runtime records: the payload as it was sent, and the messages in it."""
        return NewEpisode(
            payload_messages(self.payload),
            session_id=self.session_id or None,
            source=self.source,
            type=self.type,
            metadata=self.metadata,
            occurred_at=self.occurred_at,
            idempotency_key=self.idempotency_key,
            payload=self.payload,
            provenance=self.provenance,
        )


class BatchBody(BaseModel):
    """Up to a hundred episodes to record."""

    episodes: Annotated[list[EpisodeBody], Field(min_length=1, max_length=100)]


class CompileBody(SubjectBody):
    """Whose episodes are compiled, and whether the caller waits for it."""

    later: bool = Field(default=False, alias="async")


class ContextBody(SubjectBody):
    """What context is assembled for."""

    task: Task
    max_tokens: Budget = DEFAULT_MAX_TOKENS
    session_id: Annotated[str, StringConstraints(max_length=256)] | None = None


class ExplainBody(SubjectBody):
    """Which memory is explained for which task."""

    task: Task
    memory_id: Id


class CorrectionBody(SubjectBody):
    """The text that replaces a memory."""

    content: str


def recorded(runtime: MemoryRuntime, bodies: Sequence[EpisodeBody]) -> list[Episode]:
    """The stored episodes, in the order of `bodies`, which may name several subjects."""
    by_subject: dict[str, list[int]] = {}
    for position, body in enumerate(bodies):
        by_subject.setdefault(body.subject_id, []).append(position)
    stored: dict[int, Episode] = {}
    for subject_id, positions in by_subject.items():
        new = [bodies[position].as_new_episode() for position in positions]
        stored.update(zip(positions, runtime.record_episodes(subject_id, new), strict=True))
    return [stored[position] for position in range(len(bodies))]
