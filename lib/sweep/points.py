"""What every token budget buys: memories, passages and tokens, from the smallest to everything."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil

from lib.models import EPISODE, ContextBundle
from lib.protocol import MemoryRuntime
from lib.sweep.candidates import Candidate, kept_in
from lib.tokens import count_many

SMALLEST_BUDGET = 20
LARGEST_BUDGET = 128_000
"""Where "everything" ends: as much as the longest common prompt holds."""
DEFAULT_POINTS = 40
_EVEN_STEPS_UP_TO = 4_000
"""Beyond this, budgets grow by a factor: even steps would leave out every small budget."""


FRAME = "frame"
"""Not a kind of memory: the headings and the task, which every context has."""


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """What one budget returned, in tokens, memories and raw passages."""

    max_tokens: int
    token_estimate: int
    memories: int
    passages: int
    """Passages of raw episodes; several may come from one episode."""
    tokens_by_kind: Mapping[str, int] = field(default_factory=dict)
    """Tokens of what is kept, by kind; `FRAME` is what the headings around it take."""

    @property
    def over_budget(self) -> bool:
        """True when the bundle is larger than was asked for."""
        return self.token_estimate > self.max_tokens


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory or passage and the budgets that hold it."""

    id: str
    kind: str
    content: str
    tokens: int
    budgets: tuple[int, ...]
    """Every swept budget that holds it, ascending; with gaps where the runtime drops it again."""

    @property
    def enters_at(self) -> int:
        """The smallest swept budget that holds it, in tokens."""
        return self.budgets[0]


@dataclass(frozen=True, slots=True)
class Sweep:
    """The points by budget, and what the subject has in all to compare them with."""

    subject_id: str
    task: str
    points: tuple[SweepPoint, ...]
    total_memories: int
    """Active memories of the subject."""
    total_episodes: int
    history_tokens: int
    """Tokens of every episode's text: what sending the raw history would cost."""
    entries: tuple[Entry, ...] = ()
    """Everything that any budget holds, in the order in which it enters."""
    turn_tokens: tuple[int, ...] = ()
    """Tokens of each episode's text, oldest first."""
    complete: bool = True
    """False where the runtime cannot list everything, so that the totals are lower limits."""

    @property
    def over_budget(self) -> tuple[SweepPoint, ...]:
        """Points whose bundle is larger than its budget."""
        return tuple(point for point in self.points if point.over_budget)

    @property
    def shrinking(self) -> tuple[SweepPoint, ...]:
        """Points that return fewer memories than a smaller budget did."""
        return tuple(
            later for earlier, later in pairwise(self.points) if later.memories < earlier.memories
        )

    @property
    def most_memories(self) -> SweepPoint:
        """The smallest budget that returns as many memories as any does."""
        return max(self.points, key=lambda point: (point.memories, -point.max_tokens))

    @property
    def empty(self) -> bool:
        """True when there is nothing that could be returned: no memory and no episode."""
        return not self.total_memories and not self.total_episodes


SweepKey = tuple[str, str, tuple[int, ...], int]
"""Subject, task, budgets, and a hash of everything that could be returned."""


def whole_context(runtime: MemoryRuntime, subject_id: str, *, task: str) -> ContextBundle:
    """Everything the runtime would return for `task` if tokens did not matter."""
    return runtime.get_context(subject_id, task, max_tokens=LARGEST_BUDGET)


def default_budgets(
    everything: int, *, points: int = DEFAULT_POINTS, include: Sequence[int] = ()
) -> tuple[int, ...]:
    """At most `points` round budgets from 20 tokens to just above `everything` tokens.

    Budgets of `include` inside that range take the place of their nearest neighbour.
    """
    step = _round_step(everything)
    top = max(SMALLEST_BUDGET, ceil(everything / step) * step)
    spread, ratio = top - SMALLEST_BUDGET, top / SMALLEST_BUDGET
    parts = [n / (points - 1) for n in range(1, points - 1)]
    if top > _EVEN_STEPS_UP_TO:
        raw = [SMALLEST_BUDGET * ratio**part for part in parts]
    else:
        raw = [SMALLEST_BUDGET + spread * part for part in parts]
    inside = {_rounded(value, step) for value in raw} - {SMALLEST_BUDGET, top}
    for wanted in include:
        if inside and SMALLEST_BUDGET < wanted < top:
            inside.remove(min(inside, key=lambda value: abs(value - wanted)))
            inside.add(wanted)
    return tuple(sorted({SMALLEST_BUDGET, *inside, top}))


def _round_step(tokens: float) -> int:
    """What budgets around `tokens` are rounded to."""
    if tokens > _EVEN_STEPS_UP_TO:
        digits = len(str(int(tokens)))
        return int(5 * 10 ** (digits - 3))
    return 5 if tokens >= SMALLEST_BUDGET + 5 * DEFAULT_POINTS else 1


def _rounded(value: float, step: int) -> int:
    # Small budgets of a wide range keep fine steps, or several would become the same.
    step = min(step, _round_step(value)) if step > 1 else 1
    return round(value / step) * step


def sweep_budgets(
    runtime: MemoryRuntime,
    subject_id: str,
    *,
    task: str,
    budgets: Sequence[int],
    on_point: Callable[[int], None] | None = None,
) -> Sweep:
    """The sweep over `budgets`; `on_point` is told how many points are done.

    The embedded engine answers in one pass; a server is asked once per budget.
    """
    points: list[SweepPoint] = []
    seen: dict[str, Candidate] = {}
    held: dict[str, list[int]] = {}
    bundles = runtime.sweep_context(subject_id, task, budgets)
    for max_tokens, bundle in zip(budgets, bundles, strict=True):
        points.append(point_of(bundle, max_tokens=max_tokens))
        for item in kept_in(bundle):
            seen.setdefault(item.id, item)
            held.setdefault(item.id, []).append(max_tokens)
        if on_point is not None:
            on_point(len(points))
    timeline = runtime.timeline(subject_id)
    memories = runtime.list_memories(subject_id)
    turn_tokens = tuple(count_many([episode.text for episode in timeline.episodes]))
    return Sweep(
        subject_id=subject_id,
        task=task,
        points=tuple(points),
        total_memories=sum(memory.status == "active" for memory in memories.memories),
        total_episodes=len(timeline.episodes),
        history_tokens=sum(turn_tokens),
        entries=_entries(seen, held),
        turn_tokens=turn_tokens,
        complete=timeline.complete and memories.complete,
    )


def _entries(seen: Mapping[str, Candidate], held: Mapping[str, list[int]]) -> tuple[Entry, ...]:
    found = [
        (item.rank, Entry(item.id, item.kind, item.content, item.tokens, tuple(held[item.id])))
        for item in seen.values()
    ]
    return tuple(entry for _, entry in sorted(found, key=lambda pair: (pair[1].enters_at, pair[0])))


def point_of(bundle: ContextBundle, *, max_tokens: int) -> SweepPoint:
    """The point a bundle makes on the sweep."""
    passages = sum(item.included and item.kind == EPISODE for item in bundle.items)
    return SweepPoint(
        max_tokens=max_tokens,
        token_estimate=bundle.token_estimate,
        memories=len(bundle.memories),
        passages=passages if bundle.items else len(bundle.episodes),
        tokens_by_kind=_tokens_by_kind(bundle),
    )


def _tokens_by_kind(bundle: ContextBundle) -> dict[str, int]:
    found: dict[str, int] = {}
    for item in kept_in(bundle):
        found[item.kind] = found.get(item.kind, 0) + item.tokens
    frame = bundle.token_estimate - sum(found.values())
    # An estimate below what the texts cost leaves nothing for the frame.
    return {**found, FRAME: frame} if frame > 0 else found
