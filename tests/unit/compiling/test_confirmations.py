"""Turn by turn: a later "that worked" marks the procedure compiled before."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from lib.compiling.offline import OfflineCompiler
from lib.embedded.runtime import EmbeddedRuntime
from lib.models import PROCEDURE, Memory, Message, NewEpisode
from tests.unit.compiling.conversations import START

PROBLEM = (
    "My Docker build takes 14 minutes because npm install runs every time. How do I speed it up?",
    "Copy package.json and the lock file first, run npm ci, and copy the source afterwards.",
)


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[EmbeddedRuntime]:
    """An empty engine."""
    engine = EmbeddedRuntime(tmp_path / "memory.db", compiler=OfflineCompiler())
    yield engine
    engine.close()


def say(runtime: EmbeddedRuntime, number: int, turn: tuple[str, str], session: str = "s") -> None:
    """Records one turn and compiles, as the app does."""
    messages = (Message("user", turn[0]), Message("assistant", turn[1]))
    when = START + timedelta(minutes=number)
    runtime.record_episodes("sam", [NewEpisode(messages, session_id=session, occurred_at=when)])
    runtime.compile_memories("sam")


def procedures(runtime: EmbeddedRuntime) -> list[Memory]:
    """The current procedures."""
    return [m for m in runtime.list_memories("sam").memories if m.kind == PROCEDURE]


def test_it_worked_marks_the_procedure_and_keeps_its_source(runtime: EmbeddedRuntime) -> None:
    say(runtime, 1, PROBLEM)
    (untried,) = procedures(runtime)
    say(runtime, 2, ("That worked, thanks!", "Good."))
    (tried,) = procedures(runtime)
    assert tried.content == f"{untried.content.rstrip('.')} (this worked)."
    assert tried.confidence > untried.confidence
    assert set(untried.source_episode_ids) < set(tried.source_episode_ids)


def test_good_news_of_another_conversation_marks_nothing(runtime: EmbeddedRuntime) -> None:
    say(runtime, 1, PROBLEM)
    say(runtime, 2, ("The pasta worked, thanks!", "Enjoy."), session="another")
    (procedure,) = procedures(runtime)
    assert "worked" not in procedure.content


def test_a_failed_try_marks_nothing(runtime: EmbeddedRuntime) -> None:
    say(runtime, 1, PROBLEM)
    say(runtime, 2, ("That did not help, it still takes 14 minutes.", "Hm."))
    assert not any("this worked" in procedure.content for procedure in procedures(runtime))
