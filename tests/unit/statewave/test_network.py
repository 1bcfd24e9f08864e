"""Faults over a real socket: the deadline holds, the error is right, the next call works."""

import socket
import time

import pytest

from lib.errors import StatewaveAPIError, StatewaveConnectionError, StatewaveError
from lib.statewave import StatewaveClient
from tests.support.scripted_server import (
    HEADERS_DONE,
    HEADERS_OPEN,
    Act,
    answer,
    drip,
    html,
    raw,
    reset,
    scripted_server,
    stall,
    truncated,
)

BUNDLE = {"subject_id": "ada", "task": "t", "assembled_context": "", "token_estimate": 0}
DEADLINE_S = 0.3
# What a busy machine may add; without the deadline these calls would take 10 s or for ever.
SLACK_S = 1.5

TOO_SLOW = {
    "headers never come": stall(),
    "headers drip": drip(HEADERS_OPEN),
    "body never comes": stall(HEADERS_DONE),
    "body drips": drip(HEADERS_DONE),
    "body drips with pauses": drip(HEADERS_DONE, pause_s=0.2),
}


@pytest.mark.parametrize("act", TOO_SLOW.values(), ids=TOO_SLOW)
def test_the_deadline_holds_and_the_next_call_works(act: Act) -> None:
    with scripted_server(act, answer(BUNDLE)) as url:
        client = StatewaveClient(url)
        started = time.monotonic()
        with pytest.raises(StatewaveConnectionError, match=r"did not answer within 0\.3 s"):
            client.get_context("ada", "t", deadline_s=DEADLINE_S)
        assert time.monotonic() - started < DEADLINE_S + SLACK_S
        assert client.get_context("ada", "t").subject_id == "ada"
        client.close()


BROKEN = {
    "reset": (reset(), StatewaveConnectionError, "broke the connection off"),
    "closed without a word": (raw(b""), StatewaveConnectionError, "broke the connection off"),
    "truncated": (truncated(BUNDLE), StatewaveConnectionError, "broke the connection off"),
    "not http": (raw(b"SSH-2.0-OpenSSH\r\n"), StatewaveConnectionError, "broke the connection off"),
    "html": (html(), StatewaveAPIError, "not JSON"),
    "half a json text": (
        raw(b'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{"subject_id": "a'),
        StatewaveAPIError,
        "not JSON",
    ),
    "json of another kind": (answer([1]), StatewaveAPIError, "must be an object, not a list"),
    "a wrong type": (
        answer(BUNDLE | {"token_estimate": "9"}),
        StatewaveAPIError,
        "`token_estimate` of a context bundle must be a whole number, not text",
    ),
}


@pytest.mark.parametrize(("act", "kind", "sentence"), BROKEN.values(), ids=BROKEN)
def test_a_broken_answer_is_explained_and_the_next_call_works(
    act: Act, kind: type[StatewaveError], sentence: str
) -> None:
    # Two broken answers, as the first is tried again where that can help.
    retried = kind is StatewaveConnectionError
    script = (act, act, answer(BUNDLE)) if retried else (act, answer(BUNDLE))
    with scripted_server(*script) as url:
        client = StatewaveClient(url, sleep=lambda _: None)
        with pytest.raises(kind, match=sentence) as caught:
            client.get_context("ada", "t")
        assert type(caught.value) is kind
        assert client.get_context("ada", "t").subject_id == "ada"
        client.close()


def test_a_connection_that_breaks_once_is_tried_again() -> None:
    with scripted_server(reset(), answer(BUNDLE)) as url:
        client = StatewaveClient(url, sleep=lambda _: None)
        assert client.get_context("ada", "t").subject_id == "ada"
        client.close()


def test_a_refused_connection_says_what_to_check() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        client = StatewaveClient(f"http://127.0.0.1:{port}", sleep=lambda _: None)
        with pytest.raises(StatewaveConnectionError, match="Is it running") as caught:
            client.ping()
    assert str(port) in str(caught.value)


def test_a_host_nobody_knows_says_what_to_check() -> None:
    client = StatewaveClient("http://no-such-host.invalid", sleep=lambda _: None)
    with pytest.raises(StatewaveConnectionError, match="is the address right"):
        client.ping()


def test_after_a_500_the_connection_is_not_used_again() -> None:
    # The server keeps the connection open but would never answer on it again.
    refusal = b"HTTP/1.1 500 Oops\r\ncontent-length: 2\r\n\r\n{}"
    with scripted_server(stall(refusal), stall(refusal), answer(BUNDLE)) as url:
        client = StatewaveClient(url, sleep=lambda _: None)
        with pytest.raises(StatewaveAPIError) as caught:
            client.get_context("ada", "t")
        assert caught.value.status == 500
        assert client.get_context("ada", "t", deadline_s=2).subject_id == "ada"
        client.close()
