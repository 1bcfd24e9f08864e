"""Search by meaning: when it works, when it does not yet, and what is said where it cannot."""

import sqlite3
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from lib.embedded import EmbeddedRuntime
from lib.embedded.vectors import from_blobs, to_blob
from lib.embedding import Embedder
from lib.models import ContextBundle, Message, NewEpisode
from tests.support.plain_compiler import PlainCompiler
from tests.support.scripted_embedder import MissingEmbedder, ScriptedEmbedder
from tests.unit.embedded.conftest import Clock

IDEAS = {"pay": "salary wage earn paid", "home": "live flat house reside", "pet": "dog cat rabbit"}
FILLER = [f"The kiln of batch {number} needs glaze." for number in range(12)]
SOON_S = 20.0


class Opened:
    """Engines on one file, closed after the test."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.runtimes: list[EmbeddedRuntime] = []

    def __call__(self, embedder: Embedder | None) -> EmbeddedRuntime:
        self.runtimes.append(
            EmbeddedRuntime(self.path, compiler=PlainCompiler(), embedder=embedder, clock=Clock())
        )
        return self.runtimes[-1]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    opened = Opened(tmp_path / "memory.db")
    yield opened
    for runtime in opened.runtimes:
        runtime.close()


def first_item(bundle: ContextBundle) -> str:
    return bundle.items[0].content


def test_a_paraphrase_is_found_once_it_is_indexed(opened: Opened) -> None:
    embedder = ScriptedEmbedder(IDEAS)
    embedder.may_go_on.clear()
    runtime = opened(embedder)
    for text in ["My wage is low.", *FILLER]:
        runtime.record_episode("ada", text)
    words_only = runtime.get_context("ada", "What salary?")
    assert "wage" not in words_only.assembled_context
    embedder.may_go_on.set()
    assert runtime.wait_until_indexed(SOON_S)
    bundle = runtime.get_context("ada", "What salary?")
    assert first_item(bundle) == "user: My wage is low."
    for item in bundle.items:
        assert item.parts is not None
        assert item.score == item.parts.total


def test_recording_does_not_wait_for_the_index(opened: Opened) -> None:
    embedder = ScriptedEmbedder(IDEAS)
    embedder.may_go_on.clear()
    runtime = opened(embedder)
    runtime.record_episode("ada", "I live in Porto.")
    runtime.compile_memories("ada")
    assert "Porto" in runtime.get_context("ada", "Porto?").assembled_context
    assert not runtime.wait_until_indexed(0.05)
    embedder.may_go_on.set()
    assert runtime.wait_until_indexed(SOON_S)


def test_what_was_just_said_is_found_by_its_words_before_it_is_indexed(opened: Opened) -> None:
    embedder = ScriptedEmbedder(IDEAS)
    runtime = opened(embedder)
    runtime.record_episodes("ada", [NewEpisode((Message("user", text),)) for text in FILLER])
    assert runtime.wait_until_indexed(SOON_S)
    runtime.get_context("ada", "Which rabbit did Brandt sell?")
    embedder.may_go_on.clear()
    runtime.record_episode("ada", "Brandt sold me a rabbit.", session_id="now")
    bundle = runtime.get_context("ada", "Which rabbit did Brandt sell?", session_id="now")
    assert first_item(bundle) == "user: Brandt sold me a rabbit."
    embedder.may_go_on.set()


def test_the_index_goes_on_where_it_stopped(opened: Opened) -> None:
    first = opened(ScriptedEmbedder(IDEAS))
    first.record_episode("ada", "My wage is low.")
    assert first.wait_until_indexed(SOON_S)
    first.close()
    without = opened(None)
    without.record_episode("ada", "My rabbit is called Wilma.")
    without.close()
    embedder = ScriptedEmbedder(IDEAS)
    again = opened(embedder)
    assert again.wait_until_indexed(SOON_S)
    assert embedder.texts == ["ready", "My rabbit is called Wilma."]
    assert first_item(again.get_context("ada", "What salary?")) == "user: My wage is low."
    assert "Wilma" in first_item(again.get_context("ada", "Any dog?"))


def test_vectors_of_another_model_are_made_anew(opened: Opened) -> None:
    first = opened(ScriptedEmbedder({}, name="old"))
    first.record_episode("ada", "My wage is low.")
    assert first.wait_until_indexed(SOON_S)
    first.close()
    again = opened(ScriptedEmbedder(IDEAS, name="new"))
    assert again.wait_until_indexed(SOON_S)
    assert first_item(again.get_context("ada", "What salary?")) == "user: My wage is low."


def test_two_engines_on_one_file_index_each_line_for_both(opened: Opened) -> None:
    one, two = opened(ScriptedEmbedder(IDEAS)), opened(ScriptedEmbedder(IDEAS))
    for number in range(40):
        (one if number % 2 else two).record_episode("ada", f"I keep glaze {number}.")
    one.record_episode("ada", "My wage is low.")
    assert one.wait_until_indexed(SOON_S)
    assert two.wait_until_indexed(SOON_S)
    for runtime in (one, two):
        assert first_item(runtime.get_context("ada", "What salary?")) == "user: My wage is low."


def test_a_deleted_subjects_vectors_are_deleted(opened: Opened) -> None:
    runtime = opened(ScriptedEmbedder(IDEAS))
    runtime.record_episode("ada", "My wage is low.")
    runtime.record_episode("bob", "I live in Porto.")
    assert runtime.wait_until_indexed(SOON_S)
    runtime.delete_subject("ada")
    rows = sqlite3.connect(opened.path).execute(
        "SELECT (SELECT subject_id FROM subjects WHERE key = subject) FROM vectors"
    )
    assert rows.fetchall() == [("bob",)]


def test_a_line_is_understood_by_what_was_said_before_it(opened: Opened) -> None:
    runtime = opened(ScriptedEmbedder(IDEAS))
    runtime.record_episode("ada", "Which house do you reside in?", session_id="a")
    runtime.record_episode("ada", "Number nine.", session_id="a")
    for number, text in enumerate(FILLER):
        runtime.record_episode("ada", text, session_id=f"b{number}")
    assert runtime.wait_until_indexed(SOON_S)
    bundle = runtime.get_context("ada", "Which flat do you live in?")
    assert "Number nine." in [
        item.content.partition(": ")[2] for item in bundle.items if item.included
    ]


def test_lines_of_the_speaker_who_is_asked_about_come_first(opened: Opened) -> None:
    runtime = opened(ScriptedEmbedder(IDEAS))
    for name in ("Ines", "Callum"):
        runtime.record_episode("pair", f"{name}: my wage is low", session_id=name)
    assert runtime.wait_until_indexed(SOON_S)
    for name in ("Ines", "Callum"):
        bundle = runtime.get_context("pair", f"What salary does {name} have?")
        assert first_item(bundle) == f"{name}: my wage is low"


def test_what_was_said_at_the_time_asked_about_comes_first(opened: Opened) -> None:
    runtime = opened(ScriptedEmbedder(IDEAS))
    for month in range(1, 13):
        runtime.record_episode(
            "ada",
            f"Salary number {month} came in.",
            session_id=f"s{month}",
            occurred_at=datetime(2024, month, 20, tzinfo=UTC),
        )
    assert runtime.wait_until_indexed(SOON_S)
    for task, month in (
        ("What was I paid in March?", 3),
        ("What was I paid on 20 May 2024?", 5),
        ("What was I paid last month?", 11),  # seen from the newest line: nothing is newer
    ):
        assert (
            first_item(runtime.get_context("ada", task)) == f"user: Salary number {month} came in."
        )


def test_unrelated_tasks_get_little_however_large_the_budget(opened: Opened) -> None:
    runtime = opened(ScriptedEmbedder(IDEAS))
    for number in range(30):
        runtime.record_episode("ada", f"I keep glaze number {number} in drawer {number + 100}.")
    runtime.compile_memories("ada")
    assert runtime.wait_until_indexed(SOON_S)
    for task in ("hello", "Thanks!", "Is Oslo sunny?"):
        bundle = runtime.get_context("ada", task, max_tokens=100_000)
        assert len(bundle.memories) <= 2
        assert not bundle.episodes


def test_a_search_finds_memories_by_meaning_too(opened: Opened) -> None:
    runtime = opened(ScriptedEmbedder(IDEAS))
    for text in ("I earn a wage.", "I live in Porto.", "I like salary slips. I like a dog."):
        runtime.record_episode("ada", text)
    runtime.compile_memories("ada")
    assert runtime.wait_until_indexed(SOON_S)
    found = [memory.content for memory in runtime.search_memories("ada", "porto").memories]
    assert found == ["I live in Porto."]
    found = [memory.content for memory in runtime.search_memories("ada", "a salary paid").memories]
    assert set(found) == {"I earn a wage.", "I like salary slips."}
    assert not runtime.search_memories("ada", "a salary paid", kind="procedure").memories
    limited = runtime.search_memories("ada", "a salary paid", limit=1)
    assert (len(limited.memories), limited.complete) == (1, False)


def test_a_search_by_meaning_finds_nothing_that_no_longer_holds(opened: Opened) -> None:
    runtime = opened(ScriptedEmbedder(IDEAS))
    for text in ("I live in Rome.", "I live in Porto.", "I like a dog."):
        runtime.record_episode("ada", text)
        runtime.compile_memories("ada")
    (dog,) = (each for each in runtime.list_memories("ada").memories if "dog" in each.content)
    runtime.forget_memory("ada", dog.id)
    assert runtime.wait_until_indexed(SOON_S)
    flat = runtime.search_memories("ada", "i reside in flat").memories
    assert [memory.content for memory in flat] == ["I live in Porto."]
    assert not runtime.search_memories("ada", "a cat").memories


def test_a_missing_model_is_said_and_words_still_work(opened: Opened) -> None:
    runtime = opened(MissingEmbedder())
    runtime.record_episode("ada", "I live in Porto.")
    deadline = time.monotonic() + SOON_S
    while "semantic_search" in runtime.capabilities() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert "semantic_search" not in runtime.capabilities()
    assert "words only: the model" in runtime.info().detail
    assert not runtime.wait_until_indexed(SOON_S)
    assert "Porto" in runtime.get_context("ada", "Porto?").assembled_context


def test_without_an_embedder_search_is_by_words(opened: Opened) -> None:
    runtime = opened(None)
    assert "semantic_search" not in runtime.capabilities()
    assert runtime.info().detail == "search by words"


def test_a_stored_vector_points_where_it_did() -> None:
    chance = np.random.default_rng(7)
    rows = chance.normal(size=(50, 384)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    back = from_blobs([to_blob(row) for row in rows], 384)
    assert np.abs(back @ back.T - rows @ rows.T).max() < 0.002
