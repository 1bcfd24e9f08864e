"""The main journeys of a visitor, on the embedded engine and the offline reader."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit, go, settle
from tests.support.dashboard import dashboard


def ask(page: Page, message: str) -> None:
    """Type a message and send it with the keyboard."""
    box = page.get_by_test_id("stChatInputTextArea")
    box.fill(message)
    box.press("Enter")


def reply_line(page: Page) -> str:
    """The compact line under the newest reply, once it is there."""
    line = page.get_by_text(re.compile(r"total [\d.,]+ m?s")).last
    expect(line).to_be_visible(timeout=20_000)
    return line.inner_text()


def test_a_first_deep_link_on_a_fresh_server_and_a_refresh_show_the_page(
    tmp_path: Path, visit: Visit
) -> None:
    with dashboard(tmp_path / "data") as url:
        page = visit(f"{url}/memory?subject=dev_bob")
        expect(page.get_by_role("heading", name="Memory of dev_bob")).to_be_visible()
        expect(page.get_by_test_id("stMain").get_by_text("dev_bob").first).to_be_visible()
        page.reload()
        settle(page)
        expect(page.get_by_test_id("stMain").get_by_text("dev_bob").first).to_be_visible()
        assert "subject=dev_bob" in page.url
        go(page, "Chat")
        settle(page)
        expect(page.get_by_role("heading", name="Chat as dev_bob")).to_be_visible()


def test_chat_answers_from_memory_says_what_was_injected_and_survives_a_refresh(
    app_url: str, visit: Visit
) -> None:
    page = visit(f"{app_url}/chat?subject=dev_alice")
    ask(page, "How did I fix the 429s in the batch embedding job?")
    line = reply_line(page)
    settle(page)
    assert re.search(r"\d+ memor", line)
    assert re.search(r"\d+ context tokens", line)
    assert "Offline reader" in line
    expect(page.get_by_text(re.compile("backoff")).first).to_be_visible()

    page.get_by_text("What was injected").last.click()
    expect(page.get_by_text("Notes from earlier conversations with this person")).to_be_visible()

    assert "session=" in page.url
    page.reload()
    settle(page)
    expect(page.get_by_text("How did I fix the 429s in the batch embedding job?")).to_be_visible()
    expect(page.get_by_test_id("stChatMessage")).to_have_count(2)


def test_what_is_said_to_a_new_subject_is_remembered_in_the_next_session(
    app_url: str, visit: Visit
) -> None:
    page = visit(f"{app_url}/chat?subject=visitor_rosa")
    ask(page, "I'm Rosa. I build a scheduling API in Elixir and deploy it on Hetzner.")
    reply_line(page)
    settle(page)
    page.get_by_role("button", name="New session").click()
    settle(page)
    ask(page, "Which language do I build the API in?")
    line = reply_line(page)
    settle(page)
    assert re.search(r"[1-9]\d* memor", line)
    expect(page.get_by_test_id("stChatMessage").last).to_contain_text("Elixir")


def test_compare_streams_both_sides_and_shows_that_only_the_memory_block_differs(
    app_url: str, visit: Visit
) -> None:
    page = visit(f"{app_url}/compare?subject=dev_alice")
    page.get_by_role("button", name="Which similarity measure do I use now?").click()
    expect(page.get_by_text(re.compile(r"What memory added", re.I)).first).to_be_visible(
        timeout=20_000
    )
    settle(page)
    expect(page.get_by_text("Stateless").first).to_be_visible()
    expect(page.get_by_text("Memory-backed").first).to_be_visible()
    expect(page.get_by_text("no record").first).to_be_visible()

    go(page, "Memory")
    go(page, "Compare")
    expect(page.get_by_text(re.compile(r"What memory added", re.I)).first).to_be_visible()


def test_the_budget_chosen_from_the_chart_is_the_one_chat_uses(app_url: str, visit: Visit) -> None:
    page = visit(f"{app_url}/budget?subject=dev_bob")
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=20_000)
    page.get_by_text("200", exact=True).first.click()
    settle(page)
    page.get_by_role("button", name="Use this budget").click()
    settle(page)
    go(page, "Chat")
    page.get_by_role("button", name="Settings").click()
    expect(page.get_by_role("spinbutton", name="Token budget")).to_have_value("200")


def test_memories_can_be_searched_opened_forgotten_and_brought_back(
    app_url: str, visit: Visit
) -> None:
    page = visit(f"{app_url}/memory?subject=dev_priya")
    page.get_by_role("textbox", name="Search").fill("Bengaluru")
    page.get_by_role("textbox", name="Search").press("Enter")
    settle(page)
    page.locator("canvas").first.click(position={"x": 200, "y": 52}, force=True)
    settle(page)
    expect(page.get_by_text(re.compile(r"Confidence \d\.\d\d"))).to_be_visible()
    page.get_by_role("button", name="Forget", exact=True).click()
    settle(page)
    page.get_by_role("button", name="Undo").click()
    settle(page)
    expect(page.get_by_text("Restored.")).to_be_visible()


def test_two_tabs_on_one_subject_do_not_mix_or_repeat_turns(app_url: str, visit: Visit) -> None:
    first = visit(f"{app_url}/chat?subject=visitor_tabs")
    second = visit(f"{app_url}/chat?subject=visitor_tabs")
    ask(first, "I keep my notes in Obsidian.")
    reply_line(first)
    ask(second, "My editor is Helix.")
    reply_line(second)
    settle(second)
    # In the conversation: the memory beside it is the subject's, so it holds what both tabs said.
    spoken = second.get_by_test_id("stChatMessage")
    expect(spoken.get_by_text("I keep my notes in Obsidian.")).to_have_count(0)
    third = visit(f"{app_url}/memory?subject=visitor_tabs")
    expect(third.get_by_text(re.compile(r"2 (recorded )?(turns|episodes)")).first).to_be_visible()
