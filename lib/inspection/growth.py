"""How a subject's memory grew: memories in use at the end of each day, by kind."""

import csv
import io
from collections import Counter
from dataclasses import dataclass
from datetime import date

from lib.inspection.lifetime import day_of, end_of
from lib.inspection.subject import SubjectMemory
from lib.models import KINDS
from lib.theme import kind_look


@dataclass(frozen=True, slots=True)
class GrowthPoint:
    """Memories in use at the end of a day, UTC; `counts` has one number per kind."""

    day: date
    counts: tuple[int, ...]

    @property
    def total(self) -> int:
        """Memories of every kind."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class Growth:
    """One point for each day on which something began or ended, oldest first.

    `complete` is False where the runtime lists only a part.
    """

    kinds: tuple[str, ...]
    points: tuple[GrowthPoint, ...]
    complete: bool = True

    @property
    def finding(self) -> str:
        """What the points say, as one line without markup."""
        if not self.points:
            return "Nothing is remembered yet"
        first, last = self.points[0], self.points[-1]
        if len(self.points) == 1:
            most = "" if self.complete else "At least "
            return f"{most}{_memories(last.total)}, all since {_day(last.day)}"
        least = "" if self.complete else "at least "
        return (
            f"From {least}{_memories(first.total)} on {_day(first.day)} to {least}"
            f"{last.total:,} on {_day(last.day)}{self._most()}"
        )

    def _most(self) -> str:
        last = self.points[-1]
        if not last.total:
            return ""
        number, kind = max(zip(last.counts, self.kinds, strict=True))
        share = round(100 * number / last.total)
        return f"; {share} % are {kind_look(kind).plural.lower()}"


def memory_growth(subject: SubjectMemory) -> Growth:
    """The memories in use on each day of change, kinds in the order of screens."""
    present = {memory.kind for memory in subject.memories}
    kinds = (*(kind for kind in KINDS if kind in present), *sorted(present - set(KINDS)))
    changes: dict[date, Counter[str]] = {}
    for memory in subject.memories:
        ended = end_of(memory)
        first = day_of(memory.valid_from)
        # What ends on the day it began is in use at the end of no day.
        changes.setdefault(first, Counter())[memory.kind] += 1
        if ended:
            changes.setdefault(day_of(ended), Counter())[memory.kind] -= 1
    points, running = [], Counter[str]()
    for day in sorted(changes):
        running.update(changes[day])
        points.append(GrowthPoint(day, tuple(running[kind] for kind in kinds)))
    return Growth(kinds, tuple(points), subject.complete)


def growth_csv(growth: Growth) -> str:
    """The points as CSV: one row a day, one column a kind."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["day", *growth.kinds, "memories"])
    for point in growth.points:
        writer.writerow([point.day.isoformat(), *point.counts, point.total])
    return text.getvalue()


def _memories(number: int) -> str:
    return f"{number:,} {'memory' if number == 1 else 'memories'}"


def _day(day: date) -> str:
    return f"{day.day} {day:%b %Y}"
