"""Voice: what a person says about themselves, told in the third person."""

import re
from dataclasses import dataclass

from lib.compiling.words import WORDS

_IRREGULAR = {"am": "is", "are": "is", "be": "is", "have": "has", "do": "does", "go": "goes"}
_ADVERBS = (
    "no longer|also|still|just|already|now|never|always|only|really|usually|often|then|actually"
    "|even|mostly"
    "|mainly|first|simply|currently|finally|probably|recently|both|all"
)
_CONTRACTIONS = (
    (re.compile(r"(?i)\bI['’]?m\b(?!['’])"), "I am"),
    (re.compile(r"(?i)\bwe['’]re\b"), "we are"),
    (re.compile(r"(?i)\bI['’]ve\b|\bIve\b"), "I have"),
    (re.compile(r"(?i)\bwe['’]ve\b"), "we have"),
    (re.compile(r"(?i)\bI['’]ll\b"), "I will"),
    (re.compile(r"(?i)\bwe['’]ll\b"), "we will"),
    (re.compile(r"(?i)\bI['’]d\b"), "I would"),
    (re.compile(r"(?i)\bwe['’]d\b"), "we would"),
    (re.compile(r"(?i)\bcan['’]?t\b|\bcannot\b"), "can not"),
    (re.compile(r"(?i)\bwon['’]t\b"), "will not"),
    (
        re.compile(
            r"(?i)\b(do|does|did|is|are|was|were|has|have|had|must|should|could|would)n['’]?t\b"
        ),
        r"\1 not",
    ),
    (re.compile(r"(?i)\b(name|it|that|there|what|here|deadline|budget)['’]s\b"), r"\1 is"),
)
_CONTRACTED = re.compile(r"['’]|\b(?:im|ive|dont|doesnt|cant|isnt|cannot)\b", re.IGNORECASE)
_PLURAL = {"am": "are", "was": "were"}
_FIRST_PERSON = re.compile(
    rf"\b(?P<who>I|we|We)\b(?:(?P<adverb>(?: (?:{_ADVERBS}))*) (?P<verb>[A-Za-z]+))?"
)
_PRONOUN = re.compile(
    r"\b(?:my own|our own|my|our|mine|ours|me|us|myself|ourselves)\b", re.IGNORECASE
)
_SHIFTED = {
    "my": "their", "our": "their", "mine": "theirs", "ours": "theirs", "me": "them", "us": "them",
    "myself": "themselves", "ourselves": "themselves",
    "my own": "their own", "our own": "their own",
}  # fmt: skip


def expand(text: str) -> str:
    """`text` with the contractions of the first person and of negation written out."""
    if _CONTRACTED.search(text):
        for pattern, full in _CONTRACTIONS:
            text = pattern.sub(full, text)
    return re.sub(r"\bi\b(?=[ ,.]|$)", "I", text)


def conjugate(verb: str) -> str:
    """The third person singular of a present form; modals and past forms are left alone."""
    lower = verb.lower()
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    if (
        lower in WORDS.modals
        or lower in WORDS.past
        or (lower.endswith("ed") and lower not in WORDS.not_past)
    ):
        return lower
    if re.search(r"[^aeiou]y$", lower):
        return lower[:-1] + "ies"
    return lower + ("es" if re.search(r"(?:s|x|z|ch|sh|o)$", lower) else "s")


def uncapitalised(text: str, *, seen: str = "") -> str:
    """`text` as it reads mid-sentence: with a small first letter unless a name begins it.

    A first word that `seen` holds in small letters is no name.
    """
    first, _, rest = text.partition(" ")
    word = first.rstrip(",:;")
    ordinary = word.lower() in WORDS.ordinary or (
        word[:1].isupper() and word[1:].islower() and (_ENDING.search(word) or "-" in word)
    )
    ordinary = ordinary or f" {word.lower()} " in seen
    if not ordinary or word == "I" or re.match(r"[A-Z][a-z]+\b", rest):
        return text
    return text[0].lower() + text[1:]


def sentence_case(text: str) -> str:
    """`text` as a sentence: one capital at the start, one full stop at the end."""
    body = text.strip().rstrip(" .,;:!?…")
    head = body[:1]
    # A name such as "bot/budget.py" or "pgvector" keeps its spelling only where it must.
    first = body.split(" ", 1)[0]
    keeps = any(char in first for char in "/_.()=@") or any(char.isdigit() for char in first)
    return f"{body if keeps else head.upper() + body[1:]}."


# Endings that names hardly ever have.
_ENDING = re.compile(r"(?:ed|ing|ly|ions?|ments?|ness|eval|ches|sses|ters|ages|sts|ves)$")


TEAM = "the team"
"""What those who share an account are called together."""


@dataclass(frozen=True, slots=True)
class Voice:
    """How the subject is called: by name where it is known, else "the user"."""

    name: str | None = None

    @property
    def subject(self) -> str:
        """The name, or "the user"."""
        return self.name or "the user"

    @property
    def possessive(self) -> str:
        """The name or "the user" as an owner."""
        return f"{self.subject}'s"

    def who(self, pronoun: str) -> str:
        """The noun for "I" or "we"."""
        if pronoun == "I" or self.name == TEAM:
            return self.subject
        return f"{self.possessive} team"

    def tell(self, sentence: str) -> str:
        """A sentence of the subject in the third person, by name."""
        told = re.sub(r"^(?:my|our)\b", self.possessive, sentence, flags=re.IGNORECASE)
        return self.shift(told)

    def shift(self, text: str) -> str:
        """Part of a sentence with the first person replaced, as it reads after the name."""
        told = _FIRST_PERSON.sub(self._noun_and_verb, expand(text))
        told = _PRONOUN.sub(lambda match: _SHIFTED[match[0].lower()], told)
        return told.replace("can not", "cannot")

    def relate(self, text: str) -> str:
        """`text` as it reads after "Alice asked" or "Alice reported that": with "they"."""
        told = re.sub(r"\b(?:I|[Ww]e) (am|was)\b", lambda m: f"they {_PLURAL[m[1]]}", expand(text))
        told = re.sub(r"\b(?:I|[Ww]e)\b", "they", told)
        told = _PRONOUN.sub(lambda match: _SHIFTED[match[0].lower()], told)
        return told.replace("can not", "cannot")

    def state(self, pronoun: str, verb: str, rest: str) -> str:
        """A sentence about the subject: its noun, `verb` conjugated, and `rest` shifted."""
        predicate = f"{conjugate(verb)} {self.shift(rest)}".strip()
        return sentence_case(f"{self.who(pronoun)} {predicate}")

    def _noun_and_verb(self, match: re.Match[str]) -> str:
        noun = self.who("I" if match["who"] == "I" else "we")
        if match["verb"] is None:
            return noun
        return f"{noun}{match['adverb']} {conjugate(match['verb'])}"
