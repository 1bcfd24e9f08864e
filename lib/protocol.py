"""The two seams: what any memory runtime and any chat model offer."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Protocol

from lib.models import (
    CompileReport,
    ContextBundle,
    ContextItem,
    DeleteReport,
    Episode,
    Memory,
    MemoryList,
    Message,
    NewEpisode,
    ReplyEnd,
    RuntimeInfo,
    SubjectSummary,
    Timeline,
)

Progress = Callable[[int, int], None]
"""Hears how much is done, of how much in all."""

Capability = Literal[
    "strict_budget",  # token_estimate never exceeds max_tokens
    "nested",  # what is in at B tokens is in at every larger budget
    "explain",  # items carry scores, parts and cut reasons
    "idempotency",  # idempotency_key is honoured
    "occurred_at",  # original times are kept
    "paging",  # lists and timelines are complete
    "forget",  # one memory can be forgotten or corrected
    "sessions",  # session ids are kept and returned
    "semantic_search",  # search by meaning, not only by words
    "receipts",
    "labels",
]


class MemoryRuntime(Protocol):
    """One contract for every engine. Every method raises a StatewaveError on failure.

    `deadline_s` bounds the whole call, retries included.
    """

    def info(self) -> RuntimeInfo:
        """Name, version and place of this runtime; no call leaves the process."""
        ...

    def capabilities(self) -> frozenset[Capability]:
        """What this runtime can do; a page names in one sentence what it cannot."""
        ...

    def ping(self) -> float:
        """Round-trip time of the cheapest call, in ms."""
        ...

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
        """The stored episode; a repeated `idempotency_key` returns the first one."""
        ...

    def record_episodes(self, subject_id: str, episodes: Sequence[NewEpisode]) -> list[Episode]:
        """The stored episodes, in order; all or none where the runtime can."""
        ...

    def compile_memories(
        self, subject_id: str, *, on_progress: Progress | None = None
    ) -> CompileReport:
        """What was made of all episodes not yet compiled; nothing new the second time.

        `on_progress` hears how many episodes are read, of how many, where the runtime tells.
        """
        ...

    def pending_episodes(self, subject_id: str) -> int:
        """How many recorded episodes are not compiled yet."""
        ...

    def get_context(
        self,
        subject_id: str,
        task: str,
        *,
        max_tokens: int = 800,
        session_id: str | None = None,
        deadline_s: float | None = None,
    ) -> ContextBundle:
        """Ranked, token-bounded context for `task`."""
        ...

    def sweep_context(
        self, subject_id: str, task: str, budgets: Sequence[int], *, session_id: str | None = None
    ) -> Iterator[ContextBundle]:
        """One bundle per budget, in order, each as soon as it is known."""
        ...

    def explain(self, subject_id: str, task: str, memory_id: str) -> ContextItem:
        """Rank, score parts and reason of any one memory for `task`."""
        ...

    def list_memories(
        self, subject_id: str, *, kind: str | None = None, include_superseded: bool = False
    ) -> MemoryList:
        """All memories, newest first."""
        ...

    def search_memories(
        self, subject_id: str, query: str, *, kind: str | None = None, limit: int = 100
    ) -> MemoryList:
        """Active memories that match `query`, best first where ranked."""
        ...

    def timeline(self, subject_id: str) -> Timeline:
        """Every episode and memory, oldest first, superseded included."""
        ...

    def list_subjects(self) -> list[SubjectSummary]:
        """All subjects by id."""
        ...

    def delete_subject(self, subject_id: str) -> DeleteReport:
        """Counts of what was removed; zeros for an unknown subject."""
        ...

    def forget_memory(self, subject_id: str, memory_id: str) -> Memory:
        """The memory, now `forgotten`: it never reaches a context again."""
        ...

    def restore_memory(self, subject_id: str, memory_id: str) -> Memory:
        """The memory, active again: undoes `forget_memory`."""
        ...

    def correct_memory(self, subject_id: str, memory_id: str, content: str) -> Memory:
        """The new memory that supersedes the old one."""
        ...

    def close(self) -> None:
        """Release files and connections."""
        ...


class ReplyStream(Protocol):
    """One reply in progress: iterate for text, then read `end`."""

    def __iter__(self) -> Iterator[str]: ...

    def close(self) -> None:
        """Stop upstream work; safe from any thread, any number of times."""
        ...

    @property
    def end(self) -> ReplyEnd:
        """Usage and times, after the last piece or after `close`."""
        ...


class ChatModel(Protocol):
    """Anything that answers a list of messages."""

    @property
    def name(self) -> str:
        """What the screen calls it."""
        ...

    @property
    def is_language_model(self) -> bool:
        """False for the offline reader, which only quotes."""
        ...

    @property
    def pricing_model(self) -> str:
        """The model whose prices apply; for the reader, the one it would be sent to."""
        ...

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 600,
        temperature: float = 0.2,
        model: str | None = None,
        json_schema: Mapping[str, Any] | None = None,
    ) -> ReplyStream:
        """A reply to `messages`; `model` overrides the configured one. Raises ModelError here
        or while iterating.

        With `json_schema` a reply in that JSON is asked for, as strictly as the model's server
        can; the caller checks what it gets.
        """
        ...

    def close(self) -> None:
        """Release connections."""
        ...
