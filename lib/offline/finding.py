"""Finding: which note answers a question, or that none does."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lib.offline.answer_kind import OWN_NAME, AnswerKind, spans
from lib.offline.asking import Part
from lib.offline.extracting import answer_in, is_old
from lib.offline.notes import Note, Passage, Source
from lib.offline.words import is_name_like, match, stem, stems, weight

Similarity = Callable[[str, Sequence[str]], Sequence[float]]
"""How near in meaning each text is to a question, 0 to 1."""

MIN_COVERAGE = 0.68
"""Share of the question's words, by weight, that an answer and its surroundings must have."""
MIN_COVERAGE_OF_REASON = 0.62
"""The same for how and why: an explanation has words of its own."""
_FROM_CONTEXT = 0.85
"""What a word is worth that stands beside the answering sentence, not in it."""
_FROM_OTHER_PART = 0.6
"""The same between a problem and its solution, whoever said which."""
_VERB_WEIGHT = 1.5
_SIMILARITY_POINTS = 0.3
_CURRENT_POINTS = 0.15
_OUTDATED_POINTS = -0.6
_GUESS_POINTS = -0.3
_CHANGE_POINTS = 0.4

_SOURCE_POINTS = {
    Source.CONVERSATION: 0.35,
    Source.PROFILE: 0.25,
    Source.ARTIFACT: 0.1,
    Source.PROCEDURE: 0.1,
    Source.INTERACTION: 0.05,
    Source.SUMMARY: 0.05,
}
_REASON_POINTS = {Source.PROCEDURE: 0.2, Source.INTERACTION: 0.1, Source.SUMMARY: -0.1}
_SELDOM_REASONS = frozenset({Source.PROFILE, Source.ARTIFACT})
_QUOTED_SENTENCES = 4
_TELLS_ALL = 0.7
_COMPARES = re.compile(
    r"(?i)\b(?:differ\w*|in common|compared?)\b|\bwhy (?:did|do|have) (?:i|we) (?:choose|chose"
    r"|pick|leave|left"
    r"|drop|move|decide)\b"
)
_CURRENT = re.compile(
    r"\b(?:now|since|these days|currently|as of|at the moment|today|by now"
    r"|(?:moved|switched|changed|migrated) (?:back |over )?(?:to|from)|went back|going with)\b",
    re.IGNORECASE,
)
_ASKED = re.compile(r"^(?:[\w-]+ )?(?:asked|also asked|then asked|wondered)\b")
_NICETY = re.compile(
    r"^(?:good|great|nice|noted|congratulations|sure)\b.{0,12}[.!]$", re.IGNORECASE
)
_RETURNED = re.compile(r"\b(?:back to|returned to|again)\b", re.IGNORECASE)
_REASON = re.compile(
    r"\b(?:fix(?:ed|es)?|solved?|solves|work(?:s|ed)|helped|because|thanks to|did it|turned out"
    r"|turns out|the reason|cause[ds]?|instead|went (?:back|from)|due to|so that|that was it"
    r"|deployed)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Found:
    """An answer: what to quote from which note, and the words in it that are the answer."""

    note: Note
    passage: Passage
    quote: str
    answer: str
    score: float


def find(part: Part, notes: Sequence[Note], *, similarity: Similarity | None = None) -> list[Found]:
    """Answers to `part`, best first; empty when the notes hold none."""
    if not part.words and part.kind is not OWN_NAME:
        return []
    nearness = similarity(part.text, [note.text for note in notes]) if similarity else None
    found: list[Found] = []
    for index, note in enumerate(notes):
        extra = _SIMILARITY_POINTS * nearness[index] if nearness else 0.0
        found.extend(_reasons(part, note, extra) if part.explains else _facts(part, note, extra))
    if part.kind is not None:
        found = _in_time(part, part.kind, found, notes)
    return sorted(found, key=lambda item: (-item.score, item.note.position))


def coverage(
    part: Part,
    local: frozenset[str],
    context: frozenset[str],
    *,
    holds_answer: bool,
    beside: float = _FROM_CONTEXT,
) -> float:
    """Share of the question's words found, by weight; 0 when a name or identifier is missing.

    Words of the `context` count `beside`.
    """
    total = got = 0.0
    implied = part.kind.implied if part.kind and holds_answer else frozenset[str]()
    # "How should I count tokens": most of all, the answer must be about counting.
    solid = next((word for word in part.words if weight(word) >= 1), "")
    for word in part.words:
        share = max(match(word, local), beside * match(word, context))
        if not share and stem(word) in implied:
            share = 0.8
        if not share and _has_alternative(word, part, local | context):
            continue
        if not share and _is_indispensable(word, part.text):
            return 0.0
        points = weight(word)
        if part.explains and word == solid:
            points *= _VERB_WEIGHT
        total += points
        got += points * share
    return got / total if total else 1.0


def _facts(part: Part, note: Note, extra: float) -> list[Found]:
    found: list[Found] = []
    context = stems(note.text)
    for passage in note.passages:
        # What the assistant said about a person is a guess of its own.
        if passage.speaker == "assistant" and part.is_personal:
            continue
        for sentence in passage.clauses if note.source is Source.SUMMARY else passage.sentences:
            if sentence.endswith("?") or _ASKED.search(sentence):
                continue
            answer = answer_in(part, sentence)
            if answer is None:
                continue
            local = stems(sentence)
            share = coverage(part, local, context, holds_answer=True)
            # A sentence beside the one with the words of the question does not answer it.
            if share < MIN_COVERAGE or not (answer or any(match(w, local) for w in part.words)):
                continue
            score = share + extra + _SOURCE_POINTS.get(note.source, 0.0)
            score += _CURRENT_POINTS if _CURRENT.search(sentence) else 0.0
            score += _GUESS_POINTS if passage.speaker == "assistant" else 0.0
            found.append(Found(note, passage, sentence, answer, score))
    return found


def _reasons(part: Part, note: Note, extra: float) -> list[Found]:
    share = _reason_coverage(part, note)
    if share < MIN_COVERAGE_OF_REASON:
        return []
    score = share + extra + _REASON_POINTS.get(note.source, 0.0)
    # What the person said is mostly the problem again; the reply holds the reason, unless it has
    # none of the words and the person's own has them all.
    for passage in sorted(note.passages, key=lambda passage: _order(part, passage)):
        said = [
            sentence
            for sentence in passage.sentences
            if not sentence.endswith("?") and not _NICETY.match(sentence)
        ]
        whole = passage.speaker == "user" and _order(part, passage) < 0
        if (passage.speaker == "user" and not whole) or note.source in _SELDOM_REASONS:
            said = [sentence for sentence in said if _REASON.search(sentence)]
        if said:
            return [Found(note, passage, " ".join(said[:_QUOTED_SENTENCES]), "", score)]
    return []


def _order(part: Part, passage: Passage) -> int:
    if passage.speaker != "user":
        return 0
    if not _COMPARES.search(part.text):
        return 1
    found = stems(passage.text)
    share = coverage(part, found, found, holds_answer=False)
    return -1 if share >= _TELLS_ALL and len(passage.sentences) > 1 else 1


def compares(part: Part) -> bool:
    """True for a question about two things, which one sentence seldom answers."""
    return _COMPARES.search(part.text) is not None and sum(map(is_name_like, part.words)) > 1


def is_current(text: str) -> bool:
    """True for a text that says since when something is so."""
    return _CURRENT.search(text) is not None


def _reason_coverage(part: Part, note: Note) -> float:
    context = stems(note.text)
    if note.source is Source.PROCEDURE:
        # "When the job dies with HTTP 429: …": what it is for stands before the colon.
        texts = [note.text.partition(": ")[0]]
    else:
        texts = [passage.text for passage in note.passages]
    return max(
        coverage(part, stems(text), context, holds_answer=False, beside=_FROM_OTHER_PART)
        for text in texts
    )


def _in_time(
    part: Part, kind: AnswerKind, found: Sequence[Found], notes: Sequence[Note]
) -> list[Found]:
    """`found` with values that some note calls replaced marked down, or, if asked for, kept."""
    replaced = {
        span.casefold()
        for note in notes
        for passage in note.passages
        for sentence in passage.sentences
        for span in spans(kind, sentence)
        if is_old(span, sentence)
    }
    if part.wants_previous:
        return [
            # The sentence that tells of the change says best that this is the old value.
            replace(item, score=item.score + _CHANGE_POINTS)
            if is_old(item.answer, item.quote)
            else item
            for item in found
            if item.answer.casefold() in replaced
        ]
    return [
        replace(item, score=item.score + _OUTDATED_POINTS)
        if item.answer.casefold() in replaced and not _RETURNED.search(item.quote)
        else item
        for item in found
    ]


def _has_alternative(word: str, part: Part, found: frozenset[str]) -> bool:
    """True when `word` stands in "tabs or spaces" and the other one is there."""
    pairs = [pair for pair in part.alternatives if word in pair]
    return any(match(other, found) > 0 for pair in pairs for other in pair if other != word)


def _is_indispensable(word: str, question: str) -> bool:
    """True for what no other word can stand for: identifiers, and names inside a question."""
    if is_name_like(word):
        return True
    return word[:1].isupper() and not question.lstrip("\"'“ ").startswith(word)
