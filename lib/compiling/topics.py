"""Topics: what a message asks for or reports, in words that stand on their own."""

import re
from dataclasses import dataclass

from lib.compiling.grammar import Voice, conjugate, expand, uncapitalised
from lib.compiling.sentences import Sentence, plain

_LEAD = re.compile(
    r"(?i)^(?:(?:(?:hi|hey|hello|so|and|but|ok|okay|also|thanks|thank you|now|then|please|oh|hmm|by the way|btw|one last thing|one more thing|another question|quick question|last question|since then)\b[\s,:.!–—-]*)"
    r"|(?:(?:well|right|sure|great|good|yes|no|nope|sorry|got it|done|deployed|fixed|shipped|update|makes sense|nice|cool|perfect|i do|we do|it does|hi \w+|hey \w+|\w+ here)\s*[,:.!–—]+\s*))+"
)
_HOW = re.compile(
    r"(?i)^(?:how (?:do|can|should|could|would|might|must|shall) (?:i|we|you|one)(?: best| properly)?|how to|what(?:['’]s| is) (?:the|a) (?:best|right|easiest|proper|fastest|cleanest|correct|simplest|good|sane|sensible|recommended|safest) way to"
    r"|(?:can|could|would) you (?:please )?(?:help me|show me how to|tell me how to|explain how to)|(?:please )?(?:help me|show me how to|tell me how to)|is there (?:a|any) (?:\w+ )?way to) (?P<verb>.+)$"
)
_WHICH = re.compile(r"(?i)^(?P<wh>(?:which|what|how many|how much|where|when)(?: (?!do\b|does\b|should\b|can\b|is\b|are\b)[\w-]+){0,4}) (?:should|shall|can|could|do|would) (?:i|we) (?P<verb>.+)$")
_SHOULD = re.compile(r"(?i)^(?:should|shall) (?:i|we) (?P<verb>.+)$")
_MODAL = re.compile(r"(?i)^(?P<aux>can|could|must|may|will|would) (?P<who>i|we|[\w' -]{2,40}?) (?P<verb>(?:still |also |just |even )?(?:use|be|have|run|work|stream|send|keep|get|do|make|store|share|cache|call|deploy|handle|reuse|skip|mix|read|write|help|support|set)\b.*)$")
_DO = re.compile(r"(?i)^(?P<wh>(?:why|how|where|when|what|which [\w ]+?|how (?:often|long|much|many)(?: \w+)?) )?(?P<aux>do|does) (?P<who>i|we|the [\w-]+(?: [\w-]+)?|my [\w-]+(?: [\w-]+)?|our [\w-]+(?: [\w-]+)?|[A-Z][\w.]+) (?P<verb>[a-z]+)\b(?P<rest>.*)$")
_ABOUT = re.compile(r"(?i)^(?:what(?:['’]s| is| are| about)|how about|any (?:advice|tips|thoughts|recommendations?) (?:on|for|about)|(?:can|could) you explain|explain|tell me about|what do you (?:think|know) (?:of|about)|what happens (?:to|with)) (?P<noun>.+)$")
_DO_FOR = re.compile(r"(?i)^(?:(?:can|could|would|will) you (?:please )?|please )?(?P<verb>(?:write|build|create|implement|design|refactor|review|optimi[sz]e|debug|convert|translate|compare|generate|draft|fix|add|improve)\b .+)$")
_VAGUE = re.compile(
    r"(?i)\b(?:it|them|that|this|these|those|one|ones|he|she|they|him|her|its|their|there|so|the same|else|last (?:four|two|three|one)|you|your)\b"
)
_EMPTY = re.compile(
    r"(?i)^(?:any (?:idea|ideas|thoughts|tips|advice|hints?|clue)|what(?:['’]s| is) (?:going on|happening|wrong|up|the (?:right|best|correct) way|the (?:fix|reason|problem|cause|catch))|what do you (?:think|suggest|recommend)|does that (?:fit|work|make sense|help)|why|why not|how|how so|what now|what next"
    r"|really|is that (?:ok|right|normal)|right|ideas|thoughts|what should i do|what can i do|where does that come from|what do i do|why is that|how come)\W*$"
)
PROBLEM = re.compile(
    r"(?i)\b(?:fail(?:s|ed|ing|ures?)?|errors?|crash(?:es|ed|ing)?|dies|died|broke|breaks?|broken|wrong|slow(?:er|ly)?|stuck|hangs?|hung|freez\w+|time[sd]? ?outs?|timing out|leaks?|leaking|worse|missing|duplicates?|twice|double|too (?:long|slow|big|large|many|much|expensive)"
    r"|refus\w+|reject\w+|denied|forbidden|invents?|hallucinat\w+|leaves out|off by|splits?|at once|not work(?:ing)?|does not|doesn['’]t|cannot|can['’]?t|can not|loses|fell|out of memory|oom|killed|(?:429|40[0-9]|50[0-4])s\b|(?:HTTP|status|a|an|with|error|code|get|getting|returns?) (?:429|40[0-9]|50[0-4])(?=$|[.,;:!?]| (?:errors?|responses?|from|on|when|after|and|or|below|above|while|if|every|saying)\b)|429|exception|traceback|deadlocks?|conflicts?|corrupt\w*|flaky|unreliable|throws?|panics?|segfault\w*|blocked|blocks|stale|inconsistent|two or three times|over and over|empty|null|undefined|unexpected(?:ly)?|exceeded|overflow\w*|mismatch\w*)\b"
)
_POINTS_BACK = re.compile(r"(?i)^(?:it|its|this|that|these|those|they|them|he|she|there|the same|here|nothing|everything works|works|worked|so far|and|then|which)\b")
_MENTIONS_YOU = re.compile(r"(?i)\b(?:you|your|yours|please)\b")
_VERB_OF_DOING = re.compile(r"(?i)^(?:do|use|handle|fix|solve|make|get|stop|avoid|deal with|prevent|work around|go about|approach|change|achieve)\b (?:it|that|this|them|these|those|one|so)\b")

_DID = re.compile(r"(?i)^(?:I|we)\b(?! (?:get|keep getting|see|am getting|are getting|can not|cannot|can['’]?t))")
_HARD = re.compile(r"(?i)\b(?:fail\w*|errors?|crash\w*|time[sd]? ?outs?|stuck|429s?|exception|off by|rejected|denied|oom)\b")

MAX_TOPIC_WORDS = 26


@dataclass(frozen=True, slots=True)
class Topic:
    """What a message is about: `told` follows "Alice", `goal` follows "To", `problem` follows "When"."""

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
    told, goal = "", ""
    for sentence in sentences:
        if sentence.asks and not told:
            told, goal = _question(plain(sentence.text), voice)
    problem = _problem(sentences, voice)
    if told and (goal or not problem):
        return Topic(told, goal, _when(problem))
    if problem:
        return Topic(f"reported that {_their(problem, voice)}", "", _when(problem))
    return None


def tell(sentence: str, voice: Voice) -> str:
    """A statement of the writer in the third person, without what only leads into it."""
    body = _LEAD.sub("", plain(sentence)).rstrip(" .!…:,;")
    return voice.shift(body)


def stands_alone(text: str) -> bool:
    """True when nothing in `text` points at words that are not there."""
    body = _LEAD.sub("", plain(text))
    return not (_POINTS_BACK.match(body) or _MENTIONS_YOU.search(body))


def _question(text: str, voice: Voice) -> tuple[str, str]:
    """What was asked in reported speech, and the goal where it was a how-to."""
    body = expand(_LEAD.sub("", text)).rstrip(" ?!.")
    if _EMPTY.match(body) or len(body.split()) > MAX_TOPIC_WORDS or len(body.split()) < 3:
        return "", ""
    if match := _HOW.match(body):
        goal = match["verb"]
        if _VERB_OF_DOING.match(goal) or _is_vague(goal):
            return "", ""
        told = uncapitalised(_their(voice.shift(goal), voice))
        return f"asked how to {told}", told
    told = _indirect(body, voice)
    return ("", "") if not told or _is_vague(told) else (f"asked {told}", "")


def _indirect(body: str, voice: Voice) -> str:
    if match := _WHICH.match(body):
        return f"{uncapitalised(match['wh'])} to {voice.shift(' ' + match['verb']).strip()}"
    if match := _SHOULD.match(body):
        return f"whether to {voice.shift(' ' + match['verb']).strip()}"
    if match := _DO.match(body):
        who = match["who"]
        noun = voice.who(who if who == "we" else "I") if who.lower() in {"i", "we"} else voice.shift(" " + who).strip()
        verb = match["verb"] if match["aux"].lower() == "do" and who.lower() not in {"i", "we"} else conjugate(match["verb"])
        return f"{uncapitalised(match['wh'] or 'whether ').strip()} {noun} {verb}{voice.shift(match['rest'])}"
    if match := _MODAL.match(body):
        who = match["who"]
        noun = voice.who("we" if who.lower() == "we" else "I") if who.lower() in {"i", "we"} else voice.shift(" " + who).strip()
        return f"whether {uncapitalised(noun)} {match['aux'].lower()} {voice.shift(' ' + match['verb']).strip()}"
    if match := _DO_FOR.match(body):
        return f"the assistant to {uncapitalised(voice.shift(' ' + match['verb']).strip())}"
    if match := _ABOUT.match(body):
        return f"about {voice.shift(' ' + match['noun']).strip()}"
    return ""


def _problem(sentences: list[Sentence], voice: Voice) -> str:
    """The most telling problem statement: the longest that stands alone and is not too long."""
    candidates = [
        told
        for sentence in sentences
        if _is_problem(sentence)
        for told in [_headline(tell(sentence.text, voice))]
        if 4 <= len(told.split()) <= MAX_TOPIC_WORDS
    ]
    return uncapitalised(candidates[0]) if candidates else ""


def _is_problem(sentence: Sentence) -> bool:
    text = _LEAD.sub("", plain(sentence.text))
    if sentence.asks or not PROBLEM.search(text) or not stands_alone(text):
        return False
    # "I dropped the double quotes" tells what somebody did; "I get a timeout" tells what is wrong.
    return not _DID.match(text) or _HARD.search(text) is not None


def _headline(told: str) -> str:
    """A long statement up to its colon."""
    head, colon, _ = told.partition(": ")
    return head if colon and len(told.split()) > 14 and len(head.split()) >= 4 else told


def _their(text: str, voice: Voice) -> str:
    """`text` with the possessive as a pronoun, for after "Alice reported that"."""
    return re.sub(rf"(?i)\b{re.escape(voice.possessive)}\b", "their", text)


def _when(problem: str) -> str:
    if not problem:
        return ""
    if re.match(r"(?i)(?:when|whenever|if|since|after|because|every time|once|as soon as)\b", problem):
        return problem[0].upper() + problem[1:]
    return f"When {problem}"


def _is_vague(text: str) -> bool:
    vague = _VAGUE.search(text)
    return vague is not None and len(text[: vague.start()].split()) < 6
