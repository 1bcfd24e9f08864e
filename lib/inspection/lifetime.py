"""When a memory was in use: from the day it began to hold until it was replaced or forgotten."""

from datetime import UTC, date, datetime, time, timedelta

from lib.inspection.subject import ACTIVE
from lib.models import Memory


def end_of(memory: Memory) -> datetime | None:
    """When the memory went out of use; None while it is in use.

    Where the runtime names no end, it is when the memory was last changed: it was taken out then.
    """
    if memory.status == ACTIVE:
        return memory.valid_to
    ended = memory.valid_to or memory.updated_at
    return max(ended, memory.valid_from)


def in_use(memory: Memory, at: datetime) -> bool:
    """True when the memory had begun and not ended by `at`."""
    ended = end_of(memory)
    return memory.valid_from <= at and (ended is None or ended > at)


def end_of_day(day: date) -> datetime:
    """The last moment of a day, UTC."""
    return datetime.combine(day + timedelta(days=1), time(), UTC) - timedelta(microseconds=1)


def day_of(moment: datetime) -> date:
    """The day of a moment, UTC."""
    return moment.astimezone(UTC).date()
