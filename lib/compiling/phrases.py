"""Phrases: names, places, dates and where an object ends, inside a clause."""

import re

CAP = r"[A-ZÀ-ÖØ-ÞĀĆČĎĐĒĘĚĞĪİĶŁŃŇŌŐŒŘŚŞŠŤŪŮŹŻŽ]"
NAME = (
    rf"{CAP}[\w'’.&-]*[\w+](?:(?: (?:of|de|da|do|del|della|di|la|le|van|von|der|den|bin"
    rf"|al|el|the|&))* {CAP}[\w'’.&-]*[\w+]| \d+\b)*"
)
"""A proper name of one or more words."""

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|(?-i:May)|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_WEEKDAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"
_ABSOLUTE = (
    rf"(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}(?:,? \d{{4}})?"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?"
    rf"|{_MONTH} \d{{4}}|\d{{4}}-\d\d-\d\d|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}|Q[1-4](?: \d{{4}})?"
    rf"|(?:the )?(?:end|start|beginning|middle) of (?:{_MONTH}|Q[1-4]|20\d\d)|(?:mid"
    rf"|late|early)[- ]{_MONTH}|(?:Easter|Christmas|New Year|Thanksgiving|Ramadan|Diwali"
    rf"|Hanukkah)\b"
    rf"|{_MONTH})"
)
_RELATIVE = (
    rf"(?:(?:next|this|coming) (?:week|month|year|quarter|spring|summer|autumn|fall"
    rf"|winter|{_WEEKDAY})|tomorrow|tonight"
    rf"|in (?:a|an|one|two|three|four|five|six|seven|eight|ten|\d+) (?:days?|weeks?"
    rf"|months?|years?)|(?:the )?end of (?:the|this|next) (?:week|month|quarter|year)"
    rf"|{_WEEKDAY})"
)
DATE = re.compile(rf"\b(?:{_ABSOLUTE}|{_RELATIVE})", re.IGNORECASE)
RELATIVE_DATE = re.compile(rf"\b{_RELATIVE}\b", re.IGNORECASE)
_FIXED_DATE = re.compile(rf"\b{_ABSOLUTE}", re.IGNORECASE)

_TAIL = re.compile(
    r"(?i)(?:,\s*|\s+)(?:and (?:it|that|this|there|so|the|now)|so that|because|although"
    r"|though|since (?:it|that|the|this|i|we)|when|whenever|if|unless"
    r"|whereas|while|who|in case|just because|even though|as (?:it|that|they|this|you|i"
    r"|we)\b|until|before (?:i|we|it|you)\b|keep (?:that|this) in mind|bear with me"
    r"|please|thanks|right|you know|i mean|than (?:i|we)|like (?:you|i|we)|that (?:is"
    r"|was|you|i|we|it)|which (?:is|was|i|we|you|means|makes|it)|(?:it|this|that"
    r"|they) (?:is|are|was|has|works?|makes?))\b.*$"
)
_CONDITION = re.compile(r"(?i)[,\s]*(?:when|whenever|if|unless|while|until)\b")
_COMMA = re.compile(r",\s+(?!(?:an?|the)\s)")
_LIST_REST = re.compile(r"^[^,]{1,40}(?:, [^,]{1,40})*,? (?:and|or) [^,]+$")
_HAS_YOU = re.compile(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)
_WEAK = re.compile(
    r"(?i)^(?:it|this|that|these|those|them|him|her|one|ones|some|any|something"
    r"|anything|everything|nothing|both|the (?:first|second|third|last|latter|former"
    r"|same|other|above|one)|your|you|how|what|when|where|why|either|all of (?:it|them"
    r"|this|that))\b"
)

MAX_OBJECT_WORDS = 26


def trim(text: str) -> str:
    """The object of a clause without what only trails; empty when nothing clear is left."""
    tail = _TAIL.search(text)
    if tail is not None and _CONDITION.match(tail[0]):
        return ""
    body = (text[: tail.start()] if tail else text).strip(" ,")
    comma = _COMMA.search(body)
    while comma is not None:
        if _LIST_REST.match(body[comma.end() :]) and len(body[: comma.start()].split()) <= 9:
            break
        body = body[: comma.start()]
        comma = _COMMA.search(body)
    if _HAS_YOU.search(body) or len(body.split()) > MAX_OBJECT_WORDS:
        return ""
    return body.strip(" ,.;:")


def without_time(text: str) -> str:
    """`text` without "two weeks ago", "last month" and the like at its end."""
    return _TIME.sub("", text).strip(" ,")


_TIME = re.compile(
    r"(?i)[, ]+(?:(?:a|one|two|three|four|five|six|\d+|some|several|a few) (?:days?"
    r"|weeks?|months?|years?) ago|(?:last|this|over the|at the) (?:week|month|year"
    r"|weekend|spring|summer|autumn|fall|winter|quarter)"
    r"|yesterday|today|recently|in (?:january|february|march|april|may|june|july|august"
    r"|september|october|november|december)(?: \d{4})?|since (?:then|last \w+|this \w+)"
    r"|a while ago|for good|completely|entirely)\W*$"
)


def is_weak(text: str) -> bool:
    """True when `text` starts with a word that points at something said elsewhere."""
    return bool(_WEAK.match(text))


def is_proper(text: str) -> bool:
    """True when `text` starts with a capital letter."""
    return re.match(CAP, text) is not None


def is_relative_date(text: str) -> bool:
    """True when a date in `text` is only clear to who knows the day it was said."""
    return RELATIVE_DATE.search(text) is not None and _FIXED_DATE.search(text) is None


def key(text: str) -> str:
    """`text` as part of a slot: lower case, no articles, no punctuation."""
    words = re.sub(r"[^\w\s.+#-]", " ", text.lower()).split()
    return " ".join(
        w for w in words if w not in {"the", "a", "an", "my", "our", "all", "of", "their"}
    )
