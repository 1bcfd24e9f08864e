"""One subject as the runtime tells it: memories, episodes, filters, totals."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from lib.models import KINDS, Episode, Memory, MemoryList
from lib.protocol import MemoryRuntime
from lib.wire import encode_memory

ACTIVE: Final = "active"
SUPERSEDED: Final = "superseded"
FORGOTTEN: Final = "forgotten"
STATUSES: Final = (ACTIVE, SUPERSEDED, FORGOTTEN)

SEARCH_LIMIT: Final = 1000
"""The most memories one search asks for; a server may answer with fewer and says so."""


@dataclass(frozen=True, slots=True)
class SubjectMemory:
    """Everything the runtime tells about one subject: memories newest first, episodes oldest
    first. `complete` is False where the runtime stops at a limit, so that totals are unknown.
    """

    subject_id: str
    memories: tuple[Memory, ...]
    episodes: tuple[Episode, ...]
    complete: bool = True
    _memory_by_id: dict[str, Memory] = field(init=False, repr=False, compare=False)
    _episode_by_id: dict[str, Episode] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_memory_by_id", {item.id: item for item in self.memories})
        object.__setattr__(self, "_episode_by_id", {item.id: item for item in self.episodes})

    @property
    def is_empty(self) -> bool:
        """True when nothing was ever recorded for this subject."""
        return not self.memories and not self.episodes

    @property
    def session_ids(self) -> tuple[str, ...]:
        """Sessions in the order they began."""
        return tuple(dict.fromkeys(item.session_id for item in self.episodes if item.session_id))

    def memory(self, memory_id: str | None) -> Memory | None:
        """The memory of that id, or None when this subject has no such memory."""
        return self._memory_by_id.get(memory_id) if memory_id else None

    def sources(self, memory: Memory) -> tuple[Episode, ...]:
        """The episodes a memory came from, as far as the runtime returned them."""
        found = (self._episode_by_id.get(source) for source in memory.source_episode_ids)
        return tuple(episode for episode in found if episode)

    def replacement(self, memory: Memory) -> Memory | None:
        """The memory that superseded this one."""
        return self.memory(memory.superseded_by)

    def replaced(self, memory: Memory) -> tuple[Memory, ...]:
        """The memories that this one superseded."""
        return tuple(item for item in self.memories if item.superseded_by == memory.id)


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """What the visitor narrowed the memories to; None means any."""

    words: str = ""
    kind: str | None = None
    status: str | None = None
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """How many memories are active, by kind in the order of screens, and how many are not."""

    active: int
    by_kind: tuple[tuple[str, int], ...]
    superseded: int
    forgotten: int


def inspect_subject(runtime: MemoryRuntime, subject_id: str) -> SubjectMemory:
    """All memories and episodes of a subject that the runtime will list."""
    timeline = runtime.timeline(subject_id)
    memories = {memory.id: memory for memory in reversed(timeline.memories)}
    complete = timeline.complete
    if not complete:
        # A timeline cut short starts with the oldest; the list starts with the newest.
        listed = runtime.list_memories(subject_id)
        memories = {memory.id: memory for memory in listed.memories} | memories
    newest = sorted(memories.values(), key=lambda memory: memory.valid_from, reverse=True)
    return SubjectMemory(subject_id, tuple(newest), timeline.episodes, complete)


def filter_memories(
    runtime: MemoryRuntime, subject: SubjectMemory, wanted: MemoryFilter
) -> MemoryList:
    """The memories that match: best first when words were given, newest first otherwise."""
    words = wanted.words.strip()
    if not words:
        found = MemoryList(subject.memories, subject.complete)
    else:
        found = runtime.search_memories(
            subject.subject_id, words, kind=wanted.kind, limit=SEARCH_LIMIT
        )
        # The runtime searches active memories only; the others are looked through here.
        others = (m for m in subject.memories if m.status != ACTIVE and _has_words(m, words))
        found = MemoryList((*found.memories, *others), found.complete)
    kept = tuple(memory for memory in found.memories if _matches(subject, memory, wanted))
    return MemoryList(kept, found.complete)


def count_memories(memories: Sequence[Memory]) -> Totals:
    """Totals of `memories` by kind and status; kinds this app does not know come last."""
    kinds = Counter(memory.kind for memory in memories if memory.status == ACTIVE)
    unknown = sorted(kind for kind in kinds if kind not in KINDS)
    statuses = Counter(memory.status for memory in memories)
    return Totals(
        active=statuses[ACTIVE],
        by_kind=tuple((kind, kinds[kind]) for kind in (*KINDS, *unknown) if kinds[kind]),
        superseded=statuses[SUPERSEDED],
        forgotten=statuses[FORGOTTEN],
    )


def memory_json(memory: Memory) -> str:
    """The memory as a Statewave server sends it over `/v1`, indented."""
    return json.dumps(encode_memory(memory), indent=2, ensure_ascii=False)


def _matches(subject: SubjectMemory, memory: Memory, wanted: MemoryFilter) -> bool:
    if wanted.kind and memory.kind != wanted.kind:
        return False
    if wanted.status and memory.status != wanted.status:
        return False
    if wanted.session_id is None:
        return True
    return any(source.session_id == wanted.session_id for source in subject.sources(memory))


def _has_words(memory: Memory, words: str) -> bool:
    text = memory.content.casefold()
    return all(word in text for word in words.casefold().split())
