"""Clauses: the parts of a message in which the writer states something about now, as fact."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from lib.compiling.grammar import expand
from lib.compiling.sentences import Sentence, asks, plain, without_quotations

# The text that follows belongs to somebody else, or to a game.
_TASK_ON_TEXT = re.compile(
    r"(?i)^(?:(?:can|could|would|will) you (?:please )?|please |now |ok,? |hey,? |hi,? )*"
    r"(?:(?:translate|proofread|rephrase|rewrite|paraphrase|polish|shorten|correct"
    r"|summari[sz]e|fix the grammar"
    r"|reply to|respond to|comment on|classify|label|parse|extract|analy[sz]e|read"
    r"|review|check|look at|explain"
    r"|what (?:does|do you think of|about))\b[^.]*(?::|\b(?:this|the following|below"
    r"|sentences?|text|email|message|paragraph)\b)"
    r"|(?:write|draft|compose|make up|invent|generate|give|create|tell) (?:me )?(?:an?"
    r"|some|my|the|\d+) "
    r"(?:[\w-]+ ){0,3}(?:bio|biography|email|e-mail|letter|story|poem|tweet|post"
    r"|dialogue|character|persona|joke"
    r"|profile|sentences?|example|speech|text|message|resume|cv|essay|song|script for"
    r"|user stor(?:y|ies)|scene|test data)\b"
    r"|(?:let['’]?s |we |i )?(?:role-?play|pretend|imagine|suppose|assume|say that i"
    r"|act as|play the role|make believe)\b"
    r"|you are\b|here(?:['’]?s| is| are) (?:an?|the|my|our|some"
    r"|what) (?:[\w'’-]+ ){0,4}(?:email|message|text|reply|review|ticket"
    r"|transcript|log|logs|readme|bio|letter|prompt|quote|error|output|response|doc"
    r"|docs|snippet|post|complaint|testimonial|story)\b)"
)
_NOT_MEANT = re.compile(
    r"(?i)\b(?:just kidding|only kidding|kidding|jk|j/k|lol|lmao|rofl|haha\w*|hehe\w*"
    r"|as a joke|joking|sarcasm|yeah,? right"
    r"|in my dreams|in (?:another|my next|a past|a previous) life|not really|plot twist|true story"
    r"|breaking:|confession:|shower thought|hot take)(?:\b|(?<=:))|(?:^|\s)/s\b|[😂🤣😜😉🙃😆]|(?:^"
    r"|\s)(?:;-?[)PpD]|:-?[PpD])(?=\s|$)"
)
_SHORT_REMARK = 60
"""Characters up to which "just kidding" speaks of the sentence before it."""
_TAKEN_BACK = re.compile(
    r"(?i)^(?:no,? wait|wait,? no|scratch that|sorry,? (?:i meant|no)|i meant?\b"
    r"|that['’]s (?:a lie|wrong|not true))"
)
_UNREAL = re.compile(
    r"(?i)\b(?:if (?!you\b|possible|that matters|it (?:helps|matters)|relevant)|unless"
    r"|whether|were to|suppose|supposing"
    r"|imagin\w+|pretend\w*|let['’]?s say|say I\b|assum(?:e|ing)\b|hypothetical\w*"
    r"|in theory|for (?:example|instance)|e\.g\."
    r"|maybe|perhaps|probably|possibly|i (?:think|guess|believe|suppose|hope|wish|heard"
    r"|read|doubt|dream|forgot|wonder)\b"
    r"|as far as i know|afaik|iirc|not sure|unsure|no idea|might|could|should"
    r"|thinking (?:of|about)|considering|wondering"
    r"|tempted|what if|even though i never|supposedly|apparently|seems?|as if|as though"
    r"|(?<!as i )said|(?:say|says|writes|wrote|reads|goes|thinks|told (?:me|us|him|her"
    r"|them))(?: that|:)? (?:i|we|my|our|me)|(?:says|said|wrote|writes|reads|goes):"
    r"|(?:they|he|she|you|people|everyone|someone|somebody|boss|colleague|wife"
    r"|husband|friend|client|customer|docs?"
    r"|\w+ who) (?:says?|said|thinks?|claims?|claimed|told|believes?|wrote|asks?|asked"
    r"|insists? that|keeps? saying))\b"
)
_PAST = re.compile(
    r"(?i)\b(?:used to|until recently|back (?:then|when|in)|years ago|once upon|formerly|previously"
    r"|at (?:my|our) (?:last|previous|old|former)|before i)\b"
)
_SLIP = re.compile(
    r"\b([A-Z][\w-]+)[.,… –—-]+(?:sorry,? )?(?i:no,? wait|wait,? no|i mean|scratch that|no"
    r"|correction)"
    r"[,:]? (?:it['’]s |in )?([A-Z][\w-]+)"
)
"""A name taken back at once: "Frankfurt.. sorry no, Falkenstein"."""
_ABOUT_OURS = re.compile(
    r"(?i)^[\w ,'’-]*?\b(?:about|on|regarding) ((?:my|our) [\w -]{3,40}?): it "
)
"""What "it" stands for in "One thing about our app: it must work offline"."""
_TAG_QUESTION = re.compile(
    r"(?i),? (?:right|correct|no|yes|eh|huh|or not|(?:is|do|did|have|are"
    r"|was)n['’]?t (?:it|i|we|they)|am i not)\?$"
)
_PARENTHESIS = re.compile(r"\s*\((?![A-Z][\w.+#]* v?\d[\w.]*\))[^()]*\)")
"""An aside, but for a version such as "(Rails 7.1)"."""
_SPLIT = re.compile(
    r"\s*[;]\s*|(?<!says)(?<!said)(?<!rote)(?<!eads)(?<!goes)(?<!aims)(?<!asks):\s+(?=(?:the|we|our|i)\s)|\s+[—–-]{1,2}\s+|,?\s+but\s+|,?\s+whereas\s+"
    r"|,\s+(?:and\s+)?so\s+(?!that)|\s+so\s+(?=(?:i|we|my|our)\s)|,\s+(?:and\s+)?(?:then\s+)?"
    r"(?=(?:(?:now|these days|today|currently|nowadays)\s+)?(?:i|we|my|our|i am"
    r"|we are|the|it|also|please|which|where|who)\s)"
    r"|,\s+(?:and\s+)?(?=(?:all|everything|nothing)\s)|\s+and\s+(?=the\s+[\w-]+\s+(?:is"
    r"|are|runs?|uses?)\s)|\s+and\s+(?=the\s+[\w-]+\s+[\w-]+\s+(?:is"
    r"|are|wants?|needs?|has|expects?)\s)|\s+and\s+(?=(?:everything|all)\s)|\s+and\s+(?=(?:i|we|my|our)\s)|,?\s+(?P<cause>because|since"
    r"|as|though|although|now that|after)\s+(?=(?:i|we|my|our|the)\s)"
    r"|,?\s+(?:(?P<when>when|whenever|once|while)|(?P<till>until)|(?P<what>before|where|wherever|whether|how"
    r"|what|why))\s+(?=(?:i|we|my|our)\s)"
    r"|,\s+(?P<asks>(?:should|could|can|do|does|is|are|what|which|how|where|why|who|would|any)\s)",
    re.IGNORECASE,
)
_OPENER = re.compile(
    r"(?i)^(?:(?:hi|hello|hey|hiya|greetings|good (?:morning|afternoon|evening)"
    r"|dear all|thanks?(?: a lot| so much| again)?|thank you|cheers|ok(?:ay)?|sure"
    r"|yes|yeah|yep|no|nope|well|so|and|but|also|plus|btw|by the way|fyi|anyway|oh|ah"
    r"|aha|right|good|great|nice|cool|perfect|got it|makes sense"
    r"|sorry|done|damn|hmm+|um+|uh|look|listen|honestly|frankly|ps|p\.s\."
    r"|for (?:your notes|your records?|the log|the notes|whoever \w+)|(?:please )?note(?: that)?"
    r"|for (?:context|reference|the record|info|now)"
    r"|just so you know"
    r"|to be clear|to be honest|in case (?:it|that) (?:helps|matters)|fun fact"
    r"|(?:quick |some |a bit of )?(?:intro|context|background|update|correction"
    r"|reminder|clarification|disclosure)"
    r"|remember(?: that)?|keep in mind(?: that)?|don['’]?t forget(?: that)?"
    r"|as i (?:said|mentioned)(?: before| earlier)?|personally|currently|right now"
    r"|at the moment|strictly speaking|these days|turns out(?: that)?|heads[- ]up(?: that)?"
    r"|should have said earlier"
    r"|small update|quick update|big news|good news|plot update|contrary to what [\w ]+?(?= i\b"
    r"| my\b)"
    r"|first(?:ly)?|second(?:ly)?|third(?:ly)?|long story short|right|hooray|yay|oops|my bad"
    r"|for us|for me|house rule|since (?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|as of this (?:morning|afternoon)|fun fact about [\w ]+?(?=:)|confession"
    r"|nowadays|now(?: that)?|today|meanwhile|since then|from now on|as of (?:today|now"
    r"|this \w+|last \w+)|since (?:january|february|march|april|may|june|july|august"
    r"|september|october|november|december|20\d\d)|(?:since )?(?:last|this) (?:week|month"
    r"|year|weekend|spring"
    r"|summer|autumn|fall|winter)"
    r"|(?:two|three|\d+) (?:days|weeks|months) ago|yesterday|recently|actually|in fact"
    r"|basically|obviously|because|since|though|although|then|finally|unfortunately"
    r"|luckily|oh and|one more thing|about me|me)"
    r"(?:\s*[,:!.—–-]+\s*|\s+|$))+"
)
_CLOSER = re.compile(
    r"(?i)(?:[,\s]+(?:btw|by the way|fyi|though|actually|as well|too|lol|please|thanks?"
    r"|thank you|right now|at the moment|currently|these days|nowadays|anyway"
    r"|to be honest|tbh|of course|by now|now|already|again|at least|in case (?:it"
    r"|that) (?:helps|matters)|if (?:that|it) (?:helps|matters)|since (?:this|last) \w+"
    r"|for now|for what it['’]?s worth))+$"
)
_SUBORDINATE = re.compile(
    r"(?i)^(?:when|whenever|if|unless|once|until|before|while|whether|every time"
    r"|in case|as soon as)\b"
)
_FLUFF = re.compile(
    r"^((?:I|we)(?: am| are| have| do| do not)?) (?:(?:currently|just|actually|really"
    r"|personally|also|now|basically|simply"
    r"|finally|recently|already|still|both|all|mostly use|happily|proudly|typically"
    r"|generally)\b ?)+"
)
_CHANGE = re.compile(
    r"(?i)\b(?:now|actually|any ?more|no longer|instead|switched|moved|migrated"
    r"|since (?:this|last)|new|from now on|changed|correction|as of)\b"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement by the writer: `I` or `we` first, contractions written out, no discourse words.

    `outright` is False for what is said in passing. `change` marks words such as "now".
    """

    text: str
    outright: bool = True
    change: bool = False
    sentence: int = 0
    """Which sentence of the message it stands in."""


def own_sentences(sentences: Sequence[Sentence]) -> Sequence[Sentence]:
    """The sentences before a text to work on begins; that text may be anybody's."""
    for number, sentence in enumerate(sentences):
        if _TASK_ON_TEXT.match(sentence.text):
            return sentences[:number]
    return sentences


def stated_clauses(sentences: Sequence[Sentence]) -> list[Clause]:
    """What the writer states as true and present; questions, jokes, hypotheses, quotations,
    reported speech and texts to work on are left out.
    """
    clauses: list[Clause] = []
    for number, sentence in enumerate(own_sentences(sentences)):
        following = sentences[number + 1].text if number + 1 < len(sentences) else ""
        if is_meant(sentence.text, following):
            clauses.extend(replace(clause, sentence=number) for clause in _clauses(sentence))
    return clauses


def is_meant(text: str, following: str) -> bool:
    """False for a joke, and for what the sentence `following` it takes back."""
    if _is_joke(text) or _TAKEN_BACK.match(following):
        return False
    return not (len(following) < _SHORT_REMARK and _is_joke(following))


@lru_cache(maxsize=1024)
def _is_joke(text: str) -> bool:
    return _NOT_MEANT.search(text) is not None


def _clauses(sentence: Sentence) -> Iterator[Clause]:
    text = _ABOUT_OURS.sub(r"\1 ", _SLIP.sub(r"\2", plain(without_quotations(sentence.text))))
    if _TAG_QUESTION.search(text):
        return
    parts = list(_parts(expand(_PARENTHESIS.sub("", text))))
    if sentence.asks:
        # "We run Postgres 16, which index should I add?": what stands before it is stated.
        first = next((n for n, (part, _) in enumerate(parts) if asks(_OPENER.sub("", part))), None)
        if first is None or first == 0:
            return
        parts = parts[:first]
    for number, (part, joint) in enumerate(parts):
        following = parts[number + 1][0] if number + 1 < len(parts) else ""
        # "I use Vim, I think" is no statement, but "…, so bear with me if I'm slow" leaves one.
        if _UNREAL.search(part) or (len(following.split()) < 4 and _UNREAL.search(following)):
            return
        conditional = number + 1 < len(parts) and parts[number + 1][1] == "when"
        if joint in {"when", "till", "what"} or conditional or _PAST.search(part):
            continue
        if number == 0 and _SUBORDINATE.match(part):
            continue
        yield _clause(part, outright=number == 0 and not sentence.asks and joint == "")


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Parts of a sentence with what joined them: "", "cause", "when", "what" or "and"."""
    start, joint = 0, ""
    for cut in _SPLIT.finditer(text):
        end = cut.start("asks") if cut["asks"] else cut.end()
        yield text[start : cut.start()].strip(" ,"), joint
        named = (name for name in ("cause", "when", "till", "what") if cut[name])
        joint = next(named, "and")
        start = end
    yield text[start:].strip(" ,"), joint


def _clause(part: str, *, outright: bool) -> Clause:
    body = part.rstrip(" .!…?")
    passing = re.match(r"(?i)(?:btw|by the way|oh|one more thing|ps)\b", body) is not None
    body = _OPENER.sub("", body)
    change = bool(_CHANGE.search(part))
    while (shorter := _CLOSER.sub("", body)) != body:
        body = shorter
    body = re.sub(r"(?i)^(i|we)\b", lambda m: "I" if m[0].lower() == "i" else "we", body)
    body = re.sub(r"(?i)^(my|our|the|all|everything)\b", lambda m: m[0].lower(), body)
    return Clause(_FLUFF.sub(r"\1 ", body).strip(), outright and not passing, change)
