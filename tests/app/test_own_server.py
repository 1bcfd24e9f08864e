"""Every page against our own server over a real socket, with a key that must show nowhere."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lib.compiling.offline import OfflineCompiler
from lib.demo.profiles import demo_subjects
from lib.demo.seeding import seed_subject
from lib.embedded.runtime import EmbeddedRuntime
from lib.embedded.server import create_app
from tests.app.conftest import OpenPage
from tests.support.serving import serving

KEY = "sw-planted-key"
PAGES = ("overview", "chat", "compare", "budget", "memory")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    runtime = EmbeddedRuntime(tmp_path / "server.db", compiler=OfflineCompiler())
    for subject in demo_subjects():
        if subject.subject_id == "dev_bob":
            list(seed_subject(runtime, subject))
    with serving(create_app(runtime, api_key=KEY)) as url:
        yield url
    runtime.close()


def everything(at: AppTest) -> str:
    elements = (at.markdown, at.caption, at.text, at.code, at.error, at.warning)
    shown = [str(element.value) for kind in elements for element in kind]
    return json.dumps([*shown, dict(at.query_params)], default=str)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_works_and_shows_no_key(app: OpenPage, server: str, page: str) -> None:
    settings = {"STATEWAVE_BASE_URL": server, "STATEWAVE_API_KEY": KEY}
    at = app(page, subject="dev_bob", settings=settings)
    assert not at.exception
    assert [element.value for element in (*at.error, *at.warning)] == []
    assert KEY not in everything(at)


@pytest.mark.parametrize("page", PAGES)
def test_a_wrong_key_is_explained_and_not_shown(app: OpenPage, server: str, page: str) -> None:
    settings = {"STATEWAVE_BASE_URL": server, "STATEWAVE_API_KEY": "wrong-planted-key"}
    at = app(page, subject="dev_bob", settings=settings)
    assert not at.exception
    shown = everything(at)
    assert "does not accept this API key" in shown
    assert "planted" not in shown


def test_what_is_said_and_the_key_reach_no_log(
    app: OpenPage, server: str, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("lib", "httpx", "httpcore", "openai"):
        caplog.set_level(logging.DEBUG, logger=name)
    at = app(
        "chat",
        subject="dev_bob",
        settings={"STATEWAVE_BASE_URL": server, "STATEWAVE_API_KEY": KEY},
    )
    at.chat_input[0].set_value("My passphrase is marmalade-giraffe.").run()
    assert not at.exception
    assert "marmalade" not in caplog.text
    assert KEY not in caplog.text
