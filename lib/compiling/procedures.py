"""Procedures: steps and fixes found in replies, with the goal or problem they serve."""

import re
from collections.abc import Sequence

from lib.compiling.grammar import Voice
from lib.compiling.sentences import Sentence, plain, split_sentences
from lib.compiling.topics import Topic
from lib.tokens import count_tokens

MAX_TOKENS = 60
"""No memory is longer: it must be worth its place in a small prompt."""

_VERBS = (
    "set|use|add|wrap|call|return|send|put|move|run|retry|cap|count|parse|store|split"
    "|skip|leave|keep|make|create|install|pass|switch|enable|disable|configure|increase"
    "|decrease"
    "|reduce|lower|raise|limit|batch|cache|index|rebuild|normali[sz]e|divide|append"
    "|acknowledge|post|edit|drop|match|join|sort|write|cut|chunk|give|list|honou?r"
    "|catch|handle"
    "|replace|remove|delete|update|upgrade|downgrade|pin|deploy|restart|mount|bind"
    "|expose|open|close|read|load|import|export|define|declare|annotate|mark|avoid|turn"
    "|choose|pick"
    "|render|validate|escape|encode|decode|hash|encrypt|sign|rotate|revoke|grant|deny"
    "|allow|block|change|rename|refactor|extract|inject|mock|stub|seed|truncate"
    "|summari[sz]e"
    "|compress|resize|paginate|stream|buffer|flush|lock|unlock|await|schedule|defer"
    "|debounce|throttle|subscribe|register|log in|clone|checkout|rebase|merge|commit"
    "|push|pull"
    "|tag|vacuum|analy[sz]e|partition|shard|replicate|migrate|back up|restore|copy"
    "|delegate|group|filter|map|reduce|round|convert|cast|compare|assert|fail|stop"
    "|start with"
    "|start|retain|release|free|allocate|reserve|request|declare|specify|supply|provide"
    "|attach|detach|apply|annotate|ignore|include|exclude|insert|select|go to|click"
    "|type"
    "|compute|subtract|multiply|answer|reply|let the|let|ask|begin|prefix|quote|build"
    "|compile|link|generate|do not|don['’]t|never|always|store|order|number|label"
    "|repeat|try"
)
_DIAGNOSTIC = (
    "check|look|print|inspect|log|measure|profile|trace|verify|confirm|make sure|ensure"
    "|test|watch|see"
)
_STEP = re.compile(
    rf"(?i)^(?:(?:then|first|second|next|also|instead|so|finally|and|or|now|after that"
    rf"|afterwards|yes[,:]?|no[,:]?|simply|just|to fix (?:it|this|that)[,:]?"
    rf"|the fix(?: is| is to|:)?"
    rf"|in short[,:]?|the solution(?: is to|:)|(?:if|when|after|before|to|for|with|on"
    rf"|once|in) [^,.]{{3,60}},) )*(?P<step>(?:{_VERBS})\b.*)$"
)
_ADVICE = re.compile(
    rf"(?i)^(?:so |then |yes, |here )?(?:you (?:should|need to|have to|must|can|could"
    rf"|want to|will want to)|it is best to|the (?:fix|solution|trick|usual fix) is to"
    rf"|i(?:['’]d| would) (?:recommend to|suggest to)?|your best bet is to"
    rf"|all you need is to) (?P<step>(?:{_VERBS})\b.*)$"
)
_LOOK = re.compile(rf"(?i)^(?:(?:then|first|next|also) )?(?P<step>(?:{_DIAGNOSTIC})\b.*)$")
_CUT = re.compile(
    r"(?:; |, (?:and |or |because |so |which |since |but |instead |such |each |at "
    r"|give |double |wait |where |never |up to |starting )| (?:because|since|so that"
    r"|instead of) |: | – )"
)


_MAX_FIX_WORDS = 40
_LEADS_IN = re.compile(
    r"(?i)^(?:(?:for the record|update|great|ok|okay|yes|good news|fyi|solved|fixed|never ?mind|so"
    r"|turns out|in the end|finally)\b[\s,:.!–—-]*)+"
)
_FIXED_BY = re.compile(
    r"(?i)\b(?:went away|disappeared|vanished|stopped|cleared up|(?:is|was) (?:gone|fixed"
    r"|solved)|works? again"
    r"|runs? again|resolves? again|fixed|solved)\b,? (?:once|after|when|as soon as|by|since) "
    r"(?:(?:i|we) (?:\w+ly )?\w+|\w+ing)\b"
)
_WAS_THE_FIX = re.compile(
    r"(?i)\b\w+ing\b .{3,80}? (?:(?:was|is) the (?:answer|fix|solution|trick|culprit|cure)"
    r"|did(?: it| the trick)?(?=[.,;!]|$)|fixed (?:it|that|the|my|our)\b|solved (?:it|that|the"
    r"|my|our)\b"
    r"|(?:helped|worked)(?=[.,;!]|$))"
)
_WORKS = re.compile(
    r"(?i)\b(?:works?|runs?|resolves?|builds?|starts?|loads?|prints?|boots?|connects?|passes"
    r"|syncs?) (?:again|now|fine)"
    r"|\bworks? again\b|\bback to normal\b|\b(?:fixed|solved) (?:the|my|our) \w+"
)
_TRIED_ONLY = re.compile(r"(?i)\b(?:if|would|might|maybe|hope\w*|should|could|does anyone)\b")


def find_procedure(topic: Topic, replies: Sequence[str], *, worked: bool = False) -> str:
    """One sentence "To …: steps" of at most 60 tokens, from the first reply that holds steps.

    Empty when none does. Where replies only say what to look at, the last one counts.
    """
    if not topic.heading:
        return ""
    split = [split_sentences(reply) for reply in replies]
    found = next((steps for each in split if (steps := _steps(each, _STEP, _ADVICE))), None)
    found = found or next((steps for each in reversed(split) if (steps := _steps(each, _LOOK))), [])
    ending = " (this worked)." if worked else "."
    if not found:
        return ""
    start = len(topic.heading) + 2
    text = _cut_to(f"{topic.heading}: {found[0]}", ending, start=start)
    for step in found[1:3] if text else ():
        longer = f"{text}; {step}"
        if count_tokens(longer + ending) > MAX_TOKENS:
            break
        text = longer
    return text + ending if text else ""


def reported_fix(sentences: Sequence[Sentence], voice: Voice) -> str:
    """What a person says solved a problem of theirs, as a procedure in their words; or empty.

    Only where both the problem and what was done about it are named.
    """
    for number, sentence in enumerate(sentences):
        text = _LEADS_IN.sub("", plain(sentence.text))
        if sentence.asks or _TRIED_ONLY.search(text) or "[masked" in text:
            continue
        if _FIXED_BY.search(text):
            told = text
        elif _WAS_THE_FIX.search(text):
            after = sentences[number + 1 : number + 2]
            told = " ".join([text, *(plain(s.text) for s in after if _WORKS.search(s.text))])
            told = told if _WORKS.search(told) else ""
        else:
            continue
        if 6 <= len(told.split()) <= _MAX_FIX_WORDS:
            inner = told.rstrip(" .!").replace('"', "'")
            content = f'A fix that worked for {voice.subject}: "{inner}".'
            return content if count_tokens(content) <= MAX_TOKENS else ""
    return ""


def holds_steps(reply: str) -> bool:
    """True when a reply says what to do, not only what to look at."""
    return bool(_steps(split_sentences(reply), _STEP, _ADVICE))


def _steps(sentences: Sequence[Sentence], *patterns: re.Pattern[str]) -> list[str]:
    return [step for sentence in sentences if (step := _step(sentence, *patterns))]


def _step(sentence: Sentence, *patterns: re.Pattern[str]) -> str:
    text = plain(sentence.text).rstrip(" .!:")
    if sentence.asks or len(text.split()) < 4:
        return ""
    for pattern in patterns:
        if match := pattern.match(text):
            step = re.sub(r"(?i)\byour\b", "the", match["step"])
            condition = text[: match.start("step")]
            if re.match(r"(?i)(?:if|when|after|before|once|for|with|on|in)\b", condition):
                step = condition[0].lower() + condition[1:] + step[0].lower() + step[1:]
            return step[0].lower() + step[1:]
    return ""


def _cut_to(text: str, ending: str, *, start: int) -> str:
    """`text` shortened at the last clause boundary after `start` that fits; empty if none does."""
    while count_tokens(text + ending) > MAX_TOKENS:
        cuts = [cut.start() for cut in _CUT.finditer(text, start + 12)]
        if not cuts:
            return ""
        text = text[: cuts[-1]]
    return text
