"""Compare and Budget in depth: every view in both themes, pictures saved, long work cancelled."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from lib.embedded.runtime import EmbeddedRuntime
from lib.embedded.server import create_app
from lib.models import ContextBundle
from tests.browser.conftest import Visit, settle
from tests.browser.test_appearance import serious, widest_overflow
from tests.support.dashboard import dashboard
from tests.support.loose_runtime import LooseRuntime
from tests.support.plain_compiler import PlainCompiler
from tests.support.scripted_model import ScriptedModel
from tests.support.serving import serving

QUESTION = "Which similarity measure do I use now?"


def open_tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name, exact=True).click()
    settle(page)


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 390)])
def test_every_view_of_budget_is_accessible_and_fits(
    app_url: str, visit: Visit, theme: str, width: int
) -> None:
    page = visit(f"{app_url}/budget?subject=dev_alice", theme=theme, width=width)
    for name in ("Map", "By kind", "Recall", "Several tasks", "Price"):
        open_tab(page, name)
        if name == "Several tasks":
            # A list that opens while the page scrolls closes again.
            page.get_by_text("As table").scroll_into_view_if_needed()
            page.get_by_role("combobox", name="Other tasks").click()
            page.get_by_role("option", name=QUESTION).click()
            page.keyboard.press("Escape")
            settle(page)
        expect(page.locator(".js-plotly-plot")).to_have_count(3, timeout=20_000)
        settle(page)
        assert serious(page) == [], name
        assert widest_overflow(page) <= 0, name


@pytest.mark.parametrize(("theme", "width"), [("dark", 1280), ("light", 390)])
def test_every_view_of_a_comparison_is_accessible_and_fits(
    app_url: str, visit: Visit, theme: str, width: int
) -> None:
    page = visit(f"{app_url}/compare?subject=dev_alice", theme=theme, width=width)
    page.get_by_role("button", name="Settings").click()
    for name in ("Full history", "Last turns"):
        page.get_by_role("button", name=name, exact=True).click()
        settle(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name=QUESTION).click()
    expect(page.get_by_text("What memory added").first).to_be_visible(timeout=20_000)
    settle(page)
    for name in ("Facts in the reply", "Cost and time"):
        open_tab(page, name)
        assert serious(page) == [], name
        assert widest_overflow(page) <= 0, name
    page.get_by_text("All of this subject's questions").click()
    page.get_by_role("button", name="Ask all").click()
    expect(page.get_by_text("Right answers:").first).to_be_visible(timeout=20_000)
    page.get_by_text("This visit's comparisons").click()
    settle(page)
    assert serious(page) == []
    assert widest_overflow(page) <= 0


def test_a_chart_is_saved_as_png_and_as_csv(app_url: str, visit: Visit) -> None:
    page = visit(f"{app_url}/budget?subject=dev_alice")
    open_tab(page, "Map")
    chart = page.locator(".js-plotly-plot").nth(2)
    chart.hover()
    with page.expect_download() as saved:
        chart.locator(".modebar-btn").first.click()
    assert saved.value.suggested_filename == "budget-map.png"
    page.get_by_role("button", name="As table").click()
    with page.expect_download() as saved:
        table = page.get_by_test_id("stPopoverBody")
        table.get_by_role("button", name="Download as CSV", exact=True).click()
    assert saved.value.suggested_filename == "budget-map.csv"
    assert Path(saved.value.path()).read_text().startswith('"Enters at, tokens",Kind,Text,Tokens')


def test_a_run_of_all_questions_is_cancelled_in_mid_reply(tmp_path: Path, visit: Visit) -> None:
    reply = " ".join(f"word{number}" for number in range(200))
    with ScriptedModel(script="slow", reply=reply, delay_s=0.2) as model:
        settings = {"LLM_API_KEY": "sk-planted-key", "LLM_BASE_URL": model.url}
        with dashboard(tmp_path / "data", settings) as url:
            page = visit(f"{url}/compare?subject=dev_alice")
            page.get_by_text("All of this subject's questions").click()
            page.get_by_role("button", name="Ask all").click()
            expect(page.get_by_text(re.compile("0 of 10 questions asked"))).to_be_visible()
            page.get_by_role("button", name="Cancel").click()
            assert model.wait_for_disconnect(timeout_s=5)
            expect(page.get_by_text("No verdict.").first).to_be_visible(timeout=10_000)
            expect(page.get_by_role("button", name="Go on")).to_be_visible()
            assert len(model.requests) == 1


class SlowRuntime(LooseRuntime):
    """Takes its time for every context."""

    def get_context(self, *place: Any, **options: Any) -> ContextBundle:
        time.sleep(0.25)
        return super().get_context(*place, **options)


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[SlowRuntime]:
    inner = EmbeddedRuntime(tmp_path / "memory.db", compiler=PlainCompiler())
    for number in range(30):
        inner.record_episode("ada", f"I keep note number {number} about my project.")
    inner.compile_memories("ada")
    yield SlowRuntime(inner, forgetful_from=9_999)
    inner.close()


def test_a_slow_server_s_sweep_shows_how_far_it_is_and_can_be_cancelled(
    tmp_path: Path, slow: SlowRuntime, visit: Visit
) -> None:
    server: Any = slow
    with (
        serving(create_app(server)) as address,
        dashboard(tmp_path / "data", {"STATEWAVE_BASE_URL": address}) as url,
    ):
        page = visit(f"{url}/budget?subject=ada", wait=False)
        expect(page.get_by_text(re.compile(r"\d+ of \d+ budgets asked for"))).to_be_visible()
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_text("The sweep was cancelled.")).to_be_visible()
        settle(page)
        asked = len(slow.budgets)
        page.get_by_role("button", name=re.compile("^Sweep all")).click()
        expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=30_000)
        assert len(slow.budgets) > asked + 20
