"""Threads: a conversation's questions, what was reported back, and what artifacts it names."""

import pytest

from lib.compiling.offline import OfflineCompiler
from lib.models import ARTIFACT_REF, EPISODE_SUMMARY, PROCEDURE
from tests.unit.compiling.conversations import contents, conversation


def test_good_news_belongs_to_the_problem_it_is_about() -> None:
    drafts = OfflineCompiler().draft(
        conversation(
            ("The parser crashes on empty files. Why?", "Return early when the file is empty."),
            ("The login page gives a 502. Why?", "Raise the proxy timeout to 60 s."),
            ("The proxy timeout fixed it.", "Good."),
        )
    )
    parser, login = contents(drafts, PROCEDURE)
    assert "parser crashes" in parser
    assert "worked" not in parser
    assert "login page" in login
    assert login.endswith("(this worked).")


def test_advice_that_only_asks_back_is_replaced_by_the_real_one() -> None:
    drafts = OfflineCompiler().draft(
        conversation(
            ("Our deploy job fails with exit code 137. Why?", "Check the memory graph of the pod."),
            (
                "It hits the limit of 512 MiB. How do I fix it?",
                "Raise the memory limit to 1 GiB and set the heap to 75 % of it.",
            ),
        )
    )
    (procedure,) = contents(drafts, PROCEDURE)
    assert procedure == (
        "When the user's deploy job fails with exit code 137: raise the memory limit to 1 GiB and "
        "set the heap to 75 % of it."
    )


def test_a_single_turn_says_a_thing_once() -> None:
    drafts = OfflineCompiler().draft(
        conversation(("How do I undo the last commit?", "Run git reset --soft HEAD~1 to keep it."))
    )
    assert [draft.kind for draft in drafts] == [PROCEDURE]


def test_the_summary_prefers_what_the_person_reported() -> None:
    drafts = OfflineCompiler().draft(
        conversation(
            ("Which queue should I use for mails?", "A table in your database is enough."),
            ("I went back to a plain table and mails are sent in 2 s now.", "Good."),
        )
    )
    (summary,) = contents(drafts, EPISODE_SUMMARY)
    assert summary == (
        "The user asked which queue to use for mails; the user went back to a plain table and "
        "mails are sent in 2 s now."
    )


@pytest.mark.parametrize(
    ("message", "content"),
    [
        (
            "src/db/pool.py opens 40 connections at start.",
            "File src/db/pool.py opens 40 connections at start.",
        ),
        (
            "The limits are listed at https://docs.example.com/limits.",
            "Link https://docs.example.com/limits: the limits are listed at "
            "https://docs.example.com/limits.",
        ),
        ("PAY-17 covers the refund rules.", "Ticket PAY-17 covers the refund rules."),
        (
            "httpx==0.28.1 is pinned because of the proxy change.",
            "Package httpx==0.28.1 is pinned because of the proxy change.",
        ),
    ],
)
def test_an_artifact_is_kept_with_its_purpose(message: str, content: str) -> None:
    drafts = OfflineCompiler().draft(conversation((message, "Noted.")))
    assert contents(drafts, ARTIFACT_REF) == [content]


@pytest.mark.parametrize(
    "message",
    [
        "Encode it as UTF-8 with SHA-256.",
        "What is in src/app.py?",
        "See GPT-4 and ISO-8601.",
        "`x`",
    ],
)
def test_not_every_name_is_an_artifact(message: str) -> None:
    assert contents(OfflineCompiler().draft(conversation((message, "Noted."))), ARTIFACT_REF) == []
