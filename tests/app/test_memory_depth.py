"""Growth, sources, history, dates, forgetting many and filters in the address, on both runtimes."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lib import resources
from lib.connect import connect_runtime
from lib.embedded.runtime import EmbeddedRuntime
from lib.embedded.server import create_app
from lib.inspection import SubjectMemory, compare_dates, inspect_subject, memory_growth
from lib.models import Memory, Message, NewEpisode
from lib.settings import Settings
from tests.app.conftest import OpenPage
from tests.app.test_memory import opened, press, rows
from tests.support.old_server import old_server
from tests.support.pages import charts_of, text_of
from tests.support.plain_compiler import PlainCompiler
from tests.support.serving import serving


@pytest.fixture(params=["embedded", "statewave"])
def runtime(
    request: pytest.FixtureRequest, seeded_folder: Path, tmp_path: Path
) -> Iterator[dict[str, str]]:
    """The settings that connect the app to the demo subjects, in this process or over HTTP."""
    if request.param == "embedded":
        yield {}
        return
    folder = tmp_path / "server"
    folder.mkdir()
    for file in seeded_folder.glob("statewave.db*"):
        (folder / file.name).write_bytes(file.read_bytes())
    engine = connect_runtime(Settings(statewave_data_dir=folder, statewave_runtime="embedded"))
    with serving(create_app(engine)) as url:
        yield {"STATEWAVE_BASE_URL": url}
    engine.close()


def remembered(subject_id: str) -> SubjectMemory:
    return inspect_subject(resources.memory_runtime(), subject_id)


def view(at: AppTest, name: str) -> AppTest:
    at.session_state["memory_view"] = name
    at.run()
    assert not at.exception, at.exception
    return at


def replaced(subject: SubjectMemory) -> Memory:
    return next(item for item in subject.memories if subject.replacement(item))


def test_growth_is_a_chart_under_its_finding_and_a_table(
    app: OpenPage, runtime: dict[str, str]
) -> None:
    at = view(app("memory", subject="dev_priya", settings=runtime), "Growth")
    growth = memory_growth(remembered("dev_priya"))
    assert f"**{growth.finding}**" in text_of(at)
    (chart,) = charts_of(at)
    assert [trace["y"][:-1] for trace in chart["data"]] == [
        [point.counts[place] for point in growth.points] for place in range(len(growth.kinds))
    ]
    assert [trace["y"][-1] for trace in chart["data"]] == list(growth.points[-1].counts)
    named = " ".join(note["text"] for note in chart["layout"]["annotations"])
    assert f"{growth.points[-1].counts[0]} profile facts" in named
    assert list(at.dataframe[0].value["All"]) == [point.total for point in growth.points]
    assert at.get("download_button")[0].proto.label == "Download as CSV"


def test_a_single_day_of_growth_is_a_column(app: OpenPage) -> None:
    app("overview")
    engine = resources.memory_runtime()
    engine.record_episode("ada", "My name is Ada and I live in Turin.")
    engine.compile_memories("ada")
    (chart,) = charts_of(view(app("memory", subject="ada"), "Growth"))
    assert {trace["type"] for trace in chart["data"]} == {"bar"}


def test_from_a_memory_to_its_episode_and_back(app: OpenPage, runtime: dict[str, str]) -> None:
    at = app("memory", subject="dev_alice", settings=runtime)
    alice = remembered("dev_alice")
    first = opened(at)
    source = alice.sources(first)[0]
    press(at, "All memories of this episode")
    assert at.query_params["episode"] == source.id
    assert len(at.dataframe[0].value) == len(alice.episodes)
    spoken = [element.value for element in at.text]
    assert all(message.content in spoken for message in source.messages)
    made = [item for item in alice.memories if source.id in item.source_episode_ids]
    assert {f"made_{item.id}" for item in made} <= {str(button.key) for button in at.button}
    at.button(key=f"made_{made[0].id}").click().run()
    assert at.session_state["memory_view"] == "Memories"
    assert opened(at) == made[0]


def test_the_history_of_a_memory_names_what_it_replaced_and_opens_it(
    app: OpenPage, runtime: dict[str, str]
) -> None:
    app("overview", settings=runtime)
    priya = remembered("dev_priya")
    old = replaced(priya)
    new = priya.replacement(old)
    assert new
    at = app("memory", subject="dev_priya", query={"memory": new.id}, settings=runtime)
    assert any(box.label == "History: 2 steps" for box in at.expander)
    text = text_of(at)
    assert "**First said**" in text
    assert f"**Replaced by**: {new.content}" in text
    at.button(key=f"history_0_{old.id}").click().run()
    assert opened(at) == old


def test_two_dates_list_what_was_added_and_what_is_gone(
    app: OpenPage, runtime: dict[str, str]
) -> None:
    at = view(app("memory", subject="dev_priya", settings=runtime), "Dates")
    priya = remembered("dev_priya")
    first = priya.memories[-1].valid_from.date()
    found = compare_dates(priya, first, datetime.now(UTC).date())
    assert found.added
    assert found.gone
    assert f"**{found.finding}**" in text_of(at)
    added, gone = at.dataframe
    assert list(added.value["Memory"]) == [item.content for item in found.added]
    assert list(gone.value["Memory"]) == [item.content for item in found.gone]
    assert any(gone.value["Replaced by"])
    at.date_input(key="dates_second_dev_priya").set_value(first).run()
    assert "choose two different days" in text_of(at)
    assert not at.dataframe


def tick(at: AppTest, *places: int) -> AppTest:
    """Opens the box and ticks these of its rows, which AppTest cannot do by itself."""
    at.session_state["forget_several"] = True
    at.run()
    key = next(
        str(frame.proto.id).split("-", 2)[-1]
        for frame in at.dataframe
        if "forget_table" in str(frame.proto.id)
    )
    at.session_state[key] = {"selection": {"rows": list(places), "columns": [], "cells": []}}
    at.run()
    assert not at.exception, at.exception
    return at


def test_several_are_forgotten_together_and_brought_back(
    app: OpenPage, runtime: dict[str, str]
) -> None:
    at = app("memory", subject="dev_alice", settings=runtime)
    before = remembered("dev_alice")
    active = [item for item in before.memories if item.status == "active"]
    tick(at, 0, 2)
    at.button(key="forget_ticked").click().run()
    assert not at.exception, at.exception
    assert "2 memories forgotten." in at.success[0].value
    gone = [item.id for item in remembered("dev_alice").memories if item.status == "forgotten"]
    assert sorted(gone) == sorted([active[0].id, active[2].id])
    at.button(key="undo_forgetting").click().run()
    assert "2 memories can reach a prompt again." in at.success[0].value
    assert [item.status for item in remembered("dev_alice").memories] == [
        item.status for item in before.memories
    ]
    assert "undo_forgetting" not in [str(button.key) for button in at.button]


def test_a_link_carries_the_filters(app: OpenPage, runtime: dict[str, str]) -> None:
    at = app(
        "memory",
        subject="dev_priya",
        settings=runtime,
        query={"memory_status": "Superseded", "memory_kind": "Profile facts"},
    )
    wanted = [item for item in remembered("dev_priya").memories if item.status == "superseded"]
    assert rows(at) == [item.content for item in wanted if item.kind == "profile_fact"]


def test_an_old_server_says_what_is_missing_in_each_view(app: OpenPage, tmp_path: Path) -> None:
    with old_server(tmp_path, memories=100) as url:
        at = app("memory", subject="ada", settings={"STATEWAVE_BASE_URL": url})
        assert "Forget several" not in [box.proto.popover.label for box in at.get("popover")]
        view(at, "Growth")
        assert "at least" in text_of(at).lower()
        assert "can miss some" in text_of(at)
        view(at, "Dates")
        assert "lists only a part" in text_of(at)
        view(at, "Sources")
        assert "The server lists only the oldest episodes." in text_of(at)


def test_many_memories_are_shown_a_thousand_at_a_time(app: OpenPage, tmp_path: Path) -> None:
    engine = EmbeddedRuntime(tmp_path / "data" / "statewave.db", compiler=PlainCompiler())
    said = [" ".join(f"I keep fact number {n * 50 + m}." for m in range(50)) for n in range(24)]
    engine.record_episodes("ada", [NewEpisode((Message("user", text),)) for text in said])
    engine.compile_memories("ada")
    engine.close()
    at = app("memory", subject="ada")
    assert len(rows(at)) == 1000
    assert "1 to 1,000 of 1,200" in text_of(at)
    at.session_state["memory_page"] = 2
    at.run()
    assert "1,001 to 1,200 of 1,200" in text_of(at)
    view(at, "Timeline")
    assert "The first 300 of 1,224 episodes and memories" in text_of(at)
    view(at, "Memories")
    at.text_input(key="memory_words").set_value("number 321").run()
    assert not at.exception, at.exception
    assert "I keep fact number 321." in rows(at)
