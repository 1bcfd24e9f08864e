"""What a subject remembers, arranged for looking at: filters, totals, origins, timeline."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from lib.demo.profiles import DemoSubject
from lib.models import EPISODE, KINDS, Episode, Memory, MemoryList
from lib.protocol import Capability, MemoryRuntime
from lib.tokens import count_many
from lib.wire import encode_memory

ACTIVE: Final = "active"
SUPERSEDED: Final = "superseded"
FORGOTTEN: Final = "forgotten"
STATUSES: Final = (ACTIVE, SUPERSEDED, FORGOTTEN)

SEARCH_LIMIT: Final = 1000
"""The most memories one search asks for; a server may answer with fewer and says so."""

_CANNOT: Final[dict[Capability, str]] = {
    "strict_budget": "A context can come out larger than the token budget asked for.",
    "nested": "A larger token budget can drop a memory that a smaller one had.",
    "explain": "It does not tell the score of a memory, nor why one was left out.",
    "forget": "A single memory cannot be forgotten or corrected here, only a whole subject.",
    "paging": "Long lists end after the first 100 entries, so totals are unknown there.",
    "sessions": "It does not say which conversation an episode belongs to.",
    "occurred_at": "Imported conversations get the time of the import, not their own.",
    "idempotency": "Recording the same turn twice stores it twice.",
    "semantic_search": "Memories are found by their words, not by their meaning.",
}


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


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One episode or memory as the timeline shows it; `kind` is EPISODE for an episode."""

    id: str
    at: datetime
    kind: str
    text: str
    status: str = ACTIVE


@dataclass(frozen=True, slots=True)
class TimelineSession:
    """One session: each episode in order of time, followed by the memories made of it."""

    session_id: str | None
    first_at: datetime
    last_at: datetime
    entries: tuple[TimelineEntry, ...]

    @property
    def episode_count(self) -> int:
        """Episodes of this session."""
        return sum(entry.kind == EPISODE for entry in self.entries)

    @property
    def memory_count(self) -> int:
        """Memories made of this session."""
        return len(self.entries) - self.episode_count


@dataclass(frozen=True, slots=True)
class SubjectFigures:
    """What one subject's memory amounts to, and what it saves for one task, in tokens.

    `history_tokens` is every recorded word; `context_tokens` what the context for the task costs.
    """

    memories: int
    episodes: int
    sessions: int
    history_tokens: int
    context_tokens: int
    max_tokens: int
    complete: bool

    @property
    def context_share(self) -> float:
        """Context tokens per history token, 0 when there is no history."""
        return self.context_tokens / self.history_tokens if self.history_tokens else 0.0


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


def timeline_sessions(subject: SubjectMemory) -> list[TimelineSession]:
    """Sessions in the order they began; what belongs to no session is grouped by itself."""
    made_of: dict[str, list[Memory]] = {}
    orphans: list[Memory] = []
    for memory in reversed(subject.memories):
        sources = subject.sources(memory)
        if sources:
            made_of.setdefault(sources[0].id, []).append(memory)
        else:
            orphans.append(memory)
    groups: dict[str | None, list[TimelineEntry]] = {}
    for episode in sorted(subject.episodes, key=lambda item: item.when):
        group = groups.setdefault(episode.session_id, [])
        group.append(TimelineEntry(episode.id, episode.when, EPISODE, _opening_words(episode)))
        group += [_memory_entry(memory, episode.when) for memory in made_of.get(episode.id, ())]
    if orphans:
        group = groups.setdefault(None, [])
        group += [_memory_entry(memory, memory.valid_from) for memory in orphans]
        group.sort(key=lambda entry: entry.at)
    return [
        TimelineSession(session_id, entries[0].at, entries[-1].at, tuple(entries))
        for session_id, entries in groups.items()
    ]


def confidence_meaning(confidence: float) -> str:
    """What a confidence (0–1) says about a memory, in words."""
    if confidence >= 0.9:
        return "said outright by the subject, or confirmed more than once"
    if confidence >= 0.75:
        return "said clearly, once"
    if confidence >= 0.5:
        return "taken from what was said around it"
    return "a weak hint"


def memory_json(memory: Memory) -> str:
    """The memory as a Statewave server sends it over `/v1`, indented."""
    return json.dumps(encode_memory(memory), indent=2, ensure_ascii=False)


def missing_capabilities(runtime: MemoryRuntime) -> tuple[str, ...]:
    """What this runtime cannot do, one sentence each."""
    able = runtime.capabilities()
    return tuple(sentence for name, sentence in _CANNOT.items() if name not in able)


def example_task(demo: DemoSubject | None) -> str:
    """A question worth asking about a subject: a demo one brings its own."""
    questions = (*demo.compare, *demo.hints) if demo else ()
    return questions[0] if questions else "What should I know about this subject?"


def measure_subject(
    runtime: MemoryRuntime, subject_id: str, task: str, *, max_tokens: int
) -> SubjectFigures:
    """Counts of a subject's memory, and the tokens of its history against a context for `task`."""
    subject = inspect_subject(runtime, subject_id)
    bundle = runtime.get_context(subject_id, task, max_tokens=max_tokens)
    return SubjectFigures(
        memories=count_memories(subject.memories).active,
        episodes=len(subject.episodes),
        sessions=len(subject.session_ids),
        history_tokens=sum(count_many([episode.text for episode in subject.episodes])),
        context_tokens=bundle.token_estimate,
        max_tokens=max_tokens,
        complete=subject.complete,
    )


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


def _opening_words(episode: Episode) -> str:
    asked = (message.content for message in episode.messages if message.role == "user")
    return next(asked, episode.text)


def _memory_entry(memory: Memory, at: datetime) -> TimelineEntry:
    return TimelineEntry(memory.id, at, memory.kind, memory.content, memory.status)
