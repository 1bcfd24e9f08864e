"""Signatures: who writes in an account that several people share."""

import re
from collections.abc import Iterable, Sequence

from lib.compiling.lexicon import find_tools
from lib.compiling.phrases import CAP, DATE
from lib.compiling.sentences import Sentence, plain
from lib.compiling.words import WORDS

_FULL = rf"{CAP}[\w'’-]+(?: {CAP}[\w'’-]+)?"
_HELLO = (
    r"(?:(?:hi|hello|hey|grüezi|morning|good morning|evening)\b[,.! ]*(?:all|everyone|team)?"
    r"[,.! ]*)?"
)
_OPENS = re.compile(
    rf"^(?i:{_HELLO})(?:(?P<here>{_FULL}),? (?:here|speaking)\b|(?P<lower>[a-z]{{4,}}) here[.,:!]"
    rf"|(?P<alone>{_FULL})[.,:] )"
)
_SAYS = re.compile(
    rf"\b(?:I['’]m|I am|[Ii]t['’]s|[Ii]t is|[Tt]his is|[Mm]y name is"
    rf"|[Aa]nnouncement from) (?P<name>{_FULL})"
    r"(?=[.,;!]| by the way| from| speaking| here|$)"
)
_CLOSES = re.compile(
    rf"(?:[—–/] ?|\()(?P<name>{_FULL}|[A-Z](?:\. ?[A-Z])?)\.?\)?$"
    rf"|(?:^|[.!?] )(?P<bare>{_FULL}|[A-Z](?:\. ?[A-Z])?)(?: (?:out|signing off[\w ]*"
    rf"|over and out)|, blushing)?\.?$"
)
_ROSTER = re.compile(rf"(?P<name>{CAP}[\w'’-]+ {CAP}[\w'’-]+) \((?P<what>[^()]{{3,60}})\)")
_ROSTER_LEAD = re.compile(r"(?i)\b(?:of us|our team|the team|we are|colleagues?|crew|members)\b")
_SHARES = re.compile(
    r"(?i)\b(?:team|all of us|we all|everyone here) (?:will |all )*shares? (?:this|the) "
)
# fmt: off
_NO_NAME = frozenset([
    "anybody", "anyone", "because", "beginner", "everyone", "first", "newbie", "noob", "nothing",
    "right", "same", "something", "still", "thanks",
])
# fmt: on


def signer(sentences: Sequence[Sentence], names: Iterable[str]) -> str:
    """Who wrote a message, by how it begins or ends; empty where it does not say.

    A name alone, or an initial, counts only for one of the known `names`.
    """
    known = list(names)
    texts = [plain(sentence.text) for sentence in sentences]
    for text in texts[:1]:
        if (match := _OPENS.match(text + " ")) and (
            found := _opening(match.groupdict(default=""), known)
        ):
            return found
    for text in texts:
        if (match := _SAYS.search(text)) and (found := _named(match["name"], known, new=True)):
            return found
    for text in reversed(texts[-1:]):
        if match := _CLOSES.search(text):
            return _named(match["name"] or match["bare"], known, new=False)
    return ""


def roster(sentences: Sequence[Sentence]) -> list[tuple[str, str]]:
    """Names with what each does, where a message introduces a team: "Devika Rao (platform)"."""
    for sentence in sentences:
        found = [(m["name"], m["what"]) for m in _ROSTER.finditer(plain(sentence.text))]
        if len(found) >= 2 and not sentence.asks and _ROSTER_LEAD.search(sentence.text):
            return found
    return []


def is_shared(sentences: Sequence[Sentence]) -> bool:
    """True for a message that says the account is used by several people."""
    return any(_SHARES.search(sentence.text) for sentence in sentences)


def _opening(groups: dict[str, str], known: list[str]) -> str:
    if groups["here"]:
        return _named(groups["here"], known, new=True)
    if groups["lower"]:
        lower = groups["lower"]
        new = lower not in _NO_NAME and lower not in WORDS.ordinary
        return _named(lower.capitalize(), known, new=new)
    return _named(groups["alone"], known, new=False)


def _named(name: str, known: list[str], *, new: bool) -> str:
    """The full known name that `name` stands for; a new one as it is where that is allowed."""
    letters = re.sub(r"[^A-Za-zÀ-ÿ]", "", name)
    if len(letters) <= 2 and letters.isupper():
        initials = [each for each in known if _initials(each).startswith(letters)]
        return initials[0] if len(initials) == 1 else ""
    full = [each for each in known if each == name or name in each.split()]
    full = full or [each for each in known if len(name) >= 3 and each.startswith(name)]
    if full:
        return max(full, key=len)
    first = name.split()[0]
    shorter = [each for each in known if each == first]
    if shorter or not new:
        return name if shorter else ""
    ordinary = first in WORDS.not_names or find_tools(name) or DATE.match(name)
    return "" if ordinary or len(first) < 3 else name


def _initials(name: str) -> str:
    return "".join(word[0] for word in name.split())
