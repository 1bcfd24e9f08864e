"""JSON objects of the `/v1` contract as values.

Unknown fields are ignored and missing optional ones filled; a wrong type raises InputError.
"""

from typing import cast

from lib.models import (
    CompileReport,
    ContextBundle,
    ContextItem,
    CutReason,
    DeleteReport,
    Episode,
    Memory,
    MemoryList,
    ScoreParts,
    SessionSummary,
    Skipped,
    SkipReason,
    SubjectSummary,
    Timeline,
)
from lib.wire.fields import Fields

_SCORE_PARTS = ("kind", "recency", "relevance", "validity", "session")


def parse_episode(data: object) -> Episode:
    """The episode in `data`."""
    fields = Fields(data, "an episode")
    return Episode(
        id=fields.text("id"),
        subject_id=fields.text("subject_id"),
        payload=fields.mapping("payload"),
        created_at=fields.time("created_at"),
        source=fields.text("source", "chat"),
        type=fields.text("type", "conversation"),
        metadata=fields.mapping("metadata"),
        provenance=fields.mapping("provenance"),
        session_id=fields.optional_text("session_id"),
        occurred_at=fields.optional_time("occurred_at"),
    )


def parse_memory(data: object) -> Memory:
    """The memory in `data`; missing times fall back to one another."""
    fields = Fields(data, "a memory")
    return Memory(
        id=fields.text("id"),
        subject_id=fields.text("subject_id"),
        kind=fields.text("kind"),
        content=fields.text("content"),
        confidence=fields.number("confidence", 1.0),
        valid_from=fields.time("valid_from", "created_at"),
        created_at=fields.time("created_at", "valid_from"),
        updated_at=fields.time("updated_at", "created_at", "valid_from"),
        summary=fields.text("summary", ""),
        valid_to=fields.optional_time("valid_to"),
        source_episode_ids=fields.texts("source_episode_ids"),
        status=fields.text("status", "active"),
        metadata=fields.mapping("metadata"),
        labels=fields.texts("sensitivity_labels"),
    )


def parse_memories(data: object) -> MemoryList:
    """A page of memories; `complete` unless it says that there are more."""
    fields = Fields(data, "a list of memories")
    return MemoryList(fields.many("memories", parse_memory), complete=not fields.flag("has_more"))


def parse_bundle(data: object) -> ContextBundle:
    """The context bundle in `data`; `items` stay empty where the server sends none."""
    fields = Fields(data, "a context bundle")
    cut = Fields(fields.mapping("cut_counts"), "`cut_counts`")
    return ContextBundle(
        subject_id=fields.text("subject_id"),
        task=fields.text("task", ""),
        assembled_context=fields.text("assembled_context"),
        token_estimate=fields.count("token_estimate", None),
        facts=fields.many("facts", parse_memory),
        procedures=fields.many("procedures", parse_memory),
        episodes=fields.many("episodes", parse_episode),
        sessions=fields.many("sessions", parse_session),
        items=fields.many("items", parse_item),
        cut_counts={reason: cut.count(reason) for reason in fields.mapping("cut_counts")},
        receipt_id=fields.optional_text("receipt_id"),
        notes=fields.texts("notes"),
    )


def parse_item(data: object) -> ContextItem:
    """One candidate of a bundle."""
    fields = Fields(data, "a context item")
    parts = Fields(fields.mapping("parts"), "`parts`")
    return ContextItem(
        id=fields.text("id"),
        kind=fields.text("kind"),
        content=fields.text("content"),
        tokens=fields.count("tokens"),
        rank=fields.count("rank"),
        included=bool(fields.flag("included")),
        reason=cast(CutReason, fields.text("reason", "")),
        score=fields.optional_number("score"),
        parts=(
            ScoreParts(**{name: parts.number(name, 0.0) for name in _SCORE_PARTS})
            if fields.has("parts")
            else None
        ),
        session_id=fields.optional_text("session_id"),
        source_episode_ids=fields.texts("source_episode_ids"),
        related_id=fields.optional_text("related_id"),
    )


def parse_session(data: object) -> SessionSummary:
    """One session of a bundle."""
    fields = Fields(data, "a session")
    return SessionSummary(
        session_id=fields.text("session_id"),
        episode_count=fields.count("episode_count"),
        first_at=fields.time("first_at", "last_at"),
        last_at=fields.time("last_at", "first_at"),
    )


def parse_timeline(data: object) -> Timeline:
    """One page of a timeline; `complete` unless it says that there is more."""
    fields = Fields(data, "a timeline")
    more = fields.flag("episodes_has_more") or fields.flag("memories_has_more")
    return Timeline(
        subject_id=fields.text("subject_id"),
        episodes=fields.many("episodes", parse_episode),
        memories=fields.many("memories", parse_memory),
        complete=not more,
    )


def parse_subjects(data: object) -> list[SubjectSummary]:
    """One page of subjects."""
    return list(Fields(data, "a list of subjects").many("subjects", parse_subject))


def parse_subject(data: object) -> SubjectSummary:
    """One subject with its counts."""
    fields = Fields(data, "a subject")
    return SubjectSummary(
        fields.text("subject_id"), fields.count("episode_count"), fields.count("memory_count")
    )


def parse_compile(data: object) -> CompileReport:
    """What a compile did; counts a 0.7.1 server leaves out come from the memories it sent."""
    fields = Fields(data, "a compile report")
    created = fields.many("memories", parse_memory)
    superseded = tuple(memory.id for memory in created if memory.status == "superseded")
    sources = {source for memory in created for source in memory.source_episode_ids}
    counts = Fields(fields.mapping("skipped_counts"), "`skipped_counts`")
    return CompileReport(
        subject_id=fields.text("subject_id"),
        created=created,
        superseded_ids=fields.texts("superseded_ids") or superseded,
        merged=fields.count("merged"),
        masked=fields.count("masked"),
        episodes_compiled=fields.count("episodes_compiled", len(sources)),
        compiler=fields.text("compiler", ""),
        merged_ids=fields.texts("merged_ids"),
        skipped=fields.many("skipped", parse_skipped),
        skipped_counts={
            reason: counts.count(reason) for reason in fields.mapping("skipped_counts")
        },
        notes=fields.texts("notes"),
    )


def parse_skipped(data: object) -> Skipped:
    """One thing that became no memory."""
    fields = Fields(data, "a skipped text")
    return Skipped(
        reason=cast(SkipReason, fields.text("reason")),
        text=fields.text("text", ""),
        episode_id=fields.optional_text("episode_id"),
    )


def parse_deletion(data: object) -> DeleteReport:
    """What deleting a subject removed."""
    fields = Fields(data, "a deletion")
    return DeleteReport(
        fields.text("subject_id"),
        fields.count("episodes_deleted"),
        fields.count("memories_deleted"),
    )
