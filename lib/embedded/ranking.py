"""The score of every candidate, its rank, and why it is not eligible where it is not."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lib.embedded.candidates import KIND_CODES, OTHER_KIND, Columns, Ints
from lib.embedded.relevance import Relevance
from lib.embedded.retrieval import Reading
from lib.models import (
    ARTIFACT_REF,
    EPISODE,
    EPISODE_SUMMARY,
    PROCEDURE,
    PROFILE_FACT,
    CutReason,
    ScoreParts,
)

# The signals, in points. A score is their sum; relevance, up to 8, outweighs all others together.
KIND_POINTS: Final[Mapping[str, float]] = {
    PROFILE_FACT: 0.6,
    PROCEDURE: 0.5,
    ARTIFACT_REF: 0.4,
    EPISODE_SUMMARY: 0.3,
    EPISODE: 0.0,
}
OTHER_KIND_POINTS: Final = 0.2
RECENCY_POINTS: Final = 0.3
"""For the subject's newest line; half as much for every `RECENCY_HALF_LIFE_DAYS` before it."""
RECENCY_HALF_LIFE_DAYS: Final = 30.0
RECAP_RECENCY: Final = 4.0
"""Recency counts this many times as much when the task asks where things were left."""
EXPIRED_POINTS: Final = -3.0
SESSION_POINTS: Final = 0.5

# Relevance that a broad task gives to a kind as a whole, whatever its words.
PROFILE_RELEVANCE: Final[Mapping[str, float]] = {
    PROFILE_FACT: 6.0,
    EPISODE_SUMMARY: 4.0,
    PROCEDURE: 4.0,
    ARTIFACT_REF: 3.0,
    EPISODE: 2.0,
}
RECAP_RELEVANCE: Final[Mapping[str, float]] = {
    EPISODE_SUMMARY: 6.0,
    PROCEDURE: 4.0,
    PROFILE_FACT: 4.0,
    ARTIFACT_REF: 3.0,
    EPISODE: 2.0,
}
OTHER_RELEVANCE: Final = 3.0
RECENT_LINES: Final = 6
"""Raw lines that a recap welcomes, newest first, as does any broad task without memories."""

ALWAYS_WELCOME: Final = 2
"""Memories that pass the floor for any task: who the person is."""
PERSONAL_WELCOME: Final = 24
"""Profile facts that pass it for a task about "me", which may ask in other words than they use."""

REASONS: Final[tuple[CutReason, ...]] = ("", "floor", "suppressed", "superseded")
_ELIGIBLE, _FLOOR, _SUPPRESSED, _SUPERSEDED = range(4)
_US_PER_DAY = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Ranking:
    """All candidates of a task. `order` lists rows by rank; the other arrays go by row."""

    columns: Columns
    order: Ints
    rank: Ints
    parts: NDArray[np.float64]
    reasons: NDArray[np.int8]
    expired: NDArray[np.bool_]
    suppressor: Mapping[int, int]

    def parts_of(self, row: int) -> ScoreParts:
        """The signals of one candidate."""
        return ScoreParts(*self.parts[row].tolist())

    def reason_of(self, row: int) -> CutReason:
        """Why the candidate is not eligible, whatever the budget; empty when it is."""
        return REASONS[int(self.reasons[row])]


def rank(
    columns: Columns,
    relevant: Relevance,
    reading: Reading,
    *,
    session: int,
    now_us: int,
) -> Ranking:
    """The candidates by score, newest first where equal.

    `session` is the caller's session as the columns number it, -1 for none.
    """
    expired = columns.dated | (columns.until <= now_us)
    welcome = _welcome(columns, reading, expired)
    parts = _parts(columns, relevant.points, reading, welcome, expired)
    if session >= 0:
        parts[:, 4] = np.where(columns.session == session, SESSION_POINTS, 0.0)
    # Left to right, as ScoreParts.total adds them, so that both agree to the last bit.
    score = parts[:, 0] + parts[:, 1] + parts[:, 2] + parts[:, 3] + parts[:, 4]
    order = by_score(score, columns.newest_first)
    position = np.empty(len(order), np.int64)
    position[order] = np.arange(len(order))

    enough = parts[:, 2] >= relevant.floor_of(parts[:, 2])
    reasons = np.where(enough | welcome, _ELIGIBLE, _FLOOR).astype(np.int8)
    # A raw line may also say what still holds, so a date on it would mislead; memories bear one.
    reasons[expired & ((columns.memory == 0) | (not reading.past))] = _SUPERSEDED
    suppressor = _suppress(columns, position, reasons, expired)
    return Ranking(columns, order, position + 1, parts, reasons, expired, suppressor)


def by_score(score: NDArray[np.float64], newest_first: Ints) -> Ints:
    """Rows by score, of equal scores in the order given."""
    falling = -score[newest_first]
    # Sorting without care for ties and mending those is twice as fast as a stable sort.
    order = np.argsort(falling)
    sorted_scores = falling[order]
    starts = np.flatnonzero(np.diff(sorted_scores, prepend=-np.inf))
    lengths = np.diff(np.append(starts, len(order)))
    tied = np.repeat(lengths > 1, lengths)
    if tied.any():
        run = np.repeat(np.arange(len(starts)), lengths)[tied]
        members = order[tied]
        order[tied] = members[np.lexsort((members, run))]
    return newest_first[order]


def _parts(
    columns: Columns,
    relevance: NDArray[np.float64],
    reading: Reading,
    welcome: NDArray[np.bool_],
    expired: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """One row per candidate: the fields of ScoreParts, that of the session still empty."""
    parts = np.zeros((len(columns.key), 5))
    parts[:, 0] = _by_kind(KIND_POINTS, OTHER_KIND_POINTS)[columns.kind]
    parts[:, 1] = _recency(columns) * (RECAP_RECENCY if reading.recap else 1.0)
    parts[:, 2] = relevance
    if reading.broad:
        by_kind = _by_kind(RECAP_RELEVANCE if reading.recap else PROFILE_RELEVANCE, OTHER_RELEVANCE)
        np.maximum(relevance, np.where(welcome, by_kind[columns.kind], 0.0), out=parts[:, 2])
    parts[expired, 3] = EXPIRED_POINTS
    return parts


def _by_kind(points: Mapping[str, float], other: float) -> NDArray[np.float64]:
    table = np.full(OTHER_KIND + 1, other)
    for kind, code in KIND_CODES.items():
        table[code] = points[kind]
    return table


def _recency(columns: Columns) -> NDArray[np.float64]:
    # Measured from the subject's newest line and not from now: asking later changes nothing.
    age_days = (columns.when.max(initial=0) - columns.when) / _US_PER_DAY
    recency: NDArray[np.float64] = RECENCY_POINTS * np.exp2(-age_days / RECENCY_HALF_LIFE_DAYS)
    return recency


def _welcome(columns: Columns, reading: Reading, expired: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Lines that pass the floor whatever their words."""
    newest = columns.newest_first[~expired[columns.newest_first]]
    facts = newest[columns.kind[newest] == KIND_CODES[PROFILE_FACT]]
    identity_first = facts[np.argsort(~columns.identity[facts], kind="stable")]
    welcome = np.zeros(len(columns.key), bool)
    welcome[identity_first[: PERSONAL_WELCOME if reading.personal else ALWAYS_WELCOME]] = True
    if reading.broad:
        welcome |= (columns.memory > 0) & ~expired
        # About the person a memory says it better; where things were left, the words themselves.
        if reading.recap or not columns.memory[newest].any():
            welcome[newest[columns.memory[newest] == 0][:RECENT_LINES]] = True
    return welcome


def _suppress(
    columns: Columns, position: Ints, reasons: NDArray[np.int8], expired: NDArray[np.bool_]
) -> dict[int, int]:
    """Marks each eligible line whose words all stand in a higher ranked one it is linked with.

    What no longer holds suppresses nothing that does. The carrier is in every bundle that the
    line could be in, as it ranks higher; where it is suppressed itself, its own carrier has the
    words of both.
    """
    carried, carriers = columns.carried, columns.carriers
    eligible = (reasons[carried] == _ELIGIBLE) & (reasons[carriers] == _ELIGIBLE)
    eligible &= expired[carried] | ~expired[carriers]
    hit = eligible & (position[carriers] < position[carried])
    pairs = zip(carried[hit].tolist(), carriers[hit].tolist(), strict=True)
    reasons[carried[hit]] = _SUPPRESSED
    return dict(pairs)
