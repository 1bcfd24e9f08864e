"""Summaries: what a conversation asked and what it concluded, in one sentence."""

import re
from collections.abc import Sequence

from lib.compiling.grammar import Voice, sentence_case
from lib.compiling.sentences import Sentence, plain, split_sentences
from lib.compiling.topics import Topic, stands_alone, tell
from lib.tokens import count_tokens

MAX_TOKENS = 60

_RESULT = re.compile(
    r"(?i)\b(?:worked|works|fixed|solved|went from|fell|down (?:from|to)|up (?:from|to)|went back|going with|decided|chose|switched|rebuilt|dropped to|deployed|shipped|merged|released|done"
    r"|no (?:more )?(?:duplicates|errors|failures|double)|without (?:a single )?(?:failure|error)|is closed|are closed|is gone|now \d|\d\S* now|is \d\S* (?:of|now)|median|p9[59]|recall|accuracy|latency)\b"
)
_LEADS_IN = re.compile(r"(?i)^(?:(?:yes|no|sure|right|good (?:call|question|point)|great|exactly|then|so|in short|short answer|both|well)[,:.!—–-]? )+")
_SPLIT = re.compile(r"; |, so (?=I )|, (?=and I )|: | – ")


def summarise(topic: Topic, turns: Sequence[tuple[str, str]], voice: Voice) -> str:
    """"Alice asked …; <outcome>." of at most 60 tokens; the outcome is what the person reported
    last, else what the reply to the question said. Empty when there is neither.
    """
    begin = f"{voice.subject} {topic.told}"
    for ending in _outcomes(turns, voice):
        text = sentence_case(f"{begin}; {ending}")
        if count_tokens(text) <= MAX_TOKENS:
            return text
    return ""


def _outcomes(turns: Sequence[tuple[str, str]], voice: Voice) -> list[str]:
    """Possible outcomes, best first: the person's own results, newest first, then the advice."""
    told: list[str] = []
    for user, _ in reversed(turns[1:]):
        results = [text for sentence in split_sentences(user) if (text := _result(sentence, voice))]
        if len(results) > 1:
            told.append("; ".join(results[:2]))
        told.extend(results)
    advice = [text for _, reply in turns[:1] if (text := _verdict(reply))]
    return told + advice


def _result(sentence: Sentence, voice: Voice) -> str:
    text = plain(sentence.text)
    if sentence.asks or not _RESULT.search(text) or not stands_alone(text):
        return ""
    body = tell(text, voice)
    return _uncapitalised(body) if 3 <= len(body.split()) <= 32 else ""


def _verdict(reply: str) -> str:
    for sentence in split_sentences(reply):
        text = _LEADS_IN.sub("", plain(sentence.text)).rstrip(" .!:")
        if sentence.asks or len(text.split()) < 2 or len(text.split()) > 30:
            continue
        text = re.sub(r"(?i)\byour\b", "the", text)
        return f"the advice was: {_uncapitalised(text)}"
    return ""


def _uncapitalised(text: str) -> str:
    first = text.split(" ", 1)[0]
    ordinary = first.lower() in _ORDINARY or (len(first) == 1 and first == "A")
    return text[0].lower() + text[1:] if ordinary else text


_ORDINARY = frozenset(
    "the a an my our some all with by in on at for to from there their two three four five which what how where why retrieval since after if every most many start use set put "
    "count cut let move add keep make chunk acknowledging acknowledge moved rated deployed retry match almost done parse store give it server-sent run_transaction one no send".split()
)
