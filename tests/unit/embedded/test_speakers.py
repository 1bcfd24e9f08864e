"""Who speaks in an episode, and how a task is put in that person's words."""

from typing import Any

import pytest

from lib.embedded.speakers import as_asked_of, speaker_of, without_label
from lib.models import Message


@pytest.mark.parametrize(
    ("message", "metadata", "speaker"),
    [
        (Message("user", "I live in Porto."), {}, None),
        (Message("user", "I live in Porto."), {"speaker": "Ines"}, "Ines"),
        (Message("user", "Ines: I live in Porto."), {}, "Ines"),
        (Message("user", "Mary Ann O'Hara: I live in Porto."), {}, "Mary Ann O'Hara"),
        (Message("Callum", "I live in Porto."), {}, "Callum"),
        (Message("user", "Error: no such table"), {}, None),
        (Message("user", "what I meant was: no"), {}, None),
        (Message("user", "See https://example.org/a: it works"), {}, None),
        (Message("user", "I live in Porto."), {"speaker": 7, "author": "x" * 50}, None),
    ],
)
def test_a_speaker_is_named_by_metadata_role_or_text(
    message: Message, metadata: dict[str, Any], speaker: str | None
) -> None:
    assert speaker_of([message], metadata) == speaker


def test_an_exchange_of_two_has_no_single_speaker() -> None:
    exchange = [Message("user", "Ines: hi"), Message("assistant", "Hello.")]
    assert speaker_of(exchange, {"speaker": "Ines"}) is None


@pytest.mark.parametrize(
    ("line", "said"),
    [("user: I ship: often", "I ship: often"), ("Mary Ann: hi", "hi"), ("hi", "hi")],
)
def test_a_label_ends_at_the_first_colon(line: str, said: str) -> None:
    assert without_label(line) == said


def test_a_task_is_put_in_the_words_of_the_person_it_names() -> None:
    assert as_asked_of("What is Ines's cat called? ines?", ["Ines", "Callum"]) == (
        "What is I cat called? I?",
        frozenset({"Ines"}),
    )
    assert as_asked_of("What is the inestimable plan?", ["Ines"]) == (
        "What is the inestimable plan?",
        frozenset(),
    )
