"""Compare: two honest sides of one question."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lib import resources
from lib.demo.profiles import demo_subjects
from tests.app.conftest import OpenPage
from tests.support.pages import charts_of, go_to, text_of
from tests.support.scripted_model import Messages, ScriptedModel

QUESTION = "Which similarity measure do I use now?"
QUESTIONS = next(item for item in demo_subjects() if item.subject_id == "dev_alice").questions
NOBODY_LISTENS = "http://127.0.0.1:9"


class MemoryBreaksIt(ScriptedModel):
    """Refuses prompts that hold memory, until told otherwise."""

    refuses = True

    def script_for(self, messages: Messages) -> str:
        given = any("<memory>" in str(message.get("content")) for message in messages)
        return "server_error" if given and type(self).refuses else "normal"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as scripted:
        yield scripted


def sent_to(model: ScriptedModel, **others: str) -> dict[str, str]:
    """Settings under which replies come from `model`."""
    return {"LLM_BASE_URL": model.url, "LLM_API_KEY": "sk-test", **others}


def ask(app: AppTest, message: str) -> AppTest:
    app.chat_input(key="compare_message").set_value(message).run()
    assert not app.exception, app.exception
    return app


def episodes(subject: str) -> int:
    return len(resources.memory_runtime().timeline(subject).episodes)


def open_tab(app: AppTest, label: str) -> AppTest:
    app.session_state["compare_tabs"] = label
    app.run()
    assert not app.exception, app.exception
    return app


def files_of(app: AppTest) -> list[str]:
    return [button.proto.label for button in app.get("download_button")]


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click().run()
    return app


def test_before_a_question_the_page_says_what_will_be_compared(app: OpenPage) -> None:
    page = app("compare", subject="dev_alice")
    text = text_of(page)
    assert "Compare as dev_alice" in text
    assert "one block more" in text
    assert QUESTION in [button.label for button in page.button]


def test_only_the_memory_backed_side_knows_and_only_its_prompt_has_the_block(app: OpenPage) -> None:
    text = text_of(ask(app("compare", subject="dev_alice"), QUESTION))
    assert "I have no record" in text
    assert "cosine" in text
    assert "What memory added" in text
    assert "Only the memory block differs" in text
    assert "if sent to gpt-4o-mini" in text


def test_a_ready_made_question_is_asked_by_a_click(app: OpenPage) -> None:
    page = app("compare", subject="dev_alice")
    press(page, QUESTION)
    assert f"**{QUESTION}**" in text_of(page)
    assert "What memory added" in text_of(page)
    # The replies take the buttons' place; the same questions stay in a menu.
    assert not any(str(button.key).startswith("compare_question_") for button in page.button)
    page.run()
    (menu,) = page.get("menu_button")
    assert QUESTION in menu.proto.options


def test_nothing_is_recorded_unless_ticked(app: OpenPage) -> None:
    page = app("compare", subject="dev_bob")
    before = episodes("dev_bob")
    assert "Nothing of this comparison was recorded" in text_of(ask(page, "Where do I work?"))
    assert episodes("dev_bob") == before


def test_a_ticked_exchange_is_recorded_once_whatever_is_clicked_later(app: OpenPage) -> None:
    page = app("compare", subject="dev_bob")
    before = episodes("dev_bob")
    page.checkbox(key="compare_record").check().run()
    ask(page, "Where do I work?")
    assert "Recorded in memory as episode" in text_of(page)
    page.checkbox(key="compare_record").uncheck().run()
    page.run()
    assert episodes("dev_bob") == before + 1
    recorded = resources.memory_runtime().timeline("dev_bob").episodes
    assert "Where do I work?" in next(item.text for item in recorded if item.source == "compare")


def test_the_result_is_still_there_after_a_visit_to_another_page(app: OpenPage) -> None:
    page = ask(app("compare", subject="dev_alice"), QUESTION)
    go_to(page, "budget")
    assert "What memory added" in text_of(go_to(page, "compare"))


def test_a_new_subject_is_told_that_both_sides_got_the_same_prompt(app: OpenPage) -> None:
    text = text_of(ask(app("compare", subject="nobody_yet"), "Where do I live?"))
    assert "Both sides got the same prompt" in text
    assert "word for word" in text
    assert "What memory added" not in text


def test_the_comparison_can_be_downloaded(app: OpenPage) -> None:
    page = ask(app("compare", subject="dev_alice"), QUESTION)
    assert "Download" in files_of(page)


def test_both_sides_ask_the_same_model_the_same_way(app: OpenPage, model: ScriptedModel) -> None:
    page = app("compare", subject="dev_alice", settings=sent_to(model))
    text = text_of(ask(page, QUESTION))
    assert "Scripted reply without memory" in text
    assert "Scripted reply with memory" in text
    assert "measured" in text
    first, second = (dict(request.body) for request in model.requests)
    prompts = [body.pop("messages") for body in (first, second)]
    assert first == second
    assert prompts[0] != prompts[1]
    assert min(json.dumps(prompt).lower().count("memory") for prompt in prompts) == 0


def test_a_failed_side_is_marked_the_other_kept_and_there_is_no_verdict(app: OpenPage) -> None:
    MemoryBreaksIt.refuses = True
    with MemoryBreaksIt() as model:
        page = app("compare", subject="dev_alice", settings=sent_to(model))
        page.checkbox(key="compare_record").check().run()
        before = episodes("dev_alice")
        ask(page, QUESTION)
        text = text_of(page)
        assert "Scripted reply without memory" in text
        assert len(page.error) == 1
        assert "What memory added" not in text
        assert "Nothing is compared" in text
        assert episodes("dev_alice") == before

        asked = len(model.requests)
        MemoryBreaksIt.refuses = False
        press(page, "Retry")
        assert "What memory added" in text_of(page)
        assert not page.error
        # The side that was whole is not asked again.
        assert len(model.requests) == asked + 1


def test_without_memory_there_is_no_memory_backed_side(app: OpenPage, model: ScriptedModel) -> None:
    settings = sent_to(model, STATEWAVE_BASE_URL=NOBODY_LISTENS)
    text = text_of(ask(app("compare", subject="someone", settings=settings), "Who am I?"))
    assert "Memory not available" in text
    assert "**Memory-backed**" not in text
    assert "Scripted reply without memory" in text
    assert "What memory added" not in text
    assert len(model.requests) == 1


def test_a_model_without_a_price_says_so(app: OpenPage, model: ScriptedModel) -> None:
    settings = sent_to(model, OPENAI_MODEL="home-made")
    text = text_of(ask(app("compare", subject="dev_alice", settings=settings), QUESTION))
    assert "price of home-made unknown" in text
    assert "the price of home-made is unknown" in text


def test_replies_cannot_load_anything(app: OpenPage, model: ScriptedModel) -> None:
    model.reply = "![x](https://evil.example/pixel.png)"
    page = ask(app("compare", subject="dev_alice", settings=sent_to(model)), QUESTION)
    assert "evil.example" in text_of(page)
    assert all("](https" not in str(element.value) for element in page.markdown)


def test_another_subject_does_not_see_the_comparison(app: OpenPage) -> None:
    page = ask(app("compare", subject="dev_alice"), QUESTION)
    page.selectbox(key="subject").set_value("dev_bob").run()
    assert QUESTION not in text_of(page)
    assert "one block more" in text_of(page)


def test_full_history_and_last_turns_are_asked_the_same_way_when_chosen(
    app: OpenPage, model: ScriptedModel
) -> None:
    page = app("compare", subject="dev_alice", settings=sent_to(model))
    page.pills(key="compare_baselines").set_value(["history", "last_turns"]).run()
    page.number_input(key="compare_last_turns").set_value(2).run()
    text = text_of(ask(page, QUESTION))
    recorded = episodes("dev_alice")
    assert f"{recorded} of {recorded} recorded turns sent, whole" in text
    assert f"2 of {recorded} recorded turns sent" in text
    assert "What memory added" in text
    bodies = [dict(request.body) for request in model.requests]
    prompts = sorted((body.pop("messages") for body in bodies), key=len)
    assert len(prompts) == 4
    assert all(body == bodies[0] for body in bodies)
    # Beside system text and question: nothing, nothing, two turns, every turn.
    assert [len(prompt) - 2 for prompt in prompts] == [0, 0, 4, 2 * recorded]


def test_cost_and_time_are_bars_with_their_numbers_and_the_same_as_a_table(
    app: OpenPage, model: ScriptedModel
) -> None:
    page = app("compare", subject="dev_alice", settings=sent_to(model))
    page.pills(key="compare_baselines").set_value(["history"]).run()
    open_tab(ask(page, QUESTION), "Cost and time")
    cost, times = charts_of(page)
    assert cost["data"][0]["y"] == ["Stateless", "Memory-backed", "Full history"]
    assert all(text.startswith("$") for text in cost["data"][0]["text"])
    assert all(text.endswith("s") for text in times["data"][0]["text"])
    assert "Full history costs most" in text_of(page)
    costs, _ = (frame.value for frame in page.dataframe)
    assert list(costs["USD"]) == cost["data"][0]["x"]


def test_without_a_price_the_bars_are_tokens(app: OpenPage, model: ScriptedModel) -> None:
    settings = sent_to(model, OPENAI_MODEL="home-made")
    page = ask(app("compare", subject="dev_alice", settings=settings), QUESTION)
    open_tab(page, "Cost and time")
    assert "there is no price for home-made" in text_of(page)
    assert charts_of(page)[0]["layout"]["xaxis"]["title"]["text"] == "Prompt tokens"


def test_memories_that_share_words_with_the_reply_are_marked_in_both(app: OpenPage) -> None:
    page = open_tab(ask(app("compare", subject="dev_alice"), QUESTION), "Facts in the reply")
    text = text_of(page)
    assert "remembered lines that the stateless reply lacks" in text
    assert "likely, not proven" in text
    marked = [str(item.value) for item in page.markdown if ":primary-background[" in item.value]
    assert len(marked) >= 2
    assert all("cosine" in value.lower() for value in marked[:2]), marked


def test_a_reply_without_words_of_memory_is_said_to_have_none(
    app: OpenPage, model: ScriptedModel
) -> None:
    model.reply = "Hello there."
    page = ask(app("compare", subject="dev_alice", settings=sent_to(model)), QUESTION)
    open_tab(page, "Facts in the reply")
    assert "shares no telling words" in text_of(page)


def test_an_earlier_comparison_of_the_visit_is_opened_again_and_asks_nothing(
    app: OpenPage, model: ScriptedModel
) -> None:
    page = ask(app("compare", subject="dev_alice", settings=sent_to(model)), "First?")
    ask(page, "Second?")
    page.run()
    asked = len(model.requests)
    press(page, "First?")
    assert "**First?**" in text_of(page)
    assert "What memory added" in text_of(page)
    assert len(model.requests) == asked
    assert {"JSON", "CSV"} <= set(files_of(page))


def test_the_visit_s_comparisons_are_listed_for_their_subject_only(app: OpenPage) -> None:
    page = ask(app("compare", subject="dev_alice"), QUESTION)
    assert "1 comparison of dev_alice" in text_of(page.run())
    page.selectbox(key="subject").set_value("dev_bob").run()
    assert "comparison of" not in text_of(page)


def results_of(app: AppTest) -> Any:
    (table,) = (frame.value for frame in app.dataframe)
    return table


def test_every_question_is_asked_in_one_go_and_ends_in_a_table(app: OpenPage) -> None:
    page = app("compare", subject="dev_alice")
    before = episodes("dev_alice")
    press(page, "Ask all")
    table = results_of(page)
    assert list(table["Question"]) == [item.question for item in QUESTIONS]
    assert list(table.columns) == ["Question", "Expected", "Stateless", "Memory-backed"]
    assert (table["Memory-backed"] == "Right").sum() >= len(QUESTIONS) - 2
    assert (table["Stateless"] == "Right").sum() == 0
    assert f"Right answers: Stateless 0 of {len(QUESTIONS)}, Memory-backed" in text_of(page)
    assert episodes("dev_alice") == before


def test_a_question_with_a_failed_side_has_no_verdict(app: OpenPage) -> None:
    MemoryBreaksIt.refuses = True
    with MemoryBreaksIt() as model:
        page = app("compare", subject="dev_alice", settings=sent_to(model))
        press(page, "Ask all")
        assert "No verdict." in text_of(page)
        assert all(str(cell).startswith("No reply") for cell in results_of(page)["Memory-backed"])
        MemoryBreaksIt.refuses = False
        press(page, "Go on")
        assert f"Right answers: Stateless 0 of {len(QUESTIONS)}, Memory-backed 0" in text_of(page)


def test_a_cancelled_run_keeps_what_it_has_and_goes_on_when_asked(
    app: OpenPage, model: ScriptedModel
) -> None:
    page = app("compare", subject="dev_alice", settings=sent_to(model))
    runs = page.session_state["app_state"].question_runs

    def reply(_messages: Messages) -> str:
        if len(model.requests) == 4:
            runs["dev_alice"].cancel()
        return "Nothing known."

    model.reply = reply
    press(page, "Ask all")
    assert len(model.requests) == 4
    assert f"{len(QUESTIONS) - 2} questions have no verdict" in text_of(page)
    press(page, "Go on")
    assert len(model.requests) == 2 * len(QUESTIONS)
    assert "no verdict:" not in text_of(page)


def test_a_subject_without_a_question_list_is_offered_none(app: OpenPage) -> None:
    page = app("compare", subject="nobody_yet")
    assert "Ask all" not in [button.label for button in page.button]
