"""Paging: whole lists from servers that page, and honest ends from those that do not."""

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from lib.models import Episode, Memory, MemoryList, SubjectSummary, Timeline
from lib.statewave.calls import Call, Caller
from lib.wire import parse_memories, parse_subjects, parse_timeline

SEARCH_LIMIT = 100
TIMELINE_LIMIT = 100
"""What a 0.7.1 server returns at most; it ignores `offset` and never says that there is more."""

SUBJECTS_PAGE = 200


class Pager:
    """Reads lists page by page, all pages of one list within one deadline."""

    def __init__(self, caller: Caller, *, clock: Callable[[], float]) -> None:
        self._caller = caller
        self._clock = clock

    def memories(self, params: Mapping[str, Any], *, page: int) -> MemoryList:
        """Every memory the search gives, `page` at a time."""
        left = self._countdown()
        found: list[Memory] = []
        while True:
            query = {**params, "limit": page, "offset": len(found)}
            call = Call("GET", "/v1/memories/search", params=query, deadline_s=left(), look=True)
            answer = self._caller.call(call, parse_memories)
            found += answer.memories
            if answer.complete or not answer.memories:
                # The first page of a server without paging is all there will ever be.
                cut_off = len(answer.memories) == page == SEARCH_LIMIT
                return MemoryList(tuple(found), complete=not cut_off)

    def search(self, params: Mapping[str, Any], *, limit: int) -> MemoryList:
        """The first `limit` matches; incomplete when there were that many."""
        query = {**params, "limit": limit}
        call = Call("GET", "/v1/memories/search", params=query, look=True)
        found = self._caller.call(call, parse_memories)
        return MemoryList(found.memories, complete=found.complete and len(found.memories) < limit)

    def timeline(self, subject_id: str, *, page: int) -> Timeline:
        """The timeline; incomplete when a server without paging reached its limit."""
        left = self._countdown()
        episodes: list[Episode] = []
        memories: list[Memory] = []
        for number in count():
            query = {"subject_id": subject_id, "limit": page, "offset": number * page}
            call = Call("GET", "/v1/timeline", params=query, deadline_s=left(), look=True)
            answer = self._caller.call(call, parse_timeline)
            episodes += answer.episodes
            memories += answer.memories
            if answer.complete:
                break
        cut_off = number == 0 and TIMELINE_LIMIT in (len(episodes), len(memories))
        return Timeline(subject_id, tuple(episodes), tuple(memories), complete=not cut_off)

    def subjects(self) -> list[SubjectSummary]:
        """All subjects by id."""
        left = self._countdown()
        found: list[SubjectSummary] = []
        while True:
            query = {"limit": SUBJECTS_PAGE, "offset": len(found)}
            call = Call("GET", "/v1/subjects", params=query, deadline_s=left(), look=True)
            page = self._caller.call(call, parse_subjects)
            found += page
            if len(page) < SUBJECTS_PAGE:
                return found

    def _countdown(self) -> Callable[[], float]:
        until = self._clock() + self._caller.call_s
        return lambda: until - self._clock()
