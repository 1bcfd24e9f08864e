"""A subject's whole question list, asked of every side, and what each got right."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lib.comparison.sides import Comparison, Side, SideName, SideReply
from lib.demo.profiles import DemoQuestion


@dataclass(frozen=True, slots=True)
class SideResult:
    """What became of one side of one question."""

    name: SideName
    reply: SideReply
    facts: tuple[bool, ...]
    """Per expected fact, whether the reply names it, whatever the case."""

    @property
    def right(self) -> bool | None:
        """True when every expected fact is named; None where there is no whole reply to judge."""
        return all(self.facts) if self.reply.state == "whole" else None


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """One question with every side's result."""

    question: DemoQuestion
    sides: tuple[SideResult, ...]

    @property
    def judged(self) -> bool:
        """True when every side is whole: only then does the question count for anyone."""
        return all(side.right is not None for side in self.sides)


@dataclass(frozen=True, slots=True)
class SideScore:
    """How many of the judged questions one side got right."""

    name: SideName
    right: int
    judged: int


@dataclass(slots=True)
class QuestionRun:
    """The questions and their comparisons; asked one side after the other by the caller."""

    questions: tuple[DemoQuestion, ...]
    comparisons: tuple[Comparison, ...]
    cancelled: bool = False

    @property
    def done(self) -> int:
        """Questions of which every side has settled."""
        return sum(
            all(side.reply.state in ("whole", "failed") for side in item.sides)
            for item in self.comparisons
        )

    @property
    def failed(self) -> bool:
        """True when a side failed, so that asking again may help."""
        return any(side.reply.state == "failed" for side in self._sides())

    def next_side(self) -> tuple[Comparison, Side] | None:
        """What to ask next, what was interrupted included; None at the end and when cancelled."""
        if self.cancelled:
            return None
        for item in self.comparisons:
            for side in item.sides:
                if side.reply.state not in ("whole", "failed"):
                    return item, side
        return None

    def cancel(self) -> None:
        """Ask nothing more; what is there stays."""
        self.cancelled = True

    def go_on(self) -> None:
        """Ask what failed or was left out."""
        self.cancelled = False
        for side in self._sides():
            if side.reply.state == "failed":
                side.reply = SideReply()

    def results(self) -> tuple[QuestionResult, ...]:
        """Every question in order."""
        return tuple(
            QuestionResult(question, tuple(_result(side, question) for side in item.sides))
            for question, item in zip(self.questions, self.comparisons, strict=True)
        )

    def scores(self) -> tuple[SideScore, ...]:
        """Every side over the same questions: those that all sides answered."""
        judged = [result for result in self.results() if result.judged]
        names = [side.name for side in self.comparisons[0].sides] if self.comparisons else []
        return tuple(
            SideScore(name, sum(bool(item.sides[place].right) for item in judged), len(judged))
            for place, name in enumerate(names)
        )

    def _sides(self) -> list[Side]:
        return [side for item in self.comparisons for side in item.sides]


def new_question_run(
    questions: Sequence[DemoQuestion], compare: Callable[[str], Comparison]
) -> QuestionRun:
    """A run nobody has been asked in yet; `compare` makes the comparison of one message."""
    return QuestionRun(tuple(questions), tuple(compare(item.question) for item in questions))


def _result(side: Side, question: DemoQuestion) -> SideResult:
    said = side.reply.text.casefold()
    facts = tuple(any(each.casefold() in said for each in group) for group in question.expected)
    return SideResult(side.name, side.reply, facts)
