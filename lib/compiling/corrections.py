"""Corrections: messages that take an earlier fact back without stating a whole new one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from lib.compiling.grammar import Voice, sentence_case
from lib.compiling.lexicon import find_tools
from lib.compiling.phrases import CAP, DATE
from lib.compiling.sentences import QUOTE_MARK, Sentence, plain, without_quotations
from lib.compiling.topics import tells_of_trouble
from lib.tokens import count_tokens

MAX_TOKENS = 60

_MARK = re.compile(
    r"(?i)\b(?:correction|typo|autocorrect\w*|misspel\w+|mis-?typed|(?:the|a) wrong|was wrong"
    r"|mixed (?:it|that|this|them|those|up)|my (?:bad|mistake)|out of date|outdated|obsolete"
    r"|(?:forget|ignore|scrap|disregard) (?:the (?:earlier|old|previous|first)|what i)"
    r"|rebooked|rescheduled|postponed|pushed (?:back|to)|brought forward|moved to|instead|slipped"
    r"|as of (?:today|now|this \w+|last \w+)|no longer|not (?:the |on |in )?[\w.]+[,;] (?:but "
    r"|it['’]s )?(?:the |on |in )?\w+"
    r"|quick fix to|these days|nowadays|from now on|has changed"
    r"|changed (?:to|from)|since (?:yesterday|(?:mon|tues|wednes"
    r"|thurs|fri|satur"
    r"|sun)day))\b"
)
_PLAINLY = re.compile(
    r"(?i)\b(?:correction|typo|wrong|mixed \w+ up|my (?:bad|mistake)|out of date|outdated|forget"
    r"|ignore)\b"
)
_OVER = re.compile(
    r"(?i)\b(?:no longer|not\b.*\bany ?more|dropped|ditched|scrapped?|scratch|gone|got rid of"
    r"|retired"
    r"|replaced|instead of|rather than|changed my mind|change of plan|cancelled|canceled|called off"
    r"|used to be|is over|gave up|giv(?:en|ing) up|quit|sold|broke up|died|passed away|stopped"
    r"|moved (?:away|out|off|on)? ?from|switched (?:away )?from|out of|left|wiped|swapped|traded"
    r"|turned out (?:not )?to be|was a lie|forget|not true|isn['’]t (?:right|true)|misremembered"
    r"|meant|not (?:a |an |in |at |on |with )?\w+[,;:–—-])\b"
)
_SPELLING = re.compile(
    r"(?i)\b(?:typo|autocorrect\w*|misspel\w+|mis-?typed|spelled|spelt|with an? [a-z]\b|one [a-z]\b"
    r"|i meant?)"
)
_COUNT = re.compile(
    r"(?i)\b(?:that['’]?s|that makes|now|makes it|we['’]re (?:at|now)|i['’]m (?:at|up to))"
    r" (?P<count>one|two|three|four|five|six|seven|eight|nine|ten|\d+) (?P<noun>[a-z]+)"
)
_UNSURE = re.compile(r"(?i)\b(?:if|would|might|maybe|perhaps|should|could|wonder\w*)\b")
_NUMBER = re.compile(r"\d")
_STOP = frozenset(
    [
        "user",
        "users",
        "team",
        "uses",
        "with",
        "from",
        "have",
        "that",
        "this",
        "their",
        "they",
        "them",
        "which",
        "runs",
        "says",
        "said",
        "called",
        "lives",
        "works",
        "used",
        "name",
        "date",
        "tool",
        "limit",
        "people",
        "is",
        "are",
        "the",
        "on",
        "in",
        "at",
        "of",
        "for",
        "and",
    ]
)
_SAME = {
    "os": "operating system", "db": "database", "ide": "editor", "hosted": "hosting",
    "hosts": "hosting", "cloud": "hosting", "pipeline": "ci", "budget": "limit",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Correction:
    """What holds instead of the fact in `slot`."""

    slot: str
    content: str


def find_correction(
    sentences: Sequence[Sentence], held: Mapping[str, str], voice: Voice, *, has_facts: bool = False
) -> Correction | None:
    """The correction in a message of one of the facts `held` (contents by slot), if there is one.

    Only where the words tell which fact is meant, and a value of its kind is there. With
    `has_facts` the message states facts of its own, so that a mere "no longer" belongs to those.
    """
    said = [s for s in sentences if not s.asks and not _UNSURE.search(s.text)]
    if not said or not held:
        return None
    return (
        _respelled(said, held)
        or _recounted(said, held, voice)
        or (None if has_facts else _ended(said, held, voice))
        or _replaced(said, held, voice)
    )


def _respelled(said: Sequence[Sentence], held: Mapping[str, str]) -> Correction | None:
    text = " ".join(sentence.text for sentence in said)
    if not _SPELLING.search(text):
        return None
    for name in re.findall(rf"(?:(?<=\w )|(?<=['’]s )){CAP}\w{{2,}}", text):
        for slot, content in held.items():
            for word in re.findall(rf"{CAP}\w{{2,}}", content):
                alike = SequenceMatcher(None, word.lower(), name.lower()).ratio()
                if word != name and alike >= 0.7 and name not in content:
                    return Correction(slot, content.replace(word, name))
    return None


def _recounted(
    said: Sequence[Sentence], held: Mapping[str, str], voice: Voice
) -> Correction | None:
    for sentence in said:
        for match in _COUNT.finditer(sentence.text):
            slot = f"has:{match['noun'].lower().rstrip('s')}"
            if slot in held:
                content = f"{voice.subject} has {match['count'].lower()} {match['noun']}"
                return Correction(slot, sentence_case(content))
    return None


def _ended(said: Sequence[Sentence], held: Mapping[str, str], voice: Voice) -> Correction | None:
    """The fact whose value is named together with words that it is over."""
    for number, sentence in enumerate(said):
        if not _OVER.search(sentence.text) or tells_of_trouble(sentence.text):
            continue
        if QUOTE_MARK in without_quotations(sentence.text):
            continue
        words = _words(sentence.text)
        named = {
            slot: len(words & value)
            for slot, content in held.items()
            if (value := _values(content)) and 2 * len(words & value) >= len(value)
        }
        most = max(named.values(), default=0)
        best = [slot for slot, count in named.items() if count == most]
        if most and len(best) == 1:
            return _quoting(best[0], said[number : number + 2], held[best[0]], voice)
    return None


def _replaced(said: Sequence[Sentence], held: Mapping[str, str], voice: Voice) -> Correction | None:
    marked = next((n for n, sentence in enumerate(said) if _MARK.search(sentence.text)), None)
    if marked is None:
        return None
    text = " ".join(plain(sentence.text) for sentence in said[max(0, marked - 1) : marked + 3])
    if QUOTE_MARK in without_quotations(text) or "[masked" in text:
        return None
    words = _words(text)
    plainly = _PLAINLY.search(text) is not None
    scores = {
        slot: len(words & _words(f"{content if plainly else _topic(content)} {slot}"))
        for slot, content in held.items()
        if _has_value_for(slot, text, content)
    }
    most = max(scores.values(), default=0)
    best = [slot for slot, score in scores.items() if score == most]
    if len(best) != 1:
        return None
    dates = [slot for slot in held if slot.startswith("date:")]
    if most == 0 and not (best == dates and re.search(r"(?i)\b(?:rebooked|rescheduled)\b", text)):
        return None
    return _quoting(best[0], said[marked : marked + 3], held[best[0]], voice)


def _quoting(slot: str, said: Sequence[Sentence], content: str, voice: Voice) -> Correction | None:
    about = re.match(r"(?P<what>.{3,60}? ?['’]s .{2,60}?) (?:is|are|opens|starts|ends)\b", content)
    head = f"On {about['what'][0].lower()}{about['what'][1:]}, " if about else ""
    head = (
        head.replace("On the user's", "On their own") if head.startswith("On the user's") else head
    )
    for size in range(len(said), 0, -1):
        inner = " ".join(plain(sentence.text) for sentence in said[:size]).replace('"', "'")
        told = sentence_case(f'{head}{voice.subject} said as a correction: "{inner.rstrip(" .")}"')
        if count_tokens(told) <= MAX_TOKENS:
            return Correction(slot, told)
    return None


def _has_value_for(slot: str, text: str, content: str) -> bool:
    """True when `text` names something that could take the place of what `content` says."""
    family = slot.partition(":")[0]
    if family == "date":
        return DATE.search(text) is not None
    if family in {"limit", "team size", "age", "has"}:
        return _NUMBER.search(text) is not None
    names = [tool.value for tool in find_tools(text)]
    names += re.findall(rf"(?<=[a-z,] )(?:\w+ )?{CAP}\w+", text)
    known = content.lower()
    return any(name.lower() not in known for name in names)


def _values(content: str) -> set[str]:
    """The words of a fact after its verb."""
    return _words(content) - _words(_topic(content))


def _topic(content: str) -> str:
    """What a fact is about: the words before its verb."""
    return re.split(r" (?:is|are|uses|keeps|stores|runs|has|lives|deploys|hosts)\b", content)[0]


def _words(text: str) -> set[str]:
    found = set(re.findall(r"[a-z][a-z0-9]+", text.lower()))
    found |= {part for word in found if word in _SAME for part in _SAME[word].split()}
    stems = {
        word.removesuffix("s") for word in found if len(word) > 3 or word in {"ci", "os", "api"}
    }
    return stems - _STOP
