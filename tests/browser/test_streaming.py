"""Stop, page switch and faults in mid-stream, with a scripted model over HTTP."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit, go, settle
from tests.browser.test_journeys import ask, reply_line
from tests.support.dashboard import dashboard
from tests.support.scripted_model import ScriptedModel

LONG_REPLY = " ".join(f"word{number}" for number in range(80))


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel(reply=LONG_REPLY, delay_s=0.2, silence_s=20) as scripted:
        yield scripted


@pytest.fixture(scope="module")
def model_url(model: ScriptedModel, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = {"LLM_API_KEY": "sk-planted-key", "LLM_BASE_URL": model.url}
    with dashboard(tmp_path_factory.mktemp("model"), settings) as url:
        yield url


def test_stop_keeps_what_was_said_and_ends_the_upstream_stream(
    model_url: str, model: ScriptedModel, visit: Visit
) -> None:
    page = visit(f"{model_url}/chat?subject=stop_streaming")
    ask(page, "Tell me a lot [[script:slow]]")
    expect(page.get_by_text("word2").first).to_be_visible(timeout=15_000)
    page.get_by_test_id("stChatInput").get_by_role("button", name=re.compile("stop", re.I)).click()
    assert model.wait_for_disconnect(timeout_s=5)
    settle(page)
    expect(page.get_by_text("word2").first).to_be_visible()
    expect(page.get_by_text(re.compile("stopped", re.I)).first).to_be_visible()
    page.reload()
    settle(page)
    expect(page.get_by_text("word2").first).to_be_visible()


def test_stop_works_while_the_model_is_silent(
    model_url: str, model: ScriptedModel, visit: Visit
) -> None:
    page = visit(f"{model_url}/chat?subject=stop_silence")
    ask(page, "Think first [[script:silent]]")
    page.wait_for_timeout(1500)
    page.get_by_test_id("stChatInput").get_by_role("button", name=re.compile("stop", re.I)).click()
    settle(page, timeout_s=5)
    assert model.wait_for_disconnect(timeout_s=5)
    expect(page.get_by_text("Think first").first).to_be_visible()


def test_a_page_switch_in_mid_stream_loses_no_turn(
    model_url: str, model: ScriptedModel, visit: Visit
) -> None:
    page = visit(f"{model_url}/chat?subject=switch_page")
    ask(page, "Tell me a lot [[script:slow]]")
    expect(page.get_by_text("word2").first).to_be_visible(timeout=15_000)
    go(page, "Memory")
    assert model.wait_for_disconnect(timeout_s=5)
    settle(page)
    go(page, "Chat")
    expect(page.get_by_text("word2").first).to_be_visible()
    expect(page.get_by_test_id("stChatMessage")).to_have_count(2)


def test_a_model_that_refuses_leaves_the_question_and_offers_to_try_again(
    model_url: str, visit: Visit
) -> None:
    page = visit(f"{model_url}/chat?subject=refused")
    ask(page, "Hello [[script:unauthorized]]")
    expect(page.get_by_test_id("stAlert").get_by_text(re.compile("key", re.I))).to_be_visible(
        timeout=15_000
    )
    settle(page)
    expect(page.get_by_role("button", name="Retry")).to_be_visible()
    assert "sk-planted-key" not in page.content()


def test_both_sides_of_a_comparison_stream_at_once_and_a_failed_one_gets_no_verdict(
    model_url: str, visit: Visit
) -> None:
    page = visit(f"{model_url}/compare?subject=dev_alice")
    ask(page, "How did I fix the 429s? [[script:slow]]")
    expect(page.get_by_text("word2").nth(1)).to_be_visible(timeout=15_000)
    expect(page.get_by_text("word79")).to_have_count(0)


def test_memory_down_gives_a_reply_without_memory_and_keeps_the_turn(
    model: ScriptedModel, tmp_path: Path, visit: Visit
) -> None:
    settings = {
        "LLM_BASE_URL": model.url,
        "LLM_API_KEY": "sk-planted-key",
        "STATEWAVE_BASE_URL": "http://127.0.0.1:9",
        "STATEWAVE_API_KEY": "sw-planted-key",
    }
    with dashboard(tmp_path / "data", settings) as url:
        page = visit(f"{url}/chat?subject=someone")
        ask(page, "Are you there? [[script:normal]]")
        line = reply_line(page)
        settle(page)
        assert re.search("without memory|no memory", line, re.I)
        expect(page.get_by_text("word79").first).to_be_visible()
        expect(page.get_by_text(re.compile("not recorded", re.I)).first).to_be_visible()
        for address in ("", "chat", "compare", "budget", "memory"):
            page.goto(f"{url}/{address}?subject=someone")
            settle(page)
            assert "planted-key" not in page.content()
            assert "Traceback" not in page.content()
