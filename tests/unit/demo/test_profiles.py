"""Demo data: what the files promise, and what is said about a file that is wrong."""

import re
from itertools import combinations
from pathlib import Path

import pytest

from lib.demo.profiles import (
    DATA_FOLDER,
    TURN_SPACING,
    DemoQuestion,
    DemoSession,
    DemoSubject,
    demo_subject,
    demo_subjects,
    load_subject,
)
from lib.errors import InputError
from lib.tokens import count_tokens

SESSIONS = {"dev_alice": 4, "dev_bob": 6, "dev_priya": 3, "team_atlas": 74}
NEEDLES = ("label printer", "hazelnut", "QX7")
MOST_IN_COMMON = 0.05
GOOD = (DATA_FOLDER / "dev_priya.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("subject", demo_subjects(), ids=lambda subject: subject.subject_id)
class TestEverySubject:
    """Promises that every data file keeps."""

    def test_sessions_and_turns(self, subject: DemoSubject) -> None:
        assert len(subject.sessions) == SESSIONS[subject.subject_id]
        assert all(2 <= len(session.turns) <= 6 for session in subject.sessions)

    def test_questions_and_prompts(self, subject: DemoSubject) -> None:
        assert len(subject.questions) >= 8
        assert len(subject.unanswerable) >= 3
        assert 4 <= len(subject.hints) <= 6
        assert len(subject.compare) >= 3

    def test_the_evidence_holds_the_answer(self, subject: DemoSubject) -> None:
        turns = {
            f"{session.id}/{number}": f"{turn.user}\n{turn.assistant}"
            for session in subject.sessions
            for number, turn in enumerate(session.turns, start=1)
        }
        for question in subject.questions:
            said = "\n".join(turns[place] for place in question.evidence)
            assert question.is_answered_by(said), question.question

    def test_nothing_in_it_is_a_real_address(self, subject: DemoSubject) -> None:
        for session in subject.sessions:
            for turn in session.turns:
                for host in re.findall(r"https?://([\w.-]*\w)", turn.user + turn.assistant):
                    assert host.endswith((".example", "example.com", "example.net"))


@pytest.fixture(scope="module")
def atlas() -> DemoSubject:
    """The large subject."""
    subject = demo_subject("team_atlas")
    assert subject is not None
    return subject


def said_in(session: DemoSession) -> str:
    """All that is said in a session."""
    return "\n".join(f"{turn.user}\n{turn.assistant}" for turn in session.turns)


def test_the_large_subject_is_large(atlas: DemoSubject) -> None:
    assert len(atlas.sessions) >= 60
    assert sum(count_tokens(said_in(session)) for session in atlas.sessions) >= 15_000
    assert len(atlas.questions) >= 40


def test_its_sessions_are_written_and_not_copied(atlas: DemoSubject) -> None:
    grams: dict[str, set[tuple[str, ...]]] = {}
    for session in atlas.sessions:
        words = re.findall(r"\w+", said_in(session).casefold())
        grams[session.id] = {tuple(words[at : at + 5]) for at in range(len(words) - 4)}
    for first, second in combinations(grams, 2):
        common = len(grams[first] & grams[second])
        share = common / min(len(grams[first]), len(grams[second]))
        assert share <= MOST_IN_COMMON, (first, second)


@pytest.mark.parametrize("needle", NEEDLES)
def test_a_needle_is_said_once(atlas: DemoSubject, needle: str) -> None:
    said = "\n".join(said_in(session) for session in atlas.sessions)
    assert said.casefold().count(needle.casefold()) == 1


def test_episodes_carry_session_time_and_a_stable_key() -> None:
    (alice,) = [subject for subject in demo_subjects() if subject.subject_id == "dev_alice"]
    session = alice.sessions[1]
    first, second, *_ = alice.episodes(session)
    assert first.session_id == session.id
    assert first.occurred_at == session.at
    assert second.occurred_at == session.at + TURN_SPACING
    assert first.idempotency_key != second.idempotency_key
    assert [message.role for message in first.messages] == ["user", "assistant"]


def test_an_answer_needs_one_alternative_of_every_fact() -> None:
    question = DemoQuestion("Where?", (("Rome", "Roma"), ("Italy",)), ("s/1",))
    assert question.is_answered_by("in roma, italy")
    assert not question.is_answered_by("in Rome")


def test_other_subjects_are_no_demo_subjects() -> None:
    assert demo_subject("dev_alice") is not None
    assert demo_subject("somebody") is None


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('subject_id = "dev_priya"', "subject_id = 7", "the file needs 'subject_id' as text"),
        ('name = "Priya"', "", "the file needs 'name' as text"),
        ("at = 2026-08-17T05:20:00Z", 'at = "soon"', "'at' must be a date with time"),
        ("at = 2026-08-17T05:20:00Z", "at = 2027-08-17T05:20:00Z", "in order of time"),
        ("priya-2-cockroach", "priya-1-matching", "two sessions have the same id"),
        ('evidence = ["priya-1-matching/1"]', 'evidence = ["x/9"]', "'x/9' names no turn"),
        ('expected = ["Lendora"]', "expected = []", "needs 'expected' as a list of texts"),
        (
            'expected = ["Lendora"]',
            'expected = ["Lendora|"]',
            "an alternative in 'expected' is empty",
        ),
        ('show_in = ["chat"]', 'show_in = ["tv"]', "'show_in' may hold 'chat' and 'compare' only"),
        ("[[unanswerable]]", "[[unasked]]", "at least one [[unanswerable]] table"),
        ("[[sessions]]", "[[sessions", "is not valid TOML"),
    ],
)
def test_a_wrong_file_is_named_with_what_is_wrong(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    assert old in GOOD
    path = tmp_path / "mine.toml"
    path.write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError, match=re.escape("mine.toml")) as caught:
        load_subject(path)
    assert complaint in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.toml cannot be read"):
        load_subject(tmp_path / "gone.toml")
