"""An engine on a fresh file, with a clock that ticks a minute per look."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lib.embedded import EmbeddedRuntime
from tests.support.plain_compiler import PlainCompiler

START = datetime(2026, 1, 5, 9, tzinfo=UTC)


@dataclass
class Clock:
    """Time that passes a minute whenever it is looked at."""

    now: datetime = START
    step: timedelta = field(default=timedelta(minutes=1))

    def __call__(self) -> datetime:
        self.now += self.step
        return self.now


OpenRuntime = Callable[[Path], EmbeddedRuntime]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def open_runtime(clock: Clock) -> Iterator[OpenRuntime]:
    """Opens engines that are closed after the test."""
    opened: list[EmbeddedRuntime] = []

    def open_(path: Path) -> EmbeddedRuntime:
        opened.append(EmbeddedRuntime(path, compiler=PlainCompiler(), clock=clock))
        return opened[-1]

    yield open_
    for runtime in opened:
        runtime.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def runtime(open_runtime: OpenRuntime, path: Path) -> EmbeddedRuntime:
    return open_runtime(path)
