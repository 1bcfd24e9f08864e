"""What happened to one memory: what it replaced, when it was said again, what replaced it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from lib.inspection.lifetime import end_of
from lib.inspection.subject import FORGOTTEN, SubjectMemory
from lib.models import Memory

StepKind = Literal["began", "replaced", "corrected", "said_again", "ended", "forgotten"]


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """One step; `memory` is the memory it is about, an earlier or later one included.

    began: first said; replaced, corrected: took the place of the step before; said_again: folded
    into it; ended: out of use without another memory in its place; forgotten: by hand.
    """

    at: datetime
    kind: StepKind
    memory: Memory


def memory_history(subject: SubjectMemory, memory: Memory) -> tuple[HistoryStep, ...]:
    """The steps of this memory's line, oldest first: those before it and those after included."""
    steps: list[HistoryStep] = []
    for place, each in enumerate(_line_of(subject, memory)):
        if place == 0:
            steps.append(HistoryStep(each.valid_from, "began", each))
        else:
            by_hand = "corrected_from" in each.metadata
            kind: StepKind = "corrected" if by_hand else "replaced"
            steps.append(HistoryStep(each.valid_from, kind, each))
        again = _said_again(each)
        if again:
            steps.append(HistoryStep(again, "said_again", each))
        ended = end_of(each)
        if each.status == FORGOTTEN:
            steps.append(HistoryStep(each.updated_at, "forgotten", each))
        elif ended and subject.replacement(each) is None:
            steps.append(HistoryStep(ended, "ended", each))
    return tuple(steps)


def _line_of(subject: SubjectMemory, memory: Memory) -> list[Memory]:
    """The memories before and after, one in the place of the other; several may lead to one."""
    line, seen = [memory], {memory.id}
    # By hand or by a server, a line may lead back to itself.
    while (newer := subject.replacement(line[-1])) and newer.id not in seen:
        seen.add(newer.id)
        line.append(newer)
    waiting = [memory]
    while waiting:
        for older in subject.replaced(waiting.pop()):
            if older.id not in seen:
                seen.add(older.id)
                line.insert(0, older)
                waiting.append(older)
    return sorted(line, key=lambda each: (each.valid_from, each.created_at))


def _said_again(memory: Memory) -> datetime | None:
    confirmed = memory.metadata.get("confirmed_at")
    try:
        return datetime.fromisoformat(confirmed) if isinstance(confirmed, str) else None
    except ValueError:
        # A server may keep something else under this name.
        return None
