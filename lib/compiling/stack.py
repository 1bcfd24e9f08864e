"""Stack: the tools a person states they use, moved to, or dropped."""

import re
from collections.abc import Iterator

from lib.compiling.clauses import Clause
from lib.compiling.facts import SAID_IN_PASSING, SAID_OUTRIGHT, Fact
from lib.compiling.grammar import Voice, conjugate, sentence_case
from lib.compiling.lexicon import Tool, find_tools
from lib.compiling.phrases import is_proper, is_weak, key, trim, without_time

_LED = re.compile(
    r"^(?P<lead>(?:at (?:work|home|my job|the office)|(?:for|in|on|inside|with) (?:my "
    r"|our |the |all |most )?(?:[\w.-]+ ?){1,4}?)),? (?=(?:I|we) )",
    re.IGNORECASE,
)
_USE = re.compile(
    r"^(?P<who>I|we) (?:(?:am|are|have been) )?(?P<adverb>(?:always|only|mainly|mostly"
    r"|usually|primarily) )?(?P<verb>use|using|run|running|deploy|deploying|host"
    r"|hosting|store|storing|keep|keeping|embed|embedding"
    r"|write|writing|code|coding|program|programming|develop|test|track|tracking|log"
    r"|monitor|serve|cache|format|lint|package|rely|query|build"
    r"|ship|work|working|stick|standardi[sz]ed on|settled on|going with|went with"
    r"|decided on|sticking with)(?= |$)(?P<rest>.*)$"
)
_ON = re.compile(r"^(?P<who>I|we) (?:am|are) (?:back )?on (?P<rest>.+)$")
_COMPONENT = (
    r"(?:(?:main|primary|current|production|whole|entire|new|default) )?(?:database|db"
    r"|backend|back end|frontend|front end|front-end|back-end|editor|ide|stack"
    r"|tech stack"
    r"|language|programming language|framework|web framework|orm|queue|message queue"
    r"|cache|shell|terminal|os|operating system|package manager|ci|ci pipeline|hosting"
    r"|cloud|cloud provider|hosting provider|model|embedding model|llm|vector store"
    r"|vector database|similarity measure|distance|metric|similarity metric"
    r"|search engine"
    r"|issue tracker|test framework|test runner|linter|formatter|build tool|bundler"
    r"|server|servers|app server|reverse proxy|api|mobile app|infrastructure|laptop"
    r"|machine"
    r"|phone|pipeline|data warehouse|warehouse|payment provider|auth|auth provider"
    r"|monitoring|logging|version control|services?|code ?base|project|app|site"
    r"|website)"
)
_IS = re.compile(
    rf"^(?P<own>my|our|the) (?P<what>{_COMPONENT}(?: (?:of|for"
    rf"|in) [\w -]+?)?) (?P<verb>is written|is built|is hosted|is deployed"
    rf"|is based|are written|are built|is|are|runs?|uses?) (?:still |now )?(?P<rest>.+)$",
    re.IGNORECASE,
)
_GOES = re.compile(
    r"^(?P<own>(?:all (?:of )?)?(?:my|our)|all"
    r"|everything) ?(?P<what>(?:[\w-]+ ){0,3}?)(?P<verb>go(?:es)?|lives?|sits?|runs?"
    r"|is stored|are stored|is hosted|is deployed|are deployed|are hosted|is kept"
    r"|are kept) (?P<prep>to|in|on|into) (?P<rest>.+)$"
)
_MOVE = re.compile(
    r"^(?P<who>I|we) (?:have )?(?:just |since |finally )?(?:moved|switched|migrated"
    r"|changed|converted|ported|transitioned|upgraded|went|gone|jumped|swapped|are back"
    r"|am back|started using)"
    r"(?P<thing> (?:(?:the|our|my|all|everything|most|its"
    r"|half)\b ?)(?:[\w-]+ ){0,3}?)?(?: ?(?:over|away|back))?"
    r"(?:(?: ?from (?P<old>.+?))?,? ?(?:back |over )?(?:in)?to (?P<new>.+)| ?from (?P<gone>.+))$"
)
_REPLACED = re.compile(
    r"^(?P<who>I|we) (?:have )?(?:replaced|swapped|swapped out|exchanged|ditched"
    r"|dropped) (?P<old>[^,]+?) (?:with|by|for|in favou?r of) (?P<new>.+)$"
)
_DROPPED = re.compile(
    r"^(?P<who>I|we) (?:have )?(?:(?:(?:dropped|ditched|removed|abandoned|retired"
    r"|scrapped|got rid of|gave up(?: on)?|stopped using|quit using|moved off"
    r"|moved away from|threw out|decommissioned|no longer use|no longer run"
    r"|no longer write|no longer need)\s+(?P<old>.+))"
    r"|(?:do not (?:use|run|write|need|work with"
    r"|deploy to) (?P<old2>.+?) any ?more\b.*)|(?:(?:am|are) (?:not using"
    r"|no longer using|no longer on|off) (?P<old3>.+)))$"
)
_INSTEAD = re.compile(r" instead of (?P<old>.+)$| rather than (?P<older>.+)$", re.IGNORECASE)
_PURPOSE = re.compile(
    r" (?:for|in|on|at|when|as) (?P<for>(?:the |my |our |all |most )?[\w -]{3,40})$"
)
_USE_FORMS = {
    "using": "use", "running": "run", "deploying": "deploy", "hosting": "host", "storing": "store",
    "keeping": "keep", "embedding": "embed", "writing": "write", "coding": "code",
    "programming": "program", "tracking": "track", "working": "work", "settled on": "use",
    "going with": "use", "went with": "use", "decided on": "use", "sticking with": "use",
    "standardized on": "use", "standardised on": "use",
}  # fmt: skip
_NOT_DROPPED = re.compile(r"\byet$|(?:\S+ ){8}")
_ENDS = re.compile(
    r"(?: ?v?[\d.]+)?(?:$| (?:from|for|in|on|as|and|because|altogether|completely)\b)"
)
_NEAR = 4
"""Characters that may stand before a tool that a statement is about: "the ", "our "."""
_NEEDS_TOOL_FIRST = frozenset(
    {"build", "test", "ship", "work", "cache", "query", "serve", "log", "monitor"}
)
_WITH_TOOL = re.compile(
    r"(?:with|in|on|for|mostly in|mainly in|(?:the \w+|everything) (?:with|in|on))\b"
)
_PASSING_USE = re.compile(
    r"(?:not|a lot|getting|into|out of|seeing|having|trying|an? (?:test|script|query|function|bug"
    r"|question|loop|regex))\b|.*\b(?:this|that|these|those|here|errors?|example|exercise"
    r"|tutorial)\b"
)
_TROUBLE = re.compile(
    r"(?:not|no longer|slow|down|broken|failing)\b|.*\b(?:is|are|was|has) (?:slow|down|broken)\b"
)
_ABOUT_TOOL = re.compile(
    r"(?i)^['’]?s?\s+(?:docs?|documentation|tutorial|example|guide|book|error|bug|issue"
    r"|blog|course|website|conference|meetup|repo|playground|logo|community|forum"
    r"|stickers?)\b"
)


def read_stack(text: str, clause: Clause, voice: Voice) -> Iterator[Fact | str]:
    """Tools in use: "We keep the vectors in Postgres 16", "my editor is Helix"."""
    lead = _LED.match(text)
    place = f" {lead['lead'][0].lower()}{lead['lead'][1:]}" if lead else ""
    text = text[lead.end() :] if lead else text
    if match := _USE.match(text):
        yield from _used(match, place, clause, voice)
    elif match := _ON.match(text):
        rest = trim(match["rest"])
        tools = find_tools(rest)
        if tools and tools[0].start == 0:
            yield Fact(
                voice.state(match["who"], "use", rest + place), "stack", *_slot(tools[0], place)
            )
    elif match := _IS.match(text):
        yield from _component(match, voice)
    elif match := _GOES.match(text):
        rest = trim(match["rest"])
        tools = find_tools(rest)
        if tools and tools[0].start <= _NEAR:
            what = match["what"].strip()
            noun = what or "project as a whole"
            content = (
                f"{voice.possessive} {noun} {match['verb']} {match['prep']} {voice.shift(rest)}"
            )
            yield Fact(sentence_case(content), "stack", *_slot(tools[0], what))


def read_change(text: str, _clause: Clause, voice: Voice) -> Iterator[Fact | str]:
    """Tools changed: "We moved from Postgres to CockroachDB", "we dropped Celery"."""
    if match := _DROPPED.match(text):
        old = without_time(trim(match["old"] or match["old2"] or match["old3"] or ""))
        tools = find_tools(old)
        if (
            tools
            and tools[0].start <= _NEAR
            and not _NOT_DROPPED.search(old)
            and _ENDS.match(old[tools[0].end :])
        ):
            content = f"{voice.who(match['who'])} no longer uses {voice.shift(old)}"
            family, _ = _slot(tools[0], "")
            yield Fact(sentence_case(content), "stack", family, "", tools[0].value, change=True)
        return
    match = _REPLACED.match(text) or _MOVE.match(text)
    if match is None:
        return
    groups = match.groupdict()
    new = _value(groups.get("new") or "")
    old = _value(groups.get("old") or groups.get("gone") or "")
    yield from _moved(match["who"], (groups.get("thing") or "").strip(), old, new, voice)


def _value(text: str) -> str:
    """What was moved from or to: without the time, and without a second action after "and"."""
    value = without_time(trim(text.partition(": ")[0]))
    head, joint, more = value.partition(" and ")
    return head if joint and not find_tools(more)[:1] else value


def _moved(who: str, thing: str, old: str, new: str, voice: Voice) -> Iterator[Fact]:
    new_tools, old_tools = find_tools(new)[:1], find_tools(old)[:1]
    if not new or is_weak(new) or not (new_tools or (old_tools and is_proper(new))):
        return
    if new_tools and new_tools[0].start > 12:
        return
    known = new_tools or old_tools
    # "switched from cosine to inner product in pgvector": the purpose stays with the new value.
    past = f", having moved from {voice.shift(old)}" if old else ""
    whole = re.fullmatch(r"everything|all|most", thing) is not None
    purpose = f" for {voice.shift(thing)}" if thing and not whole else ""
    measure = known[0].kind == "similarity measure" and not purpose
    kind = " as the similarity measure" if measure else ""
    content = f"{voice.who(who)} uses {voice.shift(new)}{kind}{purpose}{past}"
    slot, value = _slot(known[0], thing)
    value = new_tools[0].value if new_tools else key(new)
    replaces = old_tools[0].value if old_tools else key(old)
    yield Fact(sentence_case(content), "stack", slot, value, replaces, change=True)


def _used(match: re.Match[str], place: str, clause: Clause, voice: Voice) -> Iterator[Fact]:
    verb = _USE_FORMS.get(match["verb"], match["verb"])
    rest = match["rest"].strip()
    instead = _INSTEAD.search(rest)
    older = (instead["old"] or instead["older"]) if instead else ""
    body = trim(rest[: instead.start()] if instead else rest)
    tools = find_tools(body)
    if not body or is_weak(body) or not tools or _ABOUT_TOOL.match(body[tools[0].end :]):
        return
    if verb in _NEEDS_TOOL_FIRST and not _WITH_TOOL.match(body):
        return
    if _PASSING_USE.match(body):
        return
    old_tools = find_tools(older)[:1]
    gone = f" instead of {trim(older)}" if trim(older) else ""
    told = f"{match['adverb'] or ''}{conjugate(verb)} {voice.shift(body)}{gone}{place}"
    slot, value = _slot(tools[0], place or _qualifier(body, body[: tools[0].start]))
    yield Fact(
        sentence_case(f"{voice.who(match['who'])} {told}"),
        "stack",
        slot,
        value,
        replaces=old_tools[0].value if old_tools else "",
        change=clause.change or bool(older),
    )


def _qualifier(body: str, before: str) -> str:
    """What a tool is used for: "the vectors" in "keep the vectors in Postgres", or "for tests"."""
    stored = re.match(
        r"(?P<thing>(?:the |my |our |all )?[\w -]{3,30}?) (?:in|on|with|to)\b", before
    )
    if stored and not re.match(r"(?:mostly|mainly|everything|it|and)\b", stored["thing"]):
        return stored["thing"]
    purpose = _PURPOSE.search(body)
    return purpose["for"] if purpose and not find_tools(purpose["for"]) else ""


def _component(match: re.Match[str], voice: Voice) -> Iterator[Fact]:
    rest = trim(match["rest"])
    tools = find_tools(rest, any_case=True)
    what = re.sub(r"\bdb\b", "database", match["what"])
    lead = re.match(r"(?:(?:in|on|with|by|a|an|the|managed|plain|mostly|mainly) ){0,2}", rest)
    if not tools or (lead and tools[0].start > lead.end()):
        return
    if _ABOUT_TOOL.match(rest[tools[0].end :]) or _TROUBLE.match(rest):
        return
    confidence = SAID_IN_PASSING if match["own"].lower() == "the" else SAID_OUTRIGHT
    slot, value = _slot(tools[0], "")
    yield Fact(
        sentence_case(f"{voice.possessive} {what} {match['verb']} {voice.shift(rest)}"),
        "stack",
        slot,
        value,
        confidence=confidence,
    )


def _slot(tool: Tool, qualifier: str) -> tuple[str, str]:
    """Slot and value: one per class for things there is one of, else one per tool."""
    if not tool.single:
        return f"tool:{tool.value}", tool.value
    what = key(re.sub(r"^\s*(?:for|in|on|at|with|inside)\s+", "", qualifier.strip()))
    return (f"{tool.kind}:{what}" if what else tool.kind), tool.value
