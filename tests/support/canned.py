"""A runtime and a model that return what a test put in, for use cases that need no engine."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from lib.errors import StatewaveError
from lib.models import (
    EPISODE,
    PROFILE_FACT,
    ContextBundle,
    ContextItem,
    Episode,
    Memory,
    MemoryList,
    Message,
    ReplyEnd,
    Timeline,
)

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def memory(number: int, content: str, *, kind: str = PROFILE_FACT) -> Memory:
    """An active memory of Ada."""
    return Memory(f"m{number}", "ada", kind, content, 0.8, NOON, NOON, NOON)


def episode(number: int, text: str) -> Episode:
    """A recorded turn of Ada."""
    payload = {"messages": [{"role": "user", "content": text}]}
    return Episode(f"e{number}", "ada", payload, NOON)


@dataclass
class CannedRuntime:
    """Packs its memories in order at ten tokens each; `error` makes every call fail."""

    memories: list[Memory] = field(default_factory=list)
    episodes: list[Episode] = field(default_factory=list)
    passages: int = 0
    """How many episodes follow the memories in a bundle."""
    explains: bool = True
    overshoot: float = 1.0
    forgetful_from: int | None = None
    """From this budget on, only the first memory is returned."""
    complete: bool = True
    error: StatewaveError | None = None
    recorded: list[dict[str, Any]] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    """The budgets asked for, in order."""

    def get_context(
        self,
        subject_id: str,
        task: str,
        *,
        max_tokens: int = 800,
        session_id: str | None = None,  # noqa: ARG002
        deadline_s: float | None = None,  # noqa: ARG002
    ) -> ContextBundle:
        if self.error is not None:
            raise self.error
        self.asked.append(max_tokens)
        fits = max_tokens // 10
        if self.forgetful_from is not None and max_tokens >= self.forgetful_from:
            fits = 1
        kept = self.memories[:fits]
        episodes = self.episodes[: self.passages][: max(0, fits - len(kept))]
        items = [
            ContextItem(
                item.id,
                item.kind,
                item.content,
                10,
                rank,
                included=rank <= fits,
                reason="" if rank <= fits else "budget",
                score=10.0 - rank,
            )
            for rank, item in enumerate(self.memories, start=1)
        ]
        items += [
            ContextItem(item.id, EPISODE, item.text, 10, len(items) + place, included=True)
            for place, item in enumerate(episodes, start=1)
        ]
        return ContextBundle(
            subject_id,
            task,
            "\n".join(item.content for item in kept),
            int(10 * (len(kept) + len(episodes)) * self.overshoot),
            facts=tuple(kept),
            episodes=tuple(episodes),
            items=tuple(items) if self.explains else (),
            cut_counts={"budget": len(self.memories) - len(kept)} if self.explains else {},
        )

    def sweep_context(
        self,
        subject_id: str,
        task: str,
        budgets: Sequence[int],
        *,
        session_id: str | None = None,
    ) -> Iterator[ContextBundle]:
        for max_tokens in budgets:
            yield self.get_context(subject_id, task, max_tokens=max_tokens, session_id=session_id)

    def list_memories(
        self,
        subject_id: str,  # noqa: ARG002
        *,
        kind: str | None = None,  # noqa: ARG002
        include_superseded: bool = False,  # noqa: ARG002
    ) -> MemoryList:
        return MemoryList(tuple(self.memories), self.complete)

    def timeline(self, subject_id: str) -> Timeline:
        return Timeline(subject_id, tuple(self.episodes), tuple(self.memories), self.complete)

    def record_episode(
        self, subject_id: str, messages: Sequence[Message] | str, **options: Any
    ) -> Episode:
        if self.error is not None:
            raise self.error
        self.recorded.append({"subject_id": subject_id, "messages": messages, **options})
        return replace(episode(len(self.recorded), "recorded"), subject_id=subject_id)

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"this use case should not call {name}")


@dataclass
class CannedReply:
    """One reply, piece by piece; ends with `error` when there is one."""

    pieces: Sequence[str]
    end: ReplyEnd
    error: StatewaveError | None = None
    closed: bool = False

    def __iter__(self) -> Iterator[str]:
        yield from self.pieces
        if self.error is not None:
            raise self.error

    def close(self) -> None:
        self.closed = True


@dataclass
class CannedModel:
    """Answers "with memory" or "without memory"; a thousand characters of prompt are 250 tokens."""

    name: str = "gpt-4o-mini"
    pricing_model: str = "gpt-4o-mini"
    is_language_model: bool = True
    error: StatewaveError | None = None
    calls: list[dict[str, Any]] = field(default_factory=list)

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 600,
        temperature: float = 0.2,
        model: str | None = None,
        json_schema: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> CannedReply:
        self.calls.append(
            {
                "messages": tuple(messages),
                "max_tokens": max_tokens,
                "temperature": temperature,
                "model": model,
            }
        )
        with_memory = any("<memory>" in message.content for message in messages)
        prompt_tokens = sum(len(message.content) for message in messages) // 4
        return CannedReply(
            ["with " if with_memory else "without ", "memory"],
            ReplyEnd(prompt_tokens, 2, True, 120.0, 400.0, "stop", model or self.name),
            self.error,
        )

    def close(self) -> None:
        """Nothing to release."""
