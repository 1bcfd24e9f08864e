"""Summaries: what a conversation asked and what it concluded, in one sentence."""

import re
from collections.abc import Sequence

from lib.compiling.grammar import Voice, sentence_case, uncapitalised
from lib.compiling.sentences import plain, split_sentences
from lib.compiling.threads import Thread
from lib.tokens import count_tokens

MAX_TOKENS = 60

_LEADS_IN = re.compile(
    r"(?i)^(?:(?:yes|no|sure|right|good (?:call|question|point)|great|exactly|then|so|in short"
    r"|short answer|both|well)[,:.!—–-]? )+"
)
_HEADLESS = re.compile(r"(?i)(?:no|\w+ed)\b")
_MAX_ADVICE_WORDS = 24


def summarise(threads: Sequence[Thread], replies: Sequence[str], voice: Voice) -> str:
    """The sentence "Alice asked …; <outcome>." about the main thread, at most 60 tokens.

    Main is the last thread with a reported outcome; without one, the first with what was advised.
    What else was asked is told where it fits.
    Empty when there is nothing to conclude.
    """
    main = next((thread for thread in reversed(threads) if thread.outcomes), threads[0])
    advice = [_advice(replies[thread.turns[0]], thread.text) for thread in threads]
    at = threads.index(main)
    before = [_aside(threads[n], advice[n]) for n in range(at)]
    after = [_aside(threads[n], advice[n]) for n in range(at + 1, len(threads))]
    for ending in _endings(main, advice[at]):
        core = f"{main.topic.told}; {ending}"
        for told in (
            [
                *(f"{each}, then " for each in before[:1]),
                core,
                *(f"; also {each}" for each in after[:1]),
            ],
            [*(f"{each}, then " for each in before[:1]), core],
            [core, *(f"; also {each}" for each in after[:1])],
            [core],
        ):
            text = sentence_case(f"{voice.subject} {''.join(told)}")
            if count_tokens(text) <= MAX_TOKENS:
                return text
    return ""


def report(told: Sequence[str], voice: Voice) -> str:
    """The sentence "Alice reported that …" from one message, at most 60 tokens."""
    for each in told:
        # "Moved it, and it works" and "No errors since" have no subject to go on with.
        joint = ":" if _HEADLESS.match(each) else " that"
        text = sentence_case(f"{voice.subject} reported{joint} {each}")
        if count_tokens(text) <= MAX_TOKENS:
            return text
    return ""


def _endings(thread: Thread, advice: str) -> list[str]:
    endings = [*reversed(thread.outcomes)]
    if len(endings) > 1:
        endings.insert(0, "; ".join(thread.outcomes))
    return endings or ([f"the advice was: {advice}"] if advice else [])


def _aside(thread: Thread, advice: str) -> str:
    """A thread in brief; its advice only where no procedure tells it."""
    told = thread.topic.told
    return told if thread.topic.heading or not advice else f"{told} (the advice: {advice})"


def _advice(reply: str, seen: str) -> str:
    """The first sentence of a reply that says something, without "Yes," before it."""
    for sentence in split_sentences(reply):
        text = _LEADS_IN.sub("", plain(sentence.text)).rstrip(" .!:")
        if not sentence.asks and 2 <= len(text.split()) <= _MAX_ADVICE_WORDS:
            return uncapitalised(re.sub(r"(?i)\byour\b", "the", text), seen=seen)
    return ""
