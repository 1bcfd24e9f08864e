"""Corrections: the fact that is meant, and no other."""

import pytest

from lib.compiling.corrections import find_correction
from lib.compiling.grammar import Voice
from lib.compiling.sentences import split_sentences

HELD = {
    "date:deadline": "The user's deadline is the 3rd of March.",
    "hosting": "The user's API is hosted on Heroku.",
    "people:daughter": "The user's daughter is called Freya.",
    "has:kid": "The user has two kids.",
}


@pytest.mark.parametrize(
    ("message", "slot", "words"),
    [
        ("Typo in the deadline: not the 3rd, the 13th of March.", "date:deadline", "13th of March"),
        ("That hosting info is out of date, it is Render.", "hosting", "Render"),
        ("Autocorrect! It's Freja.", "people:daughter", "called Freja"),
        ("So that's three kids now.", "has:kid", "three kids"),
    ],
)
def test_it_takes_the_place_of_the_fact_it_means(message: str, slot: str, words: str) -> None:
    correction = find_correction(split_sentences(message), HELD, Voice())
    assert correction is not None
    assert correction.slot == slot
    assert words in correction.content


@pytest.mark.parametrize(
    "message",
    [
        "Is the deadline wrong?",
        "The deadline is killing me.",
        "Actually, how far is Render from Heroku in price?",
        "Typo in line 3, sorry.",
        "If that's three kids then we need a van.",
        "I mixed it up with the other client.",
    ],
)
def test_nothing_is_taken_back_without_a_value_for_it(message: str) -> None:
    assert find_correction(split_sentences(message), HELD, Voice()) is None
