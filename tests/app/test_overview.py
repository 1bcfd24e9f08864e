"""The Overview page, end to end, without a browser."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from streamlit.testing.v1 import AppTest

from lib import VERSION, resources
from lib.compiling.offline import OfflineCompiler
from lib.demo.profiles import demo_subjects
from lib.embedded.runtime import EmbeddedRuntime
from lib.embedded.server import create_app
from lib.inspection import count_memories, example_task, inspect_subject
from lib.settings import Settings
from lib.tokens import count_tokens
from tests.app.conftest import OpenPage
from tests.support.pages import text_of
from tests.support.serving import serving

NOBODY_LISTENS = "http://127.0.0.1:9"


@contextmanager
def empty_server(folder: Path) -> Iterator[str]:
    runtime = EmbeddedRuntime(folder / "server.db", compiler=OfflineCompiler())
    with serving(create_app(runtime)) as url:
        yield url
    runtime.close()


def metrics(at: AppTest) -> dict[str, str]:
    return {item.label.replace("\\", ""): item.value for item in at.metric}


def links(at: AppTest) -> dict[str, str]:
    return {link.proto.label: link.proto.page for link in at.get("page_link")}


def labels(at: AppTest) -> list[str]:
    return [button.label for button in at.button]


def table(at: AppTest) -> str:
    return at.table[0].value.to_string().replace("\\", "")


def test_it_is_the_first_page_and_says_what_this_is(app: OpenPage) -> None:
    at = app("overview")
    assert not at.exception
    assert at.title[0].value == "See what memory does for an assistant"
    assert "tokens, the pieces of words that models charge for" in text_of(at)


def test_the_numbers_are_those_of_the_chosen_subject(app: OpenPage) -> None:
    at = app("overview", subject="dev_bob")
    runtime = resources.memory_runtime()
    bob = inspect_subject(runtime, "dev_bob")
    demo = next(item for item in demo_subjects() if item.subject_id == "dev_bob")
    task = example_task(demo)
    bundle = runtime.get_context("dev_bob", task, max_tokens=800)
    history = sum(count_tokens(item.text) for item in bob.episodes)
    assert metrics(at) == {
        "Memories of dev_bob": f"{count_memories(bob.memories).active:,}",
        "Memory adds to the prompt": f"{bundle.token_estimate:,} tokens",
        "Everything said so far": f"{history:,} tokens",
    }
    text = text_of(at)
    assert (
        f"{len(bob.episodes)} episodes, that is recorded turns, in {len(bob.session_ids)} sessions"
        in text
    )
    assert f"when asked “{task}”" in text
    assert f"memory sends {bundle.token_estimate}: {bundle.token_estimate / history:.0%}" in text


def test_the_budget_of_the_settings_is_the_one_measured(app: OpenPage) -> None:
    at = app("overview", settings={"STATEWAVE_MAX_TOKENS": "120"})
    used = int(metrics(at)["Memory adds to the prompt"].split()[0])
    assert 0 < used <= 120
    assert "With a budget of 120" in text_of(at)


def test_three_cards_lead_to_chat_compare_and_budget(app: OpenPage) -> None:
    assert links(app("overview")) == {
        "Open Chat": "chat",
        "Open Compare": "compare",
        "Open Budget": "budget",
    }


def test_what_is_connected_is_named_with_what_it_cannot_do(app: OpenPage, tmp_path: Path) -> None:
    at = app("overview")
    shown = table(at)
    assert VERSION in shown
    assert str(tmp_path / "data") in shown
    assert "Offline reader (no language model)" in shown
    finds_by_meaning = "semantic_search" in resources.memory_runtime().capabilities()
    said = "Memories are found by their words, not by their meaning." in text_of(at)
    assert said != finds_by_meaning


def test_the_variables_to_copy_are_settings_of_this_app(app: OpenPage) -> None:
    at = app("overview")
    names = re.findall(r"^([A-Z_]+)=", at.code[0].value, re.M)
    assert {"STATEWAVE_BASE_URL", "LLM_API_KEY", "OPENAI_MODEL"} <= set(names)
    assert {name.lower() for name in names} <= set(Settings.model_fields)


def test_a_new_subject_is_told_the_next_step(app: OpenPage) -> None:
    at = app("overview", subject="nobody_yet")
    assert "Nothing is remembered about nobody_yet yet" in text_of(at)
    assert links(at) == {"Open Chat": "chat"}
    assert not at.metric
    assert "nobody_yet" not in {
        row.subject_id for row in resources.memory_runtime().list_subjects()
    }


def test_a_server_gets_the_demo_subjects_on_a_click_only(app: OpenPage, tmp_path: Path) -> None:
    with empty_server(tmp_path) as url:
        at = app("overview", settings={"STATEWAVE_BASE_URL": url})
        runtime = resources.memory_runtime()
        assert runtime.list_subjects() == []
        assert url.removeprefix("http://") in table(at)
        next(b for b in at.button if b.label == "Load the demo subjects").click().run()
        assert not at.exception
        loaded = {row.subject_id for row in runtime.list_subjects()}
        assert loaded == {demo.subject_id for demo in demo_subjects()}
        assert "Memories of dev_alice" in metrics(at)
        assert "Load the demo subjects" not in labels(at.run())


def test_a_server_that_does_not_answer_is_explained_beside_what_is_connected(
    app: OpenPage,
) -> None:
    at = app("overview", settings={"STATEWAVE_BASE_URL": NOBODY_LISTENS})
    assert not at.exception
    assert NOBODY_LISTENS in at.error[0].value
    assert "Try again" in labels(at)
    assert "127.0.0.1:9" in table(at)
    assert "what it can do is unknown" in text_of(at)
    assert not at.metric
