"""A subject's history in order: sessions, their episodes, the memories made of them."""

from dataclasses import dataclass
from datetime import datetime

from lib.inspection.subject import ACTIVE, SubjectMemory
from lib.models import EPISODE, Episode, Memory


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


def _opening_words(episode: Episode) -> str:
    asked = (message.content for message in episode.messages if message.role == "user")
    return next(asked, episode.text)


def _memory_entry(memory: Memory, at: datetime) -> TimelineEntry:
    return TimelineEntry(memory.id, at, memory.kind, memory.content, memory.status)
