"""The demo subjects, read from their data files."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final, NoReturn

from lib.errors import InputError
from lib.models import Message, NewEpisode

DATA_FOLDER: Final = Path(__file__).resolve().parent
TURN_SPACING: Final = timedelta(minutes=3)
"""Time between two turns of a session; the data file only says when it began."""

_PAGES: Final = ("chat", "compare")


@dataclass(frozen=True, slots=True)
class DemoTurn:
    """What the person wrote and what the assistant replied."""

    user: str
    assistant: str


@dataclass(frozen=True, slots=True)
class DemoSession:
    """One conversation: an id, when it began, its turns in order."""

    id: str
    at: datetime
    turns: tuple[DemoTurn, ...]


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """A question with the facts a right answer names; one of each group of alternatives."""

    question: str
    expected: tuple[tuple[str, ...], ...]
    evidence: tuple[str, ...]
    """Where the answer stands, as "<session id>/<turn>", counted from 1."""
    show_in: tuple[str, ...] = ()

    def is_answered_by(self, answer: str) -> bool:
        """True when `answer` names one alternative of every expected fact, whatever the case."""
        said = answer.casefold()
        return all(any(option.casefold() in said for option in group) for group in self.expected)


@dataclass(frozen=True, slots=True)
class DemoSubject:
    """One demo subject: its conversations and what can be asked about them."""

    subject_id: str
    name: str
    description: str
    sessions: tuple[DemoSession, ...]
    questions: tuple[DemoQuestion, ...]
    unanswerable: tuple[str, ...]

    @property
    def hints(self) -> tuple[str, ...]:
        """Prompts the Chat page offers while the conversation is empty."""
        return tuple(item.question for item in self.questions if "chat" in item.show_in)

    @property
    def compare(self) -> tuple[str, ...]:
        """Ready-made questions of the Compare page."""
        return tuple(item.question for item in self.questions if "compare" in item.show_in)

    def episodes(self, session: DemoSession) -> list[NewEpisode]:
        """The episodes of one session: one per turn, with original times and stable keys."""
        return [
            NewEpisode(
                messages=(Message("user", turn.user), Message("assistant", turn.assistant)),
                session_id=session.id,
                metadata={"demo": True},
                occurred_at=session.at + index * TURN_SPACING,
                idempotency_key=f"demo:{self.subject_id}:{session.id}:{index + 1}",
            )
            for index, turn in enumerate(session.turns)
        ]


@cache
def demo_subjects() -> tuple[DemoSubject, ...]:
    """All demo subjects, by id. Raises InputError naming the file and what is wrong with it."""
    subjects = tuple(load_subject(path) for path in sorted(DATA_FOLDER.glob("*.toml")))
    ids = [subject.subject_id for subject in subjects]
    if len(set(ids)) != len(ids):
        raise InputError(f"Two demo files in {DATA_FOLDER.name}/ have the same subject_id.")
    return subjects


def demo_subject(subject_id: str) -> DemoSubject | None:
    """The demo subject of that id, or None for anyone else."""
    return next((item for item in demo_subjects() if item.subject_id == subject_id), None)


def load_subject(path: Path) -> DemoSubject:
    """The subject in one data file. Raises InputError naming the file and what is wrong."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path.name} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path.name} is not valid TOML: {error}.") from error
    return _Reader(path.name).subject(data)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Turns parsed TOML into a subject; every complaint names the file."""

    file: str

    def subject(self, data: Mapping[str, Any]) -> DemoSubject:
        sessions = tuple(self._session(row) for row in self._rows(data, "sessions"))
        ids = [session.id for session in sessions]
        if len(set(ids)) != len(ids):
            self._fail("two sessions have the same id")
        if list(sessions) != sorted(sessions, key=lambda session: session.at):
            self._fail("sessions must be in order of time")
        turns = {f"{item.id}/{n}" for item in sessions for n in range(1, len(item.turns) + 1)}
        return DemoSubject(
            subject_id=self._text(data, "subject_id", "the file"),
            name=self._text(data, "name", "the file"),
            description=self._text(data, "description", "the file"),
            sessions=sessions,
            questions=tuple(self._question(row, turns) for row in self._rows(data, "questions")),
            unanswerable=tuple(
                self._text(row, "question", "an unanswerable question")
                for row in self._rows(data, "unanswerable")
            ),
        )

    def _session(self, row: Mapping[str, Any]) -> DemoSession:
        where = f"session {row.get('id', '(without id)')}"
        at = row.get("at")
        if not isinstance(at, datetime):
            self._fail(f"{where}: 'at' must be a date with time, like 2026-11-16T09:30:00Z")
        turns = tuple(
            DemoTurn(self._text(turn, "user", where), self._text(turn, "assistant", where))
            for turn in self._rows(row, "turns", where)
        )
        when = at if at.tzinfo else at.replace(tzinfo=UTC)
        return DemoSession(self._text(row, "id", where), when, turns)

    def _question(self, row: Mapping[str, Any], turns: set[str]) -> DemoQuestion:
        question = self._text(row, "question", "a question")
        where = f"question {question!r}"
        evidence = self._texts(row, "evidence", where)
        for place in evidence:
            if place not in turns:
                self._fail(f"{where}: evidence {place!r} names no turn of this file")
        show_in = self._texts(row, "show_in", where) if "show_in" in row else ()
        if not set(show_in) <= set(_PAGES):
            self._fail(f"{where}: 'show_in' may hold {' and '.join(map(repr, _PAGES))} only")
        expected = tuple(
            tuple(option.strip() for option in entry.split("|"))
            for entry in self._texts(row, "expected", where)
        )
        if not all(option for group in expected for option in group):
            self._fail(f"{where}: an alternative in 'expected' is empty")
        return DemoQuestion(question, expected, evidence, show_in)

    def _rows(
        self, data: Mapping[str, Any], key: str, where: str = "the file"
    ) -> list[Mapping[str, Any]]:
        rows = data.get(key)
        if not isinstance(rows, list) or not rows or not all(isinstance(r, dict) for r in rows):
            self._fail(f"{where} needs at least one [[{key}]] table")
        return rows

    def _text(self, data: Mapping[str, Any], key: str, where: str) -> str:
        value = data.get(key)
        if not isinstance(value, str) or not value.strip():
            self._fail(f"{where} needs '{key}' as text")
        return value.strip()

    def _texts(self, data: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
        values = data.get(key)
        if not isinstance(values, list) or not values:
            self._fail(f"{where} needs '{key}' as a list of texts")
        if not all(isinstance(value, str) and value.strip() for value in values):
            self._fail(f"{where}: every entry of '{key}' must be text")
        return tuple(values)

    def _fail(self, what: str) -> NoReturn:
        raise InputError(f"{self.file}: {what}.")
