"""The runtimes of the contract suite, each fresh for every test."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from lib.embedded.runtime import EmbeddedRuntime
from lib.embedded.server import create_app
from lib.protocol import MemoryRuntime
from lib.statewave import StatewaveClient
from tests.support.plain_compiler import PlainCompiler
from tests.support.serving import serving

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
API_KEY = "contract-key"


@dataclass(slots=True)
class Stage:
    """One address for the whole run; each test puts its own app behind it."""

    url: str = ""
    app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self.app is not None
        await self.app(scope, receive, send)


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    """A running server without an app yet."""
    stage = Stage()
    with serving(stage) as stage.url:
        yield stage


@pytest.fixture(params=["embedded", "statewave"])
def runtime(
    request: pytest.FixtureRequest, tmp_path: Path, stage: Stage
) -> Iterator[MemoryRuntime]:
    """An empty runtime; its clock moves one minute whenever it is read."""
    with ExitStack() as stack:
        minutes = count()
        embedded = EmbeddedRuntime(
            tmp_path / "memory.db",
            compiler=PlainCompiler(),
            clock=lambda: START + timedelta(minutes=next(minutes)),
        )
        stack.callback(embedded.close)
        under_test: MemoryRuntime = embedded
        if request.param == "statewave":
            stage.app = create_app(embedded, api_key=API_KEY)
            under_test = StatewaveClient(stage.url, api_key=API_KEY)
            stack.callback(under_test.close)
        for marker in request.node.iter_markers("requires"):
            (capability,) = marker.args
            if capability not in under_test.capabilities():
                pytest.skip(f"{request.param} does not declare {capability}")
        yield under_test
