"""Frozen values that runtimes, models and use cases exchange."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

PROFILE_FACT: Final = "profile_fact"
PROCEDURE: Final = "procedure"
ARTIFACT_REF: Final = "artifact_ref"
EPISODE_SUMMARY: Final = "episode_summary"
EPISODE: Final = "episode"
"""The kind of a context item that is a raw episode, not a memory."""

KINDS: Final = (PROFILE_FACT, PROCEDURE, ARTIFACT_REF, EPISODE_SUMMARY)
"""Memory kinds in the order every screen lists them. A server may send others; keep them."""

RECORDING_NOTES: Final = "recording_notes"
"""The metadata key under which a client keeps what it changed before recording."""

Role = Literal["system", "user", "assistant"]
Status = Literal["active", "superseded", "forgotten"]
CutReason = Literal["", "budget", "floor", "suppressed", "superseded", "filtered"]
SkipReason = Literal["question", "nothing", "no_words", "stopped", "ungrounded", "secret"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation or prompt."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Episode:
    """One recorded interaction; never edited."""

    id: str
    subject_id: str
    payload: Mapping[str, Any]
    created_at: datetime
    source: str = "chat"
    type: str = "conversation"
    metadata: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    session_id: str | None = None
    occurred_at: datetime | None = None

    @property
    def messages(self) -> tuple[Message, ...]:
        """The payload's messages, as `payload_messages` reads them."""
        return payload_messages(self.payload)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was changed before it was recorded, one sentence each."""
        value = self.metadata.get(RECORDING_NOTES)
        return tuple(map(str, value)) if isinstance(value, list | tuple) else ()

    @property
    def learnable_messages(self) -> tuple[Message, ...]:
        """The messages that say something new: a reply which no language model wrote only quotes
        what was remembered before.
        """
        reply = self.metadata.get("reply")
        if isinstance(reply, Mapping) and reply.get("is_language_model") is False:
            return tuple(message for message in self.messages if message.role != "assistant")
        return self.messages

    @property
    def text(self) -> str:
        """All messages as `role: content` lines."""
        return "\n".join(f"{message.role}: {message.content}" for message in self.messages)

    @property
    def when(self) -> datetime:
        """When it happened: `occurred_at` where known, else when it was recorded."""
        return self.occurred_at or self.created_at


def payload_messages(payload: Mapping[str, Any]) -> tuple[Message, ...]:
    """The messages of a payload in any documented shape; what has no text is left out.

    A `messages` list holds objects or texts, and content is text or a list of parts with text;
    without one, the text under `text` or `content` is said by the user.
    """
    raw = payload.get("messages")
    if not isinstance(raw, list):
        texts = (raw, payload.get("text"), payload.get("content"))
        return tuple(Message("user", text) for text in texts if isinstance(text, str))[:1]
    found = []
    for item in raw:
        role, content = "user", item
        if isinstance(item, Mapping):
            role, content = str(item.get("role") or "user"), item.get("content")
        text = _content_text(content)
        if text is not None:
            found.append(Message(role, text))
    return tuple(found)


def _content_text(content: object) -> str | None:
    if not isinstance(content, list):
        return content if isinstance(content, str) else None
    parts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
    texts = [part for part in parts if isinstance(part, str)]
    return "\n".join(texts) if texts else None


@dataclass(frozen=True, slots=True)
class NewEpisode:
    """An episode still to be recorded (batches, imports, seeding)."""

    messages: tuple[Message, ...]
    session_id: str | None = None
    source: str = "chat"
    type: str = "conversation"
    metadata: Mapping[str, Any] = field(default_factory=dict)
    occurred_at: datetime | None = None
    idempotency_key: str | None = None
    payload: Mapping[str, Any] | None = None
    """What is kept instead of plain messages, where somebody else's client sends more."""
    provenance: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Memory:
    """One compiled fact about a subject."""

    id: str
    subject_id: str
    kind: str
    content: str
    confidence: float
    valid_from: datetime
    created_at: datetime
    updated_at: datetime
    summary: str = ""
    valid_to: datetime | None = None
    source_episode_ids: tuple[str, ...] = ()
    status: str = "active"
    metadata: Mapping[str, Any] = field(default_factory=dict)
    labels: tuple[str, ...] = ()

    @property
    def superseded_by(self) -> str | None:
        """Id of the memory that replaced this one, where the runtime says so."""
        value = self.metadata.get("superseded_by")
        return value if isinstance(value, str) else None

    @property
    def tags(self) -> tuple[str, ...]:
        """Short keywords the compiler attached."""
        value = self.metadata.get("tags")
        return tuple(str(tag) for tag in value) if isinstance(value, list | tuple) else ()


@dataclass(frozen=True, slots=True)
class MemoryList:
    """Memories newest first; `complete` is False where the server cannot list them all."""

    memories: tuple[Memory, ...]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A session as a context bundle or a timeline reports it."""

    session_id: str
    episode_count: int
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Timeline:
    """A subject's episodes and memories, oldest first, superseded ones included."""

    subject_id: str
    episodes: tuple[Episode, ...]
    memories: tuple[Memory, ...]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class SubjectSummary:
    """One row of `list_subjects`; `memory_count` includes superseded memories."""

    subject_id: str
    episode_count: int
    memory_count: int


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """The documented signals of one score, in points; they add up to it.

    kind: priority of the memory's kind; recency: newer is higher; relevance: 0–8 for the task;
    validity: minus points when no longer valid; session: same session as the caller's.
    """

    kind: float = 0.0
    recency: float = 0.0
    relevance: float = 0.0
    validity: float = 0.0
    session: float = 0.0

    @property
    def total(self) -> float:
        """The score: the sum of the parts."""
        return self.kind + self.recency + self.relevance + self.validity + self.session


@dataclass(frozen=True, slots=True)
class ContextItem:
    """One candidate for a bundle: kept, or cut with the reason.

    `tokens` is what its line costs in the assembled context; `rank` starts at 1.
    `score` and `parts` are None where the runtime does not tell them.
    """

    id: str
    kind: str
    content: str
    tokens: int
    rank: int
    included: bool
    reason: CutReason = ""
    score: float | None = None
    parts: ScoreParts | None = None
    session_id: str | None = None
    source_episode_ids: tuple[str, ...] = ()
    related_id: str | None = None
    """What suppressed or superseded it, where the reason names another item."""


@dataclass(frozen=True, slots=True)
class ContextBundle:
    """What `get_context` returns: the text for the model and everything it was made of."""

    subject_id: str
    task: str
    assembled_context: str
    token_estimate: int
    facts: tuple[Memory, ...] = ()
    """Profile facts, artifacts and summaries, as the wire names them."""
    procedures: tuple[Memory, ...] = ()
    episodes: tuple[Episode, ...] = ()
    sessions: tuple[SessionSummary, ...] = ()
    items: tuple[ContextItem, ...] = ()
    """What was kept, in rank order, then the next 200 that were cut."""
    cut_counts: Mapping[str, int] = field(default_factory=dict)
    """How many candidates were cut in all, by reason."""
    receipt_id: str | None = None
    notes: tuple[str, ...] = ()
    """What was changed of the question asked, one sentence each."""

    @property
    def memories(self) -> tuple[Memory, ...]:
        """All compiled memories in the bundle."""
        return self.facts + self.procedures

    @property
    def memory_ids(self) -> frozenset[str]:
        """Ids of the compiled memories in the bundle."""
        return frozenset(memory.id for memory in self.memories)

    @property
    def context_used(self) -> bool:
        """True when at least one memory or episode was put in."""
        return bool(self.facts or self.procedures or self.episodes)


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something a compile read, or a model proposed, that became no memory.

    `text` is how it begins, with secrets masked.
    """

    reason: SkipReason
    text: str
    episode_id: str | None = None


@dataclass(frozen=True, slots=True)
class CompileReport:
    """What one `compile_memories` call did."""

    subject_id: str
    created: tuple[Memory, ...] = ()
    superseded_ids: tuple[str, ...] = ()
    merged: int = 0
    """Near-duplicates folded into a memory that was already there."""
    masked: int = 0
    """Secrets replaced before anything was stored."""
    episodes_compiled: int = 0
    compiler: str = ""
    merged_ids: tuple[str, ...] = ()
    """The memories that near-duplicates were folded into."""
    skipped: tuple[Skipped, ...] = ()
    """The first 50 of what became no memory."""
    skipped_counts: Mapping[str, int] = field(default_factory=dict)
    """How much became no memory in all, by reason."""
    notes: tuple[str, ...] = ()
    """What the visitor should know, one sentence each: such as which part was compiled offline."""


@dataclass(frozen=True, slots=True)
class DeleteReport:
    """What deleting a subject removed."""

    subject_id: str
    episodes_deleted: int
    memories_deleted: int


@dataclass(frozen=True, slots=True)
class RuntimeInfo:
    """Which runtime answers: its name, version (or "unknown"), where it is."""

    name: str
    version: str
    location: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ReplyEnd:
    """How one model reply ended.

    Tokens are `measured` when the model reported them, otherwise counted here. Times in ms;
    `first_token_ms` is None where there is no such moment (offline reader, empty reply).
    """

    prompt_tokens: int
    completion_tokens: int
    measured: bool
    first_token_ms: float | None
    total_ms: float
    finish_reason: str
    model: str
