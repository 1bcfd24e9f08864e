"""One memory or passage that a bundle holds or cuts."""

from dataclasses import dataclass

from lib.models import EPISODE, ContextBundle, CutReason
from lib.tokens import count_many


@dataclass(frozen=True, slots=True)
class Candidate:
    """One memory or passage at a budget: what it costs, and why it was cut if it was."""

    id: str
    kind: str
    content: str
    tokens: int
    rank: int
    score: float | None = None
    reason: CutReason = ""
    """Empty for what is kept, and where the runtime does not say why it was cut."""
    covered_by: int | None = None
    """Rank of the item in the bundle that already says it."""


def kept_in(bundle: ContextBundle) -> list[Candidate]:
    """What the bundle holds, best first."""
    if not bundle.items:
        return contents_of(bundle)
    return [
        Candidate(item.id, item.kind, item.content, item.tokens, item.rank, item.score)
        for item in bundle.items
        if item.included
    ]


def contents_of(bundle: ContextBundle) -> list[Candidate]:
    """The bundle's contents where the runtime ranks them without saying how."""
    rows = [(memory.id, memory.kind, memory.content) for memory in bundle.memories]
    rows += [(episode.id, EPISODE, episode.text) for episode in bundle.episodes]
    tokens = count_many([content for _, _, content in rows])
    return [
        Candidate(row_id, kind, content, cost, rank)
        for rank, ((row_id, kind, content), cost) in enumerate(
            zip(rows, tokens, strict=True), start=1
        )
    ]
