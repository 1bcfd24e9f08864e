"""The search box: memories found by their words and by what they mean, in one order."""

import sqlite3
from collections.abc import Sequence
from typing import Final

import numpy as np

from lib.embedded.candidates import KIND_CODES, OTHER_KIND, Columns
from lib.embedded.details import read_owners
from lib.embedded.relevance import WORDS_WEIGHT, Floats
from lib.models import Memory

LIKE_ENOUGH: Final = 0.4
"""Cosine from which a memory is a result although it has none of the words."""
_UNKNOWN_COSINE: Final = 0.3
_RANK_SCALE: Final = 20


def alike_memories(
    connection: sqlite3.Connection, columns: Columns, likeness: Floats, *, kind: str | None
) -> list[tuple[Memory, float]]:
    """Active memories that mean something like the query, with their cosine."""
    wanted = (columns.memory > 0) & ~columns.dated & (np.nan_to_num(likeness) >= LIKE_ENOUGH)
    if kind is not None:
        wanted &= columns.kind == KIND_CODES.get(kind, OTHER_KIND)
    rows = np.flatnonzero(wanted)
    owners = read_owners(connection, columns, rows.tolist())
    found: dict[str, tuple[Memory, float]] = {}
    for row in rows[np.argsort(likeness[rows], kind="stable")].tolist():
        owner = owners[row]
        # The last of a memory's lines is the most alike.
        if isinstance(owner, Memory) and owner.status == "active":
            found[owner.id] = (owner, float(likeness[row]))
    return [each for each in found.values() if kind in (None, each[0].kind)]


def fused(
    by_words: Sequence[Memory], alike: Sequence[tuple[Memory, float]], limit: int
) -> tuple[Memory, ...]:
    """The first `limit` of both: by cosine, plus up to 0.3 for the rank among those by words."""
    cosines = {memory.id: cosine for memory, cosine in alike}
    scores = {memory.id: cosines[memory.id] for memory, _ in alike}
    for rank, memory in enumerate(by_words):
        words = WORDS_WEIGHT / (1 + rank / _RANK_SCALE)
        scores[memory.id] = cosines.get(memory.id, _UNKNOWN_COSINE) + words
    memories = {memory.id: memory for memory in (*by_words, *(each for each, _ in alike))}
    best_first = sorted(memories, key=lambda id_: -scores[id_])
    return tuple(memories[id_] for id_ in best_first[:limit])
