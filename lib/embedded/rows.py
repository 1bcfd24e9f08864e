"""Rows of the store as values and back: times, JSON, subject ids."""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from lib.embedded.wording import clean, clean_value, content_text, is_clean
from lib.errors import InputError
from lib.models import RECORDING_NOTES, Episode, Memory, NewEpisode

SUBJECT_ID_CHARS = 256
CLEANED_NOTE = "Characters and numbers that cannot be stored were left out or replaced."

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

EPISODE_COLUMNS = """
    e.seq, e.id, e.payload, e.metadata, e.created_us, e.occurred_us, e.source, e.type,
    e.session_id, e.provenance,
    (SELECT subject_id FROM subjects WHERE key = e.subject) AS subject_id
"""
MEMORY_COLUMNS = """
    m.seq, m.id, m.kind, m.content, m.summary, m.confidence, m.valid_from_us, m.valid_to_us,
    m.created_us, m.updated_us, m.status, m.metadata, m.labels,
    (SELECT subject_id FROM subjects WHERE key = m.subject) AS subject_id,
    (SELECT json_group_array(id) FROM (
        SELECT e.id FROM sources s JOIN episodes e ON e.seq = s.episode
        WHERE s.memory = m.seq ORDER BY s.rowid)) AS sources
"""


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """An episode ready to be stored: cleaned, dated, with its id."""

    id: str
    messages: tuple[tuple[str, str], ...]
    created_us: int
    session_id: str | None
    source: str
    type: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    occurred_us: int | None = None
    idempotency_key: str | None = None
    sent: Mapping[str, Any] | None = None
    """The payload where it holds more than messages."""
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def payload(self) -> str:
        if self.sent is not None:
            return to_json(self.sent)
        return to_json(
            {"messages": [{"role": role, "content": text} for role, text in self.messages]}
        )

    @property
    def when_us(self) -> int:
        return self.created_us if self.occurred_us is None else self.occurred_us

    @property
    def replaces(self) -> str | None:
        """Id of the episode that this one replaces in history, such as a regenerated reply."""
        value = self.metadata.get("replaces")
        return value if isinstance(value, str) else None


def checked_subject_id(subject_id: str) -> str:
    """`subject_id` itself. Raises InputError unless it has 1–256 storable characters."""
    if not subject_id.strip() or len(subject_id) > SUBJECT_ID_CHARS:
        raise InputError(f"A subject id has 1 to {SUBJECT_ID_CHARS} characters; choose another.")
    if clean(subject_id) != subject_id:
        raise InputError("A subject id cannot hold NUL or broken characters; choose another.")
    return subject_id


def episode_row(episode: NewEpisode, *, id: str, now: datetime) -> EpisodeRow:
    """What is stored of `episode`. Raises InputError when there is neither text nor a payload.

    NUL is taken out of every text; lone surrogates become the replacement character. Where that
    changed something, `Episode.notes` says so.
    """
    texts = [(message.role, content_text(message.content)) for message in episode.messages]
    messages = tuple(
        (clean(role).strip() or "user", clean(text)) for role, text in texts if clean(text).strip()
    )
    if not messages and episode.payload is None:
        raise InputError("An episode needs at least one message with text in it.")
    metadata = clean_value(episode.metadata)
    if not is_clean([texts, episode.payload, episode.metadata, episode.provenance]):
        metadata[RECORDING_NOTES] = [CLEANED_NOTE]
    return EpisodeRow(
        id=id,
        messages=messages,
        created_us=to_us(now),
        session_id=clean(episode.session_id) or None if episode.session_id else None,
        source=clean(episode.source) or "chat",
        type=clean(episode.type) or "conversation",
        metadata=metadata,
        occurred_us=None if episode.occurred_at is None else to_us(episode.occurred_at),
        idempotency_key=clean(episode.idempotency_key) if episode.idempotency_key else None,
        sent=clean_value(episode.payload),
        provenance=clean_value(episode.provenance),
    )


def to_us(moment: datetime) -> int:
    """Microseconds since 1970 UTC, exactly; a time without a zone is taken as UTC."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // _MICROSECOND


def from_us(microseconds: int) -> datetime:
    """The moment in UTC."""
    return _EPOCH + timedelta(microseconds=microseconds)


def to_json(value: Any) -> str:
    """`value` as JSON. Raises InputError for what JSON cannot hold."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"Only JSON values can be stored: {error}.") from error


def to_episode(row: sqlite3.Row) -> Episode:
    """The episode in a row of `EPISODE_COLUMNS`."""
    occurred = row["occurred_us"]
    return Episode(
        id=row["id"],
        subject_id=row["subject_id"],
        payload=json.loads(row["payload"]),
        created_at=from_us(row["created_us"]),
        source=row["source"],
        type=row["type"],
        metadata=json.loads(row["metadata"]),
        provenance=json.loads(row["provenance"]),
        session_id=row["session_id"],
        occurred_at=None if occurred is None else from_us(occurred),
    )


def to_memory(row: sqlite3.Row) -> Memory:
    """The memory in a row of `MEMORY_COLUMNS`."""
    valid_to = row["valid_to_us"]
    return Memory(
        id=row["id"],
        subject_id=row["subject_id"],
        kind=row["kind"],
        content=row["content"],
        confidence=row["confidence"],
        valid_from=from_us(row["valid_from_us"]),
        created_at=from_us(row["created_us"]),
        updated_at=from_us(row["updated_us"]),
        summary=row["summary"],
        valid_to=None if valid_to is None else from_us(valid_to),
        source_episode_ids=tuple(json.loads(row["sources"])),
        status=row["status"],
        metadata=json.loads(row["metadata"]),
        labels=tuple(json.loads(row["labels"])),
    )
