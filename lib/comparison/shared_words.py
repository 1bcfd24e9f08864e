"""Which lines of memory a reply shares telling words with.

The rule: a word tells something when it is no function word, stands in neither the question nor
the stateless reply, and is in both the line and the memory-backed reply. A line counts when it
shares two such words, or one that is a name, an identifier or a number. Words are compared as
written, whatever the case. This shows what the reply has from that line's words; that the model
read it there, rather than in another line or in its training, no count of words can show.
"""

import re
from dataclasses import dataclass
from typing import Final

from lib.comparison.sides import Comparison
from lib.models import EPISODE, ContextBundle

_WORD = re.compile(r"[^\W_]+(?:[.@/+#'’_-]+[^\W_]+)*")
_SHORTEST = 3
_ENOUGH = 2
_FUNCTION_WORD_LIST: Final = """
about above after again all also although and any are because been before being between both
but can could did does doing done down during each either else every few for from further get
gets getting had has have having her here hers him his how however into its itself just like
made make many may might more most much must nor not now off once one only other our ours out
over own per please rather really same she should since some still such than that the their
theirs them then there these they thing things this those though through too under until upon
use used user uses using very via was well were what when where whether which while who whom
whose why will with within without would yes yet you your yours assistant person said says
subject
"""
_FUNCTION_WORDS: Final = frozenset(_FUNCTION_WORD_LIST.split())


@dataclass(frozen=True, slots=True)
class SharedLine:
    """A line of the context, and the telling words that the memory-backed reply has too."""

    id: str
    kind: str
    content: str
    words: frozenset[str]
    """In lower case; empty for a line the reply shares too little with."""


def shared_lines(comparison: Comparison) -> tuple[SharedLine, ...]:
    """Every line of the context in rank order; none unless both sides are whole."""
    prompt = comparison.memory.reply.prompt
    if not comparison.comparable or prompt is None or prompt.bundle is None:
        return ()
    known = telling_words(comparison.message) | telling_words(comparison.stateless.reply.text)
    said = telling_words(comparison.memory.reply.text) - known
    return tuple(
        SharedLine(line_id, kind, content, _shared(content, said))
        for line_id, kind, content in _lines(prompt.bundle)
    )


def telling_words(text: str) -> frozenset[str]:
    """The words of `text` that are no function words, in lower case."""
    words = (found[0].casefold() for found in _WORD.finditer(text))
    return frozenset(word for word in words if _tells(word))


def _tells(word: str) -> bool:
    if any(character.isdigit() for character in word):
        return True
    # Scripts without spaces between words have short ones.
    return (len(word) >= _SHORTEST or not word.isascii()) and word not in _FUNCTION_WORDS


def _shared(content: str, said: frozenset[str]) -> frozenset[str]:
    shared = telling_words(content) & said
    if len(shared) >= _ENOUGH:
        return shared
    return shared if shared & _names(content) else frozenset()


def _names(content: str) -> frozenset[str]:
    """Words that name one thing: capitals within a line, digits, or signs inside the word."""
    found = [match for match in _WORD.finditer(content) if _is_name(match[0], match.start())]
    return frozenset(match[0].casefold() for match in found)


def _is_name(word: str, place: int) -> bool:
    # The first word of a line has a capital whatever it is.
    tail = word[1:] if place == 0 else word
    return not word.isalpha() or any(character.isupper() for character in tail)


def _lines(bundle: ContextBundle) -> list[tuple[str, str, str]]:
    if bundle.items:
        return [(item.id, item.kind, item.content) for item in bundle.items if item.included]
    lines = [(memory.id, memory.kind, memory.content) for memory in bundle.memories]
    return [*lines, *((episode.id, EPISODE, episode.text) for episode in bundle.episodes)]
