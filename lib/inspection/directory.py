"""The directory: which subjects a runtime has, without making anyone wait for a slow one."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event, Lock, Thread

from lib.errors import StatewaveError
from lib.models import SubjectSummary

WAIT_S = 0.5
"""How long a page waits at most for the list; it comes with a later run if that was too short."""
FRESH_FOR_S = 10.0
FAILED_FOR_S = 3.0


@dataclass(frozen=True, slots=True)
class SubjectIds:
    """The ids last listed, and why no newer list could be had."""

    ids: tuple[str, ...] = ()
    error: str | None = None


class Directory:
    """Lists subjects in the background, at most one listing at a time; safe from any thread."""

    def __init__(
        self,
        list_subjects: Callable[[], Sequence[SubjectSummary]],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._list = list_subjects
        self._clock = clock
        self._lock = Lock()
        self._known: SubjectIds | None = None
        self._fresh_until = clock()
        self._listing: Event | None = None

    def current(self, *, wait_s: float = WAIT_S) -> SubjectIds:
        """The subjects as last listed; an old list is renewed, for which this waits a moment."""
        with self._lock:
            listing = self._listing
            wait = self._known is None
            if listing is None and self._clock() >= self._fresh_until:
                listing = self._listing = Event()
                wait = True
                # Set now: what is outdated while the listing runs is outdated after it as well.
                self._fresh_until = self._clock() + FRESH_FOR_S
                Thread(target=self._renew, args=(listing,), name="directory", daemon=True).start()
        if listing is not None and wait:
            listing.wait(wait_s)
        with self._lock:
            return self._known or SubjectIds()

    def outdate(self) -> None:
        """Something was recorded or deleted: the next look lists anew."""
        with self._lock:
            self._fresh_until = self._clock()

    def _renew(self, listing: Event) -> None:
        try:
            found = SubjectIds(tuple(row.subject_id for row in self._list()))
            lasts = None
        except StatewaveError as error:
            found = SubjectIds(self._known.ids if self._known else (), str(error))
            lasts = FAILED_FOR_S
        with self._lock:
            self._known = found
            self._listing = None
            if lasts is not None:
                self._fresh_until = min(self._fresh_until, self._clock() + lasts)
        listing.set()
