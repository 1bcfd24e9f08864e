"""A reply's text arrives in batches, and leaving it ends the work upstream."""

import threading
import time
from collections.abc import Iterator

import pytest

from lib.errors import ModelError
from lib.models import ReplyEnd
from lib.ui.streaming import interruptible


class FakeReply:
    """Yields `pieces`, then fails or waits to be closed if asked to."""

    def __init__(self, *pieces: str, error: Exception | None = None, endless: bool = False) -> None:
        self._pieces = pieces
        self._error = error
        self._endless = endless
        self.closed = threading.Event()

    def __iter__(self) -> Iterator[str]:
        yield from self._pieces
        if self._error:
            raise self._error
        if self._endless:
            self.closed.wait(5)

    def close(self) -> None:
        self.closed.set()

    @property
    def end(self) -> ReplyEnd:
        return ReplyEnd(1, 1, False, None, 1.0, "stop", "fake")


def test_all_pieces_arrive_in_order_and_joined() -> None:
    reply = FakeReply(*(f"{number} " for number in range(500)))
    batches = list(interruptible(lambda: reply))
    assert "".join(batches) == "".join(f"{number} " for number in range(500))
    assert len(batches) < 100


def test_what_the_model_raises_is_raised_after_what_it_said() -> None:
    reply = FakeReply("half", error=ModelError("broken off", reason="network"))
    pieces = interruptible(lambda: reply)
    assert next(pieces) == "half"
    with pytest.raises(ModelError, match="broken off"):
        next(pieces)


def test_what_the_start_raises_is_raised_here() -> None:
    def start() -> FakeReply:
        raise ModelError("no key", reason="auth")

    with pytest.raises(ModelError, match="no key"):
        list(interruptible(start))


def test_leaving_early_closes_the_stream() -> None:
    reply = FakeReply("first", endless=True)
    pieces = interruptible(lambda: reply)
    assert next(pieces) == "first"
    pieces.close()
    assert reply.closed.wait(1)


def test_a_stream_that_opens_after_leaving_is_closed_at_once() -> None:
    reply = FakeReply("late")
    may_open, opening = threading.Event(), threading.Event()

    def start() -> FakeReply:
        opening.set()
        may_open.wait(5)
        return reply

    pieces = interruptible(start)
    reader = threading.Thread(target=lambda: next(pieces, None), daemon=True)
    reader.start()
    assert opening.wait(1)
    may_open.set()
    reader.join(5)
    pieces.close()
    assert reply.closed.wait(1)


def test_a_first_piece_is_not_held_back_longer_than_a_batch() -> None:
    reply = FakeReply("first", endless=True)
    pieces = interruptible(lambda: reply)
    started = time.monotonic()
    next(pieces)
    assert time.monotonic() - started < 1
    pieces.close()
