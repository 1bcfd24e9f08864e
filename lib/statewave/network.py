"""The network: HTTP over TCP in which every single wait ends at the call's deadline.

httpx's own timeouts count per chunk, so a server that drips one byte a second holds a caller for
ever. Here the deadline travels with the request and caps each connect, read and write.
"""

import math
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from ssl import SSLContext
from typing import Any, cast

import httpcore
import httpx

DEADLINE = "deadline"
"""Request extension: when the call ends, on the injected clock, in seconds."""

_MAX_CONNECTIONS = 32
# uvicorn closes an idle connection after 5 s; leaving first avoids the race.
_KEEP_ALIVE_S = 3.0
_WRITE_BYTES = 65_536

LookUp = Callable[..., list[Any]]
"""`socket.getaddrinfo`, or what stands in for it."""


class DeadlineTransport(httpx.BaseTransport):
    """A connection pool that honours the `deadline` extension of each request.

    A request and its body must be read in one thread.
    """

    def __init__(
        self, *, secure: bool, clock: Callable[[], float], look_up: LookUp = socket.getaddrinfo
    ) -> None:
        self._limit = _Limit(clock)
        self._pool = httpcore.ConnectionPool(
            # Loading certificates takes 20 ms; a plain address needs none.
            ssl_context=httpx.create_ssl_context() if secure else None,
            max_connections=_MAX_CONNECTIONS,
            keepalive_expiry=_KEEP_ALIVE_S,
            network_backend=_Backend(self._limit, look_up),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The response; its body is still on the wire."""
        self._limit.at = request.extensions.get(DEADLINE, math.inf)
        url = request.url
        core_request = httpcore.Request(
            method=request.method,
            url=httpcore.URL(
                scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
            ),
            headers=request.headers.raw,
            content=cast(Iterable[bytes], request.stream),
            extensions=request.extensions,
        )
        with _as_httpx_errors():
            response = self._pool.handle_request(core_request)
        return httpx.Response(
            status_code=response.status,
            headers=response.headers,
            stream=_Body(response),
            extensions=response.extensions,
        )

    def close(self) -> None:
        """Closes every connection."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx_errors():
            yield from self._response.iter_stream()

    def close(self) -> None:
        if self._response.status == 500:
            # A Statewave server drops the connection after a 500 without saying so; a pooled
            # connection would fail the next call, which may be one that cannot be repeated.
            self._response.extensions["network_stream"].close()
        self._response.close()


class _Limit(threading.local):
    """The deadline of the request this thread is working on."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.at = math.inf
        self._clock = clock

    def cap(self, timeout: float | None, late: type[Exception]) -> float | None:
        """`timeout`, or what is left until the deadline if that is less; raises `late` at 0."""
        left = self.at - self._clock()
        if left <= 0:
            raise late("the deadline has passed")
        left = min(left, math.inf if timeout is None else timeout)
        return None if math.isinf(left) else left


class _Backend(httpcore.NetworkBackend):
    def __init__(self, limit: _Limit, look_up: LookUp) -> None:
        self._limit = limit
        self._look_up = look_up
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        limited = self._limit.cap(timeout, httpcore.ConnectTimeout)
        addresses = _addresses(self._look_up, host, port, timeout=limited)
        # `localhost` and many others have several; together they get the time of one.
        share = None if timeout is None else timeout / max(len(addresses), 1)
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in addresses:
            try:
                stream = self._sockets.connect_tcp(
                    address,
                    port,
                    timeout=self._limit.cap(share, httpcore.ConnectTimeout),
                    local_address=local_address,
                    socket_options=socket_options,
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                return _Stream(stream, self._limit)
        raise failure


class _Stream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream, limit: _Limit) -> None:
        self._stream = stream
        self._limit = limit

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._limit.cap(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        # In pieces: the socket's own loop would grant the full time to each send.
        for start in range(0, len(buffer), _WRITE_BYTES):
            piece = buffer[start : start + _WRITE_BYTES]
            self._stream.write(piece, self._limit.cap(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        limited = self._limit.cap(timeout, httpcore.ConnectTimeout)
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, limited), self._limit)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _addresses(look_up: LookUp, host: str, port: int, *, timeout: float | None) -> list[str]:
    """The host's addresses. Looking up takes as long as the system likes, so another thread does
    it and is left behind when the time is over.
    """
    outcome: SimpleQueue[list[Any] | OSError | UnicodeError] = SimpleQueue()

    def ask() -> None:
        try:
            outcome.put(look_up(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            outcome.put(error)

    threading.Thread(target=ask, name="look-up", daemon=True).start()
    try:
        found = outcome.get(timeout=timeout)
    except Empty:
        raise httpcore.ConnectTimeout(f"{host} was not found in time") from None
    if isinstance(found, Exception):
        raise httpcore.ConnectError(f"{host} is not known") from found
    return list(dict.fromkeys(str(row[4][0]) for row in found))


@contextmanager
def _as_httpx_errors() -> Iterator[None]:
    """httpcore's errors under the same names in httpx, which is the seam callers know."""
    try:
        yield
    except (
        httpcore.TimeoutException,
        httpcore.NetworkError,
        httpcore.ProtocolError,
        httpcore.UnsupportedProtocol,
        httpcore.ConnectionNotAvailable,
    ) as error:
        kind = getattr(httpx, type(error).__name__, httpx.TransportError)
        raise kind(str(error)) from error
