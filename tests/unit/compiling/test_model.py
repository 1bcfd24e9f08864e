"""The model compiler: what it keeps of good answers, and what it does with bad ones."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lib.compiling.draft import Draft
from lib.compiling.journal import Journal, drafts_with_reasons
from lib.compiling.model import BATCH_EPISODES, MAX_FAILURES, ModelCompiler
from lib.compiling.offline import OfflineCompiler
from lib.errors import ModelError, ModelFailure
from lib.llm import OpenAIModel
from lib.models import (
    ARTIFACT_REF,
    EPISODE_SUMMARY,
    PROCEDURE,
    PROFILE_FACT,
    Episode,
    Memory,
    Message,
    ReplyEnd,
)
from tests.support.canned import CannedReply
from tests.support.plain_compiler import PlainCompiler
from tests.support.scripted_model import Messages, Script, ScriptedModel

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
KEY = "sk-" + "a1B2" * 8

Answer = Callable[[list[dict[str, Any]]], str]
"""What the model answers, given the episodes it was sent."""


def episode(number: int, said: str, reply: str = "", **metadata: Any) -> Episode:
    messages = [{"role": "user", "content": said}, {"role": "assistant", "content": reply}]
    when = NOON + timedelta(days=number)
    return Episode(f"id{number}", "ada", {"messages": messages}, when, metadata=metadata)


def proposal(content: str, quote: str, **fields: Any) -> dict[str, Any]:
    return {
        "kind": PROFILE_FACT,
        "content": content,
        "episode": "e1",
        "quote": quote,
        "certain": True,
        "slot": "",
        "value": "",
        "changed": False,
    } | fields


def answer(*proposals: Mapping[str, Any]) -> str:
    return json.dumps({"memories": proposals})


@dataclass
class AnsweringModel:
    """A ChatModel that answers each batch from a script; the last entry repeats."""

    answers: Sequence[str | Answer | ModelError]
    finish_reason: str = "stop"
    name: str = "answering-1"
    pricing_model: str = "answering-1"
    is_language_model: bool = True
    prompts: list[str] = field(default_factory=list)
    schemas: list[Mapping[str, Any] | None] = field(default_factory=list)

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 600,  # noqa: ARG002
        temperature: float = 0.2,  # noqa: ARG002
        model: str | None = None,  # noqa: ARG002
        json_schema: Mapping[str, Any] | None = None,
    ) -> CannedReply:
        self.prompts.append(messages[-1].content)
        self.schemas.append(json_schema)
        said = self.answers[min(len(self.prompts), len(self.answers)) - 1]
        end = ReplyEnd(1, 1, True, 1.0, 2.0, self.finish_reason, self.name)
        if isinstance(said, ModelError):
            return CannedReply([], end, said)
        if callable(said):
            said = said(json.loads(messages[-1].content)["episodes"])
        return CannedReply([said[:5], said[5:]], end)

    def close(self) -> None:
        """Nothing to release."""


@dataclass
class Outcome:
    drafts: list[Draft]
    journal: Journal
    model: AnsweringModel

    @property
    def contents(self) -> list[str]:
        return [draft.content for draft in self.drafts]


def compiled(model: AnsweringModel, *episodes: Episode, known: Sequence[Memory] = ()) -> Outcome:
    journal = Journal()
    compiler = ModelCompiler(model, fallback=PlainCompiler())
    drafts = drafts_with_reasons(compiler, episodes, known=known, journal=journal)
    return Outcome(drafts, journal, model)


def answered(said: str, *proposals: Mapping[str, Any], reply: str = "") -> Outcome:
    """One episode and the one answer to it."""
    return compiled(AnsweringModel([answer(*proposals)]), episode(1, said, reply))


def test_a_good_answer_becomes_drafts_with_source_time_and_confidence() -> None:
    outcome = answered(
        "I moved to Porto, and npm ci fails with E404.",
        proposal("Ada lives in Porto.", "I moved to  Porto", slot="home", value="Porto"),
        proposal("Ada seems to use npm.", "npm ci fails", certain=False),
        proposal("To fix E404, log in to the registry.", "log in first", kind=PROCEDURE),
        proposal("Error E404 came up in npm ci.", "fails with E404", kind=ARTIFACT_REF),
        proposal("Ada asked about E404.", "E404", kind=EPISODE_SUMMARY),
        reply="You must log in first.",
    )
    home, npm, fix, *others = outcome.drafts
    assert (home.content, home.slot, home.metadata) == (
        "Ada lives in Porto.",
        "home",
        {"value": "porto"},
    )
    assert (home.valid_from, home.source_episode_ids) == (NOON + timedelta(days=1), ("id1",))
    assert [home.confidence, npm.confidence, fix.confidence] == [0.9, 0.75, 0.8]
    assert [other.confidence for other in others] == [0.7, 0.7]
    assert not outcome.journal.notes
    assert not outcome.journal.skipped


def test_only_what_the_subject_said_grounds_a_fact_or_an_artifact() -> None:
    outcome = answered(
        "My build fails.",
        proposal("Ada's build fails.", "My build fails"),
        proposal("Ada uses Jenkins.", "you use Jenkins"),
        proposal("Ticket OPS-7 holds the log.", "see OPS-7", kind=ARTIFACT_REF),
        proposal("To fix the build, see the log.", "see OPS-7", kind=PROCEDURE),
        reply="I guess you use Jenkins: see OPS-7.",
    )
    assert outcome.contents == ["Ada's build fails.", "To fix the build, see the log."]
    assert outcome.journal.skipped_counts == {"ungrounded": 2}
    assert [item.text for item in outcome.journal.skipped] == [
        "Ada uses Jenkins.",
        "Ticket OPS-7 holds the log.",
    ]


@pytest.mark.parametrize(
    "quote",
    [
        "I live in Paris",  # said nowhere
        "i live in rome",  # not how it stands
        "I live in Rom",  # no whole words
        "I",  # stands in any text
        "",
    ],
)
def test_a_quotation_must_really_stand_there(quote: str) -> None:
    outcome = answered(
        "I live in Rome. I ship on Fridays.",
        proposal("Ada lives elsewhere.", quote),
        proposal("Ada ships on Fridays.", "I ship\non  Fridays"),
    )
    assert outcome.contents == ["Ada ships on Fridays."]
    assert outcome.journal.skipped_counts == {"ungrounded": 1}


def test_a_quotation_must_stand_in_the_episode_it_names() -> None:
    outcome = compiled(
        AnsweringModel(
            [
                answer(
                    proposal("Ada lives in Rome.", "I live in Rome", episode="e2"),
                    proposal("Ada ships on Fridays.", "I ship on Fridays", episode="e2"),
                )
            ]
        ),
        episode(1, "I live in Rome."),
        episode(2, "I ship on Fridays."),
    )
    assert outcome.contents == ["Ada ships on Fridays."]


def test_a_number_nobody_said_is_not_kept() -> None:
    outcome = answered(
        "I am in my thirties. I have 2 cats.",
        proposal("Ada is 34 years old.", "I am in my thirties"),
        proposal("Ada has 2 cats (said on 5 May 2026).", "I have 2 cats"),
    )
    assert outcome.contents == ["Ada has 2 cats (said on 5 May 2026)."]


def test_a_question_is_never_a_fact() -> None:
    outcome = answered(
        "Should I use Rust? I ship on Fridays.",
        proposal("Ada uses Rust.", "Should I use Rust?"),
        proposal("Ada uses Rust daily.", "use Rust"),
        proposal("Ada ships on Fridays.", "I ship on Fridays"),
    )
    assert outcome.contents == ["Ada ships on Fridays."]
    assert outcome.journal.skipped_counts == {"question": 2}


def test_an_empty_answer_is_an_answer() -> None:
    outcome = compiled(AnsweringModel([answer()]), episode(1, "I live in Porto."))
    assert outcome.drafts == []
    assert outcome.journal.notes == ()
    assert outcome.journal.skipped_counts == {"nothing": 1}


BAD_ANSWERS = {
    "no JSON": "I am sorry, I cannot do that.",
    "broken JSON": '{"memories": [{"kind": "profile_fact", "content": "Ada li',
    "not an object": "[1, 2]",
    "no list": '{"memories": "none"}',
    "no memory": '{"memories": ["Ada lives in Porto."]}',
    "a field is missing": '{"memories": [{"kind": "profile_fact", "content": "Ada lives."}]}',
    "a wrong type": answer(proposal("Ada lives in Porto.", "I live in Porto", certain="yes")),
    "an invented kind": answer(proposal("Ada lives in Porto.", "I live in Porto", kind="vibe")),
    "an invented episode": answer(proposal("Ada lives in Porto.", "I live in Porto", episode="e7")),
    "no words": answer(proposal("  ", "I live in Porto")),
    "too long": answer(proposal("Ada lives in Porto. " * 20, "I live in Porto")),
    "nothing grounded": answer(proposal("Ada lives in Paris.", "I live in Paris")),
    "too deep": '{"memories": ' + "[" * 100_000 + "}",
}


@pytest.mark.parametrize("said", BAD_ANSWERS.values(), ids=BAD_ANSWERS)
def test_a_bad_answer_leaves_the_batch_to_the_fallback_and_says_so(said: str) -> None:
    outcome = compiled(AnsweringModel([said]), episode(1, "I live in Porto."))
    assert outcome.contents == ["I live in Porto."]
    (note,) = outcome.journal.notes
    assert note.startswith(
        "1 of 1 episodes were compiled by the plain compiler instead of answering-1: "
    )
    assert outcome.journal.skipped == ()


def test_an_answer_that_broke_off_is_not_used_even_where_it_can_be_read() -> None:
    said = answer(proposal("Ada lives in Porto.", "I live in Porto"))
    model = AnsweringModel([said], finish_reason="length")
    outcome = compiled(model, episode(1, "I live in Porto."))
    assert outcome.contents == ["I live in Porto."]
    assert "broke off" in outcome.journal.notes[0]


def test_one_bad_batch_does_not_spoil_the_others() -> None:
    def keep(sent: list[dict[str, Any]]) -> str:
        return answer(
            *(
                proposal(f"Model: {item['subject_said']}", item["subject_said"], episode=item["id"])
                for item in sent
            )
        )

    episodes = [episode(n, f"I keep bird number {n}.") for n in range(BATCH_EPISODES * 2 + 1)]
    outcome = compiled(AnsweringModel([keep, "no JSON", keep]), *episodes)
    assert len(outcome.model.prompts) == 3
    by_model = [content.startswith("Model: ") for content in outcome.contents]
    assert by_model == [True] * BATCH_EPISODES + [False] * BATCH_EPISODES + [True]
    (note,) = outcome.journal.notes
    assert note.startswith(f"{BATCH_EPISODES} of {len(episodes)} episodes")


@pytest.mark.parametrize(
    ("reason", "requests"),
    [("auth", 1), ("network", MAX_FAILURES), ("context_too_long", 4), ("other", 4)],
)
def test_a_model_that_cannot_be_reached_is_not_asked_for_every_batch(
    reason: ModelFailure, requests: int
) -> None:
    failing = AnsweringModel([ModelError("It is down. Try again.", reason=reason)])
    outcome = compiled(
        failing, *(episode(n, f"I keep bird {n}.") for n in range(BATCH_EPISODES * 3 + 1))
    )
    assert len(outcome.drafts) == BATCH_EPISODES * 3 + 1
    assert len(failing.prompts) == requests
    (note,) = outcome.journal.notes
    assert note.startswith("37 of 37 episodes")
    assert note.endswith(": It is down.")


def test_secrets_never_leave_and_are_told_as_masked() -> None:
    said = answer(
        proposal("Ada's key is [masked API key].", "my key is [masked API key]"),
        proposal("Ada deploys on Fridays.", "I deploy on Fridays"),
    )
    outcome = compiled(AnsweringModel([said]), episode(1, f"I deploy on Fridays, my key is {KEY}"))
    assert KEY not in outcome.model.prompts[0]
    pasted, fact = outcome.drafts
    assert (pasted.labels, pasted.masked) == (("secret",), 1)
    assert "[masked API key]" in pasted.content
    assert fact.content == "Ada deploys on Fridays."
    assert outcome.journal.skipped_counts == {"secret": 1}


def test_a_labelled_memory_is_not_sent() -> None:
    plain, secret = (
        Memory(f"m{n}", "ada", PROFILE_FACT, text, 0.9, NOON, NOON, NOON, labels=labels)
        for n, (text, labels) in enumerate([("Ada ships.", ()), ("Ada is ill.", ("sensitive",))])
    )
    model = AnsweringModel([answer()])
    compiled(model, episode(1, "Hello."), known=[plain, secret])
    assert "Ada ships." in model.prompts[0]
    assert "Ada is ill." not in model.prompts[0]


def test_a_reply_that_only_quotes_memory_is_not_read() -> None:
    model = AnsweringModel([answer()])
    reply = {"model": "Offline reader", "is_language_model": False}
    turn = replace(episode(1, "What do I use?", "Ada uses Elixir."), metadata={"reply": reply})
    compiled(model, turn)
    assert "What do I use?" in model.prompts[0]
    assert "Elixir" not in model.prompts[0]


def test_a_stopped_reply_is_not_read() -> None:
    model = AnsweringModel([answer()])
    compiled(model, episode(1, "How do I deploy?", "Run the half", stopped=True))
    assert "Run the half" not in model.prompts[0]


def test_what_there_can_be_two_of_replaces_nothing_unless_said() -> None:
    def slots(*changed: bool) -> list[str | None]:
        drafts = answered(
            "We use Redis. We use Postgres.",
            proposal("Ada uses Redis.", "We use Redis", slot="store", changed=changed[0]),
            proposal("Ada uses Postgres.", "We use Postgres", slot="Store", changed=changed[1]),
        ).drafts
        return [draft.slot for draft in drafts]

    assert slots(False, False) == ["store", None]
    assert slots(False, True) == ["store", "store"]


def test_a_home_there_is_only_one_of() -> None:
    outcome = answered(
        "I live in Rome. I live in Porto now.",
        proposal("Ada lives in Rome.", "I live in Rome", slot="home", value="Rome"),
        proposal("Ada lives in Porto.", "I live in Porto now", slot="home", value="Porto"),
    )
    assert [draft.slot for draft in outcome.drafts] == ["home", "home"]


def test_the_schema_allows_only_what_exists() -> None:
    outcome = compiled(AnsweringModel([answer()]), episode(1, "Hi."), episode(2, "Ho."))
    (schema,) = outcome.model.schemas
    assert schema is not None
    fields = schema["properties"]["memories"]["items"]["properties"]
    assert fields["episode"]["enum"] == ["e1", "e2"]
    assert set(fields["kind"]["enum"]) == {PROFILE_FACT, PROCEDURE, ARTIFACT_REF, EPISODE_SUMMARY}


def test_requests_stay_small_and_a_message_cut_for_it_is_told() -> None:
    long = "I live in Porto. " + "word " * 5_000
    said = AnsweringModel([answer()])
    outcome = compiled(said, episode(1, "Hi."), episode(2, long), episode(3, long))
    assert [len(json.loads(prompt)["episodes"]) for prompt in said.prompts] == [2, 1]
    assert all(len(prompt) < 10_000 for prompt in said.prompts)
    assert outcome.journal.notes == ("Very long messages were not sent to the model whole.",)


def test_progress_is_told_batch_by_batch() -> None:
    heard: list[tuple[int, int]] = []
    episodes = [episode(n, "Hi.") for n in range(BATCH_EPISODES + 3)]
    compiler = ModelCompiler(AnsweringModel([answer()]), fallback=PlainCompiler())
    journal = Journal(lambda done, total: heard.append((done, total)))
    compiler.draft_and_tell(episodes, known=(), journal=journal)
    assert heard == [(0, 15), (12, 15), (15, 15)]


@pytest.mark.parametrize("script", ["normal", "refuse_json_schema", "refuse_json", "not_streaming"])
def test_over_http_every_kind_of_server_gives_memories(script: Script) -> None:
    def reply(messages: Messages) -> str:
        (sent,) = json.loads(messages[-1]["content"])["episodes"]
        fact = proposal("Ada lives in Porto.", sent["subject_said"], episode=sent["id"])
        # In a code block, as models without a JSON mode write it.
        return f"```json\n{answer(fact)}\n```"

    with ScriptedModel(script, reply=reply) as server:
        model = OpenAIModel(api_key="k", base_url=server.url, model="m")
        journal = Journal()
        compiler = ModelCompiler(model, fallback=OfflineCompiler())
        said = [episode(1, "I live in Porto.")]
        drafts = compiler.draft_and_tell(said, known=(), journal=journal)
        model.close()
    assert [draft.content for draft in drafts] == ["Ada lives in Porto."]
    assert journal.notes == ()


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("server_error", "has a problem of its own"),
        ("garbage", "not a model reply"),
        ("cut_short", "broke off"),
        ("unauthorized", "does not accept the API key"),
        ("normal", "not the JSON"),
    ],
)
def test_over_http_every_failure_is_compiled_offline_and_explained(
    script: Script, why: str
) -> None:
    with ScriptedModel(script) as server:
        model = OpenAIModel(api_key="k", base_url=server.url, model="m", retry_pause_s=0.01)
        journal = Journal()
        compiler = ModelCompiler(model, fallback=OfflineCompiler())
        drafts = compiler.draft_and_tell(
            [episode(1, "I live in Porto.")], known=(), journal=journal
        )
        model.close()
    assert any("Porto" in draft.content for draft in drafts)
    assert why in journal.notes[0]
    assert "offline compiler instead of m" in journal.notes[0]
