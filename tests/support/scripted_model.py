"""A loopback HTTP server that speaks OpenAI-compatible chat completions from a script."""

import json
import re
import select
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self, cast

Script = Literal[
    "normal",
    "slow",  # `delay_s` before every piece
    "silent",  # headers at once, then `silence_s` of nothing, then the reply
    "silent_start",  # `silence_s` before even the headers
    "no_usage",  # accepts stream_options but reports no usage
    "unauthorized",  # 401
    "no_such_model",  # 404
    "rate_limit",  # 429
    "no_quota",  # 429 that waiting does not cure
    "context_too_long",  # 400
    "server_error",  # 500
    "flaky",  # 500 for the first request, then normal
    "html",  # 200 and a web page
    "garbage",  # an event stream whose data is not JSON
    "error_event",  # an error object in the middle of the stream
    "broken",  # connection cut after two pieces
    "cut_short",  # ends cleanly after two pieces, with no finish reason
    "refuse_connection",  # closed before any answer
    "refuse_stream_options",  # 400 that names stream_options
    "refuse_json_schema",  # 400 that names response_format, but for {"type": "json_object"}
    "refuse_json",  # 400 that names response_format, whatever it is
    "reasoning",  # 400 for max_tokens and for temperature, as o3 and gpt-5
    "empty",  # finishes without text
    "length_only",  # spends the limit without text
    "not_streaming",  # a whole reply as JSON, though a stream was asked for
]

Messages = list[dict[str, Any]]

_MARKER = re.compile(r"\[\[script:(\w+)\]\]")


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """One request as the server got it."""

    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: Mapping[str, Any]

    @property
    def messages(self) -> Messages:
        """The messages of the prompt."""
        return cast(Messages, self.body.get("messages", []))


def default_reply(messages: Messages) -> str:
    """Says what it was sent, so that a page's test can tell two replies apart."""
    asked = _MARKER.sub("", _last_user(messages)).strip()
    given = any("<memory>" in str(message.get("content")) for message in messages)
    return f"Scripted reply {'with' if given else 'without'} memory to: {asked}"


@dataclass(slots=True)
class ScriptedModel:
    """A running scripted model; use it as a context manager and read `url`.

    `[[script:name]]` in the last user message picks the script for that one request.
    """

    script: Script = "normal"
    reply: str | Callable[[Messages], str] = default_reply
    delay_s: float = 0.1
    silence_s: float = 5.0
    requests: list[ReceivedRequest] = field(default_factory=list)
    """Every request so far, oldest first."""
    disconnects: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    """Released once for each reply that the caller cut off."""
    _server: ThreadingHTTPServer | None = None
    _thread: threading.Thread | None = None
    _closing: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        """What to set as `LLM_BASE_URL`."""
        assert self._server is not None, "not started: use `with ScriptedModel() as model`"
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def start(self) -> Self:
        """Listen on a free loopback port."""
        handler = type("Handler", (_Handler,), {"model": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop listening and end replies still running."""
        self._closing.set()
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()

    def wait_for_disconnect(self, *, timeout_s: float = 2.0) -> bool:
        """True once a caller has cut off a reply."""
        return self.disconnects.acquire(timeout=timeout_s)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def reply_to(self, messages: Messages) -> str:
        """The reply the script gives to `messages`."""
        return self.reply if isinstance(self.reply, str) else self.reply(messages)

    def script_for(self, messages: Messages) -> str:
        """The script for one request: the marker's, else the constructor's."""
        found = _MARKER.search(_last_user(messages))
        return found.group(1) if found else self.script


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Quiet about callers that hung up; anything else is a fault of the script."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _DisconnectedError(Exception):
    """The caller has gone."""


_ERRORS: dict[str, tuple[int, dict[str, Any]]] = {
    "unauthorized": (
        401,
        {"message": "Incorrect API key provided: sk-se***ret.", "code": "invalid_api_key"},
    ),
    "no_such_model": (
        404,
        {"message": "The model `nope` does not exist", "code": "model_not_found"},
    ),
    "rate_limit": (429, {"message": "Rate limit reached", "code": "rate_limit_exceeded"}),
    "no_quota": (429, {"message": "You exceeded your quota", "code": "insufficient_quota"}),
    "context_too_long": (
        400,
        {"message": "maximum context length is 8192 tokens", "code": "context_length_exceeded"},
    ),
    "server_error": (500, {"message": "The server had an error", "code": None}),
}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: ScriptedModel

    def log_message(self, format: str, *args: object) -> None:
        """Quiet: test output is for failures."""

    def do_GET(self) -> None:
        """Lists one model."""
        self._json(200, {"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_POST(self) -> None:
        """Plays the script."""
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.model.requests.append(ReceivedRequest(self.path, headers, body))
        try:
            self._play(self.model.script_for(body["messages"]), body)
        except (_DisconnectedError, BrokenPipeError, ConnectionResetError):
            self.model.disconnects.release()
            self.close_connection = True

    def _play(self, script: str, body: dict[str, Any]) -> None:
        first = len(self.model.requests) == 1
        if script == "flaky" and first:
            script = "server_error"
        refused = _refused_parameter(script, body)
        if refused:
            text = f"Unsupported parameter: '{refused}' is not supported with this model."
            code = "unsupported_parameter"
            self._json(400, {"error": {"message": text, "param": refused, "code": code}})
        elif script in _ERRORS:
            status, error = _ERRORS[script]
            self._json(status, {"error": error})
        elif script == "html":
            self._send(200, "text/html", b"<!doctype html><title>Sign in</title>")
        elif script == "refuse_connection":
            self.close_connection = True
        elif script == "not_streaming":
            self._json(200, _whole(self.model.reply_to(body["messages"])))
        else:
            self._stream(script, body)

    def _stream(self, script: str, body: dict[str, Any]) -> None:
        if script == "silent_start":
            self._wait(self.model.silence_s)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if script == "silent":
            self._wait(self.model.silence_s)
        for count, event in enumerate(self._events(script, body)):
            if script == "broken" and count == 3:
                self.close_connection = True
                return
            if script == "slow":
                self._wait(self.model.delay_s)
            self._chunk(f"data: {event}\n\n".encode())
        self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    def _events(self, script: str, body: dict[str, Any]) -> Iterator[str]:
        if script == "garbage":
            yield "{this is not JSON"
            return
        yield _event({"role": "assistant", "content": ""})
        text = self.model.reply_to(body["messages"])
        words = [] if script in ("empty", "length_only") else re.findall(r"\S+\s*", text)
        for count, word in enumerate(words):
            if count == 2 and script == "cut_short":
                return
            if count == 2 and script == "error_event":
                yield json.dumps({"error": {"message": "overloaded", "code": "overloaded"}})
                return
            yield _event({"content": word})
        yield _event({}, finish="length" if script == "length_only" else "stop")
        if body.get("stream_options") and script != "no_usage":
            sent = sum(len(str(message.get("content")).split()) for message in body["messages"])
            yield _usage(sent, len(words))

    def _wait(self, seconds: float) -> None:
        """Sleep, but notice within 20 ms when the caller hangs up."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            readable, _, _ = select.select([self.connection], [], [], 0.02)
            if readable or self.model._closing.is_set():
                raise _DisconnectedError

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _json(self, status: int, content: dict[str, Any]) -> None:
        self._send(status, "application/json", json.dumps(content).encode())

    def _send(self, status: int, content_type: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _refused_parameter(script: str, body: Mapping[str, Any]) -> str | None:
    wanted = (body.get("response_format") or {}).get("type")
    if script == "refuse_json_schema" and wanted == "json_schema":
        return "response_format"
    refused = {
        "refuse_stream_options": ("stream_options",),
        "refuse_json": ("response_format",),
        "reasoning": ("max_tokens", "temperature"),
    }.get(script, ())
    return next((name for name in refused if name in body), None)


def _last_user(messages: Messages) -> str:
    spoken = [message for message in messages if message.get("role") == "user"]
    return str(spoken[-1].get("content", "")) if spoken else ""


def _whole(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    return _envelope("chat.completion", [choice]) | {"usage": usage}


def _event(delta: dict[str, str], *, finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return json.dumps(_envelope("chat.completion.chunk", [choice]))


def _usage(prompt_tokens: int, completion_tokens: int) -> str:
    usage = {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
    }
    return json.dumps(_envelope("chat.completion.chunk", []) | {"usage": usage})


def _envelope(kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": "scripted-1",
        "object": kind,
        "created": 0,
        "model": "scripted",
        "choices": choices,
    }
