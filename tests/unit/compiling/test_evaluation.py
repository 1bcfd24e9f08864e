"""The labelled messages through the engine: figures that must hold, one message of each kind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lib.compiling.offline import OfflineCompiler
from lib.embedded.runtime import EmbeddedRuntime
from lib.models import PROCEDURE, PROFILE_FACT
from tests.evaluation.compiling import compile_message, load_messages, score_messages, wilson

MIN_PRECISION = 0.95
MIN_RECALL = 0.7
MESSAGES = {message.id: message for message in load_messages()}


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[EmbeddedRuntime]:
    """An empty engine."""
    engine = EmbeddedRuntime(tmp_path / "memory.db", compiler=OfflineCompiler())
    yield engine
    engine.close()


def test_the_part_the_rules_were_tuned_on_is_read_rightly(runtime: EmbeddedRuntime) -> None:
    score = score_messages(runtime, (m for m in MESSAGES.values() if not m.held_out))
    assert score.precision >= MIN_PRECISION, score.wrong
    assert score.recall >= MIN_RECALL, score.missed
    assert score.procedures_found >= 0.8 * score.procedures, score.missed
    assert score.leaks == 0, score.wrong


@pytest.mark.parametrize(
    ("message_id", "facts"),
    [
        # several facts, telegraphic
        ("m158", ['The user said: "Aoife, Galway, GP trainee, two cats (Pangur and Bin)'
                  ', revising for the AKT in October".']),
        # a correction without a whole new fact
        ("m111", ["The user's daughter is called Freja."]),
        # negation
        ("m030", ["The user's team never deploys on Fridays, house rule."]),
        # a list
        ("m052", ['The user listed under "stack, top to bottom": SvelteKit; a Go service behind'
                  " Caddy; CockroachDB."]),
        # code, logs, quotations, other people, hypotheses, jokes, questions, small talk
        ("m067", []), ("m212", []), ("m264", []), ("m004", []), ("m031", []), ("m092", []),
        ("m086", []), ("m061", []), ("m098", []),
        # another language
        ("m246", ['The user said (in Portuguese): "Moro em Aveiro, trabalho por turnos no hospital'
                  ' e tenho um cão chamado Pipoca".']),
        # everyday facts
        ("m273", ["The user sings alto.", "The user cannot read bass clef."]),
    ],
)  # fmt: skip
def test_what_a_message_becomes(
    runtime: EmbeddedRuntime, message_id: str, facts: list[str]
) -> None:
    memories = compile_message(runtime, MESSAGES[message_id])
    told = [memory.content for memory in memories if memory.kind == PROFILE_FACT]
    assert told[: len(facts)] == facts or set(facts) <= set(told)
    if not facts:
        assert told == []


def test_a_fix_the_subject_found_is_a_procedure(runtime: EmbeddedRuntime) -> None:
    memories = compile_message(runtime, MESSAGES["m265"])
    (procedure,) = [memory for memory in memories if memory.kind == PROCEDURE]
    assert "deleting ~/.gradle/caches did" in procedure.content
    assert procedure.confidence == 0.8


def test_the_interval_of_a_share_narrows_with_the_count() -> None:
    low, high = wilson(95, 100)
    assert low < 0.95 < high
    assert wilson(950, 1000)[0] > low
    assert wilson(0, 0) == (0.0, 1.0)
