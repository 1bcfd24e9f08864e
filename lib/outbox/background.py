"""The thread that sends what waits: there only while something does, one per outbox."""

import threading
from collections.abc import Callable
from typing import Final

_CLOSE_WAITS_S: Final = 2.0


class BackgroundSender:
    """Calls `send` until `is_done`, `pause_s` seconds apart; neither may raise."""

    def __init__(
        self, send: Callable[[], None], is_done: Callable[[], bool], pause_s: Callable[[], float]
    ) -> None:
        self._send, self._is_done, self._pause_s = send, is_done, pause_s
        self._guard = threading.Lock()
        self._wake, self._closing = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def closing(self) -> bool:
        """True from `close` on: what is under way should end soon."""
        return self._closing.is_set()

    def start(self) -> None:
        """Sends until nothing waits, unless it is at it already."""
        with self._guard:
            if self.closing or (self._thread and self._thread.is_alive()):
                return
            self._thread = threading.Thread(target=self._run, name="outbox", daemon=True)
            self._thread.start()

    def wake(self) -> None:
        """Ends the current pause, or the first one of the next start."""
        self._wake.set()

    def close(self) -> bool:
        """True when the thread has ended; otherwise it does with its current call."""
        with self._guard:
            self._closing.set()
            self._wake.set()
            thread = self._thread
        if thread is None or thread is threading.current_thread():
            return thread is None
        thread.join(_CLOSE_WAITS_S)
        return not thread.is_alive()

    def _run(self) -> None:
        while True:
            self._wake.wait(self._pause_s())
            self._wake.clear()
            if self.closing:
                return
            self._send()
            with self._guard:
                # Under the guard: whoever keeps a turn from now on finds no thread, and starts one.
                if self._is_done():
                    self._thread = None
                    return
