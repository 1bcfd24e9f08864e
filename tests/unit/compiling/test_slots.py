"""Slots: a change finds what it changes, and nothing else."""

import pytest

from lib.compiling.facts import Fact
from lib.compiling.slots import Held, resolve_slot

HELD = (
    Held("database:vectors", "postgres"),
    Held("cache", "redis"),
    Held("date:audit deadline", "30 october"),
    Held("date:beta", "1 may"),
    Held("editor", "vim"),
)


def change(slot: str, *, replaces: str = "") -> Fact:
    """A fact that says something is different now."""
    return Fact("…", "stack", slot, "new", replaces, change=True)


@pytest.mark.parametrize(
    ("fact", "slot"),
    [
        (change("database", replaces="postgres"), "database:vectors"),
        (change("database", replaces="mysql"), "database"),
        (change("database"), "database:vectors"),
        (change("date:deadline"), "date:audit deadline"),
        (change("date:launch"), "date:launch"),
        (change("editor"), "editor"),
        (change("tool:celery"), "tool:celery"),
        (Fact("…", "stack", "database:logs", "duckdb"), "database:logs"),
        (Fact("…", "stack", "database", "duckdb"), "database"),
        (Fact("…", "preference"), None),
    ],
)
def test_the_slot_of_a_fact(fact: Fact, slot: str | None) -> None:
    assert resolve_slot(fact, HELD) == slot
