"""How many of a subject's expected facts each token budget brings into the context."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

from lib.demo.profiles import DemoQuestion
from lib.protocol import MemoryRuntime
from lib.sweep.points import default_budgets, whole_context

RECALL_POINTS = 24
"""Fewer than a task's sweep has: a server is asked this often for every question."""
_Z = 1.96
"""Standard normal quantile of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class RecallPoint:
    """Expected facts whose words stand in the assembled context at one budget, over all
    questions.
    """

    max_tokens: int
    found: int


@dataclass(frozen=True, slots=True)
class RecallSweep:
    """The points by budget, over `questions` questions with `facts` expected facts in all."""

    subject_id: str
    questions: int
    facts: int
    points: tuple[RecallPoint, ...]

    @property
    def best(self) -> RecallPoint:
        """The smallest budget of those that find most."""
        return max(self.points, key=lambda point: (point.found, -point.max_tokens))

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the best recall, as shares from 0 to 1."""
        return wilson_interval(self.best.found, self.facts)

    @property
    def recommended(self) -> RecallPoint:
        """The smallest budget whose recall is within the interval of the best."""
        low, _ = self.interval
        return next(point for point in self.points if point.found >= low * self.facts)

    def share(self, point: RecallPoint) -> float:
        """The recall at `point`, from 0 to 1."""
        return point.found / self.facts if self.facts else 0.0


def sweep_recall(
    runtime: MemoryRuntime,
    subject_id: str,
    questions: Sequence[DemoQuestion],
    *,
    on_call: Callable[[int, int], None] | None = None,
) -> RecallSweep:
    """The recall of every budget; a fact counts when one of its alternatives stands in
    `assembled_context`, whatever the case. `on_call` hears how many contexts are there, of how
    many. The task's own words do not count: where a question names its answer, that is no recall.
    """
    wholes = [whole_context(runtime, subject_id, task=item.question) for item in questions]
    largest = max((bundle.token_estimate for bundle in wholes), default=0)
    budgets = default_budgets(largest, points=RECALL_POINTS)
    found = [0] * len(budgets)
    done, total = 0, len(budgets) * len(questions)
    for item in questions:
        for place, bundle in enumerate(runtime.sweep_context(subject_id, item.question, budgets)):
            found[place] += _facts_in(bundle.assembled_context, item)
            done += 1
            if on_call is not None:
                on_call(done, total)
    return RecallSweep(
        subject_id=subject_id,
        questions=len(questions),
        facts=sum(len(item.expected) for item in questions),
        points=tuple(map(RecallPoint, budgets, found)),
    )


def wilson_interval(hits: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share of `total` trials (Wilson 1927); all of 0 to 1 without any."""
    if not total:
        return 0.0, 1.0
    share, z2 = hits / total, _Z * _Z
    middle = share + z2 / (2 * total)
    reach = _Z * sqrt(share * (1 - share) / total + z2 / (4 * total * total))
    scale = 1 + z2 / total
    return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)


def _facts_in(context: str, item: DemoQuestion) -> int:
    # The header repeats the task; its words were not remembered.
    said = context.casefold().replace(item.question.casefold(), "")
    return sum(any(each.casefold() in said for each in group) for group in item.expected)
