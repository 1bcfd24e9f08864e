"""Words: the stems of a text, how much each matters, and which mean the same."""

import re
from collections.abc import Iterable
from functools import cache

_TOKEN = re.compile(r"[A-Za-z0-9À-ɏ](?:[\w@+#/]|[.:'’=-](?=\w))*|[^\W\d_]+")
_PART = re.compile(r"[^\W_]+")
_IDENTIFIER = re.compile(r"[\d@_/]|\w\.\w|[a-z][A-Z]|^[A-Z]{2,}")
_SPLIT_NOUN = re.compile(
    r"\b(roll|set|log|sign|back|front|data|code|time)[ -](out|up|in|end|base|zone)\b", re.I
)
_PLURAL_NUMBER = re.compile(r"^(\d+)s$")
_SUFFIXES = ("ations", "ation", "ings", "ing", "edly", "ed", "es", "s", "ly")

_FUNCTION_WORDS = """
list show gives gave
a about above after again all already also am an and any anyone anything are as at away back be
because been before behind being between both but by bye can cannot could currently d did do
does doing don done down during each either else ever every for from further get gets getting
give given go goes going gone got had has have having he her here hers him his how however i if
in instead into is isn it its itself just kind know known last lately later let ll m may maybe
me might mine more most much many my myself need needs no nor not now of off often ok okay on
once one only or other our ours out over own per please previously quite re really recall
remember remind right s same say said see she should so some somebody someone something still
such t tell than that the their theirs them then there these they thing things this those
though through times to today together told too toward under until up us use used user uses
using usually ve very via was way we well were what whatever when where whether which while who
whom whose why will with within without would yes yet you your yours yourself days exactly
actually originally first nowadays moment since present until
"""
STOPWORDS = frozenset(_FUNCTION_WORDS.split())
"""Words of the language, not of the matter."""

_VAGUE_WORDS = """
stand deal handle cause reason built sent made kept ran took held
one two three four five six seven eight nine ten time times word open happen fix solve
name call set get make do have want like try add keep put run take work choose chose pick find
thing stuff type sort way long big old new good best right main current time date number day
place person people happen mean about setup detail info information arrive
decide plan use insist send ask answer tool system app service really next due go create build
write written format version value
"""

_GROUPS = """
model llm gpt openai claude gemini
store keep save hold stored kept
build built
rebuild rebuilt
send sent
live reside residence based home city town moved
work employer company employed job employ firm
role job title position lead engineer developer occupation profession
bug problem issue error fail failure failing die crash broke broken wrong trouble
fix solve solution resolve repair cure remedy solved
like prefer preference favourite favorite rather love taste
answer reply response respond
format style layout bullet shape formatted written write
choose pick select decide settle going switch chose chosen picked decided
database db datastore postgres
deadline due
open launch start begin release rollout live
cost price budget spend pay expensive
month monthly
year yearly annual
week weekly
repo repository codebase code
measure metric distance
write written wrote
duplicate double twice
slow latency slowly
stop prevent avoid
framework library
language programming
cache caching cached
acknowledge ack acknowledgement
percent percentage
buy purchase
summary summarise summarize summaries
count tally
retry retries
colleague teammate coworker
boss lead
vacation holiday
auth authentication login
key token
car vehicle
phone telephone mobile
mail email
doctor physician
spouse husband wife partner
kid child children son daughter
photo picture image
begin start began
end finish
""".strip()


@cache
def stem(word: str) -> str:
    """The part that "lives", "live" and "living" share; coarse on purpose."""
    base = word.casefold().replace("’", "'").removesuffix("'s").strip("'")
    if _IDENTIFIER.search(base):
        return _PLURAL_NUMBER.sub(r"\1", base)
    if base.endswith("ies") and len(base) > 4:
        base = base[:-3] + "y"
    else:
        for suffix in _SUFFIXES:
            if base.endswith(suffix) and not base.endswith("ss") and len(base) - len(suffix) >= 3:
                base = base[: -len(suffix)]
                break
    if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "aeiouls":
        base = base[:-1]
    return base[:-1] if len(base) > 3 and base[-1] == "e" else base


def tokens(text: str) -> list[str]:
    """The words and identifiers of `text`, as written."""
    joined = _SPLIT_NOUN.sub(r"\1\2", text)
    return [token.rstrip(".:'’=-") for token in _TOKEN.findall(joined)]


def stems(text: str) -> frozenset[str]:
    """Every stem in `text`; an identifier counts whole and in parts."""
    found: set[str] = set()
    for token in tokens(text):
        found.add(stem(token))
        found.update(stem(part) for part in _PART.findall(token))
    return frozenset(found)


def content_words(text: str) -> list[str]:
    """The words of a question that its answer must have to do with, in order, once each."""
    kept: dict[str, None] = {}
    for token in tokens(text):
        parts = [token] if _IDENTIFIER.search(token) else _PART.findall(token)
        for part in parts:
            if part.casefold() not in STOPWORDS and len(part) > 1:
                kept.setdefault(part)
    return list(kept)


def weight(word: str) -> float:
    """How much it tells that a text has this word: little for words that go with anything."""
    if is_name_like(word):
        return 1.5
    return 0.3 if stem(word) in _vague_stems() else 1.0


def is_name_like(word: str) -> bool:
    """True for identifiers and numbers, which nothing else can stand for."""
    return bool(_IDENTIFIER.search(word))


def match(word: str, found: Iterable[str]) -> float:
    """1 when `word` is among the stems `found`, 0.8 for another word of its meaning, else 0."""
    wanted = stem(word)
    present = frozenset(found)
    if wanted in present:
        return 1.0
    if is_name_like(word):
        return 0.0
    if _relatives().get(wanted, frozenset()) & present:
        return 0.8
    return 0.9 if any(_same_root(wanted, other) for other in present) else 0.0


def _same_root(one: str, other: str) -> bool:
    longest = max(len(one), len(other))
    shared = max(5, round(longest * 0.75))
    return longest >= shared and one[:shared] == other[:shared] and len(other) >= shared


@cache
def _vague_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in _VAGUE_WORDS.split())


@cache
def _relatives() -> dict[str, frozenset[str]]:
    related: dict[str, set[str]] = {}
    for line in _GROUPS.splitlines():
        group = {stem(word) for word in line.split()}
        for word in group:
            related.setdefault(word, set()).update(group - {word})
    return {word: frozenset(others) for word, others in related.items()}
