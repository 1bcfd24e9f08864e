"""Excerpts: whole passages that speak of what was asked, where no single sentence answers it."""

import re
from collections.abc import Sequence

from lib.offline.answer_kind import HOME, MONEY, OWN_NAME, PERSON, PREFERENCE, spans
from lib.offline.asking import Part
from lib.offline.finding import Found, Similarity, is_current
from lib.offline.notes import Note, Passage, Source
from lib.offline.words import is_name_like, match, stem, stems, weight

MIN_COVERAGE = 0.6
"""Share of the question's words, by weight and rarity, that an excerpt must have."""
MIN_PLAIN_COVERAGE = 0.5
"""The same by weight alone, so that one rare word does not answer for all."""
_STRICT = (OWN_NAME, PERSON, PREFERENCE, HOME, MONEY)
"""What must be said in so many words: nothing near it will do."""
_CURRENT_POINTS = 0.1
_NAME = re.compile(
    r"(?<=[^.!?\s] )(?:[A-ZÀ-Þ][\w.-]*[A-Za-zÀ-ÿ][\w.-]*(?:['’]s)?|`[^`]+`|[a-z]+[A-Z]\w*"
    r"|[\w-]+\.(?:io|com|net)\b)"
)
_TICKET = re.compile(r"[A-Z]+-\d+")
MAX_EXCERPTS = 2
_CLOSE = 0.12
_QUOTED_SENTENCES = 4
_SIMILARITY_POINTS = 0.3
_SOURCE_POINTS = {Source.PROFILE: 0.05, Source.INTERACTION: 0.03}


def excerpts(
    part: Part, notes: Sequence[Note], *, similarity: Similarity | None = None
) -> list[Found]:
    """At most two passages of `notes` that have nearly all words of the question, best first."""
    words = [word for word in part.words if weight(word) > 0]
    if len(words) < 2 or part.wants_proper_name or part.kind in _STRICT:
        return []
    found_in = [stems(note.text) for note in notes]
    rarity = {
        word: (1 + sum(match(word, found) > 0 for found in found_in)) ** -0.5 for word in words
    }
    nearness = similarity(part.text, [note.text for note in notes]) if similarity else None
    found: list[Found] = []
    for index, note in enumerate(notes):
        share = _share(words, found_in[index], rarity)
        plain = _share(words, found_in[index], dict.fromkeys(words, 1.0))
        if share < MIN_COVERAGE or plain < MIN_PLAIN_COVERAGE or _lacks(part, found_in[index]):
            continue
        score = share + _SOURCE_POINTS.get(note.source, 0.0)
        score += _SIMILARITY_POINTS * nearness[index] if nearness else 0.0
        quote = _window(words, note, rarity, is_personal=part.is_personal)
        if quote and _can_answer(part, quote[1]):
            score += _CURRENT_POINTS if is_current(quote[1]) else 0.0
            found.append(Found(note, quote[0], quote[1], "", score))
    found.sort(key=lambda item: (-item.score, item.note.position))
    return [item for item in found[:MAX_EXCERPTS] if item.score > found[0].score - _CLOSE]


def _can_answer(part: Part, quote: str) -> bool:
    """True when there is a value of the kind asked for, or a name where one is asked for."""
    if part.kind is not None:
        return bool(spans(part.kind, quote))
    if not part.wants_name:
        return True
    asked = {stem(word) for word in part.words}
    names = [name for name in _NAME.findall(quote) if not _TICKET.fullmatch(name.strip(".:,"))]
    return any(
        stem(name.strip("`.")) not in asked for name in names if not name.endswith(("'s", "’s"))
    )


def _share(words: Sequence[str], found: frozenset[str], rarity: dict[str, float]) -> float:
    points = {word: weight(word) * rarity[word] for word in words}
    return sum(points[w] * match(w, found) for w in words) / (sum(points.values()) or 1.0)


def _lacks(part: Part, found: frozenset[str]) -> bool:
    """True when what was asked for by name is not there: an identifier, or the noun of "which"."""
    wanted = [word for word in part.words if is_name_like(word)]
    wanted += [word for word in part.head if weight(word) >= 1]
    wanted += [word for word in part.words if word[:1].isupper() and not part.text.startswith(word)]
    return any(not match(word, found) for word in wanted)


def _window(
    words: Sequence[str], note: Note, rarity: dict[str, float], *, is_personal: bool
) -> tuple[Passage, str] | None:
    """The sentences in a row, of one speaker, that have most of the words; no questions."""
    best: tuple[float, Passage, str] | None = None
    for passage in note.passages:
        # What the assistant said about a person is a guess of its own.
        if passage.speaker == "assistant" and is_personal:
            continue
        sentences = passage.sentences
        for start in range(len(sentences)):
            said = [s for s in sentences[start : start + _QUOTED_SENTENCES] if not s.endswith("?")]
            text = " ".join(said)
            share = _share(words, stems(text), rarity) if said else 0.0
            if share and (best is None or share > best[0] + 1e-9):
                best = (share, passage, text)
    return best[1:] if best else None
