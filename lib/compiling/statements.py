"""Statements: how a person lives and works, in words that no narrower reader knows."""

import re
from collections.abc import Iterator

from lib.compiling.clauses import Clause
from lib.compiling.facts import SAID_IN_PASSING, Fact
from lib.compiling.grammar import Voice, conjugate, sentence_case
from lib.compiling.phrases import CAP, DATE, key
from lib.compiling.topics import tells_of_trouble
from lib.compiling.words import WORDS

_ADVERBS = (
    r"(?:(?:also|always|only|ever|just|mostly|mainly|usually|still|often|typically|generally|rarely"
    r"|seldom|sometimes|occasionally|regularly|already|both|all|honestly|officially|strictly"
    r"|normally|primarily) )*"
)
_LEAD = (
    r"(?:(?:most|every|on|in|at|during|between|outside) (?!(?:case|theory|fact|order|short"
    r"|general|the end|least|first|this|that)\b)[^,]{2,40}?,? )?"
)
_DOES = re.compile(
    rf"^{_LEAD}(?P<who>I|we) {_ADVERBS}(?P<not>(?:do not|never|can not|no longer|do) )?{_ADVERBS}"
    rf"(?P<verb>look after|care for|[a-z]+)\b ?(?P<rest>.*)$"
)
_IS = re.compile(rf"^{_LEAD}(?P<who>I|we) (?:am|are) {_ADVERBS}(?P<not>not )?(?P<rest>.+)$")
_HAS = re.compile(
    rf"^{_LEAD}(?P<who>I|we) {_ADVERBS}(?P<not>do not |no longer |never )?have (?:got )?"
    rf"{_ADVERBS}(?P<what>(?P<many>an?|no|one|two|three|four|five|six|seven|eight|nine|ten|\d[\d,.]*"
    rf"|about|around|access|any|some|many|several)\b.*)$"
)
_DID = re.compile(
    rf"^(?P<who>I|we) (?:have )?{_ADVERBS}(?P<verb>[a-z]+|was born|was diagnosed)\b (?P<rest>.+)$"
)
_OURS = re.compile(
    r"^(?P<own>my|our|the (?=(?:thesis|dissertation|project|app|product|company|startup|start-up"
    r"|shop"
    r"|school|paper|book|podcast|game|band|team|research|charity"
    r"|plan for)\b)) ?(?P<what>(?:(?!is\b|are\b|has\b|have\b|does\b|must\b)[\w'’/+#.-]+ ){1,4}?)"
    r"(?P<verb>is|are|has|have|lives?|sits?|runs?|must|starts?|ends?|closes?|opens?|does|do|speaks?"
    r"|works?|plays?|uses?|costs?|holds?|goes|go|allows?|gives?|expects?|covers?) (?P<rest>.+)$"
)
_OCCUPIED = re.compile(
    r"(?:learning|training (?:for|as|to)|studying|raising|saving (?:up )?for|preparing for"
    r"|retraining|expecting|applying (?:to|for)|revising for|renovating|teaching|coaching"
    r"|living|freelancing|in charge of|responsible for|allergic to|based|interested in"
    r"|good at|bad at|the only|the one \w+ing|the (?:head|owner|manager|secretary|chair\w*"
    r"|treasurer|director|author|maintainer|host|lead) (?:of|for|at)|closed on|open on"
    r"|intolerant|on (?:a|an) [\w-]+ (?:diet|contract|visa|scholarship)|on call"
    r"|not (?:allowed|able) to)\b"
)
_NO_TRAIT = re.compile(
    r"(?i)\b(?:an? (?:bit|little|few|lot|tad|huge|big|idiot|moron|mess|fool|genius|fan of|fan"
    r"|goose|man|woman|human|wreck|loser|star|machine|newbie here)\b)"
)
_OFFICIAL = re.compile(
    r"^(?:officially |now )?(?:an? )?(?P<role>[a-z -]*(?:manager|head|lead|director"
    r"|teacher|nurse|engineer|developer|assistant|captain|chair)) (?:for|of|at|in)\b"
)
_AT = re.compile(rf"^(?:now )?(?:at|with) (?:an? [a-z -]+ in )?{CAP}\w+")
_POINTS = re.compile(
    r"(?i)\b(?:it|its|this|these|those|them|he|she|him|his|here|there|so far|such"
    r"|that(?! (?:is|are|has|have|hides?|shows?|helps?|lets?|runs?|sells?|\w+s)\b)"
    r"|you|your|one of|(?:another|better|new|other|big|good|small) ones?|the same|else|someone"
    r"|somebody|something|anything)\b"
)
_NOW_ONLY = re.compile(
    r"(?i)\b(?:today|tonight|yesterday|this (?:morning|afternoon|evening|weekend|minute)|just now"
    r"|a (?:minute|moment|second|while) ago|last night|so (?:bad|badly|much)|the whole day"
    r"|all (?:day|night|morning)|again|in the end|over and over|keeps? \w+ing|an? (?:error|problem"
    r"|issue|bug|question|idea|feeling|doubt|hunch|typo|headache|cold|look|guess|go|sad|try))\b"
)
_NO_LACK = re.compile(
    r"(?i)^(?:any |no |an? |the )?(?:\w+ )?(?:idea|ideas|clue|problems?|answers?|time|errors?"
    r"|other|news|questions?|choice|trouble|issues?|luck|doubt|clue|intention|plans?|memory"
    r"|access to (?:it|that))\b"
)
_WISHES = re.compile(
    r"(?i)^(?P<whole>no (?P<what>(?!(?:more|idea|problem|worries|need|rush|way|luck|thanks"
    r"|change|error|errors|hurry|matter)\b)[a-z][\w' -]{2,40}))$"
)
_MODE = re.compile(r"(?i)^(?P<what>[\w -]{3,25}?) for (?:every|all|any) (?P<things>[\w -]{3,40})$")
_ASSUME = re.compile(
    r"(?i)^(?:always )?assume (?:that )?(?P<what>(?:the|my) (?:reader|audience|user)s? .+)$"
)
_WRITING = re.compile(
    r"(?i)^(?:whatever|whenever|when|in whatever|however) you (?:write|send|answer|reply"
    r"|explain)[^,]*, "
)
_DO_NOT = re.compile(
    r"(?i)\bdo(?: not|n['’]t) (?P<what>(?:suggest|recommend|propose|mention|send me|give me"
    r"|show me)"
    r" (?!(?:it|that|this|them)\b)[^,.;!?]{4,60}?)(?:,? please)?[.! ]*$"
)
_NOT_A_FAN = re.compile(
    r"(?i)^not (?:a |an |much of a )?(?:big |huge )?fan of (?P<what>[\w +#./-]{2,40})$"
)
_NO_HABIT = re.compile(
    r"(?:to|like an?|and breathe|over|out|into (?:an?|the) (?:error|problem|bug|issue|wall)|around"
    r"|on (?:it|that|this))\b"
)
_DOCS = re.compile(r"(?i)\b(?:docs|documentation|tutorials?|a lot)\b")
_SECOND_VERB = re.compile(
    r" (?P<joint>and|but) (?P<adverb>(?:mostly|mainly|also|sometimes|never|only) )?(?P<verb>[a-z]+)"
    r"(?= (?:in|at|as|for|on|with|from|the|an?|my|our|to|about|of)\b)"
)
_OTHERS_LIVES = re.compile(
    r"(?i)\b(?:guy|man|woman|person|somebody|someone|friend|colleague|people|kid|girl"
    r"|boy)s? (?:who|that)\b"
)
_RUNS_ON = re.compile(
    r"(?i)\brun on (?:coffee|caffeine|tea|vibes|spite|hope)\b|\b\d{3,} years old\b"
)

_CAN_NOT = re.compile(
    r"^I can not (?:ever )?(?:(?:eat|drink|drive|swim|digest|tolerate|stand|sing|dance|ride|whistle"
    r"|cook|lift|have (?:dairy|gluten|nuts|milk|alcohol|sugar|caffeine|meat|fish|eggs?|wheat))\b"
    r"|read (?:[\w-]+ )?(?:music|clef|notes|maps|tabs|cyrillic|arabic|hebrew|kanji|small print)\b"
    r"|(?:see|tell|hear) .*\b(?:apart|colou?rs?|red|green|blue|high|low)\b)(?P<rest>.*)$"
)
_IN_OURS = re.compile(r"^in (?:our|my) (?P<where>[\w -]{3,30}?), (?P<what>.+)$", re.IGNORECASE)
_MAKING = re.compile(
    r"(?i)^the (?:thing|project|app|tool|product|game) (?:that )?(?P<who>I|we) (?:am|are)"
    r" (?P<verb>making|building|writing|working on|developing|designing) is (?P<what>.+)$"
)
_EVERYTHING = re.compile(
    r"(?i)^(?:everything|all)(?: of)?(?: (?:our|my))? (?P<what>[\w -]{3,40}?) (?P<verb>has to"
    r"|have to"
    r"|must) (?P<rest>(?:be|stay|remain|go|run|work)\b.+)$"
)
_DOING = re.compile(
    r"^(?:I|we) (?:am|are) (?!(?:getting (?!married)|having|seeing|trying|looking|wondering"
    r"|thinking"
    r"|hoping|considering|not|debugging|fixing|still)\b)(?:officially )?\w+ing\b.+$"
)
_DECIDED = re.compile(r"^(?:I|we) (?:have )?decided (?:to|on|against) (?P<rest>.+)$")
_RUN_ON = re.compile(
    r"(?i), (?:(?:[\w-]+ ){1,3}(?:is|are|was|were)|he|she|they|it|you|wish|bear|come|tell|send"
    r"|please|so|which|who|but|like an?)\b"
)
_AFTERTHOUGHT = re.compile(r"(?: [–—-] |, (?!(?:and|or|but) ))")

_FAMILY = frozenset(
    [
        "wife",
        "husband",
        "partner",
        "girlfriend",
        "boyfriend",
        "son",
        "daughter",
        "kid",
        "kids",
        "children",
        "child",
        "baby",
        "manager",
        "lead",
        "supervisor",
        "advisor",
        "adviser",
        "mentor",
        "family",
        "fiancé",
        "fiancée",
        "cto",
        "ceo",
        "cofounder",
        "co-founder",
        "competitor",
        "competitors",
        "vendor",
        "supplier",
        "provider",
        "twin",
        "twins",
    ]
)
MAX_WORDS = 30


def read_statement(text: str, clause: Clause, voice: Voice) -> Iterator[Fact | str]:
    """A lasting statement in plain words: "I sing alto", "we have no QA person"."""
    for told in _readings(text):
        content = _special(told, voice)
        if not content and _is_lasting(told) and _lasts(told):
            content = sentence_case(voice.tell(_SECOND_VERB.sub(_agreeing, told)))
        if content:
            yield Fact(
                content,
                "plan" if DATE.search(content) else "statement",
                confidence=SAID_IN_PASSING,
                change=clause.change,
            )
            return


def _readings(text: str) -> Iterator[str]:
    """The clause, and the clause without its afterthoughts."""
    if _RUNS_ON.search(text):
        return
    if 3 <= len(text.split()) <= MAX_WORDS and not _RUN_ON.search(text):
        yield text
    run_on = _RUN_ON.search(text)
    if run_on:
        text = text[: run_on.start()]
        if len(text.split()) >= 3:
            yield text
        return
    cuts = [cut.start() for cut in _AFTERTHOUGHT.finditer(text)]
    for cut in cuts[:2]:
        if 3 <= len(text[:cut].split()) <= MAX_WORDS and "," not in text[:cut]:
            yield text[:cut]


def _agreeing(match: re.Match[str]) -> str:
    """ "…and work in a bakery" as it reads after a name."""
    verb = match["verb"]
    told = conjugate(verb) if verb in WORDS.lasting else verb
    return f" {match['joint']} {match['adverb'] or ''}{told}"


def _special(text: str, voice: Voice) -> str:
    """What is said in one of the forms that need more than another person; empty for others."""
    content = ""
    if (match := _CAN_NOT.match(text)) and not _NOW_ONLY.search(text) and not _POINTS.search(text):
        content = voice.tell(text)
    elif (match := _IN_OURS.match(text)) and _lasts(match["what"]):
        content = f"In {voice.possessive} {match['where']}, {voice.shift(match['what'])}"
    elif (match := _MAKING.match(text)) and not tells_of_trouble(match["what"]):
        content = voice.shift(
            f"{match['who']} {'am' if match['who'] == 'I' else 'are'} "
            f"{match['verb']} {match['what']}"
        )
    elif (match := _EVERYTHING.match(text)) and _lasts(text):
        content = voice.tell(text[0].upper() + text[1:]) + f" (on {voice.possessive} side)"
    return sentence_case(content) if content else ""


def _is_lasting(text: str) -> bool:
    if _DOING.match(text) and DATE.search(text):
        return True
    if (match := _DECIDED.match(text)) and len(match["rest"].split()) >= 2:
        return True
    return _is_lasting_action(text) or _is_trait(text) or _is_possession(text) or _is_ours(text)


def read_wish(text: str, _clause: Clause, voice: Voice) -> Iterator[Fact | str]:
    """A wish for all replies in few words: "no jargon", "assume the reader is fourteen"."""
    if match := _NOT_A_FAN.match(text):
        content = f"{voice.subject} is not a fan of {match['what']}"
        yield Fact(sentence_case(content), "preference", value=key(match["what"]))
    elif match := _ASSUME.match(_WRITING.sub("", text)):
        content = f"{voice.subject} wants the assistant to assume that {voice.shift(match['what'])}"
        yield Fact(sentence_case(content), "preference", confidence=SAID_IN_PASSING)


def asked_for(text: str, voice: Voice) -> str:
    """The wish in "no tables please"; empty where there is none."""
    if match := _DO_NOT.search(text):
        return sentence_case(f"{voice.subject} wants the assistant not to {match['what']}")
    match = re.search(r"(?i)(?:^|, |so |[–—;] )(?P<wish>[^,;–—]+?),? please\b", text)
    wish = match["wish"].strip() if match else ""
    if _WISHES.match(wish) or (
        _MODE.match(wish) and not re.match(r"(?i)(?:write|show|give)", wish)
    ):
        return sentence_case(f"{voice.subject} wants {wish[0].lower()}{wish[1:]}")
    return ""


def _lasts(text: str) -> bool:
    return not tells_of_trouble(text) and not any(
        sign.search(text) for sign in (_NOW_ONLY, _POINTS, _OTHERS_LIVES)
    )


def _is_lasting_action(text: str) -> bool:
    if match := _DOES.match(text):
        verb, rest = match["verb"], match["rest"]
        if verb == "use":
            return (
                match["not"] is None
                and bool(re.search(rf"{CAP}|\d", rest))
                and not _DOCS.search(rest)
            )
        if verb == "know":
            return re.match(rf"(?:how to|only )?{CAP}", rest) is not None
        return verb in WORDS.lasting and bool(rest) and not _NO_HABIT.match(rest)
    return False


def _is_trait(text: str) -> bool:
    match = _IS.match(text)
    if match is None:
        match = _DID.match(text)
        return match is not None and match["verb"] in WORDS.life and _tells_of_a_life(match)
    rest = match["rest"]
    if _NO_TRAIT.search(rest):
        return False
    first = re.split(r"[ ,]", rest.lower(), maxsplit=1)[0]
    noun = re.match(r"an? (?:[\w'’+#-]+ ){0,4}?[\w'’-]{3,}", rest) is not None
    return (
        noun
        or first in WORDS.states
        or _OCCUPIED.match(rest) is not None
        or _OFFICIAL.match(rest) is not None
        or _AT.match(rest) is not None
    )


def _tells_of_a_life(match: re.Match[str]) -> bool:
    rest = match["rest"]
    if match["verb"] == "moved":
        return (
            re.match(r"(?:to|in|out|into|back|abroad|house|in with)\b(?! on\b)", rest) is not None
        )
    if match["verb"] == "switched":
        return re.match(r"(?:from|to) ", rest) is not None
    if match["verb"] in {"bought", "sold", "lost", "won", "inherited", "adopted", "left"}:
        words = re.findall(r"[\w'’-]+", rest.lower().partition(",")[0])
        owned = any(word in WORDS.possessions for word in words)
        return owned or (
            match["verb"] == "left" and re.match(rf"{CAP}|school|uni|home", rest) is not None
        )
    return match["who"] == "I" or match["verb"] not in {"stopped", "started"}


def _is_possession(text: str) -> bool:
    if re.match(r"^(?:I|we) only have (?!to\b)\w+", text):
        return True
    match = _HAS.match(text)
    if match is None:
        return False
    what = match["what"]
    if match["not"] or match["many"] == "no":
        return not _NO_LACK.match(re.sub(r"^no ", "", what))
    words = re.findall(r"[\w'’-]+", what.lower().partition(",")[0])[:7]
    return any(word in WORDS.possessions for word in words) or bool(
        {"minutes", "mins", "hours"} & set(words)
    )


def _is_ours(text: str) -> bool:
    match = _OURS.match(text)
    if match is None:
        return False
    nouns = match["what"].lower().split()
    if nouns[-1] in WORDS.passing or any(noun in WORDS.others for noun in nouns):
        return False
    if re.match(r"(?:in|on|up|off|out|done),", match["rest"]):
        return False
    if any(noun.endswith(("'s", "’s")) or noun in _FAMILY for noun in nouns):
        return False
    if len(re.sub(r"^(?:not|too|very|so|quite|really|still|now) ", "", match["rest"]).split()) == 1:
        # "My budget is tight" says little, "my phone is a Pixel" much.
        return bool(re.match(rf"{CAP}|\d", match["rest"])) and not match["rest"].isdigit()
    return re.match(
        r"(?:not )?(?:\w+ing|gone|back|fine|ok|great|good|bad|red|green|flaky|slow|up|down|new"
        r"|next|about to)\b",
        match["rest"],
    ) is None or match["rest"].startswith(("about ", "standing"))
