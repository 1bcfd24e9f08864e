"""What one budget holds and what it cuts, item by item."""

from collections.abc import Mapping
from dataclasses import dataclass

from lib.models import ContextBundle, ContextItem
from lib.protocol import MemoryRuntime
from lib.sweep.candidates import Candidate, contents_of
from lib.sweep.points import SweepPoint, point_of


@dataclass(frozen=True, slots=True)
class BudgetView:
    """What is in and what is cut at one budget, each in rank order."""

    point: SweepPoint
    kept: tuple[Candidate, ...]
    cut: tuple[Candidate, ...]
    unlisted: int = 0
    """Candidates cut beyond those listed."""


def view_budget(
    runtime: MemoryRuntime,
    subject_id: str,
    *,
    task: str,
    max_tokens: int,
    whole: ContextBundle,
) -> BudgetView:
    """What `max_tokens` tokens hold for `task`; `whole` is the bundle without that limit."""
    bundle = runtime.get_context(subject_id, task, max_tokens=max_tokens)
    point = point_of(bundle, max_tokens=max_tokens)
    if not bundle.items:
        kept = contents_of(bundle)
        ids = {candidate.id for candidate in kept}
        cut = [item for item in contents_of(whole) if item.id not in ids]
        return BudgetView(point, tuple(kept), tuple(cut))
    ranks = {item.id: item.rank for item in bundle.items if item.included}
    cut_items = [item for item in bundle.items if not item.included]
    return BudgetView(
        point,
        kept=tuple(_candidate(item, ranks) for item in bundle.items if item.included),
        cut=tuple(_candidate(item, ranks) for item in cut_items),
        unlisted=max(0, sum(bundle.cut_counts.values()) - len(cut_items)),
    )


def _candidate(item: ContextItem, ranks: Mapping[str, int]) -> Candidate:
    covered_by = ranks.get(item.related_id or "") if item.reason == "suppressed" else None
    return Candidate(
        id=item.id,
        kind=item.kind,
        content=item.content,
        tokens=item.tokens,
        rank=item.rank,
        score=item.score,
        reason=item.reason,
        covered_by=covered_by,
    )
