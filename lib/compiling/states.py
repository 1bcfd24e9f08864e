"""States: where a product or a team stands, in sentences about the thing itself."""

import re
from collections.abc import Iterator

from lib.compiling.clauses import Clause
from lib.compiling.facts import SAID_IN_PASSING, Fact
from lib.compiling.grammar import TEAM, Voice, conjugate, sentence_case
from lib.compiling.lexicon import find_tools
from lib.compiling.phrases import CAP, DATE, NAME, key
from lib.compiling.topics import tells_of_trouble

_SERVICE = (
    r"(?!(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|half|well|so|two|three|four)-)"
    r"[a-z]+-[a-z]+(?:-[a-z]+)*"
)
_PRODUCT = (
    r"(?-i:(?!(?:It|He|She|They|We|This|That|There|Here|What|Who|Everything|One|Two)\b)"
    rf"{CAP}\w+(?: \d+(?:\.\d+)*)?)"
)
_THING = (
    r"(?:(?:the|our|my) )?(?:production|prod|staging|stand-?ups?|releases?|on-?call|alerts"
    r"|all traffic"
    r"|all alerts|traffic|deploys?|deployments?|paging|everything|code freeze|freeze|offsite|retro"
    rf"|launch|solver|api|app|backend|frontend|ci|builds?|{_SERVICE}|{_PRODUCT})"
)
_REGION = re.compile(
    r"\b(?:eu|us|ap|sa|ca|me|af|il|mx)-(?:north|south|east|west|central|\w+)(?:east|west)?-\d\b"
)
_VALUE = re.compile(
    rf"\d\d?:\d\d|https?://|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b|\bv?\d+\.\d+"
    rf"|{_REGION.pattern}|(?<=[a-z] ){CAP}\w+"
)
_STATE = re.compile(
    rf"^(?P<what>{_THING}) (?:now )?(?P<verb>is|are|runs?|sits?|lives?|goes|go|pages?|page"
    rf"|changes hands)"
    r"(?: now)?(?P<prep> (?:on|in|at|with|through|to))? (?P<rest>.+)$",
    re.IGNORECASE,
)
_SHIFTS = re.compile(
    rf"^(?P<what>{_THING}|the {_PRODUCT} launch) (?:now )?(?:moves?|moved|shifts?|shifted"
    rf"|changes?|changed"
    r"|slips?|slipped)(?: from (?P<old>[\w:., -]{2,30}?))? to (?P<rest>.+)$",
    re.IGNORECASE,
)
_DATED = re.compile(
    rf"^(?P<what>{_PRODUCT}|the {_PRODUCT} launch|new date|the offsite"
    rf"|our offsite) (?P<verb>ships?|launches"
    r"|launched|goes live|went live|starts|is due|is|will be|opens) (?P<rest>.+)$"
)
_WE_RELEASE = re.compile(
    r"^we (?P<verb>release|ship|deploy|meet|release now) (?P<rest>(?:on|every) (?:\w+days?)\b.*)$"
)
_WE_RUN_IN = re.compile(
    r"^(?:we|everything|all) (?:runs?|sits?|are|is) (?:now )?in (?P<rest>\S+)(?P<more>.*)$"
)
_OWNS = re.compile(
    rf"^(?:(?i:from|since|as of|starting) [^,]{{2,30}}?,? )?(?P<who>I|{NAME}|he|she"
    rf"|they) (?:now )?(?:own|owns|keeps?|takes?|took(?: over)?|take over"
    rf"|takes over) (?P<what>{_SERVICE})\b"
    r"(?P<rest>.*)$"
)
_IS_OWNER = re.compile(
    rf"^(?P<who>I|{NAME}) (?:am"
    rf"|is) (?:now )?the (?:new )?owner of (?P<what>{_SERVICE})\b(?P<rest>.*)$"
)
_TAKES_OVER = re.compile(
    rf"^(?P<who>{NAME}) (?:joins|starts|begins|comes) .*?(?:and"
    rf"|,) takes (?P<what>{_SERVICE}) over\b"
    r"(?P<rest>.*)$"
)
_IS_MINE = re.compile(
    rf"^(?P<what>{_SERVICE}) (?:is mine|belongs to me|belongs to (?P<who>{NAME})"
    rf"|goes (?:from \w+ )?to me|goes (?:from \w+ )?to (?P<who2>{NAME}))\b(?P<rest>.*)$"
)
_OWNERS = (_OWNS, _IS_MINE, _TAKES_OVER, _IS_OWNER)
_AT_ONCE = re.compile(r"(?:on|in|at|due|planned|set|now|by|from|the \d|scheduled)\b")
_CARRIES = re.compile(
    rf"^(?P<tool>{NAME}) (?P<verb>carries|runs|replaces|serves|stores|handles"
    rf"|builds) (?P<rest>(?:all|the|our|every)\b.+)$"
)
_PIECES = re.compile(r"[:;,] (?:and )?")
_FROM_NOW = re.compile(r"(?i)^(?:from (?:today|tomorrow|now)(?: on)?|as of \w+|since \w+),? ")
_LIVE = re.compile(
    rf"^(?P<tool>{NAME}|[a-z]+(?: [a-z]+)?) (?:is|are|went|goes) (?:now )?(?:live"
    rf"|in production)\b(?P<rest>.*)$"
)
_ROLES = {"queue": " as the message queue", "ci": " as the CI system", "database": " as database"}
_MAX_WORDS = 24
_OPEN = re.compile(
    r"(?i)\b(?:it|this|that|these|those|here|there|fine|ok|okay|good|bad|green|red|down|up|slow|off"
    r"|again|today|yesterday|tomorrow|right|wrong|you)\b"
)
_TRAIL = re.compile(
    r"(?i),? (?:so that|because|so that|as of|since (?:this|last|eight|nine|then)|from now on"
    r"|effective|as planned"
    r"|so don|which|, and)\b.*$"
)


def read_state(text: str, clause: Clause, voice: Voice) -> Iterator[Fact | str]:
    """Where things stand: "Production is MySQL 8.0", "stand-up moves to 10:15"."""
    pieces = [text]
    if ": " in text or ", " in text:
        pieces += [piece for piece in _PIECES.split(text) if len(piece.split()) > 2]
    for piece in pieces:
        found = list(_read(piece, clause, voice))
        yield from found
        if found and piece is text:
            return


def _read(text: str, clause: Clause, voice: Voice) -> Iterator[Fact]:
    text = _FROM_NOW.sub("", text)
    if tells_of_trouble(_short(text)) or len(text.split()) > _MAX_WORDS:
        return
    if (
        match := _OWNS.match(text)
        or _IS_MINE.match(text)
        or _TAKES_OVER.match(text)
        or _IS_OWNER.match(text)
    ):
        yield from _owner(match, voice)
    elif match := _WE_RUN_IN.match(text):
        if region := _REGION.search(match["rest"]):
            content = sentence_case(f"{voice.who('we')} runs in {region[0]}")
            yield Fact(content, "stack", "region", region[0], change=True)
    elif match := _SHIFTS.match(text):
        yield from _shifted(match, voice)
    elif (match := _DATED.match(text)) and DATE.search(match["rest"]):
        yield from _dated(match, voice)
    else:
        yield from _read_use(text, clause, voice)


def _read_use(text: str, clause: Clause, voice: Voice) -> Iterator[Fact]:
    if match := _WE_RELEASE.match(text):
        verb = match["verb"].split()[0]
        content = f"{voice.who('we')} {conjugate(verb)} {_short(match['rest'])}"
        yield Fact(sentence_case(content), "plan", f"state:{verb}", key(match["rest"]), change=True)
    elif match := _CARRIES.match(text):
        tools = find_tools(match["tool"])
        if tools:
            content = f"{match['tool']} {match['verb']} {voice.shift(_short(match['rest']))}"
            slot = tools[0].kind if tools[0].single or tools[0].kind == "queue" else None
            yield Fact(sentence_case(content), "stack", slot, tools[0].value, change=clause.change)
    elif match := _LIVE.match(text):
        tools = find_tools(match["tool"])
        if tools and tools[0].start == 0:
            role = _ROLES.get(tools[0].kind, "")
            content = f"{voice.who('we')} uses {match['tool']}{role}"
            single = tools[0].single or tools[0].kind == "queue"
            slot = tools[0].kind if single else f"tool:{tools[0].value}"
            yield Fact(sentence_case(content), "stack", slot, tools[0].value, change=True)
    elif match := _STATE.match(text):
        yield from _stated(match, clause, voice)


def _owner(match: re.Match[str], voice: Voice) -> Iterator[Fact]:
    groups = match.groupdict()
    who = groups.get("who") or groups.get("who2") or "I"
    if (
        who in {"he", "she", "they"}
        or re.search(r"['’]", who)
        or (who == "I" and voice.name == TEAM)
    ):
        return
    owner = voice.subject if who == "I" else who
    content = f"{owner} owns {match['what']}"
    yield Fact(
        sentence_case(content), "role", f"team:owner {match['what']}", key(owner), change=True
    )


def _shifted(match: re.Match[str], voice: Voice) -> Iterator[Fact]:
    what, rest = match["what"], _short(match["rest"])
    if not (DATE.search(rest) or _VALUE.search(rest)):
        return
    date = DATE.search(rest) and "launch" in what.lower()
    noun = re.sub(r"^(?:the|our|my) ", "", what, flags=re.IGNORECASE)
    noun = noun.lower() if noun.lower() in _COMMON else noun
    old = f", moved from {match['old']}" if match["old"] else ""
    plural = "are" if noun.endswith("s") else "is"
    content = f"{voice.possessive} {noun} {plural} now on {rest}{old}"
    if re.match(r"\d", rest) and not DATE.match(rest):
        content = f"{voice.possessive} {noun} {plural} now at {rest}{old}"
    slot = f"date:{key(noun)}" if date else f"state:{_root(noun)}"
    yield Fact(sentence_case(content), "plan", slot, key(rest), change=True)


def _dated(match: re.Match[str], voice: Voice) -> Iterator[Fact]:
    rest = _short(match["rest"])
    date = DATE.search(rest)
    if date is None or "," in rest[: date.start()] or _OPEN.search(rest.replace(date[0], "")):
        return
    if match["verb"] in {"is", "will be"} and not _AT_ONCE.match(rest) and date.start() > 0:
        return
    what = match["what"]
    head = voice.tell(what) if re.match(r"(?i)(?:our|the) ", what) else what
    if what.lower() == "new date":
        return
    verb = match["verb"]
    slot = f"date:{key(what.removesuffix(' launch').removeprefix('the '))} launch"
    yield Fact(sentence_case(f"{head} {verb} {rest}"), "plan", slot, key(date[0]), change=True)


def _stated(match: re.Match[str], clause: Clause, voice: Voice) -> Iterator[Fact]:
    what, rest = match["what"], _short(match["rest"])
    prep = match["prep"] or ""
    tools = find_tools(rest)
    near = tools and tools[0].start <= 12
    if not rest or _OPEN.search(rest) or re.match(r"(?i)\w+ing\b", rest):
        return
    named = _VALUE.search(f"x {rest}") and (prep or re.match(r"\W*\d|https?:", rest))
    if not near and not named:
        return
    noun = re.sub(r"^(?i:the|our|my) ", "", what)
    proper = re.match(rf"{CAP}", noun) and noun.lower() not in _COMMON
    head = noun if proper or re.fullmatch(_SERVICE, noun) else f"{voice.possessive} {noun.lower()}"
    slot = f"state:{_root(noun)}"
    value = key(rest)
    if region := _REGION.search(rest):
        slot, value = "region", region[0]
    elif near and tools[0].single and _is_whole(noun, proper=bool(proper)):
        slot, value = tools[0].kind, tools[0].value
    content = f"{head} {match['verb'].lower()}{prep} {voice.shift(rest)}"
    yield Fact(
        sentence_case(content),
        "stack",
        slot,
        value,
        confidence=SAID_IN_PASSING,
        change=clause.change,
    )


# fmt: off
_COMMON = frozenset(
    [
        "alerts", "build", "builds", "deploys", "everything", "freeze", "launch", "offsite",
        "on-call", "paging", "prod", "production", "release", "releases", "retro", "stand-up",
        "staging", "standup", "traffic",
    ]
)
# fmt: on


def _is_whole(noun: str, *, proper: bool) -> bool:
    """True for what a whole system is called, so that its database is the database."""
    return proper or noun.lower() in {"production", "prod", "everything", "all traffic"}


def _root(noun: str) -> str:
    return key(noun).removesuffix("s")


def _short(text: str) -> str:
    return _TRAIL.sub("", text).strip(" ,.;")
