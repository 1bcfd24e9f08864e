"""One streaming reply, which any thread can stop."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from lib.errors import ModelError
from lib.models import Message, ReplyEnd
from lib.tokens import count_prompt_tokens, count_tokens, model_encoding

_READER_GRACE_S = 0.5
"""How long `close` waits for a reader that its cut connection should have woken."""


class OpenAIReply:
    """One reply in progress; the request is sent when the first piece is asked for.

    `send` opens the upstream stream for this reply and may use `trace` and `is_stopped`.
    """

    def __init__(
        self, send: "Callable[[OpenAIReply], Any]", messages: Sequence[Message], *, model: str
    ) -> None:
        self._send = send
        self._messages = messages
        self._model = model
        self._pieces: list[str] = []
        self._stopped = threading.Event()
        self._reading = threading.Lock()
        self._ending = threading.Lock()
        self._upstream: Any = None
        self._chunks: Iterator[Any] = iter(())
        self._socket: socket.socket | None = None
        self._started = time.perf_counter()
        self._first_token_ms: float | None = None
        self._total_ms: float | None = None
        self._usage: tuple[int, int] | None = None
        self._finish_reason = ""
        self._iterator = self._pump()

    def __iter__(self) -> Iterator[str]:
        return self._iterator

    def close(self) -> None:
        """Stop upstream work at once, even while another thread waits for the next piece."""
        if self._total_ms is not None:
            return
        self._stopped.set()
        self._finish("stopped")
        self._hang_up()
        if self._reading.acquire(timeout=_READER_GRACE_S):
            try:
                self._close_upstream()
            finally:
                self._reading.release()
        # Otherwise the reader still waits for its connection, and closes it when it gets it.

    @property
    def end(self) -> ReplyEnd:
        """Usage and times; tokens are counted here where the server did not report them."""
        if self._total_ms is None:
            raise RuntimeError("The reply is still running: exhaust or close it first.")
        prompt, completion = self._usage or self._counted()
        return ReplyEnd(
            prompt_tokens=prompt,
            completion_tokens=completion,
            measured=self._usage is not None,
            first_token_ms=self._first_token_ms,
            total_ms=self._total_ms,
            finish_reason=self._finish_reason,
            model=self._model,
        )

    def trace(self, event: str, info: dict[str, Any]) -> None:
        """Keeps the socket of each new connection, so that `close` can cut it."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            self._socket = info["return_value"].get_extra_info("socket")
            if self._stopped.is_set():
                self._hang_up()

    def wait(self, seconds: float) -> bool:
        """Pause, and tell whether the reply was stopped meanwhile."""
        return self._stopped.wait(seconds)

    def _pump(self) -> Iterator[str]:
        try:
            while (piece := self._next_piece()) is not None:
                yield piece
        except ModelError:
            self._finish("error")
            raise
        finally:
            # Left early, by a break or an error of the consumer.
            self.close()

    def _next_piece(self) -> str | None:
        # Here, not at the top: it imports openai, half a second of CPU.
        from lib.llm.failure import FAILURES, explain

        with self._reading:
            piece: str | None = None
            try:
                if not self._stopped.is_set():
                    piece = self._read()
            except FAILURES as error:
                if not self._stopped.is_set():
                    partial = bool(self._pieces)
                    raise explain(error, model=self._model, partial=partial) from error
            finally:
                if piece is None or self._stopped.is_set():
                    self._close_upstream()
            return None if self._stopped.is_set() else piece

    def _read(self) -> str | None:
        if self._upstream is None:
            self._begin()
        for chunk in self._chunks:
            text = self._take(chunk)
            if text:
                if self._first_token_ms is None:
                    self._first_token_ms = self._elapsed_ms()
                self._pieces.append(text)
                return text
        self._conclude()
        return None

    def _begin(self) -> None:
        from lib.llm.failure import web_page

        self._started = time.perf_counter()
        self._upstream = self._send(self)
        response = self._upstream.response
        network = response.extensions.get("network_stream")
        if self._socket is None and network is not None:
            self._socket = network.get_extra_info("socket")
        kind = response.headers.get("content-type", "")
        if kind.startswith("text/html"):
            raise web_page()
        if kind.startswith("application/json"):
            # A server that cannot stream: its whole reply has the shape of one chunk.
            response.read()
            self._chunks = iter((response.json(),))
        else:
            self._chunks = (chunk.model_dump() for chunk in self._upstream)

    def _take(self, chunk: Any) -> str:
        """The chunk's text; remembers finish reason and usage."""
        if not isinstance(chunk, dict):
            return ""
        usage = chunk.get("usage")
        if isinstance(usage, dict) and isinstance(usage.get("prompt_tokens"), int):
            self._usage = (usage["prompt_tokens"], int(usage.get("completion_tokens") or 0))
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            return ""
        self._finish_reason = choices[0].get("finish_reason") or self._finish_reason
        said = choices[0].get("delta") or choices[0].get("message") or {}
        return str(said.get("content") or said.get("refusal") or "")

    def _conclude(self) -> None:
        from lib.llm.failure import cut_short, empty_reply, unusable

        if self._stopped.is_set():
            return
        if not self._pieces:
            raise (
                empty_reply(self._model, self._finish_reason)
                if (self._finish_reason)
                else unusable()
            )
        if not self._finish_reason and self._usage is None:
            raise cut_short()
        self._finish(self._finish_reason or "stop")

    def _counted(self) -> tuple[int, int]:
        encoding_name, _ = model_encoding(self._model)
        return (
            count_prompt_tokens(self._messages, model=self._model).tokens,
            count_tokens("".join(self._pieces), encoding_name=encoding_name),
        )

    def _finish(self, reason: str) -> None:
        with self._ending:
            if self._total_ms is None:
                self._finish_reason = reason
                self._total_ms = self._elapsed_ms()

    def _elapsed_ms(self) -> float:
        return (time.perf_counter() - self._started) * 1000

    def _hang_up(self) -> None:
        if self._socket is not None:
            # The plain shutdown also for TLS: it wakes a thread that waits in `recv`, which
            # closing does not, and leaves alone the TLS state which that thread is using.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def _close_upstream(self) -> None:
        if self._upstream is not None:
            self._upstream.close()
