"""The server goes away in the middle of a chat and comes back: nobody has to click."""

import re
import time
from pathlib import Path

from playwright.sync_api import expect

from lib.embedded.runtime import EmbeddedRuntime
from lib.embedded.server import create_app
from tests.browser.conftest import Visit, settle
from tests.browser.test_journeys import ask, reply_line
from tests.support.dashboard import dashboard, free_port
from tests.support.plain_compiler import PlainCompiler
from tests.support.serving import serving


def said(engine: EmbeddedRuntime) -> list[str]:
    """The questions recorded so far, in order."""
    return [each.messages[0].content for each in engine.timeline("visitor_ann").episodes]


def wait_for(engine: EmbeddedRuntime, count: int) -> None:
    deadline = time.monotonic() + 30
    while len(said(engine)) < count:
        assert time.monotonic() < deadline, said(engine)
        time.sleep(0.05)


def test_a_turn_said_while_the_server_is_down_arrives_once_without_a_click(
    tmp_path: Path, visit: Visit
) -> None:
    engine = EmbeddedRuntime(tmp_path / "server.db", compiler=PlainCompiler())
    port = free_port()
    settings = {"STATEWAVE_BASE_URL": f"http://127.0.0.1:{port}"}
    waits = re.compile("turns? not recorded yet")

    with dashboard(tmp_path / "data", settings) as url:
        with serving(create_app(engine), port=port):
            page = visit(f"{url}/chat?subject=visitor_ann")
            ask(page, "I keep bees.")
            assert "episode" in reply_line(page)
            settle(page)
        ask(page, "I moved to Porto.")
        expect(page.get_by_text("not recorded yet", exact=True)).to_be_visible(timeout=30_000)
        expect(page.get_by_text(waits)).to_have_text(re.compile("1 turn not"))
        assert said(engine) == ["I keep bees."]
        with serving(create_app(engine), port=port):
            wait_for(engine, 2)
            expect(page.get_by_text(waits)).to_have_count(0, timeout=15_000)
            expect(page.get_by_text("not recorded yet", exact=True)).to_have_count(0)
        ask(page, "I sell honey.")
        expect(page.get_by_text(waits)).to_have_text(re.compile("1 turn not"), timeout=30_000)

    # The app ends with the turn still waiting; the next one sends it before anybody visits.
    with dashboard(tmp_path / "data", settings) as url, serving(create_app(engine), port=port):
        wait_for(engine, 3)
        page = visit(f"{url}/chat?subject=visitor_ann")
        expect(page.get_by_text(waits)).to_have_count(0)
    assert said(engine) == ["I keep bees.", "I moved to Porto.", "I sell honey."]
    engine.close()
