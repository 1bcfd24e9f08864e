"""A draft: one memory a compiler proposes, before the store knows it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from lib.models import Episode, Memory


@dataclass(frozen=True, slots=True)
class Draft:
    """One proposed memory: a self-contained sentence of at most 60 tokens."""

    kind: str
    content: str
    confidence: float
    valid_from: datetime
    source_episode_ids: tuple[str, ...]
    slot: str | None = None
    """What there can be only one of, such as `home` or `name`: a newer value supersedes."""
    tags: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    """Sensitivity, such as `secret`; the content is already masked."""
    masked: int = 0
    """How many secrets were masked in `content`."""
    metadata: dict[str, str] = field(default_factory=dict)


class Compiler(Protocol):
    """Anything that turns episodes into drafts; deterministic, never writes."""

    @property
    def name(self) -> str:
        """What the screen calls it."""
        ...

    def draft(self, episodes: Sequence[Episode], *, known: Sequence[Memory] = ()) -> list[Draft]:
        """Drafts for `episodes`, which are one subject's, oldest first.

        `known` are the subject's active profile facts, which tell its name and the slot of a value
        that an episode says has changed, and its procedures, which an episode may say have worked.
        """
        ...
