"""Extracting: the words of a sentence that answer a question, and whether they still hold."""

import re
from collections.abc import Sequence

from lib.offline.answer_kind import AMOUNT, PREFERENCE, spans
from lib.offline.asking import Part
from lib.offline.words import content_words, is_name_like, match, stem, tokens

_BEFORE_OLD = re.compile(
    r"\b(?:from|(?:don't|doesn't|do not|does not) use|no longer (?:\w+ )?(?:uses?|in|at)"
    r"|not|dropped|left|stopped using|instead of|replaced|rather than|quit|was in"
    r"|was at|used to \w+(?: in| at)?)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_AFTER_OLD = re.compile(r"^\W{0,2}(?:any ?more|any longer|until|before)\b", re.IGNORECASE)
_HOW_LONG = re.compile(r"\bhow long\b", re.IGNORECASE)
_BESIDE = 20
"""Characters within which a number counts the thing asked about."""
_FOLLOWING = 60
"""Characters after a number within which the counted thing is named."""
_LINKS = {"is", "are", "was", "be", "called", "named", "now", "the", "a", "an", "to", "as", "at"}
_VALUE = re.compile(r"[=:](\w[\w.-]*)$")
_OF = re.compile(r"\bof\s+$")
_PEOPLE = tuple(
    stem(word) for word in ["people", "engineers", "developers", "colleagues", "members", "persons"]
)


def answer_in(part: Part, sentence: str) -> str | None:
    """The words of `sentence` that answer; "" where it answers as a whole, None where not."""
    if part.kind is None:
        return _named_beside(part, sentence) if part.wants_name else ""
    if part.kind is PREFERENCE:
        return "" if spans(part.kind, sentence) else None
    asked = {stem(word) for word in tokens(part.text)}
    candidates = [
        span
        for span in dict.fromkeys(spans(part.kind, sentence))
        if not all(stem(word) in asked for word in tokens(span))
    ]
    if part.wants_previous:
        candidates = [span for span in candidates if is_old(span, sentence)] or candidates
    else:
        candidates = [span for span in candidates if not is_old(span, sentence)]
    if not candidates:
        return None
    places = _places(part, sentence)
    if part.kind is AMOUNT:
        candidates = [span for span in candidates if _is_count(span, part, sentence, places)]
    return min(candidates, key=lambda span: _distance(span, sentence, places), default=None)


def _is_count(span: str, part: Part, sentence: str, places: Sequence[re.Match[str]]) -> bool:
    """True when the number `span` counts what was asked about."""
    before, _, after = sentence.partition(span)
    following = [*tokens(span)[1:], *tokens(after[:_FOLLOWING])[:3]]
    if part.counts_people:
        return bool(_OF.search(before)) or any(match(w, _PEOPLE) for w in following[:2])
    if part.counted:
        return any(match(word, [stem(near) for near in following]) for word in part.counted)
    if _HOW_LONG.search(part.text) and len(tokens(span)) < 2:
        return False
    return _distance(span, sentence, places) <= _BESIDE


def _places(part: Part, sentence: str) -> list[re.Match[str]]:
    """Where the words of the question stand in `sentence`."""
    return [
        word
        for word in re.finditer(r"[\w@-]+", sentence)
        if any(match(asked, (stem(word.group()),)) for asked in part.words)
    ]


def _distance(span: str, sentence: str, places: Sequence[re.Match[str]]) -> int:
    """Characters between `span` and the nearest of `places`."""
    start = sentence.find(span)
    end = start + len(span)
    return min(
        (
            min(abs(word.start() - end), abs(start - word.end()))
            for word in places
            if not start <= word.start() < end
        ),
        default=len(sentence),
    )


def _named_beside(part: Part, sentence: str) -> str | None:
    """What `sentence` names next to the noun asked for: "project is OPS", "exponential backoff"."""
    words = tokens(sentence)
    head = stem(part.head[-1])
    asked = {stem(word) for word in part.words}
    for at, word in enumerate(words):
        if stem(re.split("[=:]", word)[0]) != head:
            continue
        if value := _VALUE.search(word):
            return value.group(1)
        after = [near for near in words[at + 1 : at + 5] if near.casefold() not in _LINKS]
        before = words[max(0, at - 1) : at] if not part.wants_proper_name else []
        for near in (*after[:1], *before):
            if stem(near) not in asked and _looks_like_a_name(near, words):
                return near
        if any(content_words(word) and stem(word) not in asked for word in before):
            return ""
    return None


def _looks_like_a_name(word: str, words: Sequence[str]) -> bool:
    if is_name_like(word):
        return True
    return word[:1].isupper() and word != words[0] and word[:2] not in ("I", "I'")


def is_old(span: str, sentence: str) -> bool:
    at = sentence.find(span)
    before, after = sentence[:at], sentence[at + len(span) :]
    return bool(_BEFORE_OLD.search(before) or _AFTER_OLD.search(after))
