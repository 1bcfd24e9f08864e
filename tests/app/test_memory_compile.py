"""Compiling on the Memory page: pending episodes, progress, and what the last compile did."""

import json
import threading
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from lib import resources
from lib.models import CompileReport, Message, Skipped
from tests.app.conftest import OpenPage
from tests.app.test_memory import labels, opened, press, remembered, rows
from tests.support.pages import go_to, text_of
from tests.support.scripted_model import Messages, ScriptedModel


def record(*said: str, reply: str = "Noted.") -> None:
    """Episodes of Ada, pending."""
    runtime = resources.memory_runtime()
    for text in said:
        runtime.record_episode("ada", [Message("user", text), Message("assistant", reply)])


def compile_now(at: AppTest) -> AppTest:
    """Presses the button and looks again when the compile is over."""
    press(at, "Compile now")
    for job in list(at.session_state.app_state.compile_jobs.values()):
        assert job.wait(20)
        at.run()
    return at


def report_of(at: AppTest) -> str:
    """The headline and the text of the last compile report, or nothing."""
    boxes = [box for box in at.expander if "Last compile" in box.label]
    if not boxes:
        return ""
    (box,) = boxes
    texts = [box.label, *(str(item.value) for item in [*box.markdown, *box.caption])]
    return "\n".join([*texts, *(button.label for button in box.button)]).replace("\\", "")


def test_what_is_pending_is_counted_and_compiled_by_a_click(app: OpenPage) -> None:
    app("overview")
    record("My name is Ada and I live in Turin.", "Should I use Rust?")
    at = app("memory", subject="ada")
    assert "2 episodes pending" in text_of(at)
    assert report_of(at) == ""
    compile_now(at)
    assert "pending" not in text_of(at)
    assert "Compile now" not in labels(at)
    report = report_of(at)
    assert "from 2 episodes by the offline compiler" in report
    assert "2 made · 1 skipped" in report
    assert "- 1 only asked something" in report
    assert "“Should I use Rust?”" in report


def test_every_memory_of_the_report_opens(app: OpenPage) -> None:
    app("overview")
    record("My name is Ada and I live in Turin.")
    at = compile_now(app("memory", subject="ada"))
    wanted = next(item for item in remembered("ada").memories if "Turin" in item.content)
    at.button(key=f"compiled_Made_{wanted.id}").click().run()
    assert opened(at) == wanted
    assert report_of(at)


def test_what_was_superseded_said_again_and_masked_is_told(app: OpenPage) -> None:
    app("overview")
    record("I live in Rome. I work at Lendora.")
    at = compile_now(app("memory", subject="ada"))
    old = next(item for item in remembered("ada").memories if "Rome" in item.content)
    record("I now live in Porto. I work at Lendora.", "Use sk-" + "a1B2" * 8)
    at = compile_now(app("memory", subject="ada"))
    report = report_of(at)
    for told in ("1 superseded", "1 merged", "1 masked", "**Superseded**: 1", "**Said again**: 1"):
        assert told in report
    assert "by The user" in report
    assert "a1B2a1B2" not in report
    at.button(key=f"compiled_Superseded_{old.id}").click().run()
    assert opened(at).status == "superseded"


def test_a_compile_in_chat_is_reported_as_well(app: OpenPage) -> None:
    at = app("chat", subject="ada")
    at.chat_input[0].set_value("I'm Ada and I live in Turin.").run()
    at.run()
    go_to(at, "memory")
    assert "from 1 episode by the offline compiler" in report_of(at)


def test_nothing_worth_remembering_is_said_once_all_is_compiled(app: OpenPage) -> None:
    app("overview")
    record("What is an index?")
    at = compile_now(app("memory", subject="ada"))
    assert "1 episode is recorded and compiled; nothing was worth remembering" in text_of(at)
    assert "0 made · 1 skipped" in report_of(at)


@pytest.fixture
def extracting() -> Iterator[ScriptedModel]:
    """A model that finds where Ada lives, and one thing nobody said."""

    def reply(messages: Messages) -> str:
        (sent,) = json.loads(messages[-1]["content"])["episodes"]
        fact = {"kind": "profile_fact", "episode": sent["id"], "certain": True, "changed": False}
        fact |= {"slot": "home", "value": "Turin"}
        here = fact | {"content": "Ada lives in Turin.", "quote": "I live in Turin"}
        nowhere = fact | {"content": "Ada lives in Rome.", "quote": "I live in Rome"}
        return json.dumps({"memories": [here, nowhere]})

    with ScriptedModel(reply=reply) as model:
        yield model


def llm(model: ScriptedModel) -> dict[str, str]:
    return {"STATEWAVE_COMPILER": "llm", "LLM_BASE_URL": model.url, "OPENAI_MODEL": "scripted"}


def test_the_model_compiles_where_it_is_asked_to(app: OpenPage, extracting: ScriptedModel) -> None:
    app("overview", settings=llm(extracting))
    assert not extracting.requests  # the demo subjects are seeded without it
    record("I live in Turin.")
    at = app("memory", subject="ada")
    assert "scripted" in at.button(key="memory_compile").help
    compile_now(at)
    assert rows(at) == ["Ada lives in Turin."]
    report = report_of(at)
    assert "1 made · 1 skipped from 1 episode by scripted" in report
    assert "- 1 proposed by the model, but not said anywhere" in report
    assert "“Ada lives in Rome.”" in report


def test_a_model_that_fails_leaves_the_work_to_the_rules_and_the_page_says_so(
    app: OpenPage,
) -> None:
    with ScriptedModel("unauthorized") as model:
        app("overview", settings=llm(model))
        record("I live in Turin.")
        at = compile_now(app("memory", subject="ada"))
    assert any("Turin" in row for row in rows(at))
    assert "were compiled by the offline compiler instead of scripted" in report_of(at)


def test_a_long_compile_shows_progress_and_outlives_the_page(
    app: OpenPage, extracting: ScriptedModel
) -> None:
    extracting.script, extracting.silence_s = "silent_start", 2.0
    app("overview", settings=llm(extracting))
    record("I live in Turin.")
    at = press(app("memory", subject="ada"), "Compile now")
    (bar,) = at.get("progress")
    assert bar.proto.text == "Compiling: 0 of 1 episodes"
    assert "Compile now" not in labels(at)
    go_to(at, "budget")
    (job,) = at.session_state.app_state.compile_jobs.values()
    assert job.wait(10)
    go_to(at, "memory")
    assert rows(at) == ["Ada lives in Turin."]
    assert "by scripted" in report_of(at)


def test_a_subject_that_another_tab_compiles_is_left_alone(app: OpenPage) -> None:
    app("overview")
    record("I live in Turin.")
    at = app("memory", subject="ada")
    gate, hold, done = resources.compile_gate(), threading.Event(), threading.Event()

    def other_tab() -> None:
        gate.enter("ada")
        hold.set()
        done.wait(20)
        gate.leave("ada")

    thread = threading.Thread(target=other_tab)
    thread.start()
    assert hold.wait(5)
    compile_now(at)
    done.set()
    thread.join()
    assert "being compiled already" in at.error[0].value
    assert not remembered("ada").memories


def test_a_report_shows_markdown_and_unknown_reasons_as_they_stand(app: OpenPage) -> None:
    at = app("memory", subject="dev_alice")
    at.session_state.app_state.compiled["dev_alice"] = CompileReport(
        "dev_alice",
        episodes_compiled=1,
        compiler="evil **model**",
        skipped=(Skipped("question", "![x](https://evil.example/a.png)", "e1"),),
        skipped_counts={"question": 1, "_new_": 2},
        notes=("<b>note</b>",),
    )
    at.run()
    assert not at.exception
    (box,) = [box for box in at.expander if "Last compile" in box.label]
    shown = "\n".join([box.label, *(str(item.value) for item in box.markdown)])
    assert "![x](https" not in shown
    assert "<b>" not in shown
    assert "**model**" not in shown
    assert "- 2 \\_new\\_" in shown
