"""The client: a Statewave server as a memory runtime, over HTTP."""

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

import httpx

from lib.errors import InputError, UnsupportedError
from lib.gate import CompileGate
from lib.models import (
    CompileReport,
    ContextBundle,
    ContextItem,
    DeleteReport,
    Episode,
    Memory,
    MemoryList,
    Message,
    NewEpisode,
    RuntimeInfo,
    SubjectSummary,
    Timeline,
)
from lib.protocol import Capability, Progress
from lib.statewave.calls import CALL_S, LARGEST_ANSWER, Call, Caller, RecordedCall
from lib.statewave.cleaning import Cleaner, checked_budget, checked_id, path_segment
from lib.statewave.compiling import ServerCompiler
from lib.statewave.features import ASK_S, UNKNOWN, FeatureCheck, Features, parse_features
from lib.statewave.items import with_items
from lib.statewave.paging import SEARCH_LIMIT, Pager
from lib.statewave.requests import as_messages, episode_body
from lib.wire import (
    parse_bundle,
    parse_deletion,
    parse_episode,
    parse_item,
    parse_memory,
)
from lib.wire.fields import Fields

BATCH_EPISODES = 100
"""What a server accepts at most in one batch."""

_PAGE = 200
_EXTENDED_PAGE = 1000


def _random_id() -> str:
    return uuid.uuid4().hex


class StatewaveClient:
    """One Statewave server; satisfies `MemoryRuntime` and is safe to share between threads.

    Every call ends within its deadline (`call_s`, compiling 120 s), retries included; a reading one
    gives up on a silent server after 3 s, and for the 5 s that follow at once. Text is made safe
    for the server first: `lib.statewave.cleaning`.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        tenant_id: str | None = None,
        transport: httpx.BaseTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        new_id: Callable[[], str] = _random_id,
        gate: CompileGate | None = None,
        call_s: float = CALL_S,
        largest_answer: int = LARGEST_ANSWER,
    ) -> None:
        self._clock = clock
        self._new_id = new_id
        self._caller = Caller(
            base_url,
            api_key=api_key,
            tenant_id=tenant_id,
            transport=transport,
            clock=clock,
            sleep=sleep,
            new_id=new_id,
            call_s=call_s,
            largest_answer=largest_answer,
        )
        self._features = FeatureCheck(self._ask_version, clock=clock)
        self._pager = Pager(self._caller, clock=clock)
        self._compiler = ServerCompiler(
            self._caller, gate=gate or CompileGate(), clock=clock, sleep=sleep
        )

    def __repr__(self) -> str:
        return f"StatewaveClient({self._caller.location!r})"

    def info(self) -> RuntimeInfo:
        """Name, version as far as it is known, and address without credentials."""
        return RuntimeInfo("Statewave", self._features.known.version, self._caller.location)

    def capabilities(self) -> frozenset[Capability]:
        """What the server can do; asked for every few minutes, and only `sessions` while it is
        unreachable."""
        return self._features.current().capabilities

    def recent_calls(self) -> tuple[RecordedCall, ...]:
        """The last 500 requests, oldest first, for Status."""
        return self._caller.recent_calls()

    def ping(self) -> float:
        """Round-trip time of `GET /healthz`, in ms."""
        started = self._clock()
        self._caller.call(Call("GET", "/healthz"), partial(Fields, what="the health check"))
        return (self._clock() - started) * 1000

    def record_episode(
        self,
        subject_id: str,
        messages: Sequence[Message] | str,
        *,
        session_id: str | None = None,
        source: str = "chat",
        type: str = "conversation",
        metadata: dict[str, Any] | None = None,
        occurred_at: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> Episode:
        """The stored episode; sent twice only where the server honours idempotency keys."""
        episode = NewEpisode(
            as_messages(messages),
            session_id=session_id,
            source=source,
            type=type,
            metadata=metadata or {},
            occurred_at=occurred_at,
            idempotency_key=idempotency_key,
        )
        body = episode_body(subject_id, episode, new_id=self._new_id)
        call = Call("POST", "/v1/episodes", body=body, repeatable=self._honours_keys)
        return self._caller.call(call, parse_episode)

    def record_episodes(self, subject_id: str, episodes: Sequence[NewEpisode]) -> list[Episode]:
        """The stored episodes, in order; each hundred is stored whole or not at all."""
        bodies = [episode_body(subject_id, each, new_id=self._new_id) for each in episodes]
        stored: list[Episode] = []
        for start in range(0, len(bodies), BATCH_EPISODES):
            body = {"episodes": bodies[start : start + BATCH_EPISODES]}
            call = Call("POST", "/v1/episodes/batch", body=body, repeatable=self._honours_keys)
            stored += self._caller.call(call, _parse_batch)
        return stored

    def compile_memories(
        self, subject_id: str, *, on_progress: Progress | None = None
    ) -> CompileReport:
        """What the server made of the episodes it had not compiled yet, in as many calls as it
        takes; with `on_progress` as a background job where the server has them.
        """
        return self._compiler.compile(subject_id, on_progress)

    def pending_episodes(self, subject_id: str) -> int:
        """Episodes no memory names as its source.

        A server that is not ours does not tell which episodes are compiled, so one that gave
        no memory counts as pending, and only the timeline's first 100 are seen.
        """
        if self._features.current().extended:
            params = {"subject_id": checked_id(subject_id)}
            call = Call("GET", "/v1/episodes/pending", params=params, look=True)
            return self._caller.call(call, lambda data: Fields(data, "a count").count("pending"))
        timeline = self.timeline(subject_id)
        sources = {id_ for memory in timeline.memories for id_ in memory.source_episode_ids}
        return sum(episode.id not in sources for episode in timeline.episodes)

    def get_context(
        self,
        subject_id: str,
        task: str,
        *,
        max_tokens: int = 800,
        session_id: str | None = None,
        deadline_s: float | None = None,
    ) -> ContextBundle:
        """The context the server assembles; a 0.7.1 server may go over `max_tokens`.

        With a `deadline_s` the server is asked whether or not it was silent a moment ago.
        """
        cleaner = Cleaner()
        body: dict[str, Any] = {
            "subject_id": checked_id(subject_id),
            "task": cleaner.task(task),
            "max_tokens": checked_budget(max_tokens),
        }
        if session_id:
            body["session_id"] = checked_id(session_id, "session id")
        call = Call(
            "POST",
            "/v1/context",
            body=body,
            deadline_s=deadline_s,
            look=deadline_s is None,
        )
        bundle = with_items(self._caller.call(call, parse_bundle))
        return replace(bundle, notes=cleaner.notes + bundle.notes)

    def sweep_context(
        self, subject_id: str, task: str, budgets: Sequence[int], *, session_id: str | None = None
    ) -> Iterator[ContextBundle]:
        """One bundle per budget, each from a call of its own, made when it is asked for."""
        for max_tokens in budgets:
            yield self.get_context(subject_id, task, max_tokens=max_tokens, session_id=session_id)

    def explain(self, subject_id: str, task: str, memory_id: str) -> ContextItem:
        """Rank and score of one memory. Raises UnsupportedError where the server tells neither."""
        self._require("explain", "This Statewave server does not tell how it ranks a memory.")
        body = {
            "subject_id": checked_id(subject_id),
            "task": Cleaner().task(task),
            "memory_id": checked_id(memory_id, "memory id"),
        }
        call = Call("POST", "/v1/context/explain", body=body, look=True)
        return self._caller.call(call, parse_item)

    def list_memories(
        self, subject_id: str, *, kind: str | None = None, include_superseded: bool = False
    ) -> MemoryList:
        """Memories, newest first; incomplete when the server stops at its first 100."""
        if include_superseded:
            timeline = self.timeline(subject_id)
            newest_first = reversed(timeline.memories)
            kept = tuple(memory for memory in newest_first if kind in (None, memory.kind))
            return MemoryList(kept, complete=timeline.complete)
        params = {"subject_id": checked_id(subject_id), "kind": kind}
        return self._pager.memories(params, page=self._search_page())

    def search_memories(
        self, subject_id: str, query: str, *, kind: str | None = None, limit: int = 100
    ) -> MemoryList:
        """Active memories that match `query`; a server gives at most 100, ours 1000."""
        if limit < 1:
            raise InputError(f"A search returns at least 1 memory, not {limit}.")
        params = {"subject_id": checked_id(subject_id), "q": Cleaner().text(query), "kind": kind}
        if limit > SEARCH_LIMIT:
            limit = min(limit, self._search_page())
        return self._pager.search(params, limit=limit)

    def timeline(self, subject_id: str) -> Timeline:
        """Episodes and memories, oldest first; a 0.7.1 server stops at the oldest 100 of each."""
        extended = self._features.current().extended
        page = _EXTENDED_PAGE if extended else _PAGE
        return self._pager.timeline(checked_id(subject_id), page=page)

    def list_subjects(self) -> list[SubjectSummary]:
        """All subjects by id."""
        return self._pager.subjects()

    def delete_subject(self, subject_id: str) -> DeleteReport:
        """Counts of what was removed. Raises InputError for an id that no path can carry."""
        path = f"/v1/subjects/{path_segment(subject_id, 'subject id')}"
        return self._caller.call(Call("DELETE", path), parse_deletion)

    def forget_memory(self, subject_id: str, memory_id: str) -> Memory:
        """The memory, now forgotten. Raises UnsupportedError where the server cannot."""
        return self._change(subject_id, memory_id, "forget", {})

    def restore_memory(self, subject_id: str, memory_id: str) -> Memory:
        """The memory, active again. Raises UnsupportedError where the server cannot."""
        return self._change(subject_id, memory_id, "restore", {})

    def correct_memory(self, subject_id: str, memory_id: str, content: str) -> Memory:
        """The memory that replaces it. Raises UnsupportedError where the server cannot."""
        return self._change(subject_id, memory_id, "correct", {"content": Cleaner().text(content)})

    def close(self) -> None:
        """Closes all connections; a later call opens new ones."""
        self._caller.close()

    def _search_page(self) -> int:
        return _EXTENDED_PAGE if self._features.current().extended else SEARCH_LIMIT

    def _change(self, subject_id: str, memory_id: str, verb: str, body: dict[str, Any]) -> Memory:
        self._require(
            "forget",
            "This Statewave server cannot forget or correct a single memory; "
            "only a whole subject can be deleted.",
        )
        body = {"subject_id": checked_id(subject_id), **body}
        path = f"/v1/memories/{path_segment(memory_id, 'memory id')}/{verb}"
        # Correcting twice would leave two new memories.
        call = Call("POST", path, body=body, repeatable=lambda _: verb != "correct")
        return self._caller.call(call, parse_memory)

    def _require(self, capability: Capability, sentence: str) -> None:
        features = self._features.current()
        if features is UNKNOWN:
            # A server that is down or wants another key gets its own error, not this one.
            features = self._ask_version(ASK_S)
        if capability not in features.capabilities:
            raise UnsupportedError(sentence)

    def _honours_keys(self, within_s: float) -> bool:
        return "idempotency" in self._features.current(within_s).capabilities

    def _ask_version(self, within_s: float) -> Features:
        call = Call("GET", "/v1/version", deadline_s=within_s, look=True)
        return self._caller.call(call, parse_features)


def _parse_batch(data: object) -> tuple[Episode, ...]:
    return Fields(data, "a batch").many("episodes", parse_episode)
