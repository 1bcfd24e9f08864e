"""Persons: what is known of somebody who speaks, while their words are read."""

from collections.abc import Sequence
from dataclasses import replace

from lib.compiling.facts import Fact
from lib.compiling.grammar import TEAM, Voice
from lib.compiling.signatures import is_shared, signer
from lib.compiling.slots import Held, resolve_slot
from lib.compiling.turns import Turn
from lib.models import PROFILE_FACT, Memory

_SLOT_CHARACTERS = 80


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
        # What has no place of its own gets one, so that a later message can take it back.
        slot = slot or f"fact:{' '.join(content.lower().split())[:_SLOT_CHARACTERS]}"
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
        # What a team has is everybody's, whoever tells of it.
        mine = self.speaker and not slot.startswith("team:")
        return f"{self.speaker}/{slot}" if mine else slot


class Persons:
    """Everybody who speaks in one subject's episodes."""

    def __init__(self, known: Sequence[Memory]) -> None:
        self._persons: dict[str, Person] = {}
        self.names: dict[str, None] = {}
        """Who is known to share the account."""
        self.is_shared = False
        for memory in sorted(known, key=lambda memory: memory.valid_from):
            if memory.kind == PROFILE_FACT:
                if member := memory.metadata.get("member"):
                    self.share(str(member))
                self.named(str(memory.metadata.get("speaker", ""))).remember(memory)

    def named(self, speaker: str) -> Person:
        """The person of that name; the empty name is the subject."""
        return self._persons.setdefault(speaker, Person(speaker))

    def share(self, *names: str) -> None:
        """From now on several people use the account, these among them."""
        self.is_shared = True
        self.named("").voice = Voice(TEAM)
        for name in names:
            self.names[name] = None

    def sign(self, turns: Sequence[Turn]) -> list[Turn]:
        """The turns of one session with who wrote each, once the account is shared."""
        own_name = self.named("").voice.name
        names = [*self.names, *([own_name] if own_name and own_name != TEAM else [])]
        signers = [signer(turn.sentences, names) for turn in turns]
        others = {name for name in signers if name and own_name and name != own_name}
        told = any(is_shared(turn.sentences) for turn in turns)
        if not self.is_shared and not (own_name and others) and not told:
            return list(turns)
        self.share(*names, *filter(None, signers))
        alone = {name for name in signers if name}
        only = alone.pop() if len(alone) == 1 else ""
        return [
            replace(turn, speaker=name or only, shared=True)
            for turn, name in zip(turns, signers, strict=True)
        ]
