"""Serves an ASGI app on a loopback port from a thread of this process."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

START_DEADLINE_S = 10.0


@contextmanager
def serving(app: ASGIApp, *, port: int = 0) -> Iterator[str]:
    """The address of `app` over a real socket, on a free port unless one is named; stopped at
    the end.
    """
    # Named as TCP, else asyncio leaves Nagle's algorithm on and every answer takes 40 ms.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        # So that a server can come back to the port it had a moment ago.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            _wait_until_up(server, thread)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(timeout=START_DEADLINE_S)


def _wait_until_up(server: uvicorn.Server, thread: threading.Thread) -> None:
    deadline = time.monotonic() + START_DEADLINE_S
    while not server.started:
        if not thread.is_alive() or time.monotonic() > deadline:
            raise RuntimeError("The app under test did not start.")
        time.sleep(0.005)
