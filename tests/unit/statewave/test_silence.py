"""A server that accepts and never answers: how long a page waits for it, and how often."""

from collections.abc import Callable

import httpx
import pytest

from lib.errors import StatewaveConnectionError
from lib.statewave import StatewaveClient

BUNDLE = {"subject_id": "ada", "task": "t", "assembled_context": "", "token_estimate": 0}


class _SilentServer:
    """Lets every request run into its timeout, until it `speaks`."""

    def __init__(self) -> None:
        self.now = 0.0
        self.speaks = False
        self.asked = 0

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        if not self.speaks:
            self.now += request.extensions["timeout"]["read"]
            raise httpx.ReadTimeout("silence", request=request)
        subjects = {"subjects": [], "total": 0}
        return httpx.Response(200, json=BUNDLE if "context" in request.url.path else subjects)

    def client(self) -> StatewaveClient:
        return StatewaveClient(
            "http://statewave.test",
            transport=httpx.MockTransport(self.answer),
            clock=lambda: self.now,
            sleep=lambda _: None,
        )


def test_a_page_waits_three_seconds_for_a_silent_server_and_then_not_again() -> None:
    server = _SilentServer()
    client = server.client()
    looks: list[Callable[[], object]] = [
        lambda: client.timeline("ada"),
        client.list_subjects,
        lambda: client.list_memories("ada"),
        lambda: client.search_memories("ada", "tea"),
        lambda: client.pending_episodes("ada"),
        lambda: client.get_context("ada", "t"),
    ]
    for look in looks:
        with pytest.raises(StatewaveConnectionError, match="did not answer within 3 s"):
            look()
    assert client.capabilities() == {"sessions"}
    assert (server.now, server.asked) == (3.0, 1)


def test_a_server_that_was_silent_is_asked_again_after_five_seconds() -> None:
    server = _SilentServer()
    client = server.client()
    with pytest.raises(StatewaveConnectionError):
        client.list_subjects()
    server.speaks, server.now = True, server.now + 5
    assert client.list_subjects() == []


def test_a_reply_and_a_recording_ask_even_a_server_that_was_silent() -> None:
    server = _SilentServer()
    client = server.client()
    with pytest.raises(StatewaveConnectionError):
        client.list_subjects()
    server.speaks = True
    assert client.get_context("ada", "t", deadline_s=3).subject_id == "ada"
    # What has answered is no longer silent.
    assert client.list_subjects() == []


def test_a_list_that_runs_out_of_time_says_so_and_the_server_is_not_taken_for_silent() -> None:
    now = [0.0]

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/context":
            return httpx.Response(200, json=BUNDLE)
        # Every page takes 2.4 s, and there is always another one.
        left = request.extensions["timeout"]["read"]
        now[0] += min(2.4, left)
        if left < 2.4:
            raise httpx.ReadTimeout("late", request=request)
        rows = [{"subject_id": f"s{n}", "episode_count": 1, "memory_count": 0} for n in range(200)]
        return httpx.Response(200, json={"subjects": rows, "total": 9999})

    client = StatewaveClient(
        "http://statewave.test",
        transport=httpx.MockTransport(answer),
        clock=lambda: now[0],
        sleep=lambda _: None,
    )
    with pytest.raises(StatewaveConnectionError, match="did not answer within 10 s"):
        client.list_subjects()
    assert now[0] == pytest.approx(10)
    assert client.get_context("ada", "t").subject_id == "ada"
