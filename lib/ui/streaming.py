"""Streams a reply so that Stop, a click and a page switch work at any moment."""

import queue
import time
from collections.abc import Callable, Generator
from threading import Thread

import streamlit as st

from lib.protocol import ReplyStream

_BATCH_S = 0.04
"""Pieces are joined for this long: 1500 tokens are 0.8 MB on the wire instead of 6.1."""
_POLL_S = 0.1


class _Done:
    """What the pump sends last: the error, if there was one."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


def interruptible(start: Callable[[], ReplyStream]) -> Generator[str]:
    """The text of the reply that `start` begins, in batches.

    The model is read in a thread that never calls Streamlit, while this one keeps passing
    Streamlit's yield points. Leaving early closes the upstream stream. What the model raises is
    raised here.
    """
    pieces: queue.SimpleQueue[str | _Done] = queue.SimpleQueue()
    opened: list[ReplyStream] = []
    left = False

    def pump() -> None:
        error: BaseException | None = None
        try:
            stream = start()
            opened.append(stream)
            if left:
                stream.close()
                return
            for piece in stream:
                pieces.put(piece)
        except Exception as caught:  # noqa: BLE001  (raised again in the script's thread)
            error = caught
        pieces.put(_Done(error))

    Thread(target=pump, name="reply-pump", daemon=True).start()
    try:
        yield from _batches(pieces)
    finally:
        left = True
        for stream in opened:
            stream.close()


def pass_yield_point() -> None:
    """Lets Stop, a click and a page switch end the script here, while it has nothing to draw."""
    # Looking up a key is a yield point of Streamlit; counting the keys is none.
    _ = "subject" in st.session_state


def _batches(pieces: "queue.SimpleQueue[str | _Done]") -> Generator[str]:
    batch: list[str] = []
    due = time.monotonic() + _BATCH_S
    while True:
        try:
            piece = pieces.get(timeout=max(0.001, due - time.monotonic()) if batch else _POLL_S)
        except queue.Empty:
            piece = ""
        if isinstance(piece, _Done):
            if batch:
                yield "".join(batch)
            if piece.error is not None:
                raise piece.error
            return
        if piece and not batch:
            due = time.monotonic() + _BATCH_S
        batch += [piece] if piece else []
        if batch and time.monotonic() >= due:
            yield "".join(batch)
            batch = []
        elif not batch:
            pass_yield_point()
