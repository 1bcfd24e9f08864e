"""Calls: one request to the server within one deadline, at most one retry included."""

import json
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx

from lib.errors import StatewaveConnectionError
from lib.statewave.address import checked_url, common_headers
from lib.statewave.answers import Answer, read_answer
from lib.statewave.network import DEADLINE, DeadlineTransport
from lib.statewave.unanswered import TooLargeError, why_unanswered

V = TypeVar("V")

CALL_S = 10.0
COMPILE_S = 120.0
LOOK_S = 3.0
"""How long a page waits for one answer of a server that is silent."""
SILENT_FOR_S = 5.0
"""A page looks several times and is run again on every click; while a server is silent, only the
first look within this time should wait."""
CONNECT_S = 2.0
RETRY_PAUSE_S = 0.1
LONGEST_RETRY_AFTER_S = 5.0
CALLS_KEPT = 500
LARGEST_ANSWER = 64_000_000
"""In bytes, unpacked. The longest honest answer is a page of 1,000 long episodes."""

_RETRIED_STATUSES = (500, 502, 503, 504)
_NEVER_CONNECTED = (httpx.ConnectError, httpx.ConnectTimeout)
_BROKEN_OFF = (
    *_NEVER_CONNECTED,
    httpx.ReadError,
    httpx.WriteError,
    httpx.RemoteProtocolError,
)

Outcome = Answer | httpx.RequestError


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One request as Status shows it: never a body, a query or a key. Duration in ms."""

    method: str
    path: str
    status: int | None
    duration_ms: float
    request_id: str


@dataclass(frozen=True, slots=True)
class Call:
    """What to send, within `deadline_s`.

    `repeatable` says, within the seconds it is given, whether sending twice does no harm;
    `answered_only` that it does none once the server has answered or was never reached. A `look` is
    a reading call that a page is drawn from: it waits for each answer at most LOOK_S, and fails
    at once for a while after another look got none.
    """

    method: str
    path: str
    params: Mapping[str, Any] | None = None
    body: Mapping[str, Any] | None = None
    deadline_s: float | None = None
    """What the caller grants every call, unless given."""
    repeatable: Callable[[float], bool] = lambda _: True
    answered_only: bool = False
    look: bool = False


class Caller:
    """Sends calls over one connection pool; safe from any thread."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None,
        tenant_id: str | None,
        transport: httpx.BaseTransport | None,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
        new_id: Callable[[], str],
        call_s: float = CALL_S,
        largest_answer: int = LARGEST_ANSWER,
    ) -> None:
        self.call_s = call_s
        self._largest_answer = largest_answer
        url = checked_url(base_url)
        # httpx logs addresses in full, so a password must not be part of one.
        self._url = url.copy_with(userinfo=b"", query=None, fragment=None)
        self._auth = (url.username, url.password) if url.userinfo else None
        self._secret = (api_key or "").encode()
        self._headers = common_headers(api_key, tenant_id)
        self._transport = transport
        self._clock, self._sleep, self._new_id = clock, sleep, new_id
        self._lock = threading.Lock()
        self._http: httpx.Client | None = None
        self._recent: deque[RecordedCall] = deque(maxlen=CALLS_KEPT)
        self._silent_until = clock()
        self._silence = ""

    @property
    def location(self) -> str:
        """The server's address, without a user name or password."""
        return str(self._url).rstrip("/")

    def recent_calls(self) -> tuple[RecordedCall, ...]:
        """The last 500 requests, oldest first."""
        with self._lock:
            return tuple(self._recent)

    def call(self, call: Call, parse: Callable[[object], V]) -> V:
        """The parsed answer. Raises StatewaveConnectionError or the error the answer stands for."""
        if call.look and self._clock() < self._silent_until:
            raise StatewaveConnectionError(self._silence, reached=False)
        deadline = self._clock() + self._allowed_s(call)
        outcome = self._attempt(call, deadline)
        reached = not isinstance(outcome, _NEVER_CONNECTED)
        pause = None if _is_silence(outcome) and call.look else _retry_pause(outcome)
        left = deadline - self._clock()
        if pause is not None and pause < left and _may_repeat(call, outcome, left - pause):
            self._sleep(pause)
            outcome = self._attempt(call, deadline)
            reached = reached or not isinstance(outcome, _NEVER_CONNECTED)
        if isinstance(outcome, Answer):
            self._silent_until = self._clock()
            return read_answer(outcome, parse)
        patience_s, usual_s = self._patience_s(call), min(self.call_s, LOOK_S)
        # A look with less patience asks for the last page of a list whose time as a whole ran out:
        # that server is slow, not silent.
        hurried = call.look and patience_s < usual_s
        waited_s = self.call_s if hurried else patience_s
        reason = why_unanswered(outcome, self.location, patience_s=waited_s)
        if call.look and not hurried and _is_silence(outcome):
            self._silence, self._silent_until = reason, self._clock() + SILENT_FOR_S
        raise StatewaveConnectionError(reason, reached=reached) from outcome

    def _allowed_s(self, call: Call) -> float:
        return self.call_s if call.deadline_s is None else call.deadline_s

    def _patience_s(self, call: Call) -> float:
        """How long one answer may take."""
        allowed = self._allowed_s(call)
        return min(allowed, LOOK_S) if call.look else allowed

    def close(self) -> None:
        """Closes all connections; a later call opens new ones."""
        with self._lock:
            if self._http is not None:
                self._http.close()

    def _attempt(self, call: Call, deadline: float) -> Outcome:
        request_id, started = self._new_id(), self._clock()
        deadline = min(deadline, started + self._patience_s(call))
        status: int | None = None
        try:
            response = self._send(call, deadline, request_id)
            try:
                status = response.status_code
                body = self._read_body(response, deadline)
            finally:
                response.close()
        except httpx.RequestError as error:
            return error
        finally:
            duration_ms = (self._clock() - started) * 1000
            shown = RecordedCall(call.method, call.path, status, duration_ms, request_id)
            with self._lock:
                self._recent.append(shown)
        if status >= 400 and self._secret:
            # A server may quote what it was sent; an error message never shows the key.
            body = body.replace(self._secret, b"***")
        return Answer(status, response.headers, body, _request_id(response, request_id))

    def _send(self, call: Call, deadline: float, request_id: str) -> httpx.Response:
        left = max(deadline - self._clock(), 0.001)
        content = None if call.body is None else json.dumps(call.body, allow_nan=False).encode()
        while True:
            client = self._client()
            request = client.build_request(
                call.method,
                self._url.copy_with(raw_path=self._url.raw_path.rstrip(b"/") + call.path.encode()),
                params=_params(call.params),
                content=content,
                headers={"X-Request-ID": request_id} | ({} if content is None else _JSON),
                timeout=httpx.Timeout(left, connect=min(CONNECT_S, left)),
                extensions={DEADLINE: deadline},
            )
            try:
                return client.send(request, stream=True)
            except RuntimeError:
                # Closed by another thread between the check and the send: nothing has left yet,
                # and the next turn opens a new one.
                if not client.is_closed:
                    raise

    def _read_body(self, response: httpx.Response, deadline: float) -> bytes:
        chunks, size = [], 0
        for chunk in response.iter_bytes():
            chunks.append(chunk)
            size += len(chunk)
            if size > self._largest_answer:
                raise TooLargeError(self._largest_answer, request=response.request)
            if self._clock() > deadline:
                raise httpx.ReadTimeout("the deadline has passed", request=response.request)
        return b"".join(chunks)

    def _client(self) -> httpx.Client:
        with self._lock:
            if self._http is None or self._http.is_closed:
                secure = self._url.scheme == "https"
                self._http = httpx.Client(
                    headers=self._headers,
                    auth=self._auth,
                    transport=self._transport
                    or DeadlineTransport(secure=secure, clock=self._clock),
                    follow_redirects=False,
                    trust_env=False,
                )
            return self._http


_JSON = {"Content-Type": "application/json"}


def _retry_pause(outcome: Outcome) -> float | None:
    """Seconds to wait before a second try; None where a second try cannot help."""
    if isinstance(outcome, httpx.RequestError):
        return RETRY_PAUSE_S if isinstance(outcome, _BROKEN_OFF) else None
    if _turned_away(outcome):
        wait = outcome.retry_after_s
        return wait if wait is not None and wait <= LONGEST_RETRY_AFTER_S else None
    return RETRY_PAUSE_S if outcome.status in _RETRIED_STATUSES else None


def _is_silence(outcome: Outcome) -> bool:
    return isinstance(outcome, httpx.TimeoutException)


def _may_repeat(call: Call, outcome: Outcome, left: float) -> bool:
    if _turned_away(outcome):
        return True
    if call.answered_only:
        # 502 and 504 come from a proxy, behind which the server may still be at work.
        if isinstance(outcome, Answer):
            return outcome.status in (500, 503)
        return isinstance(outcome, httpx.ConnectError | httpx.ConnectTimeout)
    return call.repeatable(left)


def _turned_away(outcome: Outcome) -> bool:
    """Rate limited: the request was not carried out, so repeating it is always safe."""
    return isinstance(outcome, Answer) and outcome.status == 429


def _params(params: Mapping[str, Any] | None) -> dict[str, str] | None:
    if params is None:
        return None
    return {name: str(value) for name, value in params.items() if value is not None}


def _request_id(response: httpx.Response, sent: str) -> str:
    return str(response.headers.get("x-request-id", sent))
