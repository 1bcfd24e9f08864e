"""Grounding: whether what a model proposes really stands in what was said."""

import re
from datetime import datetime

from lib.compiling.sentences import split_sentences

_SHORTEST = 4
"""Letters and digits a quotation needs: less stands in almost any text."""

_NUMBER = re.compile(r"\d+")


def stands_in(quote: str, text: str) -> bool:
    """True when `quote`, whole words of it, stands in `text`; only white space may differ."""
    span = " ".join(quote.split())
    if sum(char.isalnum() for char in span) < _SHORTEST:
        return False
    # The edges are ASCII only: scripts without spaces have no other word boundary.
    whole_words = rf"(?<![A-Za-z0-9]){re.escape(span)}(?![A-Za-z0-9])"
    return re.search(whole_words, " ".join(text.split())) is not None


def is_asked(quote: str, text: str) -> bool:
    """True when `quote` stands in nothing but questions of `text`."""
    span = " ".join(quote.split())
    holding = [
        sentence
        for sentence in split_sentences(text)
        if span in (words := " ".join(sentence.text.split())) or words in span
    ]
    return bool(holding) and all(sentence.asks for sentence in holding)


def numbers_are_known(content: str, text: str, when: datetime) -> bool:
    """True when every number in `content` stands in `text` or in the date it was said on."""
    known = {*_NUMBER.findall(text), str(when.day), f"{when.day:02}", f"{when.month:02}"}
    return set(_NUMBER.findall(content)) <= known | {str(when.month), str(when.year)}
