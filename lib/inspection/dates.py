"""Two dates of a subject's memory: what was in use on each, what came and went between."""

from dataclasses import dataclass
from datetime import date

from lib.inspection.lifetime import day_of, end_of_day, in_use
from lib.inspection.subject import SubjectMemory
from lib.models import Memory


@dataclass(frozen=True, slots=True)
class DateComparison:
    """Memories in use at the end of two days, and the difference; newest first.

    `passing` began and ended between the two, so neither day has them.
    """

    earlier: date
    later: date
    then: tuple[Memory, ...]
    now: tuple[Memory, ...]
    added: tuple[Memory, ...]
    gone: tuple[Memory, ...]
    passing: tuple[Memory, ...]

    @property
    def finding(self) -> str:
        """What changed, as one line without markup."""
        if self.earlier == self.later:
            return f"{len(self.now):,} in use that day: choose two different days"
        if not self.added and not self.gone:
            return f"Nothing changed: {len(self.now):,} in use on both days"
        return (
            f"{len(self.then):,} in use then, {len(self.now):,} later: "
            f"{len(self.added):,} added, {len(self.gone):,} gone"
        )


def compare_dates(subject: SubjectMemory, first: date, second: date) -> DateComparison:
    """The memories in use at the end of both days, whichever is the earlier one."""
    earlier, later = sorted((first, second))
    start, end = end_of_day(earlier), end_of_day(later)
    then = tuple(memory for memory in subject.memories if in_use(memory, start))
    now = tuple(memory for memory in subject.memories if in_use(memory, end))
    both = {memory.id for memory in then} & {memory.id for memory in now}
    listed = {memory.id for memory in (*then, *now)}
    return DateComparison(
        earlier,
        later,
        then,
        now,
        added=tuple(memory for memory in now if memory.id not in both),
        gone=tuple(memory for memory in then if memory.id not in both),
        passing=tuple(
            memory
            for memory in subject.memories
            if start < memory.valid_from <= end and memory.id not in listed
        ),
    )


def days_of_change(subject: SubjectMemory) -> tuple[date, ...]:
    """The days on which a memory began, oldest first."""
    return tuple(sorted({day_of(memory.valid_from) for memory in subject.memories}))
