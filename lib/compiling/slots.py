"""Slots: which earlier fact a new one takes the place of."""

from collections.abc import Iterable
from dataclasses import dataclass

from lib.compiling.facts import Fact


@dataclass(frozen=True, slots=True)
class Held:
    """A slot that a current fact fills, with its value."""

    slot: str
    value: str


def resolve_slot(fact: Fact, held: Iterable[Held]) -> str | None:
    """The slot `fact` belongs in, given what is held, newest last.

    A change names the old value ("from Postgres to …") or is the only one of its family ("the
    deadline is now …"); it then takes over that fact's slot, whatever its qualifier.
    """
    if fact.slot is None or not fact.change:
        return fact.slot
    current = list(held)
    if any(item.slot == fact.slot for item in current):
        return fact.slot
    if fact.replaces:
        same = [item.slot for item in current if item.value and item.value == fact.replaces]
        return same[-1] if same else fact.slot
    family, _, qualifier = fact.slot.partition(":")
    kin = {item.slot for item in current if item.slot.partition(":")[0] == family}
    if family == "date":
        kin = {slot for slot in kin if _same_event(slot.partition(":")[2], qualifier)}
    elif qualifier or family == "tool":
        return fact.slot
    return kin.pop() if len(kin) == 1 else fact.slot


def _same_event(first: str, second: str) -> bool:
    return f" {first}".endswith(f" {second}") or f" {second}".endswith(f" {first}")
