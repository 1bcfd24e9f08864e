"""What a sweep found, in sentences and as CSV."""

import csv
from io import StringIO

from lib.sweep.points import Sweep, SweepPoint


def sweep_csv(sweep: Sweep) -> str:
    """The points as CSV, one row per budget."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["max_tokens", "token_estimate", "memories", "passages", "over_budget"])
    for point in sweep.points:
        writer.writerow(
            [
                point.max_tokens,
                point.token_estimate,
                point.memories,
                point.passages,
                str(point.over_budget).lower(),
            ]
        )
    return out.getvalue()


def memory_finding(sweep: Sweep, point: SweepPoint) -> str:
    """How many memories the budget of `point` holds, as a sentence."""
    total = f"of {sweep.total_memories:,} " if sweep.complete else ""
    count = f"{point.memories:,}" if point.memories or total else "no"
    noun = "memory" if point.memories == 1 and not total else "memories"
    passages = ""
    if point.passages:
        passages = f" and {point.passages:,} raw passage{'' if point.passages == 1 else 's'}"
    return f"{point.max_tokens:,} tokens hold {count} {total}{noun}{passages}"


def token_finding(sweep: Sweep, point: SweepPoint) -> str:
    """What the budget of `point` really costs against the raw history, as a sentence."""
    used = f"{point.token_estimate:,} tokens used"
    if not sweep.history_tokens:
        return used
    least = "" if sweep.complete else "at least "
    return f"{used}; the raw history takes {least}{sweep.history_tokens:,}"


def flags(sweep: Sweep) -> tuple[str, ...]:
    """One sentence for each way in which this runtime treats a budget loosely."""
    found: list[str] = []
    if sweep.over_budget:
        worst = max(sweep.over_budget, key=lambda point: point.token_estimate / point.max_tokens)
        found.append(
            f"{_points(len(sweep.over_budget))} more tokens than the budget, the worst "
            f"{worst.token_estimate:,} for {worst.max_tokens:,}: this runtime treats a budget as "
            "a guide, and the chart shows what it returned."
        )
    if sweep.shrinking:
        first = sweep.shrinking[0]
        found.append(
            f"{_points(len(sweep.shrinking))} fewer memories than a smaller budget, first at "
            f"{first.max_tokens:,} tokens: this runtime does not keep what fitted before."
        )
    return tuple(found)


def _points(number: int) -> str:
    return "1 budget returns" if number == 1 else f"{number:,} budgets return"
