"""Turns that no runtime took: shown, sent later, decided on; never lost, never twice."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.testing.v1 import AppTest

from lib import resources
from lib.conversation import Turn
from lib.embedded.runtime import EmbeddedRuntime
from lib.embedded.server import create_app
from lib.models import Episode
from lib.state import AppState
from tests.app.conftest import OpenPage
from tests.support.dashboard import free_port
from tests.support.plain_compiler import PlainCompiler
from tests.support.scripted_model import ScriptedModel
from tests.support.scripted_server import answer, scripted_server
from tests.support.serving import serving


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as scripted:
        yield scripted


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[EmbeddedRuntime]:
    """What stands behind the server."""
    engine = EmbeddedRuntime(tmp_path / "server.db", compiler=PlainCompiler())
    yield engine
    engine.close()


def say(at: AppTest, message: str) -> Turn:
    at.chat_input[0].set_value(message).run()
    assert not at.exception
    return turns(at)[-1]


def turns(at: AppTest) -> list[Turn]:
    state = at.session_state["app_state"]
    assert isinstance(state, AppState)
    conversation = state.chat.current("ann")
    assert conversation
    return conversation.turns


def shown(at: AppTest) -> str:
    return "\n".join(
        str(getattr(each, "value", "")) for each in (*at.markdown, *at.caption, *at.warning)
    )


def buttons(at: AppTest) -> list[str]:
    return [str(button.key) for button in at.button]


def wait_for(engine: EmbeddedRuntime, count: int) -> list[Episode]:
    """The episodes of ann, once there are as many; nobody clicks meanwhile."""
    deadline = time.monotonic() + 20
    while len(engine.timeline("ann").episodes) < count:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return list(engine.timeline("ann").episodes)


def test_memory_down_replies_without_memory_and_the_turn_is_recorded_once_by_itself(
    app: OpenPage, model: ScriptedModel, tmp_path: Path, engine: EmbeddedRuntime
) -> None:
    port = free_port()
    settings = {"LLM_BASE_URL": model.url, "STATEWAVE_BASE_URL": f"http://127.0.0.1:{port}"}
    at = app("chat", subject="ann", settings=settings)
    one = say(at, "Are you there?")
    assert one.reply == "Scripted reply without memory to: Are you there?"
    assert (one.record_state, one.episode_id) == ("waiting", None)
    assert "**not recorded yet**" in shown(at)
    assert "1 turn not recorded yet" in shown(at)
    say(at, "And now?")
    assert "2 turns not recorded yet" in shown(at)
    at.button(key="record_waiting").click().run()
    assert "2 turns not recorded yet" in shown(at)
    assert (tmp_path / "data" / "outbox.db").exists()

    with serving(create_app(engine), port=port):
        episodes = wait_for(engine, 2)
        at.run()
        assert [turn.episode_id for turn in turns(at)] == [episode.id for episode in episodes]
        assert "not recorded yet" not in shown(at)
        assert "record_waiting" not in buttons(at)
        at.run()
        assert len(engine.timeline("ann").episodes) == 2


def test_turns_of_an_earlier_process_are_counted_and_sent_by_the_next(
    app: OpenPage, model: ScriptedModel, engine: EmbeddedRuntime
) -> None:
    port = free_port()
    settings = {"LLM_BASE_URL": model.url, "STATEWAVE_BASE_URL": f"http://127.0.0.1:{port}"}
    at = app("chat", subject="ann", settings=settings)
    say(at, "Are you there?")
    # Ends every long-lived object, as the end of the process does.
    st.cache_resource.clear()
    at = app("overview", settings=settings)
    assert "1 turn not recorded yet" in shown(at)
    with serving(create_app(engine), port=port):
        at.button(key="record_waiting").click().run()
        (episode,) = wait_for(engine, 1)
        at.run()
    assert episode.messages[0].content == "Are you there?"
    assert "record_waiting" not in buttons(at)


def test_another_runtime_does_not_get_turns_meant_for_the_first(
    app: OpenPage, model: ScriptedModel, engine: EmbeddedRuntime
) -> None:
    settings = {
        "LLM_BASE_URL": model.url,
        "STATEWAVE_BASE_URL": f"http://127.0.0.1:{free_port()}",
    }
    say(app("chat", subject="ann", settings=settings), "Are you there?")
    st.cache_resource.clear()
    with serving(create_app(engine)) as url:
        at = app("overview", settings=settings | {"STATEWAVE_BASE_URL": url})
        assert "record_waiting" not in buttons(at)
        assert "1 turn set aside" in [box.proto.popover.label for box in at.get("popover")]
        assert engine.timeline("ann").episodes == ()


def test_a_turn_that_the_server_refuses_is_shown_with_the_reason_and_can_be_discarded(
    app: OpenPage, model: ScriptedModel
) -> None:
    refusal = {"error": {"code": "validation_error", "message": "Too long for this server."}}
    with scripted_server(answer(refusal, "422 Unprocessable Entity")) as server:
        at = app(
            "chat",
            subject="ann",
            settings={"LLM_BASE_URL": model.url, "STATEWAVE_BASE_URL": server.url},
        )
        turn = say(at, "Hello")
        assert turn.record_state == "refused"
        assert "Too long for this server" in shown(at).replace("\\", "")
        assert "record_waiting" not in buttons(at)
        at.button(key=f"reply_again_{turn.id}").click().run()
        assert turns(at)[-1].record_state == "refused"
        at.button(key=f"reply_discard_{turn.id}").click().run()
        assert turns(at)[-1].record_state == "discarded"
        assert f"reply_discard_{turn.id}" not in buttons(at)
        labels = [box.proto.popover.label for box in at.get("popover")]
        assert "What was injected" in labels
        assert not any("set aside" in label for label in labels)


def test_where_the_disk_takes_nothing_either_the_visitor_is_told_and_the_turn_stays(
    app: OpenPage, model: ScriptedModel, tmp_path: Path, engine: EmbeddedRuntime
) -> None:
    port = free_port()
    settings = {"LLM_BASE_URL": model.url, "STATEWAVE_BASE_URL": f"http://127.0.0.1:{port}"}
    shutil.rmtree(tmp_path / "data")
    (tmp_path / "data").write_text("a file where the folder should be")
    at = app("chat", subject="ann", settings=settings)
    turn = say(at, "Hello")
    assert turn.record_state == "unkept"
    assert "**only in this visit**" in shown(at)
    assert "Keep this tab open" in shown(at)
    with serving(create_app(engine), port=port):
        at.button(key="record_waiting").click().run()
        (episode,) = engine.timeline("ann").episodes
        assert turn.episode_id == episode.id
        assert "only in this visit" not in shown(at)


def test_deleting_a_subject_takes_its_waiting_turns_along(
    app: OpenPage, model: ScriptedModel, engine: EmbeddedRuntime
) -> None:
    inner: ASGIApp = create_app(engine)
    full = JSONResponse({"error": {"code": "unavailable", "message": "full"}}, 503)
    engine.record_episode("ann", "I live in Porto.")

    async def records_nothing(scope: Scope, receive: Receive, send: Send) -> None:
        takes = scope["type"] != "http" or scope["path"] != "/v1/episodes"
        await (inner if takes else full)(scope, receive, send)

    with serving(records_nothing) as url:
        settings = {"LLM_BASE_URL": model.url, "STATEWAVE_BASE_URL": url}
        at = app("chat", subject="ann", settings=settings)
        assert say(at, "Hello").record_state == "waiting"
        at.switch_page("../../pages/memory.py").run()
        at.text_input(key="delete_subject_id").set_value("ann")
        next(each for each in at.button if each.label == "Delete for good").click().run()
        assert not at.exception
        assert "Deleted 1 episodes" in at.success[0].value
        assert "not recorded yet" not in shown(at)
        assert resources.outbox().open_turns() == []
