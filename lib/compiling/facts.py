"""Facts: what a clause says about the subject, as sentences in the third person."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from lib.compiling.clauses import Clause
from lib.compiling.grammar import Voice

SAID_OUTRIGHT = 0.9
SAID_IN_PASSING = 0.75


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing the subject said about themselves.

    `slot` is "family" or "family:qualifier"; `value` is what fills it, in lower case; `replaces` is
    an older value, of whatever slot, that this one ends.
    """

    content: str
    category: str
    slot: str | None = None
    value: str = ""
    replaces: str = ""
    confidence: float = SAID_OUTRIGHT
    change: bool = False
    name: str = ""
    """The subject's name, where this is the fact that tells it."""


Reader = Callable[[str, Clause, Voice], Iterator[Fact | str]]
"""Reads one clause: yields facts, and texts that are to be read as clauses of their own."""


def read_clause(clause: Clause, voice: Voice, readers: tuple[Reader, ...]) -> list[Fact]:
    """The facts in one clause; the first reader that finds anything decides what it is about."""
    queue, facts = [clause.text], list[Fact]()
    while queue:
        text = queue.pop(0)
        for reader in readers:
            found = list(reader(text, clause, voice))
            if found:
                # "I'm Alice, an indie developer": the rest is already told by name.
                named = [item.name for item in found if isinstance(item, Fact) and item.name]
                voice = Voice(named[0]) if named else voice
                queue.extend(item for item in found if isinstance(item, str))
                facts.extend(item for item in found if isinstance(item, Fact))
                break
    ceiling = SAID_OUTRIGHT if clause.outright else SAID_IN_PASSING
    return [
        replace(fact, confidence=min(fact.confidence, ceiling), change=fact.change or clause.change)
        for fact in facts
    ]
