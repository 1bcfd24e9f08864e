"""The offline embedder: texts → unit vectors, on this machine, from files on this disk."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lib.embedding.minilm import EmbeddingUnavailableError, MiniLmEmbedder, Vectors

__all__ = ["Embedder", "EmbeddingUnavailableError", "MiniLmEmbedder", "Vectors"]


class Embedder(Protocol):
    """Anything that turns texts into vectors whose dot product says how alike they mean."""

    @property
    def name(self) -> str:
        """Names the model; vectors of another name are not comparable with these."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: list[str]) -> NDArray[np.float32]:
        """One unit vector per text. Raises EmbeddingUnavailableError where it cannot run."""
        ...
