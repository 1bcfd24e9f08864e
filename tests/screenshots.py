"""Makes the README's pictures from the running app: `python -m tests.screenshots [folder]`.

Without a folder the light pictures of each page go to `docs/screenshots`; with one, every page is
taken in both themes and on a phone, to be looked at side by side.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS, settle
from tests.support.dashboard import ROOT, dashboard

PICTURES = ROOT / "docs" / "screenshots"
QUESTION = "What was the bug in my batch embedding job, and how did we fix it?"


def overview(page: Page) -> None:
    """Nothing to do: the page as it greets."""


def chat(page: Page) -> None:
    """A question about an earlier session, answered."""
    page.get_by_role("button", name=QUESTION).click()
    page.get_by_role("button", name="Regenerate").wait_for()
    settle(page)


def compare(page: Page) -> None:
    """The same question, both replies there."""
    page.get_by_role("button", name=QUESTION).click()
    page.get_by_text("What memory added").wait_for()
    settle(page)


def budget(page: Page) -> None:
    """A budget that cuts something, in both charts."""
    page.get_by_role("radio", name="200").click()
    settle(page)
    for number in range(2):
        page.locator(".js-plotly-plot").nth(number).wait_for()


def memory(page: Page) -> None:
    """The table, with the newest memory opened as on every visit."""


SCENES: dict[str, Callable[[Page], None]] = {
    "overview": overview,
    "chat": chat,
    "compare": compare,
    "budget": budget,
    "memory": memory,
}


def address(url: str, name: str) -> str:
    """Where a page lives; the default page lives at `/` only."""
    return f"{url}/{'' if name == 'overview' else name}?subject=dev_alice"


def take(browser: Browser, url: str, name: str, *, theme: str, width: int, path: Path) -> None:
    """One page, acted out and saved."""
    phone = width < 600
    context = browser.new_context(
        viewport={"width": width, "height": 844 if phone else 800},
        color_scheme="dark" if theme == "dark" else "light",
    )
    page = context.new_page()
    page.goto(address(url, name))
    settle(page)
    SCENES[name](page)
    page.wait_for_function("!document.querySelector('[data-testid=stSkeleton]')")
    # No control is shown under the pointer or with the focus of the last click.
    page.mouse.move(width - 60, 60)
    page.evaluate("document.activeElement.blur()")
    page.wait_for_timeout(500)
    page.screenshot(path=path)
    context.close()


def main(folder: Path | None) -> None:
    """Every page of a freshly seeded dashboard."""
    target = folder or PICTURES
    target.mkdir(parents=True, exist_ok=True)
    looks = (
        [("light", 1280)] if folder is None else [("light", 1280), ("dark", 1280), ("light", 390)]
    )
    with tempfile.TemporaryDirectory(prefix="statewave-") as data, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        with dashboard(Path(data) / "data") as url:
            for name in SCENES:
                for theme, width in looks:
                    suffix = "" if folder is None else f"-{'phone' if width < 600 else theme}"
                    path = target / f"{name}{suffix}.png"
                    take(browser, url, name, theme=theme, width=width, path=path)
                    print(path)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
