"""Request bodies of the `/v1` contract, with its limits."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, StringConstraints

from lib.models import Episode, Message, NewEpisode
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
        """What the runtime records; payload and provenance it has no place for go to metadata."""
        messages, rest = _messages(self.payload)
        extra = {"payload": rest} if rest else {}
        origin = {"provenance": self.provenance} if self.provenance else {}
        return NewEpisode(
            messages,
            session_id=self.session_id or None,
            source=self.source,
            type=self.type,
            metadata={**self.metadata, **extra, **origin},
            occurred_at=self.occurred_at,
            idempotency_key=self.idempotency_key,
        )


class BatchBody(BaseModel):
    """Up to a hundred episodes to record."""

    episodes: Annotated[list[EpisodeBody], Field(min_length=1, max_length=100)]


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


def _messages(payload: Mapping[str, Any]) -> tuple[tuple[Message, ...], dict[str, Any]]:
    """The payload's messages, and what else it holds."""
    rest = dict(payload)
    if isinstance(payload.get("messages"), list):
        return tuple(_message(each) for each in rest.pop("messages")), rest
    for name in ("text", "content"):
        if isinstance(payload.get(name), str):
            return (Message("user", rest.pop(name)),), rest
    return (), rest


def _message(item: object) -> Message:
    if not isinstance(item, Mapping):
        return Message("user", _text(item))
    return Message(str(item.get("role") or "user"), _text(item.get("content")))


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    return "" if content is None else json.dumps(content, ensure_ascii=False)
