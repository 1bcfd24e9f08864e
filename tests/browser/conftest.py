"""A real Chromium against the real app; every visit fails on what a visitor must never meet."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Request, sync_playwright

from tests.support.dashboard import dashboard

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
READY = (
    "[data-testid=stApp][data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"
)

Visit = Callable[..., Page]


@pytest.fixture(scope="session")
def app_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One dashboard on the embedded engine and the offline reader, shared by reading tests."""
    with dashboard(tmp_path_factory.mktemp("data")) as url:
        yield url


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Visit]:
    """Opens a page in a context of its own: `visit(url, theme="dark", width=390)`."""
    contexts = []
    faults: list[str] = []

    def open_page(
        url: str, *, theme: Any = "light", width: int = 1280, height: int = 800, wait: bool = True
    ) -> Page:
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme=theme,
            accept_downloads=True,
            permissions=["clipboard-read", "clipboard-write"],
        )
        contexts.append(context)
        page = context.new_page()
        home = urlsplit(url).netloc

        def note_request(request: Request) -> None:
            place = urlsplit(request.url)
            if place.scheme in {"http", "https", "ws", "wss"} and place.netloc != home:
                faults.append(f"external request: {request.url}")

        page.on("request", note_request)
        page.on("pageerror", lambda error: faults.append(f"page error: {error}"))
        page.goto(url)
        if wait:
            settle(page)
        return page

    yield open_page
    for context in contexts:
        for page in context.pages:
            if page.locator("[data-testid=stException]").count():
                faults.append(
                    f"exception on {page.url}: {page.inner_text('[data-testid=stException]')}"
                )
        context.close()
    assert not faults, faults


def settle(page: Page, *, timeout_s: float = 30) -> None:
    """Wait until the script has run and nothing is being redrawn."""
    page.wait_for_selector(READY, timeout=timeout_s * 1000)
    # A rerun begins a moment after a click: only two quiet looks in a row count.
    page.wait_for_timeout(120)
    page.wait_for_selector(READY, timeout=timeout_s * 1000)


def go(page: Page, name: str) -> None:
    """Another page, by the navigation on top."""
    page.get_by_test_id("stTopNav").get_by_role("link", name=name, exact=True).click()
    settle(page)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("browser") and not CHROMIUM:
        why = "no Chromium: apt-get install chromium, or set CHROMIUM to its path"
        if os.environ.get("REQUIRE_BROWSER") == "1":
            pytest.fail(why, pytrace=False)
        pytest.skip(why)
