"""Profile facts on messages that are not demo data: precision and recall, and every trap."""

import pytest

from tests.unit.compiling.conversations import facts_of
from tests.unit.compiling.labelled import MESSAGES

NOTHING_TO_KEEP = [message for message, expected in MESSAGES if not expected]
MIN_PRECISION = 0.97
MIN_RECALL = 0.97


def matched(facts: list[str], expected: tuple[str, ...]) -> int:
    """How many expectations are met, each by a fact of its own."""
    left = [fact.lower() for fact in facts]
    met = 0
    for alternatives in expected:
        hit = next((f for f in left if any(a in f for a in alternatives.split("|"))), None)
        if hit is not None:
            left.remove(hit)
            met += 1
    return met


def test_nearly_every_fact_is_right_and_nearly_all_are_found() -> None:
    found = right = wanted = 0
    for message, expected in MESSAGES:
        facts = facts_of(message)
        found += len(facts)
        right += matched(facts, expected)
        wanted += len(expected)
    print(f"\n{len(MESSAGES)} messages: {found} facts, {right} right, {wanted} wanted")
    assert right / found >= MIN_PRECISION
    assert right / wanted >= MIN_RECALL


@pytest.mark.parametrize("message", NOTHING_TO_KEEP)
def test_nothing_is_made_of_it(message: str) -> None:
    assert facts_of(message) == []
