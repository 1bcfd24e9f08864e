"""The words of a text: safe to store, on one line, and comparable with another text's words."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")
_WORD = re.compile(r"[^\W_]+")
# FTS5's unicode61 takes a run of these letters, which has no spaces, for one single word.
_UNSPACED = re.compile("([\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af])")
_SUFFIXES = ("ing", "ed", "es", "s")
# Who speaks or is spoken of; a memory names the person where the episode says "I".
_SPEAKERS = frozenset({"user", "assistant"})

_STOPWORDS = """
    a about above after again all also am an and any anything are as at be because been being
    both but by can cannot could d did do does doing don done down each else ever few for from
    further get gets getting go got had has have having he her here hers him his how i if in
    into is isn it its itself just let ll m may me might mine more most my myself no nor not now
    of off on once only or other our ours out over own re really s same shall she should so some
    something such t than that the their theirs them then there these they thing things this
    those through to too under until up us use used user uses using ve very via want wants was
    we were what when where which while who whom whose why will with would you your yours
    yourself yes
"""
STOPWORDS = frozenset(_STOPWORDS.split())
"""Words that say nothing about what a text is about."""


def clean(text: str) -> str:
    """`text` without NUL, and with the replacement character for every lone surrogate."""
    return _SURROGATE.sub("\ufffd", text.replace("\x00", ""))


def clean_value(value: Any) -> Any:
    """A JSON value with every string cleaned and NaN and infinities as null."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, Mapping):
        return {clean(str(key)): clean_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean_value(item) for item in value]
    return value


def is_clean(value: Any) -> bool:
    """Whether `clean_value` would leave the value as it is."""
    if isinstance(value, str):
        return clean(value) == value
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, Mapping):
        return all(is_clean(key) and is_clean(item) for key, item in value.items())
    return all(map(is_clean, value)) if isinstance(value, list | tuple) else True


def content_text(content: object) -> str:
    """A message's content as text; parts and the like as JSON."""
    if isinstance(content, str):
        return content
    return "" if content is None else json.dumps(content, ensure_ascii=False, default=str)


def one_line(text: str) -> str:
    """`text` with every run of whitespace as one space, so that it cannot start a new line."""
    return " ".join(text.split())


def spaced(text: str) -> str:
    """`text` for the word index: letters of scripts without spaces stand apart."""
    return _UNSPACED.sub(r" \1 ", text)


def content_words(text: str) -> frozenset[str]:
    """The stems of the words that carry the meaning of `text`."""
    words = _WORD.findall(spaced(text).casefold())
    return frozenset(_stem(word) for word in words if word not in STOPWORDS) - _SPEAKERS


def carries(words: frozenset[str], others: frozenset[str], *, share: float = 1.0) -> bool:
    """True when at least `share` of `others` are among `words`; never for no words at all."""
    return bool(others) and len(words & others) >= share * len(others)


def _stem(word: str) -> str:
    # Coarser than Porter on purpose: it only has to make "lives", "live" and "living" equal.
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word
