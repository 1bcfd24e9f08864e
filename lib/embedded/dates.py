"""Times that a task names: "last week", "in March", "three days ago", "5 May 2025", "in 2024"."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lib.embedded.candidates import Ints
from lib.embedded.rows import from_us, to_us

MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_NUMBERS = {
    word: number
    for number, words in enumerate(
        ("a an one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1
    )
    for word in words.split()
} | {"a couple of": 2, "a few": 3}
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_MONTH = rf"({'|'.join(f'{month[:3]}(?:{month[3:]})?' for month in MONTHS)})"
# "may" and "march" are words as well; alone they count only where a preposition says so.
_IN_MONTH = re.compile(
    rf"\b(?:in|during|since|until|by|of|last|this|early|late|mid|and|before|after) {_MONTH}\b\.?"
    r"(?:,? (\d{4}))?",
    re.IGNORECASE,
)
_DAY = re.compile(
    rf"\b(?:(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}|{_MONTH} (\d{{1,2}})(?:st|nd|rd|th)?)\b"
    r"(?:,? (\d{4}))?",
    re.IGNORECASE,
)
_ISO = re.compile(r"\b(\d{4})-(\d{2})(?:-(\d{2}))?\b")
_YEAR = re.compile(r"\b(?:in|during|since|of) (\d{4})\b", re.IGNORECASE)
_AGO = re.compile(
    rf"\b(\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))}) "
    r"(day|week|month|year)s? ago\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\b(today|tonight|yesterday|(?:last|this|past) (?:night|week|weekend|month|year))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Period:
    """From `start` to before `end`."""

    start: datetime
    end: datetime


def periods(task: str, *, now: datetime) -> list[Period]:
    """The times that `task` names, as seen from `now`; a month without a year is the last one."""
    readers: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], datetime], Period]], ...] = (
        (_ISO, _iso),
        (_DAY, _day),
        (_IN_MONTH, _month),
        (_YEAR, _year),
        (_AGO, _ago),
        (_NAMED, _named),
    )
    found: list[Period] = []
    for pattern, read in readers:
        for match in pattern.finditer(task):
            # 31 February and the year 0 are no times.
            with suppress(ValueError, OverflowError):
                found.append(read(match, now))
        task = pattern.sub(" ", task)  # "in 2025-05" does not name all of 2025 as well
    return list(dict.fromkeys(found))


def within_named_times(when_us: Ints, task: str, *, now: datetime) -> NDArray[np.bool_] | None:
    """Which of the moments lie in a time that `task` names; None when it names none of them.

    Seen from `now`, or where nothing happened then, from the newest moment: a conversation that
    ended long ago may be asked about as if it were yesterday.
    """
    if not len(when_us):
        return None
    for seen_from in (now, from_us(int(when_us.max()))):
        inside = np.zeros(len(when_us), bool)
        for period in periods(task, now=seen_from):
            inside |= (when_us >= to_us(period.start)) & (when_us < to_us(period.end))
        if inside.any():
            return inside
    return None


def _iso(match: re.Match[str], now: datetime) -> Period:  # noqa: ARG001
    year, month, day = int(match[1]), int(match[2]), match[3]
    if day is None:
        return _month_of(year, month)
    return _days(datetime(year, month, int(day), tzinfo=UTC), 1)


def _day(match: re.Match[str], now: datetime) -> Period:
    day, month = int(match[1] or match[4]), _number(match[2] or match[3])
    year = int(match[5]) if match[5] else _last_year_with(month, day, now)
    return _days(datetime(year, month, day, tzinfo=UTC), 1)


def _month(match: re.Match[str], now: datetime) -> Period:
    month = _number(match[1])
    return _month_of(int(match[2]) if match[2] else _last_year_with(month, 1, now), month)


def _year(match: re.Match[str], now: datetime) -> Period:  # noqa: ARG001
    return _between(int(match[1]), 1, int(match[1]) + 1, 1)


def _ago(match: re.Match[str], now: datetime) -> Period:
    count = _NUMBERS.get(match[1].casefold()) or int(match[1])
    days = _DAYS[match[2].casefold()]
    middle = _midnight(now) - timedelta(days=count * days)
    # "Three weeks ago" is not meant to the day; the longer the unit, the less so.
    slack = timedelta(days=days // 2)
    return Period(middle - slack, middle + slack + timedelta(days=1))


def _named(match: re.Match[str], now: datetime) -> Period:
    name = match[1].casefold()
    today = _midnight(now)
    monday = today - timedelta(days=today.weekday())
    which, _, unit = name.partition(" ")
    back = 1 if which in ("last", "past") else 0
    match unit:
        case "week":
            return _days(monday - timedelta(days=7 * back), 7)
        case "weekend":
            # On a Monday the last weekend is the one that has just ended.
            return _days(monday - timedelta(days=2 if back else -5), 2)
        case "month":
            months = now.year * 12 + now.month - 1 - back
            return _month_of(months // 12, months % 12 + 1)
        case "year":
            return _between(now.year - back, 1, now.year - back + 1, 1)
        case "night":
            return _days(today - timedelta(days=back), 1 + back)
    return _days(today - timedelta(days=1 if name == "yesterday" else 0), 1)


def _number(name: str) -> int:
    return next(
        number for number, month in enumerate(MONTHS, 1) if month.startswith(name.casefold()[:3])
    )


def _last_year_with(month: int, day: int, now: datetime) -> int:
    return now.year if (month, day) <= (now.month, now.day) else now.year - 1


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _days(start: datetime, count: int) -> Period:
    return Period(start, start + timedelta(days=count))


def _month_of(year: int, month: int) -> Period:
    return _between(year, month, year + month // 12, month % 12 + 1)


def _between(year: int, month: int, end_year: int, end_month: int) -> Period:
    return Period(
        datetime(year, month, 1, tzinfo=UTC), datetime(end_year, end_month, 1, tzinfo=UTC)
    )
