"""Answers: a server's response as a value, or as the error a visitor understands."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NoReturn, TypeVar

from lib.errors import (
    InputError,
    StatewaveAPIError,
    StatewaveAuthError,
    StatewaveNotFoundError,
    StatewaveRateLimitError,
    UnsupportedError,
)

V = TypeVar("V")

UNEXPECTED = "unexpected_answer"
INVALID_INPUT = "invalid_input"
UNSUPPORTED = "unsupported"
"""The last two are sent by our own server only."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
_TEMPORARY = (502, 503, 504)
_MAX_MESSAGE = 200
_PROBLEMS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """One complete response."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    request_id: str

    @property
    def retry_after_s(self) -> float | None:
        """Seconds the server asks to wait; None when it does not say."""
        value = self.headers.get("retry-after", "").strip()
        if value.isdigit():
            return float(value)
        # A date counts from the server's own `Date`, so that no two clocks are compared.
        until, now = _http_date(value), _http_date(self.headers.get("date", ""))
        return max(0.0, (until - now).total_seconds()) if until and now else None


def read_answer(answer: Answer, parse: Callable[[object], V]) -> V:
    """The parsed body. Raises the fitting StatewaveError for any other answer."""
    data = _decoded(answer.body)
    if not 200 <= answer.status < 300:
        _raise_refusal(answer, data)
    if data is None:
        raise _error(
            StatewaveAPIError,
            answer,
            "What answered is not a Statewave server, or its answer broke off: it was not JSON. "
            "Check STATEWAVE_BASE_URL.",
            code=UNEXPECTED,
        )
    try:
        return parse(data)
    except InputError as error:
        message = f"The server's answer was not understood: {error}"
        raise _error(StatewaveAPIError, answer, message, code=UNEXPECTED) from error


def _raise_refusal(answer: Answer, data: object) -> NoReturn:
    code, message, details, request_id = _envelope(data)
    status = answer.status
    if code == INVALID_INPUT:
        raise InputError(message)
    if code == UNSUPPORTED:
        raise UnsupportedError(message)
    if status == 429:
        raise StatewaveRateLimitError(
            _rate_limit_sentence(answer.retry_after_s),
            code=code or "rate_limited",
            request_id=request_id or answer.request_id,
            retry_after_s=answer.retry_after_s,
        )
    kinds: dict[int, type[StatewaveAPIError]] = {
        401: StatewaveAuthError,
        403: StatewaveAuthError,
        404: StatewaveNotFoundError,
    }
    sentence = _sentence(answer, code, message, details)
    kind = kinds.get(status, StatewaveAPIError)
    raise _error(kind, answer, sentence, code=code, request_id=request_id)


def _sentence(answer: Answer, code: str, message: str, details: list[str]) -> str:
    status = answer.status
    said = f" It says: “{message}”." if message else ""
    if status == 401:
        return "The server asks for an API key: set STATEWAVE_API_KEY."
    if status == 403:
        return "The server does not accept this API key: check STATEWAVE_API_KEY."
    if code == "missing_tenant":
        return "The server asks for a tenant: set STATEWAVE_TENANT_ID."
    if status == 404:
        plain = message.lower().strip(".") in ("", "not found")
        return "The server does not know what was asked for (404)." + ("" if plain else said)
    if details:
        return "The server did not accept the request: " + "; ".join(details) + "."
    if 300 <= status < 400:
        return (
            f"The server redirects to {_host(answer)}, which is not followed. "
            "Set STATEWAVE_BASE_URL to the final address."
        )
    if status in _TEMPORARY:
        return f"The server is not available right now ({status})." + said
    if status >= 500:
        return "The server failed on this request (an error of its own); its log says why."
    return f"The server did not accept the request ({status})." + said


def _envelope(data: object) -> tuple[str, str, list[str], str | None]:
    """Code, message, validation problems and request id, whatever shape the error has."""
    if not isinstance(data, Mapping):
        return "", "", [], None
    # {"error": {...}} is the contract, {"error": "text"} its exception, {"detail": …} FastAPI's.
    error = data.get("error", data.get("detail"))
    if isinstance(error, str):
        return "", _tidy(error), [], None
    if isinstance(error, list):
        return "", "", _problems(error), None
    if not isinstance(error, Mapping):
        return "", "", [], None
    code, message, request_id = (error.get(name) for name in ("code", "message", "request_id"))
    return (
        _tidy(code) if isinstance(code, str) else "",
        _tidy(message) if isinstance(message, str) else "",
        _problems(error.get("details")),
        _tidy(request_id) if isinstance(request_id, str) else None,
    )


def _problems(details: object) -> list[str]:
    """`field: what is wrong` for each; `input` and `ctx` echo the request and are left out."""
    rows = details if isinstance(details, list) else []
    problems = [
        f"{_location(row.get('loc'))}{_tidy(str(row.get('msg', 'not valid')))}"
        for row in rows
        if isinstance(row, Mapping)
    ]
    more = len(problems) - _PROBLEMS_SHOWN
    return problems[:_PROBLEMS_SHOWN] + ([f"and {more} more"] if more > 0 else [])


def _location(loc: object) -> str:
    steps = [str(step) for step in loc[1:]] if isinstance(loc, list) else []
    return f"`{_tidy('.'.join(steps))}`: " if steps else ""


def _decoded(body: bytes) -> Any:
    try:
        data = json.loads(body)
        return _printable(data) if _SURROGATE_ESCAPE.search(body) else data
    except (ValueError, RecursionError):
        return None


def _printable(data: Any) -> Any:
    """`data` without lone surrogates: no screen, file or database takes them."""
    if isinstance(data, str):
        return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", data)
    if isinstance(data, list):
        return [_printable(item) for item in data]
    if isinstance(data, dict):
        return {_printable(name): _printable(item) for name, item in data.items()}
    return data


def _http_date(value: str) -> datetime | None:
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def _tidy(text: str) -> str:
    line = re.sub(r"[\x00-\x20\x7f]+", " ", text).strip()
    return line if len(line) <= _MAX_MESSAGE else line[: _MAX_MESSAGE - 1] + "…"


def _host(answer: Answer) -> str:
    location = answer.headers.get("location", "")
    match = re.match(r"(https?://)(?:[^/@]*@)?([^/?#]+)", location)
    return match[1] + match[2] if match else "another address"


def _rate_limit_sentence(retry_after_s: float | None) -> str:
    if retry_after_s is None:
        return "The server asks to slow down; try again in a minute."
    return f"The server asks to slow down; try again in {retry_after_s:.0f} s."


def _error(
    kind: type[StatewaveAPIError],
    answer: Answer,
    message: str,
    *,
    code: str = "",
    request_id: str | None = None,
) -> StatewaveAPIError:
    request_id = request_id or answer.request_id
    return kind(message, status=answer.status, code=code, request_id=request_id)
