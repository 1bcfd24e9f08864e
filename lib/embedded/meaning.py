"""Likeness in meaning of a task to every line of a subject, as far as they are indexed."""

import sqlite3
import threading
from collections import OrderedDict
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lib.embedded.candidates import Columns
from lib.embedded.database import Database
from lib.embedded.indexing import Indexer
from lib.embedded.vectors import VectorCache, Vectors
from lib.embedding import Embedder

_HELD_QUESTIONS: Final = 512


class Meaning:
    """The index of one file and the vectors read from it."""

    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._embedder = embedder
        self._cache = VectorCache(embedder.dimensions)
        self._guard = threading.Lock()
        self._questions: OrderedDict[str, Vectors] = OrderedDict()
        self.index = Indexer(database, embedder)

    def likeness(
        self, connection: sqlite3.Connection, columns: Columns, question: str
    ) -> NDArray[np.float64] | None:
        """The cosine of `question` with each row, NaN where a row has no vector yet; None while
        nothing is indexed.
        """
        if not self.index.ready:
            return None
        return self._cache.likeness(connection, columns, self._embedded(question))

    def _embedded(self, question: str) -> Vectors:
        with self._guard:
            known = self._questions.get(question)
            if known is not None:
                self._questions.move_to_end(question)
                return known
        vector: Vectors = self._embedder.embed([question])[0]
        with self._guard:
            self._questions[question] = vector
            while len(self._questions) > _HELD_QUESTIONS:
                self._questions.popitem(last=False)
        return vector
