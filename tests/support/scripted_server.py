"""A TCP server that answers each connection as scripted, faults included."""

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Act = Callable[[socket.socket, threading.Event], None]


def answer(data: object, status: str = "200 OK") -> Act:
    """A whole, correct JSON answer."""
    return raw(_response(json.dumps(data).encode(), status))


def html() -> Act:
    """What a proxy or a login page sends."""
    return raw(_response(b"<html><body>Sign in</body></html>", "200 OK", "text/html"))


def raw(content: bytes) -> Act:
    """Exactly these bytes, then the end of the connection."""

    def act(connection: socket.socket, _: threading.Event) -> None:
        connection.sendall(content)

    return act


def truncated(data: object) -> Act:
    """An answer that ends before its announced length."""
    return raw(_response(json.dumps(data).encode(), "200 OK")[:-5])


def stall(before: bytes = b"") -> Act:
    """These bytes, then nothing for as long as the client waits."""

    def act(connection: socket.socket, stop: threading.Event) -> None:
        connection.sendall(before)
        stop.wait(10)

    return act


def drip(before: bytes, *, pause_s: float = 0.02) -> Act:
    """These bytes, then one byte after another without an end."""

    def act(connection: socket.socket, stop: threading.Event) -> None:
        connection.sendall(before)
        while not stop.wait(pause_s):
            connection.sendall(b"x")

    return act


def reset() -> Act:
    """A reset instead of an answer."""

    def act(connection: socket.socket, _: threading.Event) -> None:
        # Lingering for 0 s makes the close a reset.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return act


HEADERS_DONE = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n"
HEADERS_OPEN = b"HTTP/1.1 200 OK\r\nx-slow: "


@contextmanager
def scripted_server(*acts: Act) -> Iterator[str]:
    """The address of a server whose n-th connection gets the n-th act, later ones the last."""
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_serve, args=(listener, acts, stop), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            stop.set()
            # Wakes the thread out of its accept.
            socket.create_connection(listener.getsockname()).close()
            thread.join(timeout=5)


def _serve(listener: socket.socket, acts: tuple[Act, ...], stop: threading.Event) -> None:
    number = 0
    while True:
        connection, _ = listener.accept()
        if stop.is_set():
            connection.close()
            return
        act = acts[min(number, len(acts) - 1)]
        number += 1
        threading.Thread(target=_answer, args=(connection, act, stop), daemon=True).start()


def _answer(connection: socket.socket, act: Act, stop: threading.Event) -> None:
    with connection:
        try:
            _read_request(connection)
            act(connection, stop)
        except OSError:
            return  # The client hung up, as it should.


def _read_request(connection: socket.socket) -> None:
    # To the last byte: closing with some unread would reset the connection.
    with connection.makefile("rb") as stream:
        length = 0
        while line := stream.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        stream.read(length)


def _response(body: bytes, status: str, kind: str = "application/json") -> bytes:
    head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n"
    return f"{head}connection: close\r\n\r\n".encode() + body
