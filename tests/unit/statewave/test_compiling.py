"""Compiling on a server: one at a time, until nothing is left, as a job where it is watched."""

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import httpx
import pytest

from lib.connect import connect_runtime
from lib.errors import (
    StatewaveAPIError,
    StatewaveConnectionError,
    StatewaveRateLimitError,
)
from lib.gate import CompileGate
from lib.settings import Settings
from lib.statewave import StatewaveClient

Json = dict[str, Any]
PATH = "/v1/memories/compile"
PASS = 500
"""How many episodes a server compiles in one call."""


def memory(number: int) -> Json:
    return {
        "id": f"m{number}",
        "subject_id": "ada",
        "kind": "profile_fact",
        "content": f"Fact {number}",
        "created_at": "2026-01-05T09:00:00.000000Z",
        "source_episode_ids": [f"e{number}"],
    }


def compiled(memories: list[Json], made: int | None = None) -> Json:
    count = len(memories) if made is None else made
    return {"subject_id": "ada", "memories_created": count, "memories": memories}


class OldServer:
    """Compiles 500 episodes a call, one memory each, and never says that there are more."""

    def __init__(self, pending: int, *, lists_jobs: bool = True) -> None:
        self.pending = pending
        self.lists_jobs = lists_jobs
        self.failures: list[httpx.Response | Exception] = []
        self.job_failures = 0
        self.posts = 0
        self.at_work = 0
        self.most_at_work = 0
        self._made = count()
        self._jobs: dict[str, list[Json]] = {}
        self._lock = threading.Lock()

    def client(self, **options: Any) -> StatewaveClient:
        return StatewaveClient(
            "http://statewave.test",
            transport=httpx.MockTransport(self.answer),
            **{"sleep": lambda _: None, **options},
        )

    def answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/version":
            return httpx.Response(404, json={})
        if request.method == "GET":
            states = self._jobs[request.url.path.rsplit("/", 1)[1]]
            return httpx.Response(200, json=states.pop(0) if len(states) > 1 else states[0])
        with self._lock:
            self.posts += 1
            self.at_work += 1
            self.most_at_work = max(self.most_at_work, self.at_work)
        time.sleep(0.002)
        try:
            if self.failures:
                failure = self.failures.pop(0)
                if isinstance(failure, Exception):
                    raise failure
                return failure
            return self._compile(json.loads(request.content))
        finally:
            with self._lock:
                self.at_work -= 1

    def _compile(self, body: Json) -> httpx.Response:
        done = min(self.pending, PASS)
        self.pending -= done
        report = compiled([memory(next(self._made)) for _ in range(done)])
        if not body.get("async"):
            return httpx.Response(200, json=report)
        job_id = f"job{len(self._jobs)}"
        started = {"job_id": job_id, "subject_id": "ada"}
        last = {**report, **started, "status": "completed"}
        if self.job_failures:
            self.job_failures -= 1
            self.pending += done
            last = {**started, "status": "failed", "error": "'str' object has no attribute 'get'"}
        elif not self.lists_jobs:
            last["memories"] = []
        self._jobs[job_id] = [
            {**started, "status": "pending"},
            {**started, "status": "running"},
            last,
        ]
        return httpx.Response(202, json={**started, "status": "pending"})


def failed(status: int) -> httpx.Response:
    return httpx.Response(status, json={"error": {"code": "internal_error", "message": "No"}})


@pytest.mark.parametrize("pending", [0, 1, 499, 500, 501, 1300])
def test_it_goes_on_until_nothing_is_left(pending: int) -> None:
    server = OldServer(pending)
    report = server.client().compile_memories("ada")
    assert len({memory.id for memory in report.created}) == pending
    assert report.episodes_compiled == pending
    assert server.pending == 0


def test_a_server_that_repeats_itself_does_not_keep_it_for_ever() -> None:
    answer = httpx.Response(200, json=compiled([memory(1)]))
    server = OldServer(0)
    server.failures = [answer] * 50
    report = server.client().compile_memories("ada")
    assert [memory.id for memory in report.created] == ["m1"]
    assert server.posts == 2


def test_our_server_needs_one_call() -> None:
    server = OldServer(0)
    server.failures = [httpx.Response(200, json=compiled([memory(1)]) | {"compiler": "offline"})]
    assert len(server.client().compile_memories("ada").created) == 1
    assert server.posts == 1


@pytest.mark.parametrize("status", [500, 503])
def test_a_failure_is_tried_again_once(status: int) -> None:
    server = OldServer(3)
    server.failures = [failed(status)]
    assert len(server.client().compile_memories("ada").created) == 3
    server.failures = [failed(status)] * 2
    with pytest.raises(StatewaveAPIError):
        server.client().compile_memories("ada")
    assert server.failures == []


@pytest.mark.parametrize(
    "failure",
    [httpx.ReadError("cut"), httpx.ReadTimeout("late"), failed(502), failed(504)],
    ids=str,
)
def test_a_server_that_may_still_be_at_work_is_not_asked_twice(
    failure: httpx.Response | Exception,
) -> None:
    server = OldServer(3)
    server.failures = [failure]
    with pytest.raises((StatewaveConnectionError, StatewaveAPIError)):
        server.client().compile_memories("ada")
    assert server.posts == 1


def test_a_long_rate_limit_is_raised_at_once_although_there_is_time() -> None:
    slept: list[float] = []
    server = OldServer(3)
    server.failures = [httpx.Response(429, headers={"Retry-After": "60"}, json={})]
    with pytest.raises(StatewaveRateLimitError):
        server.client(sleep=slept.append).compile_memories("ada")
    assert slept == []


def test_a_failure_half_way_tells_what_was_made() -> None:
    server = OldServer(700)
    server.failures = [httpx.Response(200, json=compiled([memory(9001)])), *[failed(500)] * 2]
    with pytest.raises(StatewaveAPIError, match=r"It had made 1 by then; compile again") as caught:
        server.client().compile_memories("ada")
    assert caught.value.status == 500


def test_one_subject_is_compiled_once_at_a_time_and_others_meanwhile() -> None:
    server = OldServer(0)
    client = server.client()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: client.compile_memories("ada"), range(16)))
    assert server.most_at_work == 1
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: client.compile_memories(f"s{number}"), range(16)))
    assert server.most_at_work > 1


def test_a_button_that_holds_the_gate_may_compile_and_another_client_waits() -> None:
    server, gate = OldServer(3), CompileGate()
    assert gate.enter("ada")
    other = server.client(gate=gate)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(other.compile_memories, "ada")
        assert len(server.client(gate=gate).compile_memories("ada").created) == 3
        assert not waiting.done()
        gate.leave("ada")
        assert waiting.result(timeout=5).created == ()


def test_waiting_for_another_compile_ends_with_a_sentence() -> None:
    gate = CompileGate()
    assert gate.enter("ada")
    ticks = iter([0.0, 0.0, 0.0, 119.99])
    client = OldServer(0).client(gate=gate, clock=lambda: next(ticks, 119.99))
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(client.compile_memories, "ada")
        with pytest.raises(StatewaveConnectionError, match="still being compiled"):
            waiting.result(timeout=5)


# As a job


class Heard:
    """Keeps what it is told of the progress."""

    def __init__(self) -> None:
        self.told: list[tuple[int, int]] = []

    def __call__(self, done: int, total: int) -> None:
        self.told.append((done, total))


@pytest.mark.parametrize("pending", [0, 3, 1300])
def test_a_watched_compile_runs_as_a_job(pending: int) -> None:
    server, heard, slept = OldServer(pending), Heard(), list[float]()
    report = server.client(sleep=slept.append).compile_memories("ada", on_progress=heard)
    assert len(report.created) == pending
    assert server.pending == 0
    assert min(slept) == 0.05
    assert max(slept) <= 1.0
    if pending == 1300:
        assert [done for done, _ in heard.told] == [500, 1000, 1300]


def test_a_server_without_jobs_compiles_all_the_same() -> None:
    server = OldServer(0)
    server.failures = [httpx.Response(200, json=compiled([memory(1)]))]
    report = server.client().compile_memories("ada", on_progress=Heard())
    assert [memory.id for memory in report.created] == ["m1"]


def test_the_progress_that_a_job_tells_is_passed_on() -> None:
    states: list[Json] = [
        {"job_id": "j", "status": "running", "progress": {"done": 40, "total": 90}},
        {"job_id": "j", "status": "completed", "compiler": "offline", **compiled([memory(1)])},
    ]

    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            return httpx.Response(202, json={"job_id": "j", "status": "pending"})
        return httpx.Response(200, json=states.pop(0))

    heard = Heard()
    client = StatewaveClient(
        "http://statewave.test", transport=httpx.MockTransport(answer), sleep=lambda _: None
    )
    assert len(client.compile_memories("ada", on_progress=heard).created) == 1
    assert heard.told == [(40, 90)]


def test_a_failed_job_is_started_again_once_and_its_reason_is_not_shown() -> None:
    server = OldServer(3)
    server.job_failures = 1
    assert len(server.client().compile_memories("ada", on_progress=Heard()).created) == 3
    server = OldServer(3)
    server.job_failures = 2
    with pytest.raises(StatewaveAPIError, match="failed while compiling") as caught:
        server.client().compile_memories("ada", on_progress=Heard())
    assert "object" not in str(caught.value)
    assert (server.posts, caught.value.code) == (2, "compile_failed")


def test_memories_that_a_job_does_not_list_are_told() -> None:
    report = OldServer(700, lists_jobs=False).client().compile_memories("ada", on_progress=Heard())
    assert report.created == ()
    assert report.notes == (
        "More was made than is listed here (500); the memory list has it all.",
        "More was made than is listed here (200); the memory list has it all.",
    )


def test_a_job_that_never_ends_is_left_to_itself_with_a_sentence() -> None:
    now = [0.0]

    def answer(request: httpx.Request) -> httpx.Response:
        state = {"job_id": "j", "status": "running"}
        return httpx.Response(202 if request.method == "POST" else 200, json=state)

    client = StatewaveClient(
        "http://statewave.test",
        transport=httpx.MockTransport(answer),
        clock=lambda: now[0],
        sleep=lambda seconds: now.__setitem__(0, now[0] + seconds),
    )
    with pytest.raises(StatewaveConnectionError, match="not done compiling within 600 s"):
        client.compile_memories("ada", on_progress=Heard())
    assert 595 < now[0] <= 600


def test_a_gate_lets_one_thread_in_and_that_one_again() -> None:
    gate = CompileGate()
    assert gate.enter("ada")
    assert gate.enter("ada")
    with ThreadPoolExecutor(1) as pool:
        ask: Callable[..., bool] = lambda subject: pool.submit(gate.enter, subject).result()  # noqa: E731
        assert not ask("ada")
        assert ask("bob")
        gate.leave("ada")
        assert not ask("ada"), "still in once"
        gate.leave("ada")
        assert ask("ada")


def test_the_runtime_of_the_app_compiles_through_the_gate_of_its_buttons() -> None:
    gate = CompileGate()
    settings = Settings(statewave_base_url="http://127.0.0.1:9", statewave_runtime="statewave")
    runtime = connect_runtime(settings, gate=gate)
    assert gate.enter("ada")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(runtime.compile_memories, "ada")
        with pytest.raises(TimeoutError):
            waiting.result(timeout=0.1)
        gate.leave("ada")
        with pytest.raises(StatewaveConnectionError):
            waiting.result(timeout=5)
    runtime.close()
