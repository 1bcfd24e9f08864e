"""Topics: what a message asks for or reports, in words that stand on their own."""

import re
from dataclasses import dataclass

from lib.compiling.grammar import Voice, conjugate, expand
from lib.compiling.sentences import Sentence, plain

_LEAD = re.compile(
    r"(?i)^(?:(?:hi|hey|hello|so|and|but|ok|okay|well|also|thanks|thank you|now|then|right|sure|please|oh|great|good|yes|no|hmm|sorry|got it|makes sense|by the way|btw|one last thing|one more thing|another question|quick question|last question|oh,? yes)\b[\s,:.!–—-]*)+"
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
    r"|refus\w+|reject\w+|denied|forbidden|invents?|hallucinat\w+|leaves out|off by|splits?|at once|not work(?:ing)?|does not|doesn['’]t|cannot|can['’]?t|can not|lost|loses|drops?|dropped|fell|out of memory|oom|killed|429s?|40[0-9]|50[0-4]|exception|traceback|deadlocks?|conflicts?|corrupt\w*|flaky|unreliable|throws?|panics?|segfault\w*|blocked|blocks|stale|inconsistent|two or three times|over and over|empty|null|undefined|unexpected(?:ly)?|exceeded|overflow\w*|mismatch\w*)\b"
)
_POINTS_BACK = re.compile(r"(?i)^(?:it|its|this|that|these|those|they|them|he|she|there|the same|here|nothing|everything works|works|worked|so far|and|then|which)\b")
_MENTIONS_YOU = re.compile(r"(?i)\b(?:you|your|yours|please)\b")
_VERB_OF_DOING = re.compile(r"(?i)^(?:do|use|handle|fix|solve|make|get|stop|avoid|deal with|prevent|work around|go about|approach|change|achieve)\b (?:it|that|this|them|these|those|one|so)\b")

MAX_TOPIC_WORDS = 26


@dataclass(frozen=True, slots=True)
class Topic:
    """What a message is about: `told` follows "Alice", `goal` follows "To", `problem` follows "When"."""

    told: str
    goal: str = ""
    problem: str = ""

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
        return Topic(f"reported that {problem}", "", _when(problem))
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
        shifted = _lower(voice.shift(goal).replace(voice.possessive, "their"))
        return f"asked how to {shifted}", shifted
    told = _indirect(body, voice)
    return ("", "") if not told or _is_vague(told) else (f"asked {told}", "")


def _indirect(body: str, voice: Voice) -> str:
    if match := _WHICH.match(body):
        return f"{_lower(match['wh'])} to {voice.shift(' ' + match['verb']).strip()}"
    if match := _SHOULD.match(body):
        return f"whether to {voice.shift(' ' + match['verb']).strip()}"
    if match := _DO.match(body):
        who = match["who"]
        noun = voice.who(who if who == "we" else "I") if who.lower() in {"i", "we"} else voice.shift(" " + who).strip()
        verb = match["verb"] if match["aux"].lower() == "do" and who.lower() not in {"i", "we"} else conjugate(match["verb"])
        return f"{_lower(match['wh'] or 'whether ').strip()} {noun} {verb}{voice.shift(match['rest'])}"
    if match := _MODAL.match(body):
        who = match["who"]
        noun = voice.who("we" if who.lower() == "we" else "I") if who.lower() in {"i", "we"} else voice.shift(" " + who).strip()
        return f"whether {_lower(noun)} {match['aux'].lower()} {voice.shift(' ' + match['verb']).strip()}"
    if match := _DO_FOR.match(body):
        return f"the assistant to {_lower(voice.shift(' ' + match['verb']).strip())}"
    if match := _ABOUT.match(body):
        return f"about {voice.shift(' ' + match['noun']).strip()}"
    return ""


def _problem(sentences: list[Sentence], voice: Voice) -> str:
    """The most telling problem statement: the longest that stands alone and is not too long."""
    candidates = [
        told
        for sentence in sentences
        if not sentence.asks and PROBLEM.search(sentence.text) and stands_alone(sentence.text)
        for told in [tell(sentence.text, voice)]
        if 4 <= len(told.split()) <= MAX_TOPIC_WORDS
    ]
    return _lower(candidates[0]) if candidates else ""


def _when(problem: str) -> str:
    if not problem:
        return ""
    if re.match(r"(?i)(?:when|whenever|if|since|after|because|every time|once|as soon as)\b", problem):
        return problem[0].upper() + problem[1:]
    return f"When {problem}"


def _is_vague(text: str) -> bool:
    vague = _VAGUE.search(text)
    return vague is not None and len(text[: vague.start()].split()) < 6


def _lower(text: str) -> str:
    """`text` with a small first letter, unless the first word is a name or an acronym."""
    first = text.split(" ", 1)[0]
    ordinary = first[:1].isupper() and first[1:].islower() and first.lower().strip(",") in _SMALL
    return text[0].lower() + text[1:] if text and (ordinary or text[:2] in {"A ", "I "}) else text


_SMALL = frozenset(
    "the a an my our some all whenever when since after if every most many half about with by in on at for to from there their two three four five which what how where why "
    "retrieval this that these those it because requests queries users tests builds answers replies as now".split()
)
