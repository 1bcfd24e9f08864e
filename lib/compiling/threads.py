"""Threads: the questions and problems of one conversation, with what became of each."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from lib.compiling.grammar import Voice, uncapitalised
from lib.compiling.procedures import holds_steps
from lib.compiling.sentences import Sentence, plain
from lib.compiling.topics import Topic, body_of, find_topic, stands_alone, tell

_SAYS_IT_WORKED = re.compile(
    r"(?i)\b(?:(?:that|this|it|which|header|first|\w+) (?:worked|fixed (?:it|that|this)"
    r"|solved (?:it|that|this)|did it|did the trick|helped)\b|(?:that|this|it) was it\b"
    r"|(?:it|that|this|everything|which) works\b|works (?:now|great|perfectly|fine"
    r"|like a charm)|\w+ works, \d+|problem solved|no (?:more |further )?(?:double \w+"
    r"|[\w-]+ )?(?:errors|duplicates?|failures|complaints|booking|bookings|crashes"
    r"|timeouts)\b"
    r"|without (?:a |any )?(?:single )?(?:failure|error|problem|hitch)|(?:is"
    r"|are) (?:fixed|gone|solved|closed)\b)"
)
_BETTER_FIGURES = re.compile(
    r"(?i)\b(?:(?:recall\S*|accuracy|precision|coverage|throughput|score"
    r"|hit rate) (?:\w+ )?(?:went|rose|climbed|improved|jumped|is|up) "
    r"|(?:latency|errors?|failures?|cost|costs|bill|time|size|duration|mismatches"
    r"|memory) (?:\w+ )?(?:fell|dropped|went down|(?:is|are) down|(?:is|are) now) "
    r"|\d+ \w+ down to \d+|^(?:it['’]?s |we['’]?re |now )?(?:down|up) to \d"
    r"|brought \S+ (?:back |down )?to \d|(?:is|are) \d\S*(?: \w+ \S+)? now\b"
    r"|now (?:takes|runs|passes)\b)"
)
_DECIDED = re.compile(
    r"(?i)^done[:,] |\b(?:went back to|going with|decided (?:on|to|for)|i(?:['’]ll"
    r"| will) (?:go with|keep|use|stick)|settled on|chose|picked|switched to|rated"
    r"|deployed|shipped|released|merged)\b"
)
_BAD_NEWS = re.compile(
    r"(?i)\b(?:not work|n['’]t work|still (?:fails?|failing|crash\w*|broken|gets?"
    r"|the same|does|not|hangs|slow|conflicts?)|did(?:n['’]t| not) (?:help|work|fix"
    r"|change)|no (?:luck|change)|same error|works? (?:on|only) localhost|works (?:on"
    r"|in) \w+, but|but (?:behind|now|then|when|on|in)\b)\b"
)
MIN_REPORT_WORDS = 4
MAX_REPORT_WORDS = 34
_WORD = re.compile(r"[a-z_]{5,}")


@dataclass(frozen=True, slots=True)
class Thread:
    """One question or problem: the turns about it, by index, and what the person reported."""

    topic: Topic
    turns: tuple[int, ...]
    outcomes: tuple[str, ...] = ()
    worked: bool = False
    text: str = ""
    advised: bool = False
    """True once a reply held steps, rather than only asking back."""


def find_threads(turns: Sequence[tuple[list[Sentence], str]], voice: Voice) -> list[Thread]:
    """The threads of a conversation, given the sentences and the reply of each turn, in order."""
    threads: list[Thread] = []
    for number, (sentences, reply) in enumerate(turns):
        reports = [sentence for sentence in sentences if _is_report(sentence)]
        if reports and threads:
            at = _belongs_to(threads, " ".join(sentence.text for sentence in reports))
            # Better figures speak for a fix only where there is no other it could have been.
            alone = sum(bool(thread.topic.heading) for thread in threads) == 1
            worked = any(_is_success(sentence, figures_count=alone) for sentence in reports)
            threads[at] = _with_outcome(threads[at], reports, number, voice)
            threads[at] = replace(threads[at], worked=threads[at].worked or worked)
        remaining = [sentence for sentence in sentences if sentence not in reports]
        topic = find_topic(remaining, voice)
        said = f" {' '.join(sentence.text for sentence in sentences)} {reply} "
        # What only adds to a problem that nobody has answered yet opens no new one.
        answers_back = bool(threads) and not threads[-1].advised and topic and not topic.asked
        if topic is not None and not answers_back:
            threads.append(Thread(topic, (number,), text=said, advised=holds_steps(reply)))
        elif threads and (answers_back or any(sentence.asks for sentence in remaining)):
            last = threads[-1]
            threads[-1] = replace(
                last,
                turns=(*last.turns, number),
                text=last.text + said,
                advised=last.advised or holds_steps(reply),
            )
    return threads


def good_news(sentences: Sequence[Sentence]) -> str:
    """What a message says of something that works now; empty where it says no such thing."""
    return " ".join(
        sentence.text
        for sentence in sentences
        if _is_report(sentence) and _is_success(sentence, figures_count=True)
    )


def loose_reports(sentences: Sequence[Sentence], voice: Voice) -> list[str]:
    """What a message reports as done or better, for when nothing before it is known."""
    return [
        uncapitalised(voice.relate(body_of(sentence.text)))
        for sentence in sentences
        if _is_report(sentence)
        and _is_success(sentence, figures_count=True)
        and stands_alone(sentence.text)
        and MIN_REPORT_WORDS <= len(sentence.text.split()) <= MAX_REPORT_WORDS
    ]


@lru_cache(maxsize=1024)
def _is_report(sentence: Sentence) -> bool:
    text = plain(sentence.text)
    if sentence.asks or _BAD_NEWS.search(text):
        return False
    signs = (_SAYS_IT_WORKED, _BETTER_FIGURES, _DECIDED)
    return any(sign.search(text) is not None for sign in signs)


def _is_success(sentence: Sentence, *, figures_count: bool) -> bool:
    text = plain(sentence.text)
    figures = figures_count and _BETTER_FIGURES.search(text) is not None
    return figures or _SAYS_IT_WORKED.search(text) is not None


def _belongs_to(threads: Sequence[Thread], report: str) -> int:
    """The thread that shares most words with a report; the later one where two share the same.

    What "worked" is the answer to a goal or a problem, wherever there was one.
    """
    first_clause = re.split(r"[,;] ", report.lower(), maxsplit=1)[0]
    said = {word[:6] for word in _WORD.findall(first_clause)}
    with_heading = [n for n, thread in enumerate(threads) if thread.topic.heading]
    return max(
        with_heading or range(len(threads)),
        key=lambda n: (
            len(said & {word[:6] for word in _WORD.findall(threads[n].text.lower())}),
            n,
        ),
    )


def _with_outcome(thread: Thread, reports: Sequence[Sentence], number: int, voice: Voice) -> Thread:
    told = [
        uncapitalised(tell(sentence.text, voice))
        for sentence in reports
        if stands_alone(sentence.text)
        and MIN_REPORT_WORDS <= len(sentence.text.split()) <= MAX_REPORT_WORDS
    ]
    turns = thread.turns if number in thread.turns else (*thread.turns, number)
    return replace(
        thread,
        turns=turns,
        outcomes=tuple(told) or thread.outcomes,
    )
