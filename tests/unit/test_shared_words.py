"""Which memories a reply shares telling words with, and what is not claimed."""

from typing import Any

import pytest

from lib.assistant import PreparedPrompt, ReplyOptions
from lib.comparison import Comparison, Side, SideReply, shared_lines, telling_words
from lib.models import ContextBundle
from tests.support.canned import episode, memory


def compared(
    *contents: str, reply: str, stateless: str = "I do not know.", message: str = "Where?"
) -> Comparison:
    facts = tuple(memory(number, text) for number, text in enumerate(contents, start=1))
    bundle = ContextBundle("ada", message, "\n".join(contents), 9, facts=facts)
    prompt = PreparedPrompt((), bundle, 1.0)
    return Comparison(
        "c1",
        "ada",
        message,
        ReplyOptions(),
        "m",
        "m",
        stateless=Side("stateless", SideReply("whole", stateless)),
        memory=Side("memory", SideReply("whole", reply, prompt)),
    )


def words(comparison: Comparison) -> list[set[str]]:
    return [set(line.words) for line in shared_lines(comparison)]


def test_a_name_alone_is_enough_and_an_ordinary_word_alone_is_not() -> None:
    found = words(
        compared("Lives in Porto.", "Prefers short answers.", reply="You are in Porto, in short.")
    )
    assert found == [{"porto"}, set()]


def test_two_ordinary_words_are_enough() -> None:
    assert words(compared("Prefers short answers.", reply="Short answers, then.")) == [
        {"short", "answers"}
    ]


@pytest.mark.parametrize("known", ["message", "stateless"])
def test_what_the_question_or_the_stateless_reply_says_tells_nothing(known: str) -> None:
    where: Any = {known: "Porto it is"}
    assert words(compared("Lives in Porto.", reply="In Porto.", **where)) == [set()]


def test_numbers_and_identifiers_count_alone_and_function_words_never() -> None:
    assert telling_words("The user has been with you") == frozenset()
    assert words(compared("recall is 0.82 now", reply="It is 0.82.")) == [{"0.82"}]
    assert words(compared("uses tree-sitter", reply="With tree-sitter.")) == [{"tree-sitter"}]


def test_the_first_word_of_a_line_is_no_name_for_its_capital() -> None:
    assert words(compared("Deployment hurts.", reply="About deployment …")) == [set()]


def test_nothing_is_said_where_a_side_failed() -> None:
    comparison = compared("Lives in Porto.", reply="In Porto.")
    comparison.stateless.reply = SideReply("failed")
    assert shared_lines(comparison) == ()


def test_raw_episodes_are_lines_too_where_the_runtime_does_not_explain() -> None:
    comparison = compared(reply="You met Zoë.")
    bundle = ContextBundle("ada", "x", "Zoë", 3, episodes=(episode(1, "I met Zoë today."),))
    comparison.memory.reply = SideReply("whole", "You met Zoë.", PreparedPrompt((), bundle, 1.0))
    assert words(comparison) == [{"met", "zoë"}]
