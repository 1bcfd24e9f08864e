"""Compare and Budget on a server over a real socket, with the limits a real one has."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lib.connect import connect_runtime
from lib.embedded.server import create_app
from lib.settings import Settings
from tests.app.conftest import OpenPage
from tests.support.loose_runtime import LooseRuntime
from tests.support.pages import charts_of, text_of
from tests.support.serving import serving

QUESTION = "Which similarity measure do I use now?"


@pytest.fixture
def loose(seeded_folder: Path, tmp_path: Path) -> Iterator[LooseRuntime]:
    """The seeded subjects behind a runtime that treats budgets loosely."""
    folder = tmp_path / "server"
    shutil.copytree(seeded_folder, folder)
    inner = connect_runtime(Settings(statewave_data_dir=folder, statewave_runtime="embedded"))
    yield LooseRuntime(inner, forgetful_from=300)
    inner.close()


@pytest.fixture
def url(loose: LooseRuntime) -> Iterator[str]:
    """Where the server is."""
    server: Any = loose
    with serving(create_app(server)) as address:
        yield address


def open_tab(page: AppTest, key: str, label: str) -> AppTest:
    page.session_state[key] = label
    page.run()
    assert not page.exception, page.exception
    return page


def budget(app: OpenPage, url: str) -> AppTest:
    page = app("budget", subject="dev_alice", settings={"STATEWAVE_BASE_URL": url})
    assert not page.exception, page.exception
    return page


def test_a_loose_server_is_shown_as_it_is_and_flagged(app: OpenPage, url: str) -> None:
    page = budget(app, url)
    text = text_of(page)
    assert "budgets return more tokens than the budget" in text
    assert "fewer memories than a smaller budget" in text
    used = next(t for t in charts_of(page)[1]["data"] if t.get("name") == "tokens used")
    assert any(cost > limit for cost, limit in zip(used["y"], used["x"], strict=True))


def test_every_view_of_a_loose_server_is_drawn(app: OpenPage, url: str) -> None:
    page = budget(app, url)
    for label in ("Map", "By kind", "Several tasks", "Price"):
        open_tab(page, "budget_tabs", label)
        assert len(charts_of(page)) == 3, label
    open_tab(page, "budget_tabs", "Map")
    assert "are dropped again by a larger budget" in text_of(page)
    assert "above the relevance floor" not in text_of(page)


def test_a_swept_task_is_not_asked_for_again(app: OpenPage, url: str, loose: LooseRuntime) -> None:
    page = budget(app, url)
    asked = len(loose.budgets)
    assert asked > 30
    page.number_input(key="budget_marker").set_value(200).run()
    # The whole context and the one that is looked at.
    assert len(loose.budgets) == asked + 2


def test_a_cancelled_sweep_shows_nothing_until_it_is_asked_for_again(
    app: OpenPage, url: str, loose: LooseRuntime
) -> None:
    page = budget(app, url)
    state = page.session_state["app_state"]
    (key,) = state.sweeps
    state.sweeps.clear()
    state.sweeps_cancelled.add(key)
    asked = len(loose.budgets)
    page.run()
    assert "The sweep was cancelled." in text_of(page)
    assert not charts_of(page)
    assert len(loose.budgets) == asked + 1
    next(button for button in page.button if button.label.startswith("Sweep all")).click().run()
    assert len(charts_of(page)) == 2


def test_recall_of_a_server_is_measured_on_request_only(
    app: OpenPage, url: str, loose: LooseRuntime
) -> None:
    page = budget(app, url)
    asked = len(loose.budgets)
    open_tab(page, "budget_tabs", "Recall")
    assert len(loose.budgets) == asked + 2
    page.button(key="recall_start").click().run()
    assert "expected facts are in the context from" in text_of(page)
    asked = len(loose.budgets)
    page.run()
    assert len(loose.budgets) == asked + 2


def test_compare_has_every_side_and_view_on_a_server(app: OpenPage, url: str) -> None:
    page = app("compare", subject="dev_alice", settings={"STATEWAVE_BASE_URL": url})
    page.number_input(key="max_tokens").set_value(200)
    page.pills(key="compare_baselines").set_value(["history", "last_turns"]).run()
    page.chat_input(key="compare_message").set_value(QUESTION).run()
    assert not page.exception, page.exception
    assert "What memory added" in text_of(page)
    assert "recorded turns sent" in text_of(page)
    assert "remembered lines" in text_of(open_tab(page, "compare_tabs", "Facts in the reply"))
    open_tab(page, "compare_tabs", "Cost and time")
    assert len(charts_of(page)[0]["data"][0]["y"]) == 4
    next(button for button in page.button if button.label == "Ask all").click().run()
    assert "Right answers: Stateless 0 of" in text_of(page)


def test_what_a_list_that_ends_early_cannot_know_is_not_claimed(app: OpenPage, url: str) -> None:
    page = app("compare", subject="team_atlas", settings={"STATEWAVE_BASE_URL": url})
    page.pills(key="compare_baselines").set_value(["history", "last_turns"]).run()
    page.chat_input(key="compare_message").set_value("Who leads the team?").run()
    text = text_of(page)
    assert "of the first 100 recorded turns sent" in text
    assert "so the last 6 turns are not known" in text
    assert "What memory added" in text
