"""Vectors of a subject's lines: stored as int8, kept as one float32 block between calls."""

import sqlite3
import threading
from collections import OrderedDict
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lib.embedded.candidates import Columns, Ints

HELD_BYTES: Final = 512 * 2**20
"""Blocks kept in memory, the subject used last in any case: 1.5 kB a line of a context."""

Vectors = NDArray[np.float32]


def to_blob(vector: Vectors) -> bytes:
    """A unit vector in one byte per dimension."""
    scale = 127 / max(1e-9, float(np.abs(vector).max(initial=0.0)))
    return bytes(np.rint(vector * scale).astype(np.int8))


def from_blobs(blobs: list[bytes], dimensions: int) -> Vectors:
    """The unit vectors, one row per blob; the cosine of two is within 0.002 of what it was."""
    packed = np.frombuffer(b"".join(blobs), np.int8).reshape(-1, dimensions)
    rows = packed.astype(np.float32)
    rows /= np.sqrt(np.maximum(np.einsum("ij,ij->i", rows, rows), 1e-9))[:, None]
    return rows


class _Block:
    """The vectors of one subject in order of their lines; it only ever grows."""

    def __init__(self, dimensions: int) -> None:
        self.guard = threading.Lock()
        self.keys: Ints = np.empty(0, np.int64)
        self._rows: Vectors = np.empty((0, dimensions), np.float32)
        self._places: tuple[Ints, int, Ints, Ints] | None = None

    @property
    def nbytes(self) -> int:
        return self._rows.nbytes

    def refresh(self, connection: sqlite3.Connection, subject: int) -> None:
        cursor = connection.cursor()
        cursor.row_factory = None
        last = int(self.keys[-1]) if len(self.keys) else 0
        found = cursor.execute(
            "SELECT passage, vector FROM vectors WHERE subject = ? AND passage > ?"
            " ORDER BY passage",
            (subject, last),
        ).fetchall()
        if not found:
            return
        count, dimensions = len(self.keys), self._rows.shape[1]
        fresh = from_blobs([blob for _, blob in found], dimensions)
        if count + len(fresh) > len(self._rows):
            # A quarter to spare, so that a line more does not copy all of them.
            grown = np.empty((count + len(fresh) + count // 4, dimensions), np.float32)
            grown[:count] = self._rows[:count]
            self._rows = grown
        self._rows[count : count + len(fresh)] = fresh
        self.keys = np.concatenate([self.keys, np.array([key for key, _ in found], np.int64)])

    def likeness(self, columns: Columns, question: Vectors) -> NDArray[np.float64]:
        """The cosine by row of `columns`; NaN where there is no vector yet."""
        result = np.full(len(columns.key), np.nan)
        rows, places = self._placed(columns)
        # All in one product: picking the rows first would copy them.
        result[rows] = (self._rows[: len(self.keys)] @ question)[places]
        return result

    def _placed(self, columns: Columns) -> tuple[Ints, Ints]:
        """Rows of the columns that have a vector, and where it stands."""
        held = self._places
        if held is None or held[0] is not columns.key or held[1] != len(self.keys):
            places = np.searchsorted(self.keys, columns.key)
            places[places == len(self.keys)] = 0
            rows = np.flatnonzero(self.keys[places] == columns.key)
            held = self._places = (columns.key, len(self.keys), rows, places[rows])
        return held[2], held[3]


class VectorCache:
    """Blocks of the subjects used last, brought up to date whenever they are asked."""

    def __init__(self, dimensions: int, *, held_bytes: int = HELD_BYTES) -> None:
        self._dimensions, self._held_bytes = dimensions, held_bytes
        self._guard = threading.Lock()
        self._held: OrderedDict[int, _Block] = OrderedDict()

    def likeness(
        self, connection: sqlite3.Connection, columns: Columns, question: Vectors
    ) -> NDArray[np.float64] | None:
        """The cosine of each row with `question`, NaN for rows without a vector yet; None when
        the subject has no vector at all.
        """
        with self._guard:
            block = self._held.setdefault(columns.subject, _Block(self._dimensions))
            self._held.move_to_end(columns.subject)
        with block.guard:
            block.refresh(connection, columns.subject)
            found = block.likeness(columns, question) if len(block.keys) else None
        with self._guard:
            while len(self._held) > 1 and self.nbytes > self._held_bytes:
                self._held.popitem(last=False)
        return found

    @property
    def nbytes(self) -> int:
        """Memory that the blocks take."""
        return sum(block.nbytes for block in self._held.values())
