"""Episodes as sources: which memories came from each."""

from collections.abc import Mapping
from dataclasses import dataclass

from lib.inspection.subject import SubjectMemory
from lib.models import Episode, Memory


@dataclass(frozen=True, slots=True)
class Source:
    """One episode and the memories that name it, oldest first."""

    episode: Episode
    memories: tuple[Memory, ...]

    @property
    def opening(self) -> str:
        """How it begins: what the subject said, on one line."""
        asked = (item.content for item in self.episode.messages if item.role == "user")
        return " ".join(next(asked, self.episode.text).split())


def episode_sources(subject: SubjectMemory) -> tuple[Source, ...]:
    """Every episode, newest first, with what became of it."""
    made = _memories_by_episode(subject)
    newest = sorted(subject.episodes, key=lambda item: item.when, reverse=True)
    return tuple(Source(item, tuple(made.get(item.id, ()))) for item in newest)


def _memories_by_episode(subject: SubjectMemory) -> Mapping[str, list[Memory]]:
    made: dict[str, list[Memory]] = {}
    for memory in reversed(subject.memories):
        for episode_id in dict.fromkeys(memory.source_episode_ids):
            made.setdefault(episode_id, []).append(memory)
    return made
