"""Words: the editable word lists the rules look things up in."""

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Words:
    """The lists of `words.toml`; what each is for stands there."""

    modals: frozenset[str]
    past: frozenset[str]
    not_past: frozenset[str]
    ordinary: frozenset[str]
    not_names: frozenset[str]
    not_places: frozenset[str]
    lasting: frozenset[str]
    life: frozenset[str]
    states: frozenset[str]
    possessions: frozenset[str]
    passing: frozenset[str]
    others: frozenset[str]
    labels: frozenset[str]


def _load(path: Path) -> Words:
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return Words(**{name: frozenset(words) for name, words in data.items()})


WORDS = _load(Path(__file__).with_name("words.toml"))
