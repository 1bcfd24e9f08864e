"""A TCP server that answers each request as scripted, faults included."""

import asyncio
import json
import socket
import ssl
import struct
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

CERTIFICATE = Path(__file__).with_name("self_signed.pem")
START_DEADLINE_S = 10.0

TLS_HELLO = b"\x16"

Act = Callable[["Exchange"], Awaitable[None]]

HEADERS_DONE = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n"
HEADERS_OPEN = b"HTTP/1.1 200 OK\r\nx-slow: "
CHUNKED = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Request:
    """One request that arrived whole; `connection` counts connections from 1."""

    method: str
    path: str
    body: bytes
    connection: int


@dataclass(slots=True)
class Exchange:
    """One request and the connection to answer on; it is kept unless an act closes it."""

    writer: asyncio.StreamWriter
    closing: bool = False

    async def send(self, content: bytes) -> None:
        """Exactly these bytes."""
        self.writer.write(content)
        await self.writer.drain()


@dataclass(slots=True)
class ScriptedServer:
    """Where the server is, and what it has heard."""

    url: str = ""
    requests: list[Request] = field(default_factory=list)

    def bodies(self, path: str) -> list[dict[str, object]]:
        """The JSON bodies of all POST requests to `path`."""
        posts = [each for each in self.requests if (each.method, each.path) == ("POST", path)]
        return [json.loads(each.body) for each in posts]


def _response(body: bytes, status: str, kind: str, headers: Mapping[str, str]) -> bytes:
    more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n{more}"
    return f"{head}\r\n".encode() + body


def answer(data: object, status: str = "200 OK", **headers: str) -> Act:
    """A whole, correct JSON answer on a connection that is kept."""
    return kept(_response(json.dumps(data).encode(), status, "application/json", headers))


def html() -> Act:
    """What a proxy or a login page sends."""
    return kept(_response(b"<html><body>Sign in</body></html>", "200 OK", "text/html", {}))


def raw(content: bytes) -> Act:
    """Exactly these bytes, then the end of the connection."""

    async def act(exchange: Exchange) -> None:
        await exchange.send(content)
        exchange.closing = True

    return act


def kept(content: bytes) -> Act:
    """Exactly these bytes, on a connection that is kept."""

    async def act(exchange: Exchange) -> None:
        await exchange.send(content)

    return act


def truncated(data: object) -> Act:
    """An answer that ends before its announced length."""
    return raw(_response(json.dumps(data).encode(), "200 OK", "application/json", {})[:-5])


def stall(before: bytes = b"") -> Act:
    """These bytes, then nothing for as long as the client waits."""

    async def act(exchange: Exchange) -> None:
        await exchange.send(before)
        await asyncio.Event().wait()

    return act


def drip(before: bytes, *, piece: bytes = b"x", pause_s: float = 0.02) -> Act:
    """These bytes, then one piece after another without an end."""

    async def act(exchange: Exchange) -> None:
        await exchange.send(before)
        while True:
            await asyncio.sleep(pause_s)
            await exchange.send(piece)

    return act


def flood(piece: bytes = b"1" * 1_000_000) -> Act:
    """A body without an end, as fast as it is read."""
    return drip(CHUNKED, piece=b"%x\r\n%s\r\n" % (len(piece), piece), pause_s=0)


def reset(before: bytes = b"") -> Act:
    """These bytes, then a reset."""

    async def act(exchange: Exchange) -> None:
        await exchange.send(before)
        if before:
            # A reset overtakes what the client has not read yet.
            await asyncio.sleep(0.05)
        # Lingering for 0 s makes the close a reset.
        linger = struct.pack("ii", 1, 0)
        exchange.writer.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, linger
        )
        exchange.writer.transport.abort()
        exchange.closing = True

    return act


def then_drop(act: Act) -> Act:
    """An answer after which the connection ends, although it said nothing of that."""

    async def acts(exchange: Exchange) -> None:
        await act(exchange)
        exchange.closing = True

    return acts


NOT_FOUND = answer({"error": {"code": "http_error", "message": "Not Found"}}, "404 Not Found")
OLD_SERVER: Mapping[str, Act] = {"/v1/version": NOT_FOUND}


@contextmanager
def scripted_server(
    *acts: Act, always: Mapping[str, Act] = OLD_SERVER, tls: bool = False
) -> Iterator[ScriptedServer]:
    """A server whose n-th request gets the n-th act, later ones the last.

    Paths in `always` have their own answer and do not count.
    """
    server = ScriptedServer()
    up, stop = threading.Event(), threading.Event()
    script = _Script(server, list(acts), always)

    async def main() -> None:
        async with script.running(tls):
            up.set()
            await asyncio.to_thread(stop.wait)

    thread = threading.Thread(target=asyncio.run, args=(main(),), daemon=True)
    thread.start()
    assert up.wait(START_DEADLINE_S)
    try:
        yield server
    finally:
        stop.set()
        thread.join(START_DEADLINE_S)


class _Script:
    def __init__(self, server: ScriptedServer, acts: list[Act], always: Mapping[str, Act]) -> None:
        self._server, self._acts, self._always = server, acts, always
        self._connections = 0
        self._open: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def running(self, tls: bool) -> AsyncIterator[None]:
        context = None
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE)
        listener = await asyncio.start_server(self._connected, "127.0.0.1", 0, ssl=context)
        port = listener.sockets[0].getsockname()[1]
        self._server.url = f"{'https' if tls else 'http'}://127.0.0.1:{port}"
        try:
            yield
        finally:
            listener.close()
            for task in self._open:
                task.cancel()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        self._connections += 1
        number = self._connections
        exchange = Exchange(writer)
        try:
            while not exchange.closing and (request := await _read_request(reader, number)):
                self._server.requests.append(request)
                await self._act(request)(exchange)
        except OSError:
            pass  # The client hung up, as it should.
        except asyncio.CancelledError:
            pass  # The test is over.
        finally:
            self._open.discard(task)
            writer.close()

    def _act(self, request: Request) -> Act:
        own = self._always.get(request.path)
        if own is not None:
            return own
        return self._acts.pop(0) if len(self._acts) > 1 else self._acts[0]


async def _read_request(reader: asyncio.StreamReader, connection: int) -> Request | None:
    # To the last byte: closing with some unread would reset the connection.
    try:
        head = await reader.readexactly(1)
        if head != TLS_HELLO:
            head += await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    if head == TLS_HELLO:
        return Request("TLS", "", b"", connection)
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = dict(line.lower().split(": ", 1) for line in lines if ": " in line)
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(method, target.split("?")[0], body, connection)
