"""Topics: what a message asks for or reports, in words that stand on their own."""

import re
from dataclasses import dataclass
from functools import lru_cache

from lib.compiling.grammar import Voice, conjugate, expand, uncapitalised
from lib.compiling.sentences import Sentence, plain

_LEAD = re.compile(
    r"(?i)^(?:(?:(?:hi|hey|hello|so|and|but|ok|okay|also|thanks|thank you|now|then"
    r"|please|oh|hmm|by the way|btw|one last thing|one more thing|another question"
    r"|quick question|last question|since then)\b[\s,:.!–—-]*)"
    r"|(?:(?:well|right|sure|great|good|yes|no|nope|sorry|got it|done|deployed|fixed"
    r"|shipped|update|makes sense|nice|cool|perfect|i do|we do|it does|hi \w+|hey \w+"
    r"|\w+ here)\s*[,:.!–—]+\s*))+"
)
_HOW = re.compile(
    r"(?i)^(?:how (?:do|can|should|could|would|might|must|shall) (?:i|we|you"
    r"|one)(?: best| properly)?|how to|what(?:['’]s| is) (?:the|a) (?:best|right"
    r"|easiest|proper|fastest|cleanest|correct|simplest|good|sane|sensible|recommended"
    r"|safest) way to"
    r"|(?:can|could|would) you (?:please )?(?:help me|show me how to|tell me how to"
    r"|explain how to)|(?:please )?(?:help me|show me how to|tell me how to)"
    r"|is there (?:a|any) (?:\w+ )?way to) (?P<verb>.+)$"
)
_WHICH = re.compile(
    r"(?i)^(?P<wh>(?:which|what|how many|how much|where|when)(?: (?!do\b|does\b"
    r"|should\b|can\b|is\b|are\b)[\w-]+){0,4}) (?:should|shall|can|could|do|would) (?:i"
    r"|we) (?P<verb>.+)$"
)
_SHOULD = re.compile(r"(?i)^(?:should|shall) (?:i|we) (?P<verb>.+)$")
_MODAL = re.compile(
    r"(?i)^(?P<aux>can|could|must|may|will|would|should) (?P<who>i|we|(?:the|my|our"
    r"|an?) [\w'-]+|(?-i:[A-Z][\w.]+)) (?P<verb>[a-z]+ .+)$"
)
_DO = re.compile(
    r"(?i)^(?P<wh>(?:why|how|where|when|what|which [\w ]+?|how (?:often|long|much"
    r"|many)(?: \w+)?) )?(?P<aux>do|does) (?P<who>i|we|the [\w-]+(?: [\w-]+)?"
    r"|my [\w-]+(?: [\w-]+)?|our [\w-]+(?: [\w-]+)?"
    r"|(?-i:[A-Z][\w.]+)) (?P<verb>[a-z]+)\b(?P<rest>.*)$"
)
_ABOUT = re.compile(
    r"(?i)^(?:what(?:['’]s| is| are| about)|how about|any (?:advice|tips|thoughts"
    r"|recommendations?) (?:on|for|about)|(?:can|could) you explain|explain"
    r"|tell me about|what do you (?:think|know) (?:of|about)|what happens (?:to"
    r"|with)) (?P<noun>.+)$"
)
_DO_FOR = re.compile(
    r"(?i)^(?:(?:can|could|would|will) you (?:please )?|please )?(?P<verb>(?:write"
    r"|build|create|implement|design|refactor|review|optimi[sz]e|debug|convert"
    r"|translate|compare|generate|draft|fix|add|improve)\b .+)$"
)
_VAGUE = re.compile(
    r"(?i)\b(?:it|them|that(?=$|[.,?;]| (?:to|in|on|for|with|from|work|is|was|be)\b)"
    r"|this|these|those|one|ones|he|she|him|her|its|there|so|the same|else|last (?:four"
    r"|two|three|one)|you|your)\b"
)
_EMPTY = re.compile(
    r"(?i)^(?:any (?:idea|ideas|thoughts|tips|advice|hints?|clue)|what(?:['’]s"
    r"| is) (?:going on|happening|wrong|up|the (?:right|best|correct) way|the (?:fix"
    r"|reason|problem|cause|catch))|what do you (?:think|suggest|recommend)"
    r"|does that (?:fit|work|make sense|help)|why|why not|how|how so|what now|what next"
    r"|really|is that (?:ok|right|normal)|right|ideas|thoughts|what should i do"
    r"|what can i do|where does that come from|what do i do|why is that|how come)\W*$"
)
PROBLEM = re.compile(
    r"(?i)\b(?:fail(?:s|ed|ing|ures?)?|errors?|crash(?:es|ed|ing)?|dies|died|broke"
    r"|breaks?|broken|wrong|slow(?:er|ly)?|stuck|hangs?|hung|freez\w+|time[sd]? ?outs?"
    r"|timing out|leaks?|leaking|worse|missing|duplicates?|twice|double|too (?:long"
    r"|slow|big|large|many|much|expensive)"
    r"|refus\w+|reject\w+|denied|forbidden|invents?|hallucinat\w+|leaves out|off by"
    r"|splits?|at once|not work(?:ing)?|does not|doesn['’]t|cannot|can['’]?t|can not"
    r"|loses|fell|out of memory|oom|killed|(?:429|40[0-9]|50[0-4])s\b|(?:HTTP|status|a"
    r"|an|with|error|code|get|getting|returns?) (?:429|40[0-9]|50[0-4])(?=$|[.,;:!?]"
    r"| (?:errors?|responses?|from|on|when|after|and|or|below|above|while|if|every"
    r"|saying)\b)|429|exception|traceback|deadlocks?|conflicts?|corrupt\w*|flaky"
    r"|takes? (?:about |over |almost )?\d+ (?:seconds|minutes|hours|days)|takes? (?:ages|forever"
    r"|hours|an eternity)|keeps? (?!in\b|an?\b|the\b|my\b)\w+ing"
    r"|unreliable|throws?|panics?|segfault\w*|blocked|blocks|stale|inconsistent"
    r"|two or three times|over and over|empty|null|undefined|unexpected(?:ly)?|exceeded"
    r"|overflow\w*|mismatch\w*)\b"
)
_POINTS_BACK = re.compile(
    r"(?i)^(?:it|its|this|that|these|those|they|them|he|she|there|the same|here|nothing"
    r"|everything works|works|worked|so far|and|then|which)\b"
)
_MENTIONS_YOU = re.compile(r"(?i)\b(?:you|your|yours|please)\b")
_VERB_OF_DOING = re.compile(
    r"(?i)^(?:do|use|handle|fix|solve|make|get|stop|avoid|deal with|prevent|work around"
    r"|go about|approach|change|achieve)\b (?:it|that|this|them|these|those|one|so)\b"
)

_NO_PROBLEM = re.compile(
    r"(?:no \w+\b|[a-z]{3,}ed (?!by\b|with\b|at\b|from\b)|(?:first|second),)", re.IGNORECASE
)
_SHOWN = re.compile(r"(?i)\b(?:this|these)(?:$| (?:every|again|now|when|all|on|in)\b)")
_DID = re.compile(
    r"(?i)^(?:I|we)\b(?! (?:get|keep getting|see|am getting|are getting|can not|cannot"
    r"|can['’]?t))"
)
_HARD = re.compile(
    r"(?i)\b(?:fail\w*|errors?|crash\w*|time[sd]? ?outs?|stuck|429s?|exception|off by"
    r"|rejected|denied|oom)\b"
)

MAX_TOPIC_WORDS = 26
_MIN_WORDS = 4
_SHORT_QUESTION = 5
_WHOLE_SETTING = 8
"""Words of a statement that says enough on its own, although its question does not."""
_MAX_SETTING_WORDS = 18


@dataclass(frozen=True, slots=True)
class Topic:
    """What a message is about: `told` follows "Alice", `goal` follows "To", `problem` "When"."""

    told: str
    goal: str = ""
    problem: str = ""

    @property
    def asked(self) -> bool:
        """True for a question that says what it is about; False for a reported problem."""
        return self.told.startswith("asked")

    @property
    def heading(self) -> str:
        """How a procedure begins; empty where the message names neither goal nor problem."""
        return f"To {self.goal}" if self.goal else self.problem


def find_topic(sentences: list[Sentence], voice: Voice) -> Topic | None:
    """The first clear question of a message, or else the problem it reports, if any."""
    told, goal = next(
        (
            found
            for sentence in sentences
            if sentence.asks and (found := _question(plain(sentence.text), voice))[0]
        ),
        ("", ""),
    )
    asked = any(sentence.asks for sentence in sentences)
    problem = _problem(sentences) or (_setting(sentences) if asked and not told else "")
    troubled = tells_of_trouble(problem)
    heading = _when(uncapitalised(voice.tell(problem))) if troubled else ""
    if told and (goal or not problem):
        setting = _setting(sentences) if len(told.split()) <= _SHORT_QUESTION else ""
        if setting and len(setting.split()) <= _MAX_SETTING_WORDS:
            told = f"said that {uncapitalised(voice.relate(setting))} and {told}"
        return Topic(told, goal, heading)
    if problem and (troubled or len(problem.split()) >= _WHOLE_SETTING):
        return Topic(f"reported that {uncapitalised(voice.relate(problem))}", "", heading)
    return None


def tell(sentence: str, voice: Voice) -> str:
    """A statement of the writer in the third person, without what only leads into it."""
    return voice.tell(body_of(sentence))


@lru_cache(maxsize=1024)
def tells_of_trouble(text: str) -> bool:
    """True when `text` says that something goes wrong."""
    return PROBLEM.search(text) is not None


def stands_alone(text: str) -> bool:
    """True when nothing in `text` points at words that are not there."""
    body = body_of(text)
    return not (_POINTS_BACK.match(body) or _MENTIONS_YOU.search(body))


def body_of(text: str) -> str:
    """`text` without what only leads into it and without its closing marks."""
    return _LEAD.sub("", plain(text)).rstrip(" .!…:,;")


def _question(text: str, voice: Voice) -> tuple[str, str]:
    """What was asked in reported speech, and the goal where it was a how-to."""
    body = expand(_LEAD.sub("", text)).rstrip(" ?!.")
    if _EMPTY.match(body) or not 3 <= len(body.split()) <= MAX_TOPIC_WORDS:
        return "", ""
    if match := _HOW.match(body):
        goal = match["verb"]
        if _VERB_OF_DOING.match(goal) or _is_vague(goal):
            return "", ""
        told = uncapitalised(voice.relate(goal))
        return f"asked how to {told}", told
    told = _indirect(body, voice)
    return ("", "") if not told or _is_vague(told) else (f"asked {told}", "")


def _indirect(body: str, voice: Voice) -> str:
    """A question as it reads after "Alice asked"; empty for forms that are not understood."""
    if match := _WHICH.match(body):
        return f"{uncapitalised(match['wh'])} to {voice.relate(match['verb'])}"
    if match := _SHOULD.match(body):
        return f"whether to {voice.relate(match['verb'])}"
    if match := _DO.match(body):
        who = match["who"]
        plural = match["aux"].lower() == "do"
        verb = match["verb"] if plural else conjugate(match["verb"])
        wh = uncapitalised(match["wh"] or "whether").strip()
        return f"{wh} {uncapitalised(voice.relate(who))} {verb}{voice.relate(match['rest'])}"
    if match := _MODAL.match(body):
        who = uncapitalised(voice.relate(match["who"]))
        return f"whether {who} {match['aux'].lower()} {voice.relate(match['verb'])}"
    if match := _DO_FOR.match(body):
        return f"the assistant to {uncapitalised(voice.relate(match['verb']))}"
    if match := _ABOUT.match(body):
        return f"about {voice.relate(match['noun'].partition(', ')[0])}"
    return ""


def _problem(sentences: list[Sentence]) -> str:
    """The first problem statement that stands alone and is not too long, in the writer's words."""
    told = (_headline(body_of(sentence.text)) for sentence in sentences if _is_problem(sentence))
    return next((text for text in told if _MIN_WORDS <= len(text.split()) <= MAX_TOPIC_WORDS), "")


def _setting(sentences: list[Sentence]) -> str:
    """The statement right before the first question, where it stands alone."""
    asked = next((n for n, sentence in enumerate(sentences) if sentence.asks), 0)
    for sentence in reversed(sentences[:asked]):
        body = body_of(sentence.text)
        if stands_alone(sentence.text) and _MIN_WORDS <= len(body.split()) <= MAX_TOPIC_WORDS:
            return body
    return ""


def _is_problem(sentence: Sentence) -> bool:
    text = body_of(sentence.text)
    if sentence.asks or not tells_of_trouble(text) or not stands_alone(text):
        return False
    # "I dropped the double quotes" tells what somebody did; "I get a timeout" tells what is wrong.
    if _NO_PROBLEM.match(text) or _SHOWN.search(text):
        return False
    return not _DID.match(text) or _HARD.search(text) is not None


def _headline(told: str) -> str:
    """A long statement up to its colon."""
    head, colon, _ = told.partition(": ")
    return head if colon and len(told.split()) > 14 and len(head.split()) >= 4 else told


def _when(problem: str) -> str:
    if not problem:
        return ""
    if re.match(
        r"(?i)(?:when|whenever|if|since|after|because|every time|once|as soon as)\b", problem
    ):
        return problem[0].upper() + problem[1:]
    return f"When {problem}"


def _is_vague(text: str) -> bool:
    vague = _VAGUE.search(text)
    return vague is not None and len(text[: vague.start()].split()) < 6
