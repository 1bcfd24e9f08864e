"""Values as JSON objects of the `/v1` contract, and our additions to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from lib.models import (
    EPISODE_SUMMARY,
    CompileReport,
    ContextBundle,
    ContextItem,
    DeleteReport,
    Episode,
    Memory,
    MemoryList,
    SessionSummary,
    SubjectSummary,
    Timeline,
)

Json = dict[str, Any]
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Page:
    """A window over a list in ascending order; without `limit` it has no end."""

    limit: int | None
    offset: int
    newest_first: bool = False

    def of(self, rows: Sequence[V]) -> tuple[Sequence[V], bool]:
        """The rows of this page, and whether there are more beyond it."""
        limit = len(rows) if self.limit is None else self.limit
        if self.newest_first:
            end = max(len(rows) - self.offset, 0)
            start = max(end - limit, 0)
            return rows[start:end], start > 0
        end = self.offset + limit
        return rows[self.offset : end], end < len(rows)


def encode_time(when: datetime) -> str:
    """UTC with microseconds, such as `2026-01-05T09:00:00.000000Z`."""
    utc = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    return utc.isoformat(timespec="microseconds").replace("+00:00", "Z")


def encode_episode(episode: Episode) -> Json:
    """The episode as the contract shows it, with `occurred_at`."""
    return {
        "id": episode.id,
        "subject_id": episode.subject_id,
        "source": episode.source,
        "type": episode.type,
        "payload": dict(episode.payload),
        "metadata": dict(episode.metadata),
        "provenance": dict(episode.provenance),
        "session_id": episode.session_id,
        "occurred_at": _optional_time(episode.occurred_at),
        "created_at": encode_time(episode.created_at),
    }


def encode_memory(memory: Memory) -> Json:
    """The memory as the contract shows it."""
    return {
        "id": memory.id,
        "subject_id": memory.subject_id,
        "kind": memory.kind,
        "content": memory.content,
        "summary": memory.summary,
        "confidence": memory.confidence,
        "valid_from": encode_time(memory.valid_from),
        "valid_to": _optional_time(memory.valid_to),
        "source_episode_ids": list(memory.source_episode_ids),
        "metadata": dict(memory.metadata),
        "status": memory.status,
        "sensitivity_labels": list(memory.labels),
        "created_at": encode_time(memory.created_at),
        "updated_at": encode_time(memory.updated_at),
    }


def encode_memories(memories: MemoryList) -> Json:
    """A page of memories."""
    return {
        "memories": [encode_memory(memory) for memory in memories.memories],
        "has_more": not memories.complete,
    }


def encode_bundle(bundle: ContextBundle) -> Json:
    """The bundle as the contract shows it, with our `items` and `cut_counts`."""
    summaries = [memory.id for memory in bundle.facts if memory.kind == EPISODE_SUMMARY]
    facts = [memory.id for memory in bundle.facts if memory.kind != EPISODE_SUMMARY]
    return {
        "subject_id": bundle.subject_id,
        "task": bundle.task,
        "facts": [encode_memory(memory) for memory in bundle.facts],
        "episodes": [encode_episode(episode) for episode in bundle.episodes],
        "procedures": [encode_memory(memory) for memory in bundle.procedures],
        "provenance": {
            "fact_ids": facts,
            "summary_ids": summaries,
            "procedure_ids": [memory.id for memory in bundle.procedures],
            "episode_ids": [episode.id for episode in bundle.episodes],
        },
        "assembled_context": bundle.assembled_context,
        "token_estimate": bundle.token_estimate,
        "sessions": [encode_session(session) for session in bundle.sessions],
        "items": [encode_item(item) for item in bundle.items],
        "cut_counts": dict(bundle.cut_counts),
        "receipt_id": bundle.receipt_id,
        "notes": list(bundle.notes),
    }


def encode_item(item: ContextItem) -> Json:
    """One candidate of a bundle."""
    parts = item.parts
    return {
        "id": item.id,
        "kind": item.kind,
        "content": item.content,
        "tokens": item.tokens,
        "rank": item.rank,
        "included": item.included,
        "reason": item.reason,
        "score": item.score,
        "parts": None
        if parts is None
        else {
            "kind": parts.kind,
            "recency": parts.recency,
            "relevance": parts.relevance,
            "validity": parts.validity,
            "session": parts.session,
        },
        "session_id": item.session_id,
        "source_episode_ids": list(item.source_episode_ids),
        "related_id": item.related_id,
    }


def encode_session(session: SessionSummary) -> Json:
    """One session of a bundle."""
    return {
        "session_id": session.session_id,
        "episode_count": session.episode_count,
        "first_at": encode_time(session.first_at),
        "last_at": encode_time(session.last_at),
    }


def encode_timeline(
    timeline: Timeline, *, limit: int | None = None, offset: int = 0, newest_first: bool = False
) -> Json:
    """One page of the timeline, ascending; `newest_first` counts `offset` from the newest end."""
    page = Page(limit, offset, newest_first)
    episodes, more_episodes = page.of(timeline.episodes)
    memories, more_memories = page.of(timeline.memories)
    return {
        "subject_id": timeline.subject_id,
        "episodes": [encode_episode(episode) for episode in episodes],
        "memories": [encode_memory(memory) for memory in memories],
        "episodes_has_more": more_episodes or not timeline.complete,
        "memories_has_more": more_memories or not timeline.complete,
    }


def encode_subjects(subjects: Sequence[SubjectSummary]) -> Json:
    """One page of subjects; `total` counts this page, as in the contract."""
    rows = [
        {
            "subject_id": subject.subject_id,
            "episode_count": subject.episode_count,
            "memory_count": subject.memory_count,
        }
        for subject in subjects
    ]
    return {"subjects": rows, "total": len(rows)}


def encode_compile(report: CompileReport) -> Json:
    """What a compile did, with our counts."""
    return {
        "subject_id": report.subject_id,
        "memories_created": len(report.created),
        "memories": [encode_memory(memory) for memory in report.created],
        "superseded_ids": list(report.superseded_ids),
        "merged": report.merged,
        "masked": report.masked,
        "episodes_compiled": report.episodes_compiled,
        "compiler": report.compiler,
        "merged_ids": list(report.merged_ids),
        "skipped": [
            {"reason": each.reason, "text": each.text, "episode_id": each.episode_id}
            for each in report.skipped
        ],
        "skipped_counts": dict(report.skipped_counts),
        "notes": list(report.notes),
    }


def encode_deletion(report: DeleteReport) -> Json:
    """What deleting a subject removed."""
    return {
        "subject_id": report.subject_id,
        "episodes_deleted": report.episodes_deleted,
        "memories_deleted": report.memories_deleted,
    }


def _optional_time(when: datetime | None) -> str | None:
    return None if when is None else encode_time(when)
