"""The budget to choose, and why."""

from dataclasses import dataclass

from lib.models import ContextBundle
from lib.sweep.candidates import kept_in
from lib.sweep.points import LARGEST_BUDGET, Sweep
from lib.sweep.recall import RecallSweep


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A budget in tokens with its reason, or no budget and why none."""

    max_tokens: int | None
    reason: str


def recommend_for_task(sweep: Sweep, whole: ContextBundle) -> Recommendation:
    """The smallest swept budget that holds everything above the relevance floor for the task;
    `whole` is the bundle without that limit.
    """
    wanted = {item.id for item in kept_in(whole)}
    if not wanted:
        return Recommendation(None, "nothing remembered has to do with this task")
    if whole.cut_counts.get("budget"):
        return Recommendation(None, f"even {LARGEST_BUDGET:,} tokens do not hold everything")
    held: dict[int, set[str]] = {point.max_tokens: set() for point in sweep.points}
    for entry in sweep.entries:
        for max_tokens in entry.budgets:
            held[max_tokens].add(entry.id)
    enough = [max_tokens for max_tokens, ids in held.items() if ids >= wanted]
    if not enough:
        return Recommendation(None, "no swept budget holds everything that a larger one returns")
    count = f"{len(wanted):,} {'item' if len(wanted) == 1 else 'items'}"
    # Without scores nobody outside the runtime knows its floor.
    what = "above the relevance floor" if whole.items else "that this runtime returns"
    return Recommendation(
        min(enough), f"the smallest of {len(held):,} budgets that holds all {count} {what}"
    )


def recommend_for_questions(recall: RecallSweep) -> Recommendation:
    """The smallest budget whose recall is within the Wilson interval of the best."""
    best, chosen = recall.best, recall.recommended
    if not best.found:
        return Recommendation(None, "no budget brings an expected fact into the context")
    low, high = recall.interval
    return Recommendation(
        chosen.max_tokens,
        f"the smallest whose recall, {chosen.found:,} of {recall.facts:,} expected facts, is "
        f"within the 95 % interval of the best ({best.found:,} of {recall.facts:,}: "
        f"{low:.0%} to {high:.0%})",
    )
