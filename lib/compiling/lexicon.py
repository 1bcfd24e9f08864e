"""Known names of tools, and what each one is."""

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_DATA = tomllib.loads(Path(__file__).with_name("tools.toml").read_text(encoding="utf-8"))
_SINGLE = frozenset(_DATA["single"])
_CASED: dict[str, str] = _DATA["written"]
_SAME: dict[str, str] = _DATA["same"]
_CLASS: dict[str, str] = {
    _CASED.get(name, name): kind for kind, names in _DATA["kinds"].items() for name in names
}
_FIRST_WORDS = frozenset(name.lower().split()[0] for name in _CLASS)
_MODEL = re.compile(
    r"(?:gpt|claude|gemini|llama|mistral|mixtral|qwen|deepseek"
    r"|o[134])-?[\w.:-]*\d[\w.:-]*",
    re.IGNORECASE,
)
_EMBEDDING = re.compile(
    r"(?:text-embedding|voyage|embed|bge|e5|gte|jina|nomic)-[\w.-]+", re.IGNORECASE
)
_WORD = re.compile(r"[^\s,;()\"“”`]+")


@dataclass(frozen=True, slots=True)
class Tool:
    """One known name found in text: what it is, its common spelling in lower case, and where."""

    kind: str
    value: str
    start: int
    end: int

    @property
    def single(self) -> bool:
        """True for things people mostly have one of at a time, such as a database."""
        return self.kind in _SINGLE


def names_of(kind: str) -> tuple[str, ...]:
    """The known names of one kind of tool, as they are written."""
    return tuple(name for name, of in _CLASS.items() if of == kind)


def find_tools(text: str, *, any_case: bool = False) -> list[Tool]:
    """Known tools named in `text`, in order; the longest name wins.

    Names that are also everyday words, such as Go, count in lower case only with `any_case`.
    """
    words = [(match[0], match.start(), match.end()) for match in _WORD.finditer(text)]
    found: list[Tool] = []
    at = 0
    while at < len(words):
        first, start, _ = words[at]
        step = 1
        for length in (3, 2, 1) if _may_begin_a_name(first) else ():
            if at + length > len(words):
                continue
            kind, value, size = _look_up(text[start : words[at + length - 1][2]], any_case=any_case)
            if kind:
                found.append(Tool(kind, value, start, start + size))
                step = length
                break
        at += step
    return found


@lru_cache(maxsize=4096)
def _may_begin_a_name(word: str) -> bool:
    bare = word.rstrip(".:!?'’*").lower().removesuffix("'s").removesuffix("’s")
    return bare in _FIRST_WORDS or "-" in word or any(char.isdigit() for char in word)


@lru_cache(maxsize=4096)
def _look_up(phrase: str, *, any_case: bool) -> tuple[str, str, int]:
    """Kind, common spelling and length of the name `phrase` is; an empty kind if it is none."""
    name = phrase.rstrip(".:!?'’*")
    name = name[:-2] if name.endswith(("'s", "’s")) else name
    lower = name.lower()
    kind = _CLASS.get(lower) if lower not in _CASED else None
    kind = kind or _CLASS.get(name) or (_CLASS.get(_CASED.get(lower, "")) if any_case else None)
    if kind is None and " " not in name:
        kind = "embedding model" if _EMBEDDING.fullmatch(name) else None
        kind = kind or ("language model" if _MODEL.fullmatch(name) else None)
    return (kind or "", _SAME.get(lower, lower), len(name))
