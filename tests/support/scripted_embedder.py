"""An embedder whose meanings a test decides: each listed word stands for one idea."""

import hashlib
import threading
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from lib.embedding import EmbeddingUnavailableError


class ScriptedEmbedder:
    """Words of one idea are the same to it, all others are ideas of their own."""

    dimensions = 4096

    def __init__(self, ideas: Mapping[str, str], *, name: str = "scripted") -> None:
        self.name = name
        self.texts: list[str] = []
        self.may_go_on = threading.Event()
        self.may_go_on.set()
        self._ideas = {word: idea for idea, words in ideas.items() for word in words.split()}

    def embed(self, texts: list[str]) -> NDArray[np.float32]:
        """One unit vector per text; waits while `may_go_on` is not set."""
        self.may_go_on.wait()
        self.texts.extend(texts)
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.casefold().replace(".", " ").replace("?", " ").split():
                idea = hashlib.sha256(self._ideas.get(word, word).encode()).digest()
                row[int.from_bytes(idea[:4]) % self.dimensions] += 1
            row /= max(1.0, float(np.linalg.norm(row)))
        return rows


class MissingEmbedder:
    """One whose model is not there."""

    name = "missing"
    dimensions = 4096

    def embed(self, texts: list[str]) -> NDArray[np.float32]:
        """Raises EmbeddingUnavailableError."""
        raise EmbeddingUnavailableError(f"the model for {len(texts)} texts is not installed here")
