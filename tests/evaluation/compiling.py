"""How well the offline compiler reads the labelled messages, through the real engine."""

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import sqrt
from pathlib import Path
from typing import Any, Final

from lib.embedded.runtime import EmbeddedRuntime
from lib.models import PROCEDURE, PROFILE_FACT, Memory, Message, NewEpisode

MESSAGES_FILE: Final = Path(__file__).with_name("labelled_messages.toml")
_START: Final = datetime(2026, 11, 2, 9, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class LabelledMessage:
    """One entry of the file; what each key means stands at its top."""

    id: str
    group: str
    user: str
    assistant: str
    facts: Sequence[Sequence[str]]
    never: Sequence[str]
    before: str = ""
    procedure: Sequence[Sequence[str]] = ()
    masked: Sequence[str] = ()
    held_out: bool = False


@dataclass(slots=True)
class Score:
    """Counts over some messages."""

    memories: int = 0
    right: int = 0
    facts: int = 0
    found: int = 0
    procedures: int = 0
    procedures_found: int = 0
    leaks: int = 0
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """Share of profile facts that are right; 1 where there are none."""
        return self.right / self.memories if self.memories else 1.0

    @property
    def recall(self) -> float:
        """Share of labelled facts that a right profile fact tells; 1 where there are none."""
        return self.found / self.facts if self.facts else 1.0


def load_messages() -> list[LabelledMessage]:
    """The labelled messages in the order of the file."""
    data: dict[str, Any] = tomllib.loads(MESSAGES_FILE.read_text(encoding="utf-8"))
    return [LabelledMessage(**entry) for entry in data["message"]]


def compile_message(runtime: EmbeddedRuntime, message: LabelledMessage) -> tuple[Memory, ...]:
    """The current memories after the message, and what came before it, were compiled."""
    turns = [(message.before, "Noted.")] if message.before else []
    turns.append((message.user, message.assistant))
    for number, (user, assistant) in enumerate(turns):
        episode = NewEpisode(
            (Message("user", user), Message("assistant", assistant)),
            session_id=f"{message.id}-{number}",
            occurred_at=_START + timedelta(days=number),
        )
        runtime.record_episodes(message.id, [episode])
        runtime.compile_memories(message.id)
    return runtime.list_memories(message.id).memories


def score_messages(runtime: EmbeddedRuntime, messages: Iterable[LabelledMessage]) -> Score:
    """What the compiler makes of `messages`, counted against their labels."""
    score = Score()
    for message in messages:
        memories = compile_message(runtime, message)
        _count_facts(score, message, [m.content for m in memories if m.kind == PROFILE_FACT])
        procedures = [m.content for m in memories if m.kind == PROCEDURE]
        score.procedures += len(message.procedure)
        for wanted in message.procedure:
            hit = any(_tells(text, wanted) for text in procedures)
            score.procedures_found += hit
            if not hit:
                score.missed.append(f"{message.id} procedure {wanted}: {procedures}")
        everything = " ".join(m.content for m in memories).casefold()
        leaked = [secret for secret in message.masked if secret.casefold() in everything]
        score.leaks += len(leaked)
        score.wrong.extend(f"{message.id} leaked {secret}" for secret in leaked)
    return score


def wilson(hits: int, total: int) -> tuple[float, float]:
    """The 95 % Wilson interval of a share."""
    if not total:
        return 0.0, 1.0
    z, share = 1.96, hits / total
    middle = share + z * z / (2 * total)
    spread = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return (middle - spread) / scale, (middle + spread) / scale


def _count_facts(score: Score, message: LabelledMessage, told: Sequence[str]) -> None:
    right = [text for text in told if _is_right(text, message)]
    score.memories += len(told)
    score.right += len(right)
    score.wrong.extend(f"{message.id} {text}" for text in told if text not in right)
    score.facts += len(message.facts)
    for fact in message.facts:
        hit = any(_tells(text, fact) for text in right)
        score.found += hit
        if not hit:
            score.missed.append(f"{message.id} {list(fact)}")


def _is_right(text: str, message: LabelledMessage) -> bool:
    lower = text.casefold()
    forbidden = any(word.casefold() in lower for word in message.never)
    return not forbidden and any(_tells(text, fact) for fact in message.facts)


def _tells(text: str, fact: Sequence[str]) -> bool:
    lower = text.casefold()
    return all(any(option in lower for option in word.split("|")) for word in fact)
