"""Sentences: prose is split and told from questions; code, quotations and logs are left out."""

import pytest

from lib.compiling.sentences import split_sentences, without_quotations


def texts(message: str) -> list[str]:
    """The sentences' words."""
    return [sentence.text for sentence in split_sentences(message)]


def test_abbreviations_and_version_numbers_end_no_sentence() -> None:
    assert texts("We use e.g. Redis 7.2 here. It works.") == [
        "We use e.g. Redis 7.2 here.",
        "It works.",
    ]


def test_a_unit_ends_a_sentence() -> None:
    assert texts("It takes 1.5 s. That is slow.") == ["It takes 1.5 s.", "That is slow."]


@pytest.mark.parametrize(
    "message",
    [
        "```\nI live in Rome.\n```",
        "> I live in Rome.",
        "    I live in Rome.",
        "2026-11-02T10:00:00Z ERROR I live in Rome.",
        "$ echo I live in Rome.",
        "Traceback (most recent call last):",
    ],
)
def test_what_nobody_said_is_no_sentence(message: str) -> None:
    assert texts(message) == []


def test_a_full_line_goes_on_and_a_short_one_ends() -> None:
    wrapped = "This line is as long as an e-mail client makes it before it breaks\nand goes on."
    assert len(texts(wrapped)) == 1
    assert texts("I use Vim\nI like it") == ["I use Vim", "I like it"]


@pytest.mark.parametrize(
    "text",
    ["Should I use Rust?", "should i use rust", "How do I do this", "I live in Rome?", "any idea"],
)
def test_questions_are_known_with_and_without_a_mark(text: str) -> None:
    assert split_sentences(text)[0].asks


def test_a_statement_is_no_question() -> None:
    assert not split_sentences("I have what I need.")[0].asks


def test_quotations_lose_their_words() -> None:
    assert "Rome" not in without_quotations('He wrote "I live in Rome" to me.')
