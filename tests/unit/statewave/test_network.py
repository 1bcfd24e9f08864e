"""Faults over a real socket: the deadline holds, the error is right, nothing is doubled, and the
next call works.
"""

import gzip
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest

from lib.errors import (
    StatewaveAPIError,
    StatewaveConnectionError,
    StatewaveError,
    StatewaveRateLimitError,
)
from lib.statewave import StatewaveClient
from lib.statewave.network import DeadlineTransport
from tests.support.scripted_server import (
    CERTIFICATE,
    CHUNKED,
    HEADERS_DONE,
    HEADERS_OPEN,
    OLD_SERVER,
    Act,
    ScriptedServer,
    answer,
    drip,
    flood,
    html,
    kept,
    raw,
    reset,
    scripted_server,
    stall,
    then_drop,
    truncated,
)

BUNDLE = {"subject_id": "ada", "task": "t", "assembled_context": "", "token_estimate": 0}
TIMELINE = {"subject_id": "ada", "episodes": [], "memories": []}
EPISODE = {
    "id": "e1",
    "subject_id": "ada",
    "payload": {"messages": [{"role": "user", "content": "hello"}]},
    "created_at": "2026-01-05T09:00:00.000000Z",
}
HEALTHY: dict[str, object] = {**BUNDLE, **TIMELINE, **EPISODE}
"""Good for every call of these tests."""

WITH_KEYS = {"/v1/version": answer({"version": "1.4", "capabilities": ["idempotency"]})}
FAILED = {"error": {"code": "internal_error", "message": "An unexpected error occurred"}}

DEADLINE_S = 0.2
# What a busy machine may add; without the deadline these calls would take 10 s or for ever.
SLACK_S = 1.5

LATE, BROKEN = r"did not answer within 0\.2 s", "broke the connection off"


@dataclass(frozen=True, slots=True)
class Fault:
    """What the server does, and what a caller hears of it."""

    act: Act
    sentence: str
    kind: type[StatewaveError] = StatewaveConnectionError


def http(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> bytes:
    lines = [b"HTTP/1.1 " + status, b"content-length: %d" % len(body), *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


FAULTS = {
    "reset before headers": Fault(reset(), BROKEN),
    "reset inside headers": Fault(reset(HEADERS_OPEN), BROKEN),
    "reset after headers": Fault(reset(HEADERS_DONE), BROKEN),
    "closed without a word": Fault(raw(b""), BROKEN),
    "headers never come": Fault(stall(), LATE),
    "headers stall": Fault(stall(HEADERS_OPEN), LATE),
    "headers drip": Fault(drip(HEADERS_OPEN), LATE),
    "body never comes": Fault(stall(HEADERS_DONE), LATE),
    "body drips": Fault(drip(HEADERS_DONE), LATE),
    "body drips with pauses": Fault(drip(HEADERS_DONE, pause_s=0.12), LATE),
    "chunks drip": Fault(drip(CHUNKED, piece=b"1\r\n \r\n"), LATE),
    "truncated": Fault(truncated(BUNDLE), BROKEN),
    "not http": Fault(raw(b"SSH-2.0-OpenSSH\r\n"), BROKEN),
    "broken chunks": Fault(raw(CHUNKED + b"zz\r\nnonsense"), BROKEN),
    "headers without end": Fault(drip(HEADERS_OPEN, piece=b"x" * 10_000, pause_s=0), BROKEN),
    "broken gzip": Fault(kept(http(b"no gzip", b"content-encoding: gzip")), BROKEN),
    "body without end": Fault(flood(), "larger than 1 MB"),
    "small but unpacks for ever": Fault(
        kept(http(gzip.compress(b" " * 5_000_000), b"content-encoding: gzip")), "larger than 1 MB"
    ),
    "html": Fault(html(), "it was not JSON", StatewaveAPIError),
    "nothing": Fault(kept(http(b"")), "it was not JSON", StatewaveAPIError),
    "half a json text": Fault(
        kept(http(b'{"subject_id": "a')), "it was not JSON", StatewaveAPIError
    ),
    "deep json": Fault(kept(http(b"[" * 200_000)), "it was not JSON", StatewaveAPIError),
    "not utf-8": Fault(kept(http(b'"\xff\xfe"')), "it was not JSON", StatewaveAPIError),
    "json of another kind": Fault(answer([1]), "must be an object, not a list", StatewaveAPIError),
    "wrong types": Fault(
        answer(HEALTHY | {"token_estimate": "9", "id": 1, "episodes": "many"}),
        "must be (a whole number|text|a list)",
        StatewaveAPIError,
    ),
    "fields missing": Fault(answer({"task": "t"}), "has no `(id|subject_id)`", StatewaveAPIError),
    "redirect loop": Fault(
        answer({}, "307 Temporary Redirect", location="/v1/context"),
        "redirects to .* which is not followed",
        StatewaveAPIError,
    ),
    "a redirect to nowhere": Fault(answer({}, "302 Found"), "redirects", StatewaveAPIError),
    "500": Fault(answer(FAILED, "500 Oops"), "failed on this request", StatewaveAPIError),
    "502 with html": Fault(
        kept(http(b"<h1>Bad Gateway</h1>", status=b"502 Bad Gateway")),
        r"not available right now \(502\)",
        StatewaveAPIError,
    ),
    "503": Fault(answer(FAILED, "503 Away"), r"right now \(503\)", StatewaveAPIError),
    "429": Fault(answer(FAILED, "429 Slow"), "slow down", StatewaveRateLimitError),
    "429 for an hour": Fault(
        answer(FAILED, "429 Slow", retry_after="3600"),
        "try again in 3600 s",
        StatewaveRateLimitError,
    ),
}

Ask = Callable[[StatewaveClient], object]


def read(client: StatewaveClient) -> object:
    return client.timeline("ada").subject_id


def assemble(client: StatewaveClient) -> object:
    return client.get_context("ada", "t", deadline_s=DEADLINE_S).subject_id


def record(client: StatewaveClient) -> object:
    return client.record_episode("ada", "hello", idempotency_key="turn-1").id


ASKS = {"timeline": read, "context": assemble, "record": record}


def connect(server: ScriptedServer, **options: Any) -> StatewaveClient:
    settings: dict[str, Any] = {
        "call_s": DEADLINE_S,
        "largest_answer": 1_000_000,
        "sleep": lambda _: None,
    } | options
    return StatewaveClient(server.url, **settings)


@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_costs_its_deadline_at_most_and_is_explained(fault: Fault, ask: Ask) -> None:
    with scripted_server(fault.act) as server:
        client = connect(server)
        started = time.monotonic()
        with pytest.raises(StatewaveError, match=fault.sentence) as caught:
            ask(client)
        assert time.monotonic() - started < DEADLINE_S + SLACK_S
        client.close()
    assert type(caught.value) is fault.kind
    assert str(caught.value)[0].isupper()
    assert str(caught.value).endswith(".")
    sent = len(server.requests)
    # Once, and once again where that can help and does no harm.
    assert sent - Counter(each.path for each in server.requests)["/v1/version"] <= 2
    assert len(server.bodies("/v1/episodes")) <= 1


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_after_a_fault_the_pool_is_healthy(fault: Fault) -> None:
    with scripted_server(fault.act, answer(HEALTHY)) as server:
        client = connect(server)
        with pytest.raises(StatewaveError):
            client.record_episode("ada", "hello")
        before = len(server.requests)
        for ask in (record, assemble, read, record):
            assert ask(client) in ("ada", "e1")
        connections = {each.connection for each in server.requests[before:]}
        assert len(connections) == 1, "one connection carries all calls"
        client.close()


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_an_episode_that_is_sent_again_has_the_same_key(fault: Fault) -> None:
    with scripted_server(fault.act, answer(HEALTHY), always=WITH_KEYS) as server:
        client = connect(server)
        try:
            record(client)
        except StatewaveError:
            record(client)
        client.close()
    keys = {body["idempotency_key"] for body in server.bodies("/v1/episodes")}
    assert keys == {"turn-1"}


def test_unknown_fields_are_ignored() -> None:
    strange = {"colour": "blue", "nested": {"a": [None]}, "facts": [], "token_estimate": 0}
    with scripted_server(answer(HEALTHY | strange)) as server:
        client = connect(server)
        assert [ask(client) for ask in ASKS.values()] == ["ada", "ada", "e1"]
        client.close()


def test_a_connection_that_breaks_once_is_tried_again() -> None:
    with scripted_server(reset(), answer(HEALTHY)) as server:
        client = connect(server, call_s=5.0)
        assert read(client) == "ada"
        client.close()


def test_an_idle_connection_that_was_dropped_costs_no_call() -> None:
    with scripted_server(then_drop(answer(HEALTHY))) as server:
        client = connect(server, call_s=5.0)
        for _ in range(5):
            assert read(client) == "ada"
            # The server's goodbye is on its way.
            time.sleep(0.02)
        assert record(client) == "e1"
        client.close()


@pytest.mark.parametrize("kept", [True, False], ids=["connection kept", "connection dropped"])
def test_alternating_500s_on_pooled_connections_fail_only_what_they_answer(kept: bool) -> None:
    fails = answer(FAILED, "500 Oops")
    acts = [fails if kept else then_drop(fails), answer(HEALTHY)] * 10
    with scripted_server(*acts) as server:
        client = connect(server, call_s=5.0)
        for _ in range(5):
            assert read(client) == "ada", "tried again on a fresh connection"
        outcomes = [_outcome(client) for _ in range(10)]
        client.close()
    assert outcomes == [500, "e1"] * 5, "never a connection error, never tried twice"
    assert len(server.bodies("/v1/episodes")) == 10


def _outcome(client: StatewaveClient) -> object:
    try:
        return record(client)
    except StatewaveAPIError as error:
        return error.status


def test_a_storm_of_429_is_not_answered_with_a_storm() -> None:
    slow_down = answer(FAILED, "429 Slow", retry_after="1")
    slept: list[float] = []
    with scripted_server(*[slow_down] * 30, answer(HEALTHY)) as server:
        client = connect(server, call_s=5.0, sleep=slept.append)
        with ThreadPoolExecutor(10) as pool:
            outcomes = Counter(pool.map(lambda _: _limited(client), range(20)))
        client.close()
    assert outcomes["e1"] + outcomes["limited"] == 20
    assert outcomes["e1"] >= 5, "served in the end"
    assert set(slept) == {1.0}, "each waits as long as it was told"
    assert len(server.bodies("/v1/episodes")) == 20 + len(slept) <= 40


def _limited(client: StatewaveClient) -> object:
    try:
        return client.record_episode("ada", "hello").id
    except StatewaveRateLimitError:
        return "limited"


def test_after_a_500_the_connection_is_not_used_again() -> None:
    # The server keeps the connection open but would never answer on it again.
    refusal = stall(http(b"{}", status=b"500 Oops"))
    with scripted_server(refusal, refusal, answer(HEALTHY)) as server:
        client = connect(server, call_s=2.0)
        with pytest.raises(StatewaveAPIError) as caught:
            read(client)
        assert caught.value.status == 500
        assert read(client) == "ada"
        client.close()


def test_many_faults_at_once_leave_no_connection_behind() -> None:
    acts = [fault.act for fault in FAULTS.values()]
    with scripted_server(*acts, *acts, answer(HEALTHY)) as server:
        client = connect(server)
        with ThreadPoolExecutor(16) as pool:
            outcomes = list(pool.map(lambda _: _any_outcome(client), range(2 * len(acts))))
        assert all(isinstance(each, StatewaveError) or each == "e1" for each in outcomes)
        while isinstance(_any_outcome(client), StatewaveError):
            pass
        with ThreadPoolExecutor(40) as pool:
            assert set(pool.map(lambda _: _any_outcome(client), range(80))) == {"e1"}
        client.close()


def _any_outcome(client: StatewaveClient) -> object:
    try:
        return record(client)
    except StatewaveError as error:
        return error


# Before there is a connection


def test_a_refused_connection_says_what_to_check() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        client = StatewaveClient(f"http://127.0.0.1:{port}", sleep=lambda _: None)
        for ask in ASKS.values():
            with pytest.raises(StatewaveConnectionError, match="Is it running") as caught:
                ask(client)
    assert str(port) in str(caught.value)


def test_a_host_nobody_knows_says_what_to_check() -> None:
    client = StatewaveClient("http://no-such-host.invalid", sleep=lambda _: None)
    with pytest.raises(StatewaveConnectionError, match="is the address right"):
        client.ping()


def test_a_name_server_that_does_not_answer_is_not_waited_for() -> None:
    done = threading.Event()

    def look_up(*_: object, **__: object) -> list[Any]:
        done.wait(10)
        raise OSError("no answer")

    transport = DeadlineTransport(secure=False, clock=time.monotonic, look_up=look_up)
    client = StatewaveClient("http://slow.invalid", transport=transport, call_s=DEADLINE_S)
    started = time.monotonic()
    with pytest.raises(StatewaveConnectionError, match="Could not connect"):
        client.ping()
    assert time.monotonic() - started < DEADLINE_S + SLACK_S
    done.set()
    client.close()


def test_a_certificate_nobody_signed_is_not_trusted() -> None:
    with scripted_server(answer(HEALTHY), tls=True) as server:
        client = connect(server, call_s=5.0)
        with pytest.raises(StatewaveConnectionError, match=r"certificate .* SSL_CERT_FILE"):
            record(client)
        client.close()
    assert server.requests == []


def test_a_certificate_that_is_trusted_carries_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with scripted_server(answer(HEALTHY), tls=True) as server:
        client = connect(server, call_s=5.0)
        assert [ask(client) for ask in ASKS.values()] == ["ada", "ada", "e1"]
        assert {each.connection for each in server.requests} == {1}
        client.close()


def test_a_tls_server_that_stalls_keeps_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with scripted_server(drip(HEADERS_DONE), tls=True) as server:
        client = connect(server)
        started = time.monotonic()
        with pytest.raises(StatewaveConnectionError, match=LATE):
            record(client)
        assert time.monotonic() - started < DEADLINE_S + SLACK_S
        client.close()


def test_a_server_without_tls_is_named_as_such() -> None:
    with scripted_server(raw(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as server:
        address = server.url.replace("http://", "https://")
        client = StatewaveClient(address, call_s=5.0, sleep=lambda _: None)
        with pytest.raises(StatewaveConnectionError, match="does not speak HTTPS"):
            record(client)
        client.close()


def test_a_server_with_tls_asked_without_breaks_off() -> None:
    with scripted_server(answer(HEALTHY), always=OLD_SERVER, tls=True) as server:
        address = server.url.replace("https://", "http://")
        client = StatewaveClient(address, call_s=5.0, sleep=lambda _: None)
        with pytest.raises(StatewaveConnectionError, match=BROKEN):
            record(client)
        client.close()
