"""The Memory page, end to end, without a browser."""

import json
from pathlib import Path

from streamlit.testing.v1 import AppTest

from lib import resources
from lib.inspection import SubjectMemory, count_memories, inspect_subject
from lib.models import Memory
from tests.app.conftest import OpenPage
from tests.support.old_server import old_server
from tests.support.pages import text_of

NOBODY_LISTENS = "http://127.0.0.1:9"


def remembered(subject_id: str) -> SubjectMemory:
    return inspect_subject(resources.memory_runtime(), subject_id)


def press(at: AppTest, label: str) -> AppTest:
    next(button for button in at.button if button.label == label).click().run()
    assert not at.exception, at.exception
    return at


def labels(at: AppTest) -> list[str]:
    return [button.label for button in at.button]


def rows(at: AppTest) -> list[str]:
    """The texts of the table, top down."""
    return list(at.dataframe[0].value["Memory"]) if at.dataframe else []


def opened(at: AppTest) -> Memory:
    """The memory whose raw JSON the page shows."""
    data = json.loads(at.code[-1].value)
    found = remembered(data["subject_id"]).memory(data["id"])
    assert found is not None
    return found


def superseded(subject: SubjectMemory) -> Memory:
    return next(
        item for item in subject.memories if item.status == "superseded" and item.superseded_by
    )


def choose(at: AppTest, key: str, value: str) -> AppTest:
    at.selectbox(key=key).set_value(value).run()
    assert not at.exception, at.exception
    return at


def search(at: AppTest, words: str) -> AppTest:
    at.text_input(key="memory_words").set_value(words).run()
    assert not at.exception, at.exception
    return at


def test_the_page_names_the_subject_and_true_totals(app: OpenPage) -> None:
    at = app("memory", subject="dev_priya")
    priya = remembered("dev_priya")
    totals = count_memories(priya.memories)
    text = text_of(at)
    assert "Memory of dev_priya" in text
    assert f"{totals.active} memories from {len(priya.episodes)} episodes:" in text
    assert f"{dict(totals.by_kind)['profile_fact']} profile facts" in text
    assert f"; {totals.superseded} superseded" in text


def test_the_table_lists_every_memory_newest_first(app: OpenPage) -> None:
    at = app("memory", subject="dev_alice")
    alice = remembered("dev_alice")
    table = at.dataframe[0].value
    assert list(table["Memory"]) == [item.content for item in alice.memories]
    assert list(table["Confidence"]) == [item.confidence for item in alice.memories]
    assert list(table["Sources"]) == [len(item.source_episode_ids) for item in alice.memories]
    assert list(table["Valid from"]) == [item.valid_from.date() for item in alice.memories]
    assert {"Profile fact", "Procedure"} <= set(table["Kind"])
    assert at.dataframe[0].proto.alt


def test_looking_writes_nothing(app: OpenPage) -> None:
    at = app("memory", subject="dev_alice")
    before = remembered("dev_alice")
    search(at, "embedding")
    choose(at, "memory_kind", "procedure")
    at.session_state["memory_view"] = "Timeline"
    at.run()
    assert remembered("dev_alice") == before
    app("memory", subject="somebody_new")
    ids = [row.subject_id for row in resources.memory_runtime().list_subjects()]
    assert "somebody_new" not in ids


def test_the_first_memory_is_open_and_arrows_step_through_the_list(app: OpenPage) -> None:
    at = app("memory", subject="dev_alice")
    memories = remembered("dev_alice").memories
    assert opened(at) == memories[0]
    assert at.button(key="memory_Previous").disabled
    press(at, "Next")
    assert opened(at) == memories[1]
    assert at.query_params["memory"] == memories[1].id
    press(at, "Previous")
    assert opened(at) == memories[0]


def test_a_link_opens_its_memory_with_text_meaning_validity_and_sources(app: OpenPage) -> None:
    app("overview")
    alice = remembered("dev_alice")
    fix = next(item for item in alice.memories if item.kind == "procedure")
    at = app("memory", subject="dev_alice", query={"memory": fix.id})
    assert opened(at) == fix
    literal_texts = [element.value for element in at.text]
    assert fix.content in literal_texts
    for source in alice.sources(fix):
        for message in source.messages:
            assert message.content in literal_texts
    text = text_of(at)
    assert f"Confidence {fix.confidence:.2f}**: taken from a reply" in text
    assert "**Valid** since" in text
    expanders = "\n".join(item.label for item in at.expander).replace("\\", "")
    assert f"session {alice.sources(fix)[0].session_id}" in expanders


def test_a_link_to_a_memory_that_is_gone_opens_the_first(app: OpenPage) -> None:
    at = app("memory", subject="dev_alice", query={"memory": "no-such-id"})
    assert opened(at) == remembered("dev_alice").memories[0]
    assert "not there (any more)" in text_of(at)


def test_choosing_another_subject_leaves_the_opened_memory_behind(app: OpenPage) -> None:
    at = app("memory", subject="dev_alice")
    press(at, "Next")
    choose(at, "subject", "dev_bob")
    assert opened(at) == remembered("dev_bob").memories[0]
    assert "not there" not in text_of(at)
    assert "memory" not in at.query_params


def test_what_superseded_a_memory_is_one_click_away(app: OpenPage) -> None:
    app("overview")
    old = superseded(remembered("dev_priya"))
    at = app("memory", subject="dev_priya", query={"memory": old.id})
    assert "Superseded by" in text_of(at)
    assert "Forget" not in labels(at)
    press(at, "Open the newer memory")
    assert opened(at).id == old.superseded_by
    press(at, "Open the older memory")
    assert opened(at) == old


def test_search_and_filters_narrow_the_list(app: OpenPage) -> None:
    at = app("memory", subject="dev_priya")
    priya = remembered("dev_priya")
    search(at, "CockroachDB")
    assert rows(at)
    assert all("cockroachdb" in row.lower() for row in rows(at))
    search(at, "")
    choose(at, "memory_status", "superseded")
    assert sorted(rows(at)) == sorted(
        item.content for item in priya.memories if item.status == "superseded"
    )
    choose(at, "memory_kind", "artifact_ref")
    choose(at, "memory_status", "")
    assert len(rows(at)) == sum(item.kind == "artifact_ref" for item in priya.memories)


def test_the_session_filter_keeps_what_came_from_that_conversation(app: OpenPage) -> None:
    at = app("memory", subject="dev_bob")
    bob = remembered("dev_bob")
    session_id = bob.session_ids[-1]
    choose(at, "memory_session_dev_bob", session_id)
    expected = [
        item.content
        for item in bob.memories
        if any(source.session_id == session_id for source in bob.sources(item))
    ]
    assert expected
    assert rows(at) == expected


def test_filters_that_leave_nothing_offer_to_show_everything(app: OpenPage) -> None:
    at = app("memory", subject="dev_alice")
    search(at, "zeppelin")
    choose(at, "memory_kind", "procedure")
    assert "No memory matches these filters" in text_of(at)
    assert not at.dataframe
    press(at, "Show all memories")
    assert len(rows(at)) == len(remembered("dev_alice").memories)
    assert at.text_input(key="memory_words").value == ""


def test_a_change_of_filter_opens_the_first_match(app: OpenPage) -> None:
    at = app("memory", subject="dev_alice")
    press(at, "Next")
    choose(at, "memory_kind", "artifact_ref")
    assert opened(at).content == rows(at)[0]


def test_a_memory_is_forgotten_and_brought_back(app: OpenPage) -> None:
    at = app("memory", subject="dev_alice")
    choose(at, "memory_status", "active")
    target = opened(at)
    press(at, "Forget")
    assert opened(at).status == "forgotten"
    assert target.content not in rows(at)
    assert "1 forgotten" in text_of(at)
    context = resources.memory_runtime().get_context("dev_alice", target.content)
    assert target.id not in context.memory_ids
    assert "Forgotten" in at.success[0].value
    press(at, "Undo")
    assert opened(at).status == "active"
    assert target.content in rows(at)
    assert "Restored" in at.success[0].value
    assert not at.run().success


def test_a_correction_supersedes_and_opens_the_new_memory(app: OpenPage) -> None:
    at = app("memory", subject="dev_alice")
    old = opened(at)
    at.text_area(key=f"correction_{old.id}").set_value("Alice ships on *1* December.")
    press(at, "Save the correction")
    new = opened(at)
    assert new.content == "Alice ships on *1* December."
    assert "Corrected" in at.success[0].value
    assert opened(at).metadata["corrected_from"] == old.id
    assert "corrected by hand" in text_of(at)
    assert f"Supersedes**: {old.content}" in text_of(at)


def test_a_correction_that_changes_nothing_is_refused_in_a_sentence(app: OpenPage) -> None:
    at = app("memory", subject="dev_alice")
    before = remembered("dev_alice")
    press(at, "Save the correction")
    assert [error.value for error in at.error]
    assert remembered("dev_alice") == before
    at.run()
    assert not at.error


def test_markdown_in_a_memory_is_shown_as_it_stands(app: OpenPage) -> None:
    at = app("memory", subject="dev_alice")
    hostile = "![x](https://evil.example/a.png) **bold** $x^2$ :red[no]"
    at.text_area(key=f"correction_{opened(at).id}").set_value(hostile)
    press(at, "Save the correction")
    assert hostile in [element.value for element in at.text]
    assert hostile in rows(at)
    press(at, "Open the older memory")
    shown = next(str(item.value) for item in at.markdown if "Superseded by" in str(item.value))
    assert "![x](https" not in shown
    assert ":red[" not in shown


def test_the_timeline_groups_sessions_and_reads_conversations(app: OpenPage) -> None:
    at = app("memory", subject="dev_alice")
    at.session_state["memory_view"] = "Timeline"
    at.run()
    alice = remembered("dev_alice")
    text = text_of(at)
    places = [text.index(f"**{session_id}** · ") for session_id in alice.session_ids]
    assert places == sorted(places)
    assert "(superseded)" in text
    spoken = [element.value for element in at.text]
    for episode in alice.episodes:
        assert all(message.content in spoken for message in episode.messages)
    assert not at.dataframe


def test_a_subject_is_deleted_only_when_its_id_is_typed(app: OpenPage) -> None:
    at = app("memory", subject="dev_bob")
    bob = remembered("dev_bob")
    text = text_of(at)
    assert f"{len(bob.episodes)} episodes and {len(bob.memories)} memories" in text
    assert "cannot be undone" in text
    at.text_input(key="delete_subject_id").set_value("dev_alice")
    press(at, "Delete for good")
    assert "Nothing was deleted" in at.error[0].value
    assert remembered("dev_bob") == bob
    at.text_input(key="delete_subject_id").set_value("dev_bob")
    press(at, "Delete for good")
    assert remembered("dev_bob").is_empty
    assert "Nothing is remembered about dev_bob yet" in text_of(at)


def test_a_deleted_demo_subject_can_be_restored(app: OpenPage) -> None:
    at = app("memory", subject="dev_bob")
    before = remembered("dev_bob")
    at.text_input(key="delete_subject_id").set_value("dev_bob")
    press(at, "Delete for good")
    press(at, "Restore the demo conversations")
    after = remembered("dev_bob")
    assert [item.text for item in after.episodes] == [item.text for item in before.episodes]
    assert sorted(item.content for item in after.memories) == sorted(
        item.content for item in before.memories
    )
    assert sorted(rows(at)) == sorted(item.content for item in after.memories)


def test_an_unknown_subject_is_told_the_next_step(app: OpenPage) -> None:
    at = app("memory", subject="nobody_yet")
    text = text_of(at)
    assert "Nothing is remembered about nobody_yet yet" in text
    assert "Chat" in text
    assert "Restore the demo conversations" not in labels(at)
    assert "Delete for good" not in labels(at)
    assert [link.proto.label for link in at.get("page_link")] == ["Open Chat"]


def test_episodes_without_memories_can_be_compiled(app: OpenPage) -> None:
    app("overview")
    resources.memory_runtime().record_episode("ada", "My name is Ada and I live in Turin.")
    at = app("memory", subject="ada")
    assert "1 episode is recorded, none is a memory yet" in text_of(at)
    press(at, "Compile now")
    assert any("Turin" in row for row in rows(at))
    assert "Compile now" not in labels(at)


def test_a_server_that_does_not_answer_is_explained(app: OpenPage) -> None:
    at = app("memory", subject="dev_alice", settings={"STATEWAVE_BASE_URL": NOBODY_LISTENS})
    assert not at.exception
    assert NOBODY_LISTENS in at.error[0].value
    assert "Try again" in labels(at)


def test_a_server_that_cannot_forget_shows_a_sentence_instead_of_buttons(
    app: OpenPage, tmp_path: Path
) -> None:
    with old_server(tmp_path, memories=2) as url:
        at = app("memory", subject="ada", settings={"STATEWAVE_BASE_URL": url})
        assert len(rows(at)) == 2
        assert "cannot forget or correct a single memory" in text_of(at)
        assert "Forget" not in labels(at)
        assert "Save the correction" not in labels(at)
        assert "the server's own compiler" in text_of(at)


def test_lists_cut_short_never_claim_a_total(app: OpenPage, tmp_path: Path) -> None:
    with old_server(tmp_path, memories=100) as url:
        at = app("memory", subject="ada", settings={"STATEWAVE_BASE_URL": url})
        text = text_of(at)
        assert "the server lists" in text
        assert "stops there" in text
        assert "The first 100; the server lists no more." in text
        assert "every episode and memory" in text
