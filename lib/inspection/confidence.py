"""What a memory's confidence means in words."""

from typing import Final

from lib.models import ARTIFACT_REF, EPISODE_SUMMARY, PROCEDURE, PROFILE_FACT, Memory

_CONFIDENCE: Final = {
    PROFILE_FACT: (
        (0.91, "said more than once"),
        (0.9, "said outright"),
        (0.75, "said in passing"),
        (0.0, "a weak hint"),
    ),
    PROCEDURE: (
        (0.81, "said more than once to work"),
        (0.8, "taken from a reply, then said to work"),
        (0.0, "taken from a reply, not confirmed"),
    ),
    ARTIFACT_REF: ((0.71, "named more than once"), (0.0, "named once")),
    EPISODE_SUMMARY: ((0.0, "put together from what was asked and what was concluded"),),
}
"""Lower bound of a confidence → what it means, by kind."""


def confidence_meaning(memory: Memory, *, documented: bool = True) -> str:
    """What a memory's confidence says about it, in words.

    `documented` is False for a runtime whose scale this app does not know. The bounds are those
    of the offline compiler; statements that agree raise a confidence, hence "more than once".
    """
    if not documented:
        return "as sure as the server's own compiler is, from 0 to 1"
    if "corrected_from" in memory.metadata:
        return "corrected by hand"
    steps = _CONFIDENCE.get(memory.kind, _CONFIDENCE[PROFILE_FACT])
    return next((words for bound, words in steps if memory.confidence >= bound), steps[-1][1])
