"""The offline reader quotes what it is given, and nothing else."""

import pytest

from lib.models import Message
from lib.offline import OfflineReader
from lib.prompt import DEFAULT_SYSTEM_PROMPT

BLOCK = """## Task
Where do I live?

## About this user
- Priya lives in Bengaluru.
- Priya uses CockroachDB as the database.
- Priya works at Lendora as a backend engineer.

## Procedures
- SQLSTATE 40001 "restart transaction": wrap each transaction in a retry loop.

## Recent interactions
- [chat/conversation] user: By the way, I moved from Pune to Bengaluru last weekend.
"""
READER = OfflineReader(pricing_model="gpt-4o-mini")


def ask(question: str, *, block: str | None = BLOCK, said: tuple[str, ...] = ()) -> str:
    """The reader's answer with `block` as memory and `said` earlier in the conversation."""
    memory = f"\n\n<memory>\n{block}</memory>" if block else ""
    history = [
        message
        for text in said
        for message in (Message("user", text), Message("assistant", "All right."))
    ]
    system = Message("system", DEFAULT_SYSTEM_PROMPT + memory)
    return "".join(READER.stream((system, *history, Message("user", question))))


def is_refusal(answer: str) -> bool:
    return answer.startswith("I have no record of")


def test_quotes_the_line_that_answers_with_where_it_came_from() -> None:
    assert ask("Where do I live now?") == "From your profile: Priya lives in **Bengaluru**."


@pytest.mark.parametrize(
    "question", ["What is Priya's salary?", "What is her sister's name?", "Which editor do I use?"]
)
def test_refuses_what_no_line_says_although_others_are_about_her(question: str) -> None:
    assert is_refusal(ask(question))


def test_without_memory_it_has_no_record_and_mentions_no_memory() -> None:
    answer = ask("Where do I live?", block=None)
    assert is_refusal(answer)
    assert "memory" not in answer.casefold()
