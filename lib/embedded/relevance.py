"""How relevant each line is to a task: by its words, its meaning, its speaker, its company."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lib.embedded.candidates import Columns, Ints

Floats = NDArray[np.float64]

MAX_RELEVANCE: Final = 8.0
NEIGHBOUR_SHARE: Final = 0.7
"""What was said right before and after a hit is worth this share of it: its question or answer."""

# Okapi BM25 (Robertson and Zaragoza 2009) with the parameters FTS5 uses.
_K1, _B = 1.2, 0.75
_FULL_SHARE = 0.5
"""A best line with this share of the task's weight has all the words; a weaker one has fewer."""

# With vectors, likeness is: cosine + 0.3 × words + 0.1 for the speaker who is asked about.
WORDS_WEIGHT: Final = 0.3
SPEAKER_WEIGHT: Final = 0.1
SESSION_WEIGHT: Final = 0.3
"""The best line of its session counts this much beside a line's own likeness."""
TIME_POINTS: Final = 2.0
"""For what was said at the time that the task names; alone enough to pass the floor."""
UNKNOWN_COSINE: Final = 0.5
"""What a line without a vector yet is taken to have when it holds all words of the task."""
FULL_LIKENESS: Final = 0.8
"""A line as like the task as this is worth 8 points; 0.1 less costs one point."""

# The floor, as a share of the best line. Cosines of unrelated texts reach 0.35, so when even the
# best line is no more like the task than that, nearly nothing else passes: less nearly so where
# the task names a speaker, as then it is about this subject.
WORDS_FLOOR_POINTS: Final = 1.5
WORDS_FLOOR_SHARE: Final = 0.25
FLOOR_POINTS: Final = 2.0
FLOOR_CEILING: Final = 3.2
FLOOR_SHARE: Final = 0.5
SURE_LIKENESS: Final = 0.42
SURE_LIKENESS_NAMED: Final = 0.36
_FLOOR_SLOPE, _MAX_FLOOR_SHARE = 4.0, 0.95


@dataclass(frozen=True, slots=True)
class Relevance:
    """0–8 points by row, and what a line needs for not being noise: so many points, and so large
    a share of the best line's, but no more than the ceiling: next to a perfect hit, a good one is
    still no noise.
    """

    points: Floats
    floor: float
    floor_share: float
    ceiling: float = MAX_RELEVANCE

    def floor_of(self, points: Floats) -> float:
        """What a line needs when the points have become these."""
        share = self.floor_share * float(points.max(initial=0.0))
        return max(self.floor, min(share, self.ceiling))


def relevance(
    columns: Columns,
    matches: Sequence[Ints],
    *,
    likeness: Floats | None = None,
    asked_of: NDArray[np.bool_] | None = None,
    then: NDArray[np.bool_] | None = None,
) -> Relevance:
    """Relevance from the rows that each term of the task matches and from cosines.

    `likeness` holds the cosine by row, NaN where a line has no vector yet; None ranks by words
    alone. `asked_of` marks the lines of the speaker whom the task names, `then` those of the time
    it names. A line of an episode
    also counts for what its neighbours say.
    """
    words, possible = _words(columns, matches)
    most = max(float(words.max(initial=0.0)), _FULL_SHARE * possible, 1e-9)
    if likeness is None:
        points = _with_neighbours(columns, MAX_RELEVANCE * words / most)
        return Relevance(_at_that_time(points, then), WORDS_FLOOR_POINTS, WORDS_FLOOR_SHARE)
    alike = np.where(
        np.isnan(likeness), UNKNOWN_COSINE * words / most, np.maximum(likeness, 0.0)
    ) + WORDS_WEIGHT * words / max(possible, 1e-9)
    if asked_of is not None:
        alike += SPEAKER_WEIGHT * asked_of
    alike = _with_session(columns, _with_neighbours(columns, alike))
    points = _at_that_time(MAX_RELEVANCE / FULL_LIKENESS * alike, then)
    sure = SURE_LIKENESS if asked_of is None else SURE_LIKENESS_NAMED
    share = _floor_share(sure - float(alike.max(initial=0.0)))
    return Relevance(points, FLOOR_POINTS, share, FLOOR_CEILING)


def _words(columns: Columns, matches: Sequence[Ints]) -> tuple[Floats, float]:
    """Weight of the terms in each row, and of all terms of the task.

    BM25 with a term frequency of one, as no line is longer than 80 tokens, and with the
    document frequencies of this subject alone, so that other subjects cannot change a context.
    A term that nothing matches weighs as well: it says that the task is about something else.
    """
    count = len(columns.key)
    scores = np.zeros(count)
    if not count or not matches:
        return scores, 0.0
    lengths = columns.tokens / max(1.0, float(columns.tokens.mean()))
    norms = (_K1 + 1) / (1 + _K1 * (1 - _B + _B * lengths))
    possible = 0.0
    for rows in matches:
        weight = float(np.log1p((count - len(rows) + 0.5) / (len(rows) + 0.5)))
        scores[rows] += weight * norms[rows]
        possible += weight
    return scores, possible


def _with_neighbours(columns: Columns, own: Floats) -> Floats:
    shared = own.copy()
    before, after = columns.before, columns.after
    shared[before] = np.maximum(own[before], NEIGHBOUR_SHARE * own[after])
    shared[after] = np.maximum(shared[after], NEIGHBOUR_SHARE * own[before])
    return shared


def _with_session(columns: Columns, own: Floats) -> Floats:
    """A mean of each line and the best of its session; a memory stands alone."""
    if not len(columns.said):
        return own
    best = own.copy()
    lengths = np.diff(np.append(columns.session_start, len(columns.said)))
    best[columns.said] = np.repeat(
        np.maximum.reduceat(own[columns.said], columns.session_start), lengths
    )
    shared: Floats = (own + SESSION_WEIGHT * best) / (1 + SESSION_WEIGHT)
    return shared


def _at_that_time(points: Floats, then: NDArray[np.bool_] | None) -> Floats:
    if then is not None:
        points = points + TIME_POINTS * then
    return np.minimum(points, MAX_RELEVANCE)


def _floor_share(unsure: float) -> float:
    steeper = FLOOR_SHARE + _FLOOR_SLOPE * unsure
    return min(_MAX_FLOOR_SHARE, max(FLOOR_SHARE, steeper))
