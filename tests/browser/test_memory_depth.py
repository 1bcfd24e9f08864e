"""What only a browser does on Memory: ticking rows, filters in the address, a picture saved."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Visit, settle


def test_all_ticked_memories_are_forgotten_and_brought_back(app_url: str, visit: Visit) -> None:
    page = visit(f"{app_url}/memory?subject=dev_bob&memory_kind=Artifacts")
    page.get_by_role("button", name="Forget several").click()
    settle(page)
    table = page.get_by_test_id("stPopoverBody").get_by_test_id("stDataFrame")
    table.wait_for()
    # The box on top ticks all; the table is a picture, so it is clicked by place.
    table.click(position={"x": 17, "y": 17})
    page.get_by_role("button", name="Forget 1 ticked").click()
    expect(page.get_by_text("1 memory forgotten.")).to_be_visible()
    settle(page)
    undo = page.get_by_role("button", name="Undo: restore the last 1")
    if not undo.is_visible():
        page.get_by_role("button", name="Forget several").click()
    undo.click()
    expect(page.get_by_text("1 memory can reach a prompt again.")).to_be_visible()


def test_filters_stay_in_the_address_over_a_look_at_another_page(
    app_url: str, visit: Visit
) -> None:
    page = visit(f"{app_url}/memory?subject=dev_priya")
    page.get_by_role("textbox", name="Search").fill("Celery")
    page.get_by_role("textbox", name="Search").press("Enter")
    settle(page)
    expect(page).to_have_url(re.compile(r"[?&]memory_words=Celery(&|$)"))
    page.get_by_role("link", name="Chat", exact=True).click()
    settle(page)
    assert "memory_words" not in page.url
    page.get_by_role("link", name="Memory", exact=True).click()
    settle(page)
    expect(page.get_by_role("textbox", name="Search")).to_have_value("Celery")
    page.reload()
    settle(page)
    expect(page.get_by_role("textbox", name="Search")).to_have_value("Celery")


def test_from_an_episode_to_its_memory_and_to_growth_as_png(app_url: str, visit: Visit) -> None:
    page = visit(f"{app_url}/memory?subject=dev_alice")
    page.get_by_role("button", name="All memories of this episode").first.click()
    settle(page)
    page.locator(".st-key-source_memories button").first.click()
    settle(page)
    expect(page.get_by_role("tab", name="Memories")).to_have_attribute("aria-selected", "true")
    page.get_by_role("tab", name="Growth").click()
    chart = page.locator(".js-plotly-plot")
    chart.hover()
    with page.expect_download() as saved:
        page.locator(".modebar-btn").first.click()
    assert saved.value.suggested_filename == "memory-growth.png"
