"""A server of the 0.7 contract: no version, so no changes to single memories, and no paging."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from lib.embedded.runtime import EmbeddedRuntime
from lib.embedded.server import create_app
from tests.support.plain_compiler import PlainCompiler
from tests.support.serving import serving


@contextmanager
def old_server(folder: Path, *, memories: int) -> Iterator[str]:
    """Its address; Ada said as many things there in one session, each one a memory."""
    runtime = EmbeddedRuntime(folder / "old.db", compiler=PlainCompiler())
    for number in range(memories):
        runtime.record_episode("ada", f"I keep fact number {number}.", session_id="s1")
    runtime.compile_memories("ada")
    inner: ASGIApp = create_app(runtime)

    async def without_version(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == "/v1/version":
            missing = JSONResponse({"error": {"code": "not_found", "message": "no"}}, 404)
            await missing(scope, receive, send)
        else:
            await inner(scope, receive, send)

    with serving(without_version) as url:
        yield url
    runtime.close()
