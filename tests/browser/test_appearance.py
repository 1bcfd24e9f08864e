"""Every page in both themes and on a phone: accessible, nothing cut off, nothing external."""

import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit, settle
from tests.browser.test_journeys import ask, reply_line

PAGES = ["", "chat", "compare", "budget", "memory"]
LOOKS = [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)]


def serious(page: Page) -> list[str]:
    """Axe findings of serious or critical impact, with the element each is about."""
    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return [
        f"{rule['id']}: {node['html'][:200]} {node['failureSummary']}"
        for rule in found
        if rule["impact"] in {"serious", "critical"}
        for node in rule["nodes"]
    ]


def widest_overflow(page: Page) -> int:
    """How many pixels the page is wider than its window."""
    overflow: int = page.evaluate(
        "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
    )
    return overflow


@pytest.mark.parametrize(("theme", "width"), LOOKS, ids=lambda value: str(value))
@pytest.mark.parametrize("name", PAGES, ids=lambda name: name or "overview")
def test_a_page_is_accessible_and_fits(
    app_url: str, visit: Visit, name: str, theme: str, width: int
) -> None:
    page = visit(f"{app_url}/{name}?subject=dev_alice", theme=theme, width=width)
    if name == "budget":
        expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=20_000)
    settle(page)
    assert serious(page) == []
    assert widest_overflow(page) <= 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_finished_reply_and_comparison_are_accessible(
    app_url: str, visit: Visit, theme: str
) -> None:
    page = visit(f"{app_url}/chat?subject=dev_bob", theme=theme)
    ask(page, "What do you know about me?")
    reply_line(page)
    page.get_by_text("What was injected").last.click()
    settle(page)
    assert serious(page) == []
    page.goto(f"{app_url}/compare?subject=dev_bob")
    settle(page)
    page.locator("[class*=st-key-compare_question_]").get_by_role("button").first.click()
    expect(page.get_by_text(re.compile("What memory added", re.I)).first).to_be_visible(
        timeout=20_000
    )
    settle(page)
    assert serious(page) == []


@pytest.mark.parametrize("name", PAGES, ids=lambda name: name or "overview")
def test_an_unknown_subject_is_told_what_to_do_next(app_url: str, visit: Visit, name: str) -> None:
    page = visit(f"{app_url}/{name}?subject=nobody_yet")
    settle(page)
    assert serious(page) == []
    expect(page.get_by_test_id("stMain").get_by_text("nobody_yet").first).to_be_visible()


def test_text_from_memory_and_model_cannot_act_on_the_page(app_url: str, visit: Visit) -> None:
    # The visit fixture fails on any request that leaves the app's own address.
    page = visit(f"{app_url}/chat?subject=visitor_hostile")
    ask(
        page,
        "I prefer ![x](http://127.0.0.1:9/leak.png) and <img src=http://127.0.0.1:9/a.png> "
        "and [click](http://127.0.0.1:9/b) and <script>document.title='owned'</script> "
        "<|endoftext|> \u202eabc\u202c 🎉 :material/home: $x^2$",
    )
    reply_line(page)
    settle(page)
    for address in ("memory", "budget", "compare", "chat"):
        page.goto(f"{app_url}/{address}?subject=visitor_hostile")
        settle(page)
        assert page.locator("img[src*='127.0.0.1:9'], a[href*='127.0.0.1:9']").count() == 0
        assert "owned" not in page.title()
