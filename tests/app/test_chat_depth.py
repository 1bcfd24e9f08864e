"""Meter, memory switch, working history, edited questions, long sessions, on both runtimes."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from lib import resources
from lib.embedded.runtime import EmbeddedRuntime
from lib.embedded.server import create_app
from lib.models import Message, NewEpisode
from tests.app.conftest import OpenPage
from tests.app.test_chat import lines, say, shown, state, talk
from tests.support.plain_compiler import PlainCompiler
from tests.support.scripted_model import ScriptedModel
from tests.support.serving import serving

START = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as scripted:
        yield scripted


@pytest.fixture(params=["embedded", "statewave"])
def settings(
    request: pytest.FixtureRequest, tmp_path: Path, model: ScriptedModel
) -> Iterator[dict[str, str]]:
    """The settings that connect the app to a scripted model and to one of the runtimes."""
    if request.param == "embedded":
        yield {"LLM_BASE_URL": model.url}
        return
    engine = EmbeddedRuntime(tmp_path / "server.db", compiler=PlainCompiler())
    with serving(create_app(engine)) as url:
        yield {"LLM_BASE_URL": model.url, "STATEWAVE_BASE_URL": url}
    engine.close()


def sent(model: ScriptedModel) -> str:
    """The last prompt, as one text."""
    return "\n".join(str(message["content"]) for message in model.requests[-1].messages)


def test_the_meter_names_the_window_and_grows_with_each_turn(app: OpenPage) -> None:
    at = app("chat", subject="dev_bob")
    before = next(str(each.value) for each in at.caption if "Next prompt" in str(each.value))
    assert "of 128,000 tokens" in before
    assert "history 0" in before
    say(at, "Which model did I choose for the summaries?")
    after = next(str(each.value) for each in at.caption if "Next prompt" in str(each.value))
    assert "history 0" not in after


def test_the_meter_of_an_unknown_model_says_so(app: OpenPage, settings: dict[str, str]) -> None:
    at = app("chat", subject="ann", settings=settings | {"OPENAI_MODEL": "llama3.2"})
    assert r"window of llama3\.2 unknown" in shown(at)


def test_memory_is_switched_off_and_on_again_in_mid_conversation(
    app: OpenPage, model: ScriptedModel, settings: dict[str, str]
) -> None:
    at = app("chat", subject="ann", settings=settings)
    say(at, "I live in Porto.")
    say(at, "Where do I live?")
    assert "<memory>" in sent(model)
    at.toggle(key="use_memory").set_value(False).run()
    assert "memory off" in shown(at)
    say(at, "And now, where do I live?")
    assert "<memory>" not in sent(model)
    assert "○ memory off" in lines(at)[-1]
    assert talk(at, "ann").turns[-1].episode_id
    at.toggle(key="use_memory").set_value(True).run()
    say(at, "Once more, where do I live?")
    assert "<memory>" in sent(model)


def test_the_working_history_is_as_long_as_set_and_its_absence_is_explained(
    app: OpenPage, model: ScriptedModel, settings: dict[str, str]
) -> None:
    at = app("chat", subject="ann", settings=settings)
    at.toggle(key="use_memory").set_value(False).run()
    for word in ("one", "two", "three"):
        say(at, f"Number {word}")
    at.slider(key="history_turns").set_value(1).run()
    say(at, "Number four")
    assert "Number three" in sent(model)
    assert "Number two" not in sent(model)
    at.slider(key="history_turns").set_value(0).run()
    assert "Each message stands alone" in shown(at)
    say(at, "Number five")
    assert "Number four" not in sent(model)


def test_an_edited_question_takes_the_place_of_the_last_turn(
    app: OpenPage, settings: dict[str, str]
) -> None:
    at = app("chat", subject="ann", settings=settings)
    say(at, "Where is Portp?")
    (old,) = talk(at, "ann").turns
    at.text_area(key=f"edit_text_{old.id}").set_value("Where is Porto?")
    next(button for button in at.button if button.label == "Send instead").click().run()
    assert not at.exception, at.exception
    (new,) = talk(at, "ann").turns
    assert (new.question, new.state) == ("Where is Porto?", "whole")
    episodes = resources.memory_runtime().timeline("ann").episodes
    assert [item.metadata.get("replaces") for item in episodes] == [None, old.episode_id]
    again = app("chat", subject="ann", query={"session": talk(at, "ann").session_id})
    assert [turn.question for turn in talk(again, "ann").turns] == ["Where is Porto?"]


def test_an_unchanged_edit_sends_nothing(app: OpenPage, settings: dict[str, str]) -> None:
    at = app("chat", subject="ann", settings=settings)
    say(at, "Where is Porto?")
    before = talk(at, "ann").turns[0]
    next(button for button in at.button if button.label == "Send instead").click().run()
    assert talk(at, "ann").turns == [before]


def test_of_a_long_session_the_latest_turns_are_shown_and_earlier_ones_on_request(
    app: OpenPage, settings: dict[str, str]
) -> None:
    app("overview", settings=settings)
    resources.memory_runtime().record_episodes(
        "ann",
        [
            NewEpisode(
                (Message("user", f"Question {n}."), Message("assistant", f"Reply {n}.")),
                session_id="long",
                occurred_at=START + timedelta(minutes=n),
            )
            for n in range(90)
        ],
    )
    at = app("chat", subject="ann", query={"session": "long"})
    assert len(talk(at, "ann").turns) == 90
    questions = [str(each.value) for each in at.text]
    assert questions[0] == "Question 70."
    assert len([each for each in questions if each.startswith("Question")]) == 20
    assert at.button(key="show_earlier").label == "Show earlier turns (70)"
    at.button(key="show_earlier").click().run()
    assert "Question 30." in [str(each.value) for each in at.text]
    assert state(at).chat.current("ann")


def test_a_session_keeps_its_name_after_a_restart(app: OpenPage, settings: dict[str, str]) -> None:
    at = app("chat", subject="ann", settings=settings)
    say(at, "Why is the cache cold?")
    conversation = talk(at, "ann")
    at.text_input(key=f"title_ann_{conversation.session_id}").set_value("Cold *cache*").run()
    assert not at.exception, at.exception
    assert session_names(at) == [r"Cold \*cache\*"]
    st.cache_resource.clear()
    again = app("chat", subject="ann", query={"session": conversation.session_id})
    assert session_names(again) == [r"Cold \*cache\*"]
    again.text_input(key=f"title_ann_{conversation.session_id}").set_value("").run()
    assert session_names(again) == [r"Why is the cache cold?"]


def session_names(at: AppTest) -> list[str]:
    """What the Sessions menu calls each session, without the time before it."""
    (menu,) = at.get("menu_button")
    return [str(label).split(" · ", 1)[1] for label in menu.proto.options]
