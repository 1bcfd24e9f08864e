"""Intents: projects, preferences, dates and limits a person states."""

import re
from collections.abc import Iterator

from lib.compiling.clauses import Clause
from lib.compiling.facts import SAID_IN_PASSING, Fact
from lib.compiling.grammar import Voice, sentence_case
from lib.compiling.phrases import CAP, DATE, NAME, is_weak, key, trim

_THING = (
    r"(?i:app|apps|application|applications|bot|bots|service|services|api|apis|tool"
    r"|tools|platform|site|website|websites|plugin|plugins|extension|library|libraries"
    r"|package|framework|cli|dashboard|dashboards|game|games|pipeline|saas|startup"
    r"|product|products|compiler|engine|assistant|agent|agents|client|server|system"
    r"|systems"
    r"|backend|frontend|store|shop|marketplace|crawler|scraper|parser|portal|database"
    r"|firmware|robot|tracker|editor|chatbot|sdk|simulator|interpreter|language"
    r"|wrapper|exporter|importer|scheduler|monitor|recommender|classifier|model|network"
    r"|protocol|proxy|gateway|converter|generator|visuali[sz]er|viewer|player|planner"
    r"|calendar|newsletter|podcast|course|book|thesis|paper|prototype|mvp|integration"
    r"|integrations|blog|firmware|driver|kernel|shader|mod|theme|template|linter"
    r"|debugger)"
)
_BUILD = re.compile(
    rf"^(?P<who>I|we) (?:(?:am|are|have been) (?P<ing>building|developing|writing"
    rf"|creating|making|working on|designing|maintaining|launching|prototyping|porting)"
    rf"|(?P<verb>build|develop|maintain|design|make|sell|work on|own"
    rf"|run)) (?P<what>(?:(?:an?|my|our|the|some|two|several|open-source"
    rf"|internal) )?(?P<name>{CAP}[\w'’-]*(?: {CAP}[\w-]*)?, )?(?:(?:an?|the|my"
    rf"|our) )?(?P<mod>(?:(?!(?:for|of|to|in|on|with|from|about|and|that|which|test"
    rf"|tests)\b)[\w+#./'’-]+ ){{0,6}}?){_THING}\b.*|{CAP}\w+, an? .+)$"
)
_CALLED = re.compile(
    rf"^(?P<own>my|our|the) (?P<what>(?:(?:side|pet|main|current|new|open-source|hobby"
    rf"|(?i:jira|linear|github|gitlab|google cloud|aws)) )?(?:project|startup|company"
    rf"|product|app|tool|bot|library|game|business|service|package"
    rf"|plugin))(?:['’]s name)? (?:is|is called"
    rf"|is named) (?P<rest>(?:an? [^,]*\b{_THING}\b.*|{NAME}.*))$"
)
_PREFER = re.compile(
    r"^I (?P<verb>(?:(?:strongly|much|generally|usually|always|really"
    r"|greatly) )?(?:prefer|love|like|hate|dislike|enjoy|favou?r|avoid)|always use"
    r"|never use|never write|always write|never eat|do not like|do not eat|do not drink"
    r"|do not want|can not stand"
    r"|would rather|would prefer|would much rather|would much prefer"
    r"|am (?:not )?a (?:big |huge |great )?fan of|care about|insist on|swear by"
    r"|only use|only write|only read)(?= ) (?P<what>.+)$"
)
_NO_TASTE = re.compile(
    r"(?:to|the (?:idea|sound|look|way|approach|answer|suggestion)|being|having to|where)\b"
)
_FAVOURITE = re.compile(r"^my favou?rite (?P<what>[\w -]{2,30}?) (?:is|are) (?P<rest>.+)$")
_STANDING = re.compile(
    r"^(?:please |could you please |you can |you should |I want you to |I need you to "
    r"|I would like you to )?(?P<whole>(?P<how>always|never|do not(?: ever)?|keep|make"
    r"|give me|answer|reply|respond|write|use|show(?: me)?|avoid|skip|address me"
    r"|call me|explain) (?P<what>.+))$",
    re.IGNORECASE,
)
_STYLE = re.compile(
    r"(?i)\b(?:answers?|repl(?:y|ies)|responses?|explanations?|from now on"
    r"|in (?:the )?future|always|never|every time|whenever|in general|(?:in"
    r"|to) (?:english|german|french|spanish|italian|portuguese|polish|dutch|hindi"
    r"|japanese|korean|chinese|turkish|russian|arabic))\b"
)
_ABOUT_CODE_NOW = re.compile(
    r"(?i)\b(?:this|that|these|it|above|below|here|again|my question|the question"
    r"|me this|then|today|tonight|tomorrow|goes out)\b"
)
_EVENT = (
    r"(?:deadline|due date|launch|release|rollout|roll-out|go-live|beta|private beta"
    r"|public beta|alpha|demo|exam|wedding|interview|flight|audit|review|presentation"
    r"|migration|conference talk"
    r"|talk|defen[cs]e|trial|pilot|first release|kick-?off|sprint|milestone|cutover"
    r"|cut-over|freeze|code freeze|handover|contract|probation|holiday|vacation|meeting"
    r"|submission|renewal|course|launch date|release date)"
)
_WHEN = re.compile(
    rf"^(?P<own>my|our|the|(?:we|I) have (?:an?|the|our"
    rf"|my)) (?P<what>(?:[\w'’-]+ ){{0,3}}?{_EVENT}(?: (?:of|for|to|with"
    rf"|at) [\w' -]+?)?) (?P<verb>is|opens|starts|begins|ends|closes|runs out|is due"
    rf"|is planned for|is scheduled for|is set for|takes place|happens"
    rf"|has been moved to|has moved to|moved to|was moved to|got moved to|is moved to"
    rf"|has been postponed to|was postponed to|got postponed to|slipped to"
    rf"|got pushed to|was pushed to|was brought forward to|changed to|on|in"
    rf"|by) (?P<rest>.+)$",
    re.IGNORECASE,
)
_PLAN = re.compile(
    r"^(?P<who>I|we) (?P<verb>plan to|intend to|aim to|want to|have to|need to|must"
    r"|am going to|are going to|will|hope to|launch|ship|release|go live|am launching"
    r"|are launching|am moving|are moving|am starting|start|am flying"
    r"|am getting married|are getting married|am releasing|are releasing|are shipping"
    r"|am presenting|am speaking|am on (?:vacation|holiday|leave"
    r"|parental leave)) ?(?P<what>.*)$"
)
_LIMIT = re.compile(
    r"^(?P<own>my|our|the) (?P<what>(?:[\w'’-]+ ){0,3}?(?:budget|quota|limit|sla|slo"
    r"|latency target|target|uptime target|rate limit|memory limit"
    r"|retention period)(?: (?:for|of) [\w -]+?)?) (?:is|are|must be|is capped at"
    r"|is limited to) (?P<rest>(?:about |around |at most |under |below |up to |only "
    r"|roughly |max(?:imum)? )*[$€£¥]?\d[^,]*)$",
    re.IGNORECASE,
)
_MUST = re.compile(
    r"^(?P<who>I|we) (?:(?P<verb>can only|can not|must not|may not|are not allowed to"
    r"|am not allowed to|are only allowed to|am only allowed to) (?P<what>(?:use|store"
    r"|send|share|run|deploy|install|leave|expose|eat|drink|keep|host|log|process|work"
    r"|have) .+)|(?P<verb2>have to|must|need to|are required to"
    r"|am required to) (?P<what2>(?:support|comply|stay|keep|host|store all"
    r"|be (?:compliant|online|reachable|accessible)) .+))$"
)
_MUST_NOT_BE = re.compile(
    r"(?i)\b(?:figure|find|get|see|understand|reproduce|fix|debug|now|today|yet|anymore"
    r"|any more|again|first|this|that|it)\b"
)
_ONLY_HAVE = re.compile(
    r"^(?P<who>I|we) (?:only have|have only|have at most|have no more than|have about"
    r"|have around|have roughly|have) (?P<what>(?:about |around |roughly "
    r"|only )?[$€£]?\d[\d,.]*\s?(?:GB|MB|TB|k|million|%|users|customers|servers"
    r"|requests|rows|documents|people|euros|dollars|tenants|employees)\b.*)$"
)
_NO_GPU = re.compile(
    r"^(?P<who>I|we) (?:have no|do not have (?:an?y?)) (?P<what>(?:gpu|budget"
    r"|internet access|ops team|staging environment|root access|admin rights"
    r"|credit card|windows machine|mac)\b.*)$",
    re.IGNORECASE,
)
_BARE = re.compile(r"(?i)\b(?:on|at|in|by|from|until|back|the|here|of|first|second|third|\w+th)\b")
_NEEDS_MORE = frozenset({"start", "will", "ship", "launch", "have to"})
_MOVED_DATE = re.compile(r"(?i)moved|postponed|slipped|pushed|brought|changed")


def read_project(text: str, _clause: Clause, voice: Voice) -> Iterator[Fact | str]:
    """A project: "I am building Quarry, a code assistant", "my side project is …"."""
    if match := _BUILD.match(text):
        what = trim(match["what"])
        if not what or is_weak(what):
            return
        verb, object_ = (match["verb"], what) if match["verb"] else ("am", f"{match['ing']} {what}")
        content = voice.state(match["who"], verb, object_)
        yield Fact(content, "project", value=key(match["name"] or what))
    elif match := _CALLED.match(text):
        rest = trim(match["rest"])
        if rest and not is_weak(rest):
            what = match["what"]
            yield Fact(
                sentence_case(f"{voice.possessive} {what} is {voice.shift(rest)}"),
                "project",
                value=key(rest),
            )


def read_preference(text: str, _clause: Clause, voice: Voice) -> Iterator[Fact | str]:
    """A preference: "I prefer pytest", "my favourite editor is Helix", "answer in German"."""
    if match := _FAVOURITE.match(text):
        rest = trim(match["rest"])
        if rest and not is_weak(rest):
            what = match["what"]
            yield Fact(
                sentence_case(f"{voice.possessive} favourite {what} is {voice.shift(rest)}"),
                "preference",
                slot=f"favourite {key(what)}",
                value=key(rest),
            )
    elif match := _PREFER.match(text):
        what = trim(match["what"])
        open_ended = re.search(r"\b(?:it|this|that|them)$", what)
        if what and not is_weak(what) and not _NO_TASTE.match(what) and not open_ended:
            yield Fact(_preference(match["verb"], what, voice), "preference", value=key(what))
    elif (
        (match := _STANDING.match(text))
        and _STYLE.search(text)
        and not _ABOUT_CODE_NOW.search(text)
        and not re.match(r"(?i)(?:never|always) (?:\w+ed|had|been|was|were)\b", text)
    ):
        wish = trim(re.sub(r"(?i)\byour\b", "the", match["whole"]))
        if wish and len(wish.split()) >= 3:
            yield Fact(_standing(wish, voice), "preference", confidence=SAID_IN_PASSING)


def read_plan(text: str, clause: Clause, voice: Voice) -> Iterator[Fact | str]:
    """A date: "The audit deadline is 30 October", "we want to launch by March"."""
    if match := _WHEN.match(text):
        rest = trim(match["rest"])
        date = DATE.search(rest)
        if date is None or re.search(r"\b(?:not|last)\b", rest):
            return
        moved = _MOVED_DATE.search(match["verb"]) is not None
        verb = "is" if moved else match["verb"].lower()
        verb = f"is {verb}" if verb in {"on", "in", "by"} else verb
        content = f"{voice.possessive} {match['what']} {verb} {voice.shift(rest)}"
        yield Fact(
            sentence_case(content),
            "plan",
            slot=f"date:{key(match['what'])}",
            value=key(date[0]),
            change=moved or clause.change,
        )
    elif (match := _PLAN.match(text)) and (date := DATE.search(match["what"])):
        what = trim(match["what"])
        told = _BARE.sub("", DATE.sub("", what)).strip(" ,") or match["verb"] not in _NEEDS_MORE
        if what and not is_weak(what) and DATE.search(what) and told and ":" not in what:
            yield Fact(
                sentence_case(voice.shift(f"{match['who']} {match['verb']} {what}")),
                "plan",
                value=key(date[0]),
                confidence=SAID_IN_PASSING,
            )


def read_limit(text: str, _clause: Clause, voice: Voice) -> Iterator[Fact | str]:
    """A limit: "My budget is $15 a month", "we must not store card numbers"."""
    if match := _LIMIT.match(text):
        what = match["what"]
        yield Fact(
            sentence_case(f"{voice.possessive} {what} is {trim(match['rest'])}"),
            "constraint",
            slot=f"limit:{key(what)}",
            value=key(match["rest"]),
        )
    elif match := _MUST.match(text):
        verb, what = match["verb"] or match["verb2"], trim(match["what"] or match["what2"])
        if what and not _MUST_NOT_BE.search(what) and len(what.split()) >= 3:
            yield Fact(sentence_case(voice.shift(f"{match['who']} {verb} {what}")), "constraint")
    elif match := _ONLY_HAVE.match(text) or _NO_GPU.match(text):
        what = trim(match["what"])
        verb = "have no" if {"no", "not"} & set(match[0].split()[:3]) else "have"
        if what:
            yield Fact(
                sentence_case(voice.shift(f"{match['who']} {verb} {what}")),
                "constraint",
                confidence=SAID_IN_PASSING,
            )


def _preference(verb: str, what: str, voice: Voice) -> str:
    object_ = voice.shift(what)
    subject = voice.subject
    if verb.startswith("would"):
        told = "prefers to" if "rather" in verb else "prefers"
        return sentence_case(f"{subject} {told} {object_}")
    if verb.startswith("am "):
        return sentence_case(f"{subject} is {verb[3:]} {object_}")
    if verb.startswith(("do not", "can not")):
        told = verb.replace("do not", "does not").replace("can not", "cannot")
        return sentence_case(f"{subject} {told} {object_}")
    return sentence_case(voice.shift(f"I {verb} {what}"))


def _standing(wish: str, voice: Voice) -> str:
    negative = re.match(r"(?i)(?:never|do not(?: ever)?) (?P<rest>.+)", wish)
    body = re.sub(r"(?i)^(?:always )", "always ", wish)
    told = f"never to {negative['rest']}" if negative else f"to {body[:1].lower()}{body[1:]}"
    return sentence_case(f"{voice.subject} wants the assistant {voice.shift(told)}")
