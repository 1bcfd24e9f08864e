"""The envelope: request ids, the API key, and every error in the contract's one shape."""

import hmac
import json
import logging
import uuid
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lib.errors import (
    InputError,
    StatewaveConnectionError,
    StatewaveError,
    StoreError,
    UnsupportedError,
)

_LOG = logging.getLogger(__name__)
_OPEN_PATHS = frozenset({"/health", "/healthz", "/ready", "/readyz"})
_LONGEST_REQUEST_ID = 128
_OWN_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})

# (status, code) of each error that says what the caller, or the operator, can do.
_REFUSALS: dict[type[StatewaveError], tuple[int, str]] = {
    InputError: (422, "invalid_input"),
    UnsupportedError: (501, "unsupported"),
    StoreError: (503, "store_error"),
    StatewaveConnectionError: (504, "upstream_unreachable"),
}

_request_id: ContextVar[str] = ContextVar("request_id")


def install(app: FastAPI, *, api_key: str | None) -> None:
    """Adds request ids, the key check and the error envelope to `app`."""
    app.add_exception_handler(StatewaveError, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_middleware(_Frame, api_key=api_key)


def json_response(data: Any, *, status: int = 200) -> Response:
    """`data` as ASCII JSON, which carries any text there is."""
    return Response(json.dumps(data), status_code=status, media_type="application/json")


def _error(
    status: int,
    code: str,
    message: str,
    *,
    details: list[dict[str, Any]] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    error: dict[str, Any] = {"code": code, "message": message}
    if details is not None:
        error["details"] = details
    response = json_response({"error": {**error, "request_id": _request_id.get("")}}, status=status)
    response.headers.update(headers or {})
    return response


async def _refused(_: Request, error: Exception) -> Response:
    kinds = (entry for kind, entry in _REFUSALS.items() if isinstance(error, kind))
    status, code = next(kinds, (500, "internal_error"))
    return _error(status, code, str(error))


async def _invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    # Unlike the original, `input` is left out: it would echo whole conversations into logs.
    details = [{name: row[name] for name in ("type", "loc", "msg")} for row in error.errors()]
    return _error(422, "validation_error", "Request validation failed", details=details)


async def _http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _error(error.status_code, "http_error", str(error.detail), headers=error.headers)


class _Frame:
    """Outermost layer: request id in and out, the key, and a 500 for what nobody foresaw."""

    def __init__(self, app: ASGIApp, *, api_key: str | None) -> None:
        self._app = app
        self._key = api_key.encode() if api_key else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        request_id = headers.get("x-request-id", "")[:_LONGEST_REQUEST_ID] or uuid.uuid4().hex[:16]
        _request_id.set(request_id)
        started = False

        async def send_with_id(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                MutableHeaders(scope=message)["X-Request-ID"] = request_id
            await send(message)

        check = self._key_problem if self._key else _stranger_problem
        refusal = None if scope["path"] in _OPEN_PATHS else check(headers)
        if refusal is not None:
            await refusal(scope, receive, send_with_id)
            return
        try:
            await self._app(scope, receive, send_with_id)
        except Exception:
            if started:
                raise
            _LOG.exception("request %s failed", request_id)
            failure = _error(500, "internal_error", "An unexpected error occurred")
            await failure(scope, receive, send_with_id)

    def _key_problem(self, headers: Headers) -> Response | None:
        assert self._key
        sent = headers.get("x-api-key", "")
        if not sent:
            return _error(401, "missing_api_key", "X-API-Key header is required.")
        if not hmac.compare_digest(sent.encode(), self._key):
            return _error(403, "invalid_api_key", "Invalid API key.")
        return None


def _stranger_problem(headers: Headers) -> Response | None:
    """Why a request may not be answered by a server without a key.

    Any page a browser has open can send requests to this machine, under a name of its own that
    resolves to it too. Such a request names a foreign host or origin.
    """
    if _host_name(f"//{headers.get('host', '')}") not in _OWN_HOSTS:
        message = "Without an API key this server answers only to localhost and 127.0.0.1."
        return _error(421, "foreign_host", message)
    origin = headers.get("origin")
    if origin is not None and _host_name(origin) not in _OWN_HOSTS:
        message = "Without an API key this server does not answer web pages of other hosts."
        return _error(403, "foreign_origin", message)
    return None


def _host_name(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None
