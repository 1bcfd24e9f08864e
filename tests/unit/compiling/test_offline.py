"""The offline compiler: what a conversation becomes, told well, once, and nothing else."""

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from lib.compiling.draft import Compiler
from lib.compiling.offline import OfflineCompiler
from lib.models import ARTIFACT_REF, EPISODE_SUMMARY, PROCEDURE, PROFILE_FACT, Episode, Memory
from lib.tokens import count_tokens
from tests.unit.compiling.conversations import START, contents, conversation, facts_of

DOCKER = conversation(
    (
        "My Docker build takes 14 minutes because npm install runs every time. "
        "How do I make it faster?",
        "Copy package.json and package-lock.json first, run npm ci, and copy the rest of the "
        "source afterwards. Docker then reuses the cached layer until the lock file changes.",
    ),
    ("Down to 3 minutes, thanks! It is tracked as OPS-77.", "Great."),
)


def known_fact(content: str, *, slot: str, value: str, name: str = "") -> Memory:
    """An active profile fact from an earlier compile."""
    before = START - timedelta(days=30)
    metadata = {"slot": slot, "value": value, **({"name": name} if name else {})}
    return Memory(
        "m1", "sam", PROFILE_FACT, content, 0.9, before, before, before, metadata=metadata
    )


def test_it_is_a_compiler_and_says_which() -> None:
    compiler: Compiler = OfflineCompiler()
    assert compiler.name == "offline"


def test_a_fix_names_the_problem_it_solves_and_that_it_worked() -> None:
    (procedure,) = contents(OfflineCompiler().draft(DOCKER), PROCEDURE)
    assert procedure.startswith("When the user's Docker build takes 14 minutes")
    assert "copy package.json and package-lock.json first" in procedure
    assert procedure.endswith("(this worked).")


def test_nothing_is_learned_from_a_reply_that_only_quotes_memory() -> None:
    quoted = [replace(each, metadata={"reply": {"is_language_model": False}}) for each in DOCKER]
    drafts = OfflineCompiler().draft(quoted)
    assert not contents(drafts, PROCEDURE)
    assert not any("package-lock" in draft.content for draft in drafts)
    # What the subject said still counts.
    assert any("OPS-77" in draft.content for draft in drafts)


def test_a_fix_nobody_confirmed_does_not_say_that_it_worked() -> None:
    (procedure,) = contents(OfflineCompiler().draft(DOCKER[:1]), PROCEDURE)
    assert "worked" not in procedure


def test_confirmation_raises_confidence() -> None:
    compiler = OfflineCompiler()
    open_ended, confirmed = (
        next(draft for draft in compiler.draft(episodes) if draft.kind == PROCEDURE)
        for episodes in (DOCKER[:1], DOCKER)
    )
    assert open_ended.confidence < confirmed.confidence


def test_a_failed_try_is_no_confirmation() -> None:
    drafts = OfflineCompiler().draft(
        [*DOCKER[:1], *conversation(("That did not help, it still takes 14 minutes.", "Hm."))]
    )
    assert not any("worked" in draft.content for draft in drafts)


def test_a_ticket_is_kept_with_what_it_is_about() -> None:
    (ticket,) = contents(OfflineCompiler().draft(DOCKER), ARTIFACT_REF)
    assert "OPS-77" in ticket
    assert "Docker build" in ticket


@pytest.mark.parametrize("message", ["hello", "thanks!", "ok", "lol", "👍", "", "   "])
def test_small_talk_leaves_nothing(message: str) -> None:
    assert OfflineCompiler().draft(conversation((message, "Hi! How can I help you today?"))) == []


def test_the_summary_says_what_was_asked_and_what_was_advised() -> None:
    drafts = OfflineCompiler().draft(
        conversation(
            (
                "Should I use Kafka or RabbitMQ for 50 messages a second?",
                "RabbitMQ is plenty for that and far easier to run.",
            )
        )
    )
    assert contents(drafts, EPISODE_SUMMARY) == [
        "The user asked whether to use Kafka or RabbitMQ for 50 messages a second; the advice was: "
        "RabbitMQ is plenty for that and far easier to run."
    ]


def test_turn_by_turn_good_news_is_a_report_and_no_problem() -> None:
    live = [draft for episode in DOCKER for draft in OfflineCompiler().draft([episode])]
    assert [draft.kind for draft in live].count(PROCEDURE) == 1
    drafts = OfflineCompiler().draft(
        conversation(("The new index fixed it, queries take 3 ms now.", "Log the slow ones."))
    )
    assert [draft.content for draft in drafts] == [
        "The user reported that the new index fixed it, queries take 3 ms now."
    ]


def test_what_the_assistant_guesses_is_no_fact() -> None:
    drafts = OfflineCompiler().draft(
        conversation(("What should I pick?", "I am a Rust developer too. You live in Rome, so ..."))
    )
    assert contents(drafts, PROFILE_FACT) == []


def test_facts_carry_the_name_once_it_is_known() -> None:
    assert facts_of("I'm Sam, a nurse. I use Vim.") == [
        "The user's name is Sam.",
        "Sam is a nurse.",
        "Sam uses Vim.",
    ]


def test_a_name_from_an_earlier_compile_is_used() -> None:
    known = [known_fact("The user's name is Sam.", slot="name", value="sam", name="Sam")]
    drafts = OfflineCompiler().draft(conversation(("I use Vim.", "Nice.")), known=known)
    assert contents(drafts, PROFILE_FACT) == ["Sam uses Vim."]


def test_a_change_takes_over_the_slot_of_the_value_it_names() -> None:
    known = [
        known_fact(
            "The user keeps the vectors in Postgres.", slot="database:vectors", value="postgres"
        )
    ]
    (draft,) = OfflineCompiler().draft(
        conversation(("We moved from Postgres to CockroachDB.", "Good.")), known=known
    )
    assert draft.slot == "database:vectors"
    assert draft.metadata["value"] == "cockroachdb"


def test_a_date_relative_to_the_day_says_which_day_that_was() -> None:
    (fact,) = facts_of("My exam is on Friday.")
    assert fact == "The user's exam is on Friday (said on 2 November 2026)."


@pytest.mark.parametrize(
    ("message", "secret", "kind"),
    [
        ("My key is sk-proj-abcdEFGH1234567890abcd", "abcdEFGH1234567890", "API key"),
        ("Use ghp_0123456789abcdefghij0123456789 for it", "0123456789abcdefghij", "access token"),
        ("The password is hunter2-Secret!", "hunter2", "password"),
        ("Card 4111 1111 1111 1111 was declined", "4111 1111", "card number"),
        ("Why does postgres://app:s3cretpw@db/x fail?", "s3cretpw", "password"),
    ],
)
def test_a_secret_is_masked_labelled_and_counted(message: str, secret: str, kind: str) -> None:
    drafts = OfflineCompiler().draft(conversation((message, f"You wrote: {message}. Use it.")))
    assert not any(secret in draft.content for draft in drafts)
    (labelled,) = [draft for draft in drafts if draft.labels]
    assert labelled.labels == ("secret",)
    assert labelled.masked == 1
    assert f"[masked {kind}]" in labelled.content


def test_the_same_episodes_give_the_same_drafts() -> None:
    assert OfflineCompiler().draft(DOCKER) == OfflineCompiler().draft(DOCKER)


def test_interleaved_sessions_are_told_apart() -> None:
    other = conversation(("I live in Graz.", "Lovely."), session_id="s2")
    mixed = [DOCKER[0], *other, DOCKER[1]]
    drafts = OfflineCompiler().draft(mixed)
    assert "(this worked)" in contents(drafts, PROCEDURE)[0]
    assert contents(drafts, PROFILE_FACT) == ["The user lives in Graz."]


def test_sources_are_the_episodes_it_was_said_in() -> None:
    episodes = conversation(("Hello!", "Hi."), ("I live in Graz.", "Lovely."))
    (draft,) = OfflineCompiler().draft(episodes)
    assert draft.source_episode_ids == (episodes[1].id,)
    assert draft.valid_from == episodes[1].when


def test_payloads_without_messages_or_with_odd_ones_are_read_without_harm() -> None:
    odd: list[dict[str, Any]] = [
        {},
        {"messages": "no list"},
        {"text": "I live in Graz."},
        {"messages": [{"role": "tool"}]},
    ]
    episodes = [Episode(f"e{n}", "sam", payload, START) for n, payload in enumerate(odd)]
    assert contents(OfflineCompiler().draft(episodes), PROFILE_FACT) == ["The user lives in Graz."]


@pytest.mark.parametrize(
    "text",
    [
        "a" * 60_000,
        "I use Postgres, " * 4_000,
        "e.g. " * 12_000,
        '"' * 9_999,
        "9 " * 9_000,
        "\ud800",
    ],
)
def test_pathological_text_is_read_in_time_and_kept_short(text: str) -> None:
    drafts = OfflineCompiler().draft(conversation((text, text)))
    assert all(count_tokens(draft.content) <= 60 for draft in drafts)


def test_no_content_is_in_the_first_person_or_a_fragment() -> None:
    drafts = OfflineCompiler().draft(DOCKER)
    for draft in drafts:
        assert not re.search(r"\b(?:I|we|my|our)\b", draft.content)
        assert draft.content[0].isupper()
        assert draft.content.endswith(".")
