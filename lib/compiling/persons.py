"""Persons: what is known of somebody who speaks, while their words are read."""

from collections.abc import Sequence

from lib.compiling.facts import Fact
from lib.compiling.grammar import Voice
from lib.compiling.slots import Held, resolve_slot
from lib.models import PROFILE_FACT, Memory


class Person:
    """One speaker's name and current facts by slot.

    The slots of a named speaker are their own, so that nobody's fact ends another's.
    """

    def __init__(self, speaker: str = "") -> None:
        self.speaker = speaker
        self.voice = Voice(speaker or None)
        self._values: dict[str, str] = {}
        self._contents: dict[str, str] = {}

    def take(self, fact: Fact, content: str) -> str | None:
        """The slot `fact` belongs in, after it took its place there."""
        if fact.name:
            self.voice = Voice(fact.name)
        slot = resolve_slot(fact, (Held(*item) for item in self._values.items()))
        if slot:
            self.hold(slot, fact.value, content)
        return self._owned(slot) if slot else None

    def hold(self, slot: str, value: str, content: str) -> str:
        """The slot as it is stored; `value` is now what fills it, as its newest."""
        self._values.pop(slot, None)
        self._values[slot], self._contents[slot] = value, content
        return self._owned(slot)

    def remember(self, memory: Memory) -> None:
        """Holds a fact of an earlier compile."""
        slot = memory.metadata.get("slot")
        if isinstance(slot, str):
            slot = slot.removeprefix(self._owned(""))
            self.hold(slot, str(memory.metadata.get("value", "")), memory.content)
            if slot == "name" and not self.speaker:
                self.voice = Voice(str(memory.metadata.get("name", "")) or None)

    def contents(self) -> dict[str, str]:
        """What the current facts say, by slot."""
        return dict(self._contents)

    def _owned(self, slot: str) -> str:
        return f"{self.speaker}/{slot}" if self.speaker else slot


class Persons:
    """Everybody who speaks in one subject's episodes."""

    def __init__(self, known: Sequence[Memory]) -> None:
        self._persons: dict[str, Person] = {}
        for memory in sorted(known, key=lambda memory: memory.valid_from):
            if memory.kind == PROFILE_FACT:
                self.named(str(memory.metadata.get("speaker", ""))).remember(memory)

    def named(self, speaker: str) -> Person:
        """The person of that name; the empty name is the subject."""
        return self._persons.setdefault(speaker, Person(speaker))
