"""Clicks and keys that come twice: everything happens once and is told once."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Visit, settle
from tests.browser.test_journeys import ask, reply_line


def test_deleting_with_a_double_click_says_what_was_deleted(app_url: str, visit: Visit) -> None:
    page = visit(f"{app_url}/chat?subject=visitor_twice")
    ask(page, "I use Zig every day.")
    reply_line(page)
    settle(page)
    page.goto(f"{app_url}/memory?subject=visitor_twice")
    settle(page)
    page.get_by_text(re.compile("^Delete visitor")).first.click()
    page.get_by_role("textbox", name=re.compile("Type the subject")).fill("visitor_twice")
    page.get_by_role("button", name="Delete for good").dblclick()
    settle(page)
    expect(page.get_by_test_id("stAlert")).to_have_text(re.compile("Deleted 1 episode"))


def test_a_message_sent_twice_in_a_hurry_is_one_turn(app_url: str, visit: Visit) -> None:
    page = visit(f"{app_url}/chat?subject=visitor_hurry")
    ask(page, "My editor is Kakoune.")
    ask(page, "My editor is Kakoune.")
    reply_line(page)
    settle(page)
    expect(page.get_by_test_id("stChatMessage")).to_have_count(2)
    page.goto(f"{app_url}/memory?subject=visitor_hurry")
    settle(page)
    expect(page.get_by_text(re.compile("from 1 episode")).first).to_be_visible()
