"""The Chat page, end to end, without a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lib.conversation import Conversation
from lib.embedded.runtime import EmbeddedRuntime
from lib.models import Episode
from lib.state import AppState
from tests.app.conftest import OpenPage
from tests.support.old_server import old_server
from tests.support.plain_compiler import PlainCompiler
from tests.support.scripted_model import ScriptedModel


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as scripted:
        yield scripted


def say(at: AppTest, message: str) -> AppTest:
    at.chat_input[0].set_value(message).run()
    assert not at.exception
    return at


def state(at: AppTest) -> AppState:
    found = at.session_state["app_state"]
    assert isinstance(found, AppState)
    return found


def talk(at: AppTest, subject: str) -> Conversation:
    found = state(at).chat.current(subject)
    assert found is not None
    return found


def shown(at: AppTest) -> str:
    return "\n".join(str(element.value) for element in (*at.markdown, *at.caption, *at.text))


def lines(at: AppTest) -> list[str]:
    """The compact lines under the replies."""
    return [str(each.value) for each in at.caption if "·" in str(each.value)]


def episodes(folder: Path, subject: str) -> list[Episode]:
    runtime = EmbeddedRuntime(folder / "data" / "statewave.db", compiler=PlainCompiler())
    try:
        return list(runtime.timeline(subject).episodes)
    finally:
        runtime.close()


def test_an_empty_conversation_offers_hints_and_viewing_writes_nothing(
    app: OpenPage, tmp_path: Path
) -> None:
    before = episodes(tmp_path, "dev_alice")
    at = app("chat", subject="dev_alice")
    assert not at.exception
    assert at.title[0].value == r"Chat as dev\_alice"
    assert at.button(key="chat_hint_0")
    assert "session" not in at.query_params
    assert episodes(tmp_path, "dev_alice") == before


def test_a_hint_is_sent_by_a_click_and_answered_from_memory(app: OpenPage) -> None:
    at = app("chat", subject="dev_alice")
    hint = at.button(key="chat_hint_0").label
    at.button(key="chat_hint_0").click().run()
    assert not at.exception
    (turn,) = talk(at, "dev_alice").turns
    assert turn.state == "whole"
    assert turn.question in hint.replace("\\", "")
    assert turn.figures
    assert turn.figures.memories > 0
    assert "chat_hint_0" not in [button.key for button in at.button]


def test_the_line_under_a_reply_tells_memory_tokens_episode_time_and_model(app: OpenPage) -> None:
    at = say(app("chat", subject="dev_bob"), "Which model did I choose for the summaries?")
    turn = talk(at, "dev_bob").turns[0]
    assert turn.figures
    assert turn.episode_id
    (line,) = lines(at)
    for part in ("memor", "context tokens", turn.episode_id[:8], "total", "Offline reader"):
        assert part in line
    # A reader has no first token to wait for.
    assert "first token" not in line


def test_what_was_injected_shows_the_exact_messages_and_what_was_left_out(app: OpenPage) -> None:
    at = say(app("chat", subject="dev_bob"), "Which model did I choose for the summaries?")
    prompt = talk(at, "dev_bob").turns[0].prompt
    assert prompt
    assert prompt.bundle
    codes = [block.value for block in at.code]
    for message in prompt.messages:
        assert message.content in codes
    assert f"{prompt.bundle.token_estimate:,} tokens" in shown(at)
    assert "**Left out**" in shown(at)


def test_a_turn_is_recorded_once_with_its_session_and_the_address_names_it(
    app: OpenPage, tmp_path: Path
) -> None:
    at = say(app("chat", subject="visitor_rosa"), "I'm Rosa and I build an API in Elixir.")
    at.run()
    (episode,) = episodes(tmp_path, "visitor_rosa")
    conversation = talk(at, "visitor_rosa")
    assert episode.id == conversation.turns[0].episode_id
    assert at.query_params["session"] == conversation.session_id == episode.session_id


def test_a_new_subject_is_remembered_after_its_first_turn(app: OpenPage) -> None:
    at = app("chat", subject="visitor_rosa")
    assert "Nothing is remembered about" in shown(at)
    say(at, "I'm Rosa and I build an API in Elixir.")
    assert "Nothing is remembered about" not in shown(at)
    assert any("Rosa" in box.label for box in at.expander)
    assert "visitor_rosa" in at.selectbox(key="subject").options


def test_only_memories_of_the_last_bundle_are_marked_as_used(app: OpenPage) -> None:
    at = say(app("chat", subject="dev_priya"), "Which database do we use?")
    prompt = talk(at, "dev_priya").turns[0].prompt
    assert prompt
    assert prompt.bundle
    used = [box.label for box in at.expander if "◉" in box.label]
    assert 0 < len(used) < len(at.expander)
    assert len(used) <= len(prompt.bundle.memory_ids)


def test_a_follow_up_carries_the_earlier_turns_and_a_new_session_does_not(
    app: OpenPage, model: ScriptedModel
) -> None:
    at = app("chat", subject="ann", settings={"LLM_BASE_URL": model.url})
    say(at, "First question")
    say(at, "Second question")
    sent = [message["content"] for message in model.requests[-1].messages]
    assert "First question" in sent
    at.button(key="chat_new_session").click().run()
    assert "session" not in at.query_params
    say(at, "Third question")
    sent = [message["content"] for message in model.requests[-1].messages]
    assert "First question" not in sent
    assert len(state(at).chat.conversations) == 2


def test_a_session_is_reloaded_from_the_runtime_by_its_address(app: OpenPage) -> None:
    at = say(app("chat", subject="dev_bob"), "Which model did I choose for the summaries?")
    before = talk(at, "dev_bob")
    again = app("chat", subject="dev_bob", query={"session": before.session_id})
    assert not again.exception
    after = talk(again, "dev_bob")
    assert [turn.reply for turn in after.turns] == [turn.reply for turn in before.turns]
    assert lines(again) == lines(at)


def test_changing_the_subject_leaves_the_other_conversation_behind(app: OpenPage) -> None:
    at = say(app("chat", subject="dev_bob"), "Which model did I choose for the summaries?")
    at.selectbox(key="subject").set_value("dev_priya").run()
    assert not at.exception
    assert state(at).chat.current("dev_priya") is None
    assert "session" not in at.query_params
    at.selectbox(key="subject").set_value("dev_bob").run()
    assert len(talk(at, "dev_bob").turns) == 1


def test_regenerating_replaces_the_reply_and_names_the_old_episode(
    app: OpenPage, model: ScriptedModel, tmp_path: Path
) -> None:
    at = say(app("chat", subject="ann", settings={"LLM_BASE_URL": model.url}), "Hello")
    old = talk(at, "ann").turns[0].episode_id
    at.button(key="ask_again").click().run()
    assert not at.exception
    (turn,) = talk(at, "ann").turns
    assert turn.episode_id != old
    assert [item.metadata.get("replaces") for item in episodes(tmp_path, "ann")] == [None, old]
    again = app("chat", subject="ann", query={"session": talk(at, "ann").session_id})
    assert [turn.episode_id for turn in talk(again, "ann").turns] == [turn.episode_id]


def test_a_model_error_keeps_the_question_stores_nothing_and_can_be_retried(
    app: OpenPage, model: ScriptedModel, tmp_path: Path
) -> None:
    at = app("chat", subject="ann", settings={"LLM_BASE_URL": model.url})
    say(at, "Hello [[script:unauthorized]]")
    assert "Hello" in shown(at)
    assert at.error
    assert episodes(tmp_path, "ann") == []
    assert at.button(key="ask_again").label == "Retry"
    talk(at, "ann").turns[-1].question = "Hello"
    at.button(key="ask_again").click().run()
    assert not at.error
    assert len(episodes(tmp_path, "ann")) == 1


def test_compiling_waits_for_the_click_where_it_is_not_automatic(app: OpenPage) -> None:
    at = app("chat", subject="ann", settings={"STATEWAVE_COMPILE_EVERY": "0"})
    say(at, "I'm Ann and I live in Porto.")
    assert "1 pending" in shown(at)
    assert not at.expander
    at.button(key="compile_now").click().run()
    assert not at.exception
    assert "pending" not in shown(at)
    assert any("Porto" in box.label for box in at.expander)


def test_every_second_turn_compiles_when_asked_to(app: OpenPage) -> None:
    at = app("chat", subject="ann", settings={"STATEWAVE_COMPILE_EVERY": "2"})
    say(at, "I'm Ann and I live in Porto.")
    assert "1 pending" in shown(at)
    say(at, "I work at Lendora as a backend engineer.")
    assert "pending" not in shown(at)


@pytest.mark.parametrize(
    "message",
    [
        "nul \x00 byte",
        "emoji 🎉 and שלום and مرحبا",
        "<|endoftext|> <script>alert(1)</script> [x](http://a.b) :material/home:",
        "word " * 10_000,
    ],
    ids=["nul", "emoji", "markup", "50,000 characters"],
)
def test_any_text_is_a_message(app: OpenPage, message: str, tmp_path: Path) -> None:
    at = say(app("chat", subject="ann"), message)
    (turn,) = talk(at, "ann").turns
    assert turn.state == "whole"
    (episode,) = episodes(tmp_path, "ann")
    assert episode.messages[0].content == turn.question
    if len(message) > 10_000:
        assert "characters; all of them were sent" in shown(at)


def test_a_remote_image_in_a_reply_is_text(app: OpenPage, model: ScriptedModel) -> None:
    model.reply = "Look: ![x](http://evil.example/x.png)"
    at = say(app("chat", subject="ann", settings={"LLM_BASE_URL": model.url}), "Hello")
    assert r"Look\: x (`http://evil.example/x.png`)" in [each.value for each in at.markdown]
    assert model.reply in [block.value for block in at.code]


def test_the_token_budget_of_the_settings_bounds_the_context(app: OpenPage) -> None:
    at = app("chat", subject="dev_bob")
    at.number_input(key="max_tokens").set_value(60).run()
    say(at, "Which model did I choose for the summaries?")
    prompt = talk(at, "dev_bob").turns[0].prompt
    assert prompt
    assert prompt.bundle
    assert 0 < prompt.bundle.token_estimate <= 60


@pytest.mark.parametrize(("memories", "cut_short"), [(2, False), (100, True)])
def test_the_menu_says_when_a_server_lists_only_the_oldest_sessions(
    app: OpenPage, tmp_path: Path, memories: int, cut_short: bool
) -> None:
    with old_server(tmp_path, memories=memories) as url:
        at = app("chat", subject="ada", settings={"STATEWAVE_BASE_URL": url})
        (menu,) = at.get("menu_button")
        assert ("only the oldest episodes" in menu.proto.help) is cut_short


def test_an_earlier_session_is_offered_with_its_first_message(app: OpenPage) -> None:
    at = app("chat", subject="dev_priya")
    (menu,) = at.get("menu_button")
    assert len(menu.proto.options) == 3
    assert any("Priya" in label and "2026" in label for label in menu.proto.options)
