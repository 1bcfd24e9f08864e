"""Long conversations with questions whose evidence is known, and how much of it a context has."""

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import sqrt
from pathlib import Path
from typing import Final

from lib.models import Message, NewEpisode

FOLDER: Final = Path(__file__).with_name("conversations")
HELD_OUT: Final = "mirecourt_bench"
_EVERY_NTH = 3


@dataclass(frozen=True, slots=True)
class Turn:
    """What one of the two wrote."""

    session_id: str
    at: datetime
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the texts of the turns that answer it; none where nothing does."""

    text: str
    kind: str
    evidence: tuple[str, ...]
    held_out: bool


@dataclass(frozen=True, slots=True)
class Conversation:
    """Two people, their turns in order, and what can be asked about them."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]

    def episodes(self) -> list[NewEpisode]:
        """One episode per turn; the first to speak is the user."""
        user = self.turns[0].speaker
        return [
            NewEpisode(
                (Message("user" if turn.speaker == user else "assistant", turn.text),),
                session_id=turn.session_id,
                occurred_at=turn.at,
                metadata={"speaker": turn.speaker},
            )
            for turn in self.turns
        ]


def conversations() -> list[Conversation]:
    """All of them, by name."""
    return [_read(path) for path in sorted(FOLDER.glob("*.toml"))]


def all_there(context: str, evidence: Sequence[str]) -> bool:
    """True when every turn stands in `context` word for word."""
    return all(text in context for text in evidence)


def wilson(hits: Iterable[bool], *, z: float = 1.96) -> tuple[float, float, float]:
    """Share of hits with its 95 % interval (Wilson 1927)."""
    found = list(hits)
    count = max(1, len(found))
    share = sum(found) / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    reach = z * sqrt(share * (1 - share) / count + z * z / (4 * count**2)) / (1 + z * z / count)
    return share, max(0.0, middle - reach), min(1.0, middle + reach)


def _read(path: Path) -> Conversation:
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    texts: dict[str, str] = {}
    turns: list[Turn] = []
    for session in data["sessions"]:
        for number, (speaker, text) in enumerate(session["turns"], 1):
            texts[f"{session['id']}/{number}"] = text
            turns.append(Turn(session["id"], session["at"], speaker, text))
    questions = [
        Question(
            row["question"],
            row["kind"],
            tuple(texts[place] for place in row["evidence"]),
            held_out=path.stem == HELD_OUT or number % _EVERY_NTH == 0,
        )
        for number, row in enumerate(data["questions"])
    ]
    return Conversation(data["name"], tuple(turns), tuple(questions))
