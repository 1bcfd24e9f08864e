"""An outbox on a fresh folder, which sends only when the test asks it to."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from lib.models import Message, NewEpisode
from lib.outbox import Outbox
from lib.protocol import MemoryRuntime
from tests.support.ledger import LedgerRuntime
from tests.support.values import NOW

OpenOutbox = Callable[..., Outbox]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "outbox.db"


@pytest.fixture
def runtime(tmp_path: Path) -> LedgerRuntime:
    return LedgerRuntime(tmp_path / "ledger.jsonl")


@pytest.fixture
def open_outbox(path: Path, runtime: LedgerRuntime) -> Iterator[OpenOutbox]:
    """Opens outboxes on the same file and ledger; all are closed after the test."""
    opened: list[Outbox] = []

    def open_(**options: Any) -> Outbox:
        settings: dict[str, Any] = {
            "destination": "here",
            "sends_by_itself": False,
            "jitter": lambda: 0.0,
        }
        ledger = cast(MemoryRuntime, options.pop("runtime", runtime))
        opened.append(Outbox(path, ledger, **(settings | options)))
        return opened[-1]

    yield open_
    for outbox in opened:
        outbox.close()


@pytest.fixture
def outbox(open_outbox: OpenOutbox) -> Outbox:
    return open_outbox()


def turn(turn_id: str, text: str = "Hello", **fields: Any) -> NewEpisode:
    """A turn as a conversation hands it over."""
    said = (Message("user", text), Message("assistant", f"Reply to {text}"))
    return NewEpisode(said, session_id="s", occurred_at=NOW, idempotency_key=turn_id, **fields)
