"""The embedder: like meanings get like vectors, and what is missing is said."""

import numpy as np
import pytest

from lib.embedding import EmbeddingUnavailableError, MiniLmEmbedder
from lib.embedding.minilm import VOCABULARY

EMBEDDER = MiniLmEmbedder()


def test_texts_that_mean_the_same_are_closer_than_texts_that_share_words() -> None:
    question, meant, worded = EMBEDDER.embed(
        [
            "How much do I earn?",
            "My salary is 40,000 euros.",
            "How much clay do I need for that bowl?",
        ]
    )
    assert question @ meant > question @ worded


def test_vectors_have_length_one_and_come_in_the_order_of_the_texts() -> None:
    texts = ["A long sentence about kilns, glazes and firing schedules.", "Hi", "", "Kilns"]
    together = EMBEDDER.embed(texts)
    assert together.shape == (4, EMBEDDER.dimensions)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    for text, vector in zip(texts, together, strict=True):
        # int8 activations are scaled per batch, so neighbours change a vector a little.
        assert float(EMBEDDER.embed([text])[0] @ vector) > 0.98


def test_no_texts_give_no_vectors() -> None:
    assert EMBEDDER.embed([]).shape == (0, EMBEDDER.dimensions)


@pytest.mark.parametrize("text", ["\x00", "\ud83d", "👩‍👩‍👧", "x" * 50_000, "<|endoftext|>"])
def test_any_text_has_a_vector(text: str) -> None:
    assert np.isfinite(EMBEDDER.embed([text])).all()


def test_the_vocabulary_has_one_piece_a_line() -> None:
    pieces = VOCABULARY.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    assert len(pieces) == len(set(pieces)) == 30_522
    assert [pieces[number] for number in (0, 100, 101, 102)] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


def test_a_missing_model_is_named() -> None:
    with pytest.raises(EmbeddingUnavailableError, match="model package"):
        MiniLmEmbedder("no_such_package").embed(["hi"])
