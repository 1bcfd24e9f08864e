"""The file: a full disk, a foreign, newer, damaged or locked file never break a reply."""

import os
import resource
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from lib.outbox import Backlog, Outbox
from lib.protocol import MemoryRuntime
from tests.support.ledger import LedgerRuntime, away, never
from tests.unit.outbox.conftest import OpenOutbox, turn


class RemoteLedger(LedgerRuntime):
    """A ledger on somebody else's disk."""

    def __init__(self) -> None:
        super().__init__(Path("remote"))
        self._rows: list[dict[str, Any]] = []

    def rows(self) -> list[dict[str, Any]]:
        return self._rows

    def _append(self, row: dict[str, Any]) -> None:
        self._rows.append(row)


@pytest.fixture
def runtime() -> LedgerRuntime:
    return RemoteLedger()


@contextmanager
def disk_full_after(size: int) -> Iterator[None]:
    """No file of this process may grow beyond `size` bytes meanwhile."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("keeps_first", [False, True])
@pytest.mark.parametrize("honours_keys", [False, True])
def test_on_a_full_disk_the_caller_is_told_that_it_has_the_only_copy(
    open_outbox: OpenOutbox, runtime: LedgerRuntime, *, keeps_first: bool, honours_keys: bool
) -> None:
    outbox = open_outbox(keeps_first=keeps_first)
    runtime.honours_keys = honours_keys
    runtime.after = lambda: away(reached=True)
    outbox.record("bob", turn("0"))
    with disk_full_after(40_000):
        made = outbox.record("ann", turn("1", "long " * 20_000))
        assert made.state == "unkept"
        assert made.reason
        assert "full" in made.reason
        assert outbox.backlog() == Backlog(waiting=1)
    runtime.after = never
    outbox.send_now()
    # The caller hands it over once more: it arrived the first time, if it was sent at all.
    assert outbox.record("ann", turn("1", "long " * 20_000)).state == "recorded"
    assert runtime.turn_ids().count("1") == 1
    assert runtime.turn_ids().count("0") == 1


def test_on_a_full_disk_a_runtime_that_answers_still_gets_the_turn(
    open_outbox: OpenOutbox, runtime: LedgerRuntime
) -> None:
    outbox = open_outbox(keeps_first=True)
    outbox.record("bob", turn("0"))
    with disk_full_after(40_000):
        assert outbox.record("ann", turn("1", "long " * 20_000)).state == "recorded"
    assert runtime.turn_ids() == ["0", "1"]


def test_no_turn_overtakes_one_that_waits_when_the_disk_is_full(
    outbox: Outbox, runtime: LedgerRuntime
) -> None:
    runtime.before = away
    outbox.record("ann", turn("1"))
    runtime.before = never
    with disk_full_after(40_000):
        assert outbox.record("ann", turn("2", "long " * 20_000)).state == "unkept"
    assert runtime.turn_ids() == []
    outbox.send_now()
    outbox.record("ann", turn("2", "long " * 20_000))
    assert runtime.turn_ids() == ["1", "2"]


def newer(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()


def foreign(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE notes (text)")
    connection.close()


def text(path: Path) -> None:
    path.write_text("just some text")


def damaged(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (newer, "newer version"),
        (foreign, "left untouched"),
        (text, "left untouched"),
        (damaged, "damaged"),
    ],
)
def test_a_file_that_cannot_be_used_is_explained_and_the_runtime_still_gets_turns(
    open_outbox: OpenOutbox, runtime: LedgerRuntime, path: Path, spoil: object, said: str
) -> None:
    runtime.before = away
    first = open_outbox()
    first.record("ann", turn("1"))
    first.close()
    assert callable(spoil)
    spoil(path)
    content = path.read_bytes()
    outbox = open_outbox()
    error = outbox.backlog().error
    assert error
    assert said in error
    made = outbox.record("ann", turn("2"))
    assert made.state == "unkept"
    assert said in (made.reason or "")
    runtime.before = never
    assert outbox.record("ann", turn("2")).state == "recorded"
    outbox.send_now()
    assert path.read_bytes() == content


def test_the_folder_is_made_when_it_is_needed_and_one_that_cannot_be_is_explained(
    runtime: LedgerRuntime, tmp_path: Path
) -> None:
    runtime.before = away
    (tmp_path / "file").write_text("x")
    states = []
    for folder in ("new", "file"):
        outbox = Outbox(
            tmp_path / folder / "outbox.db",
            cast(MemoryRuntime, runtime),
            destination="here",
            sends_by_itself=False,
        )
        assert outbox.backlog() == Backlog()
        assert not (tmp_path / "new").exists() or folder == "file"
        states.append(outbox.record("ann", turn(folder)))
        outbox.close()
    assert [made.state for made in states] == ["waiting", "unkept"]
    assert "cannot be written" in (states[1].reason or "")


def test_a_file_deleted_while_it_is_open_is_made_anew(
    outbox: Outbox, runtime: LedgerRuntime, path: Path, open_outbox: OpenOutbox
) -> None:
    runtime.before = away
    outbox.record("ann", turn("1"))
    for file in path.parent.glob("outbox.db*"):
        file.unlink()
    assert outbox.backlog() == Backlog()
    assert outbox.record("ann", turn("2")).state == "waiting"
    assert [kept.turn_id for kept in open_outbox().open_turns()] == ["2"]
