"""What was asked: the intent of a message and the parts of a question."""

import re
from dataclasses import dataclass
from enum import Enum, auto

from lib.offline.answer_kind import HOW, PREFERENCE, WHY, AnswerKind, expected_kind
from lib.offline.words import content_words, stem, weight


class Intent(Enum):
    """What a message wants."""

    GREETING = auto()
    THANKS = auto()
    WHO_ARE_YOU = auto()
    ABOUT_ME = auto()
    LEFT_OFF = auto()
    WRITE = auto()
    STATEMENT = auto()
    QUESTION = auto()


@dataclass(frozen=True, slots=True)
class Part:
    """One question: its words that matter, and what would answer it."""

    text: str
    words: tuple[str, ...]
    kind: AnswerKind | None
    explains: bool
    """Asks how or why, so that several words of explanation answer it."""
    head: tuple[str, ...]
    """The noun asked for, as in "which payment provider"; empty where there is none."""
    counted: tuple[str, ...]
    """What "how many" asks to count."""
    counts_people: bool
    """Asks how many people there are, who are counted in many words."""
    alternatives: tuple[tuple[str, str], ...]
    """Pairs of words of which one is enough, as in "tabs or spaces"."""
    is_personal: bool
    """Asks about the person's own affairs."""
    wants_previous: bool
    """Asks for what was so before it changed."""
    wants_name: bool
    """Asks which one, or for a name, so that the answer is named beside the head."""
    wants_proper_name: bool
    """Asks for a name, so that no mere description answers."""


_POLITE = r"^\W*(?:please |now |ok(?:ay)?,? |so,? |and |(?:can|could|would) you (?:please )?)*"
_PATTERNS = (
    (
        Intent.GREETING,
        r"^\W*(?:hi|hello|hey|howdy|hiya|yo|greetings|good (?:morning|afternoon|evening|day))"
        r"(?: (?:there|again|all|everyone|you|bot|assistant))*\W*(?:how are you(?: \w+)?\W*)?$",
    ),
    (
        Intent.THANKS,
        r"^\W*(?:(?:ok(?:ay)?|great|perfect|cool|nice|good|awesome|got it|alright|super|wow)\W*)*"
        r"(?:(?:many |big )?thank(?:s| you)\b.{0,40}|thx|cheers|ty|bye|goodbye|see you.{0,12})?"
        r"\W*$",
    ),
    (
        Intent.WHO_ARE_YOU,
        r"^\W*(?:who|what) (?:exactly )?are you\b|^\W*are you (?:an? |really )?"
        r"(?:ai|llm|language model|model|bot|human|real|person|chatgpt|gpt)\b"
        r"|^\W*what can you do\b|^\W*help\W*$|^\W*what(?:'s| is) your name\b|^\W*how do you work\b",
    ),
    (
        Intent.ABOUT_ME,
        r"\b(?:know|remember|learn(?:ed|t)?|have|recall|say|tell me|got|summar\w+)\b.*"
        r"\babout (?:me|myself|us)\b|^\W*who am i\b|\bdescribe me\b|\bmy profile\b"
        r"|^\W*(?:tell me|everything|what) (?:do )?(?:you )?(?:know|remember)\W*$"
        r"|\babout (?:me|myself)\W*$",
    ),
    (
        Intent.LEFT_OFF,
        r"\b(?:leave|left|leaving|stop|stopped) off\b|\bwhere (?:were|are) we\b|\bcatch me up\b"
        r"|\brecap\b|\b(?:summar\w+|sum up)\b.*\b(?:last|previous|earlier|session|conversation|chat"
        r"|history|we|us|our|so far)\b"
        r"|\bwhat (?:were|was|did) (?:we|i) (?:\w+ )?(?:do|doing|discuss"
        r"|discussing|talk|talking|work|working|say|saying|cover)\b(?: (?:about|on))?"
        r"(?: (?:in )?(?:the |our |my )?(?:last|previous|yesterday|before|earlier).*)?\W*$"
        r"|\bpick up where\b|^\W*(?:let's )?(?:continue|go on|resume)\W*$",
    ),
    (
        Intent.WRITE,
        _POLITE + r"(?:help me (?:to )?)?(?:write|code|implement|generate|draft|refactor|translate"
        r"|compose|create|build|design|make|program|rewrite|debug|fix|optimi[sz]e)"
        r"\b(?! (?:sure|it))",
    ),
)
_INTENTS = tuple((intent, re.compile(pattern, re.IGNORECASE)) for intent, pattern in _PATTERNS)
_WRITE_FOR_ME = re.compile(
    r"\b(?:give|show|send) me (?:an?|some|the) (?:\w+ ){0,3}"
    r"(?:code|function|script|class|query|snippet|example|poem|email|test|regex|program)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?\s*$|^\W*(?:and |but |so |ok(?:ay)?,? |hey,? |please )*"
    r"(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|will"
    r"|would|should|shall|may|have|has|had|am|tell|show|list|give|remind|explain|describe|name"
    r"|summari[sz]e|recall|repeat|find|compare|define|translate|calculate)\b",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"\b(?:i|i'm|i've|we|we're|we've|my|our|me|us|mine|let's)\b|^\W*(?:remember|note) that\b",
    re.IGNORECASE,
)
_SPLIT = re.compile(
    r"(?:,? and|;|\?|,)\s+(?=(?:what|which|who|when|where|why|how|is|are|does|did|do)\b)",
    re.IGNORECASE,
)
_PREVIOUS = re.compile(
    r"\b(?:before|previous(?:ly)?|used to|formerly|earlier|originally|old|former|at first|initially"
    r"|in the past|back then)\b(?! (?:i|we|you|it|the|a|an|sending|my|our|\w+ing)\b)|\bused to\b",
    re.IGNORECASE,
)
_HEAD = re.compile(
    r"\b(?:which|what)(?:'s|\s+is|\s+are|\s+was)?\s+(?:the\s+|my\s+|our\s+|your\s+)?(?:name of\s+"
    r"(?:the\s+|my\s+|our\s+)?)?((?:[\w@.-]+\s+){0,2}?[\w@.-]+)\s*"
    r"(?=\b(?:do|does|did|is|are|was|were|have|has|had|will|should|would|can|could|am|of|for|in|on)\b"
    r"|\?|$)",
    re.IGNORECASE,
)
_WANTS_NAME = re.compile(
    r"^\W*(?:and )?which\b|\bnames? of\b|\bwhat (?:is|are|was)\b.*\b(?:called|named)\b",
    re.IGNORECASE,
)
_WANTS_PROPER_NAME = re.compile(r"\bnames? of\b|\bcalled\b|\bnamed\b", re.IGNORECASE)
_COUNTED = re.compile(
    r"\bhow many ((?!people|persons|members|of us|colleagues)[\w-]+)", re.IGNORECASE
)
_COUNTS_PEOPLE = re.compile(
    r"\bhow many (?:people|persons|members|of us|colleagues)\b"
    r"|\bhow (?:big|large) (?:is|was) (?:my|our|the) (?:\w+ )?(?:team|company|group|department)\b",
    re.IGNORECASE,
)
_ALTERNATIVES = re.compile(r"([\w-]+) or (?:the |a |an )?([\w-]+)", re.IGNORECASE)
_WORKING_ON = re.compile(r"\bworking on\b", re.IGNORECASE)
_PERSONAL = re.compile(r"\b(?:i|we|my|our|mine|ours)\b", re.IGNORECASE)
_REFERS_BACK = re.compile(
    r"\b(?:it|that|this|they|them|those|these|there)\b|^\W*(?:and|what about|how about)\b",
    re.IGNORECASE,
)


def intent_of(message: str) -> Intent:
    """What `message` wants."""
    text = " ".join(message.split())
    for intent, pattern in _INTENTS:
        if pattern.search(text):
            return intent
    if _WRITE_FOR_ME.search(text):
        return Intent.WRITE
    if not _ASKS.search(text) and _SAYS.search(text):
        return Intent.STATEMENT
    return Intent.QUESTION


def parts_of(message: str, *, before: str = "", names: frozenset[str]) -> list[Part]:
    """The questions in `message`; one that refers back takes over the words it refers to.

    `before` is the message before it, `names` the stems of the subject's own name.
    """
    text = _WORKING_ON.sub("building", " ".join(message.split()))
    pieces = [piece for piece in _SPLIT.split(text) if piece.strip()]
    parts: list[Part] = []
    carried = [word for word in content_words(before) if stem(word) not in names]
    for piece in pieces:
        words = [word for word in content_words(piece) if stem(word) not in names]
        solid = [word for word in words if weight(word) >= 1]
        if (_REFERS_BACK.search(piece) and len(solid) < 2) or (parts and not solid):
            words += [word for word in carried if word not in words]
        parts.append(_part(piece, tuple(words)))
        carried = words
    return parts


def _part(text: str, words: tuple[str, ...]) -> Part:
    head = _HEAD.search(text)
    counted = _COUNTED.search(text)
    return Part(
        text=text,
        words=words,
        kind=None if _explains(text) else expected_kind(text),
        explains=_explains(text),
        head=tuple(content_words(head.group(1))) if head else (),
        counted=tuple(content_words(counted.group(1))) if counted else (),
        counts_people=_COUNTS_PEOPLE.search(text) is not None,
        alternatives=tuple(_ALTERNATIVES.findall(text)),
        is_personal=_PERSONAL.search(text) is not None,
        wants_previous=_PREVIOUS.search(text) is not None,
        wants_name=bool(head) and _WANTS_NAME.search(text) is not None,
        wants_proper_name=_WANTS_PROPER_NAME.search(text) is not None,
    )


def _explains(text: str) -> bool:
    return not PREFERENCE.wants.search(text) and bool(WHY.search(text) or HOW.search(text))
