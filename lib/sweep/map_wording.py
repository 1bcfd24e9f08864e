"""What the map of budgets and the tokens by kind show, in one sentence each."""

from lib.sweep.points import FRAME, Sweep, SweepPoint


def map_finding(sweep: Sweep) -> str:
    """From where on the first and everything is in."""
    if not sweep.entries:
        return "No budget holds anything for this task"
    first, last = sweep.entries[0].enters_at, sweep.entries[-1].enters_at
    items = f"{len(sweep.entries):,} {'item' if len(sweep.entries) == 1 else 'items'}"
    if first == last:
        return f"{items} in from {first:,} tokens on"
    return f"The first of {items} is in from {first:,} tokens on, the last from {last:,}"


def kind_finding(point: SweepPoint, *, label: str, kind: str) -> str:
    """Which kind takes most of what the budget really costs; `label` names the kind."""
    tokens = point.tokens_by_kind.get(kind, 0)
    return (
        f"At {point.max_tokens:,} tokens, {label.lower()} take most: {tokens:,} of "
        f"{point.token_estimate:,} tokens used"
    )


def largest_kind(point: SweepPoint) -> str | None:
    """The kind that takes most tokens, the frame aside; None where nothing is kept."""
    kinds = {kind: tokens for kind, tokens in point.tokens_by_kind.items() if kind != FRAME}
    return max(kinds, key=lambda kind: kinds[kind]) if kinds else None


def comes_and_goes(sweep: Sweep) -> int:
    """How many items a larger budget drops again."""
    budgets = [point.max_tokens for point in sweep.points]
    return sum(
        len(entry.budgets) < len(budgets) - budgets.index(entry.enters_at)
        for entry in sweep.entries
    )
