"""The directory of subjects: nobody waits long for it, and it does not stay outdated."""

import time
from threading import Event

from lib.errors import StatewaveConnectionError
from lib.inspection import Directory, SubjectIds
from lib.models import SubjectSummary


class Lister:
    """Lists what it is told to; blocks while `answers` is not set."""

    def __init__(self, *ids: str) -> None:
        self.ids = list(ids)
        self.asked = 0
        self.answers = Event()
        self.answers.set()
        self.error: StatewaveConnectionError | None = None

    def __call__(self) -> list[SubjectSummary]:
        self.asked += 1
        self.answers.wait(10)
        if self.error:
            raise self.error
        return [SubjectSummary(each, 1, 1) for each in self.ids]


def test_a_quick_runtime_is_listed_at_once_and_not_again_while_that_is_fresh() -> None:
    lister, now = Lister("ada"), [0.0]
    directory = Directory(lister, clock=lambda: now[0])
    assert directory.current(wait_s=10).ids == ("ada",)
    lister.ids.append("bob")
    assert directory.current(wait_s=10).ids == ("ada",)
    now[0] += 11
    assert directory.current(wait_s=10).ids == ("ada", "bob")


def test_what_was_recorded_or_deleted_shows_at_the_next_look() -> None:
    lister = Lister("ada")
    directory = Directory(lister)
    directory.current(wait_s=10)
    lister.ids = []
    directory.outdate()
    assert directory.current(wait_s=10).ids == ()


def test_a_silent_runtime_holds_nobody_and_is_asked_once() -> None:
    lister = Lister("ada")
    lister.answers.clear()
    directory = Directory(lister)
    started = time.monotonic()
    assert directory.current(wait_s=0.01) == SubjectIds()
    assert directory.current(wait_s=0.01) == SubjectIds()
    assert time.monotonic() - started < 5
    assert lister.asked == 1
    lister.answers.set()
    assert directory.current(wait_s=10).ids == ("ada",)


def test_a_renewal_that_takes_long_is_waited_for_by_the_first_look_only() -> None:
    lister = Lister("ada")
    directory = Directory(lister)
    directory.current(wait_s=10)
    lister.answers.clear()
    directory.outdate()
    assert directory.current(wait_s=0.01).ids == ("ada",)
    started = time.monotonic()
    assert directory.current(wait_s=10).ids == ("ada",)
    assert time.monotonic() - started < 5
    lister.answers.set()


def test_a_failure_keeps_the_last_list_says_why_and_is_tried_again_soon() -> None:
    lister, now = Lister("ada"), [0.0]
    directory = Directory(lister, clock=lambda: now[0])
    directory.current(wait_s=10)
    lister.error = StatewaveConnectionError("down")
    directory.outdate()
    assert directory.current(wait_s=10) == SubjectIds(("ada",), "down")
    lister.error = None
    assert directory.current(wait_s=10).error == "down"
    now[0] += 4
    assert directory.current(wait_s=10) == SubjectIds(("ada",))


def test_what_changes_during_a_listing_is_listed_again() -> None:
    lister = Lister("ada")
    lister.answers.clear()
    directory = Directory(lister)
    directory.current(wait_s=0.01)
    directory.outdate()
    lister.answers.set()
    directory.current(wait_s=10)
    directory.current(wait_s=10)
    assert lister.asked == 2
