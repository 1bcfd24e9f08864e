"""Context text: passages that fit a line, sections, and how many lines fit a budget."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

from lib.embedded.wording import one_line
from lib.models import ARTIFACT_REF, EPISODE, EPISODE_SUMMARY, PROCEDURE, Message
from lib.tokens import count_many, count_tokens

T = TypeVar("T")

LINE_TOKENS = 80
"""No line of a context costs more, its dash and newline included."""
TASK_TOKENS = 32
"""What the task may cost in the header, whatever the budget: bundles stay nested."""

_SECTIONS = (
    "## About this user\n",
    "## Procedures\n",
    "## Artifacts\n",
    "## Recent history\n",
    "## Recent interactions\n",
)
_SECTION_OF = {PROCEDURE: 1, ARTIFACT_REF: 2, EPISODE_SUMMARY: 3, EPISODE: 4}
_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])\s+|\n+")
_SPEAKER = re.compile(r"\w+:(?= )")
# A word without spaces may be a whole file in base64; it is cut before it is counted.
_LONG_WORD = 64
_LABEL_CHARS = 24
_LABEL_TOKENS = 8


@dataclass(frozen=True, slots=True)
class Line:
    """One candidate line: its text without the dash, its kind, and its cost with newline."""

    text: str
    kind: str
    tokens: int


def line_tokens(texts: Sequence[str]) -> list[int]:
    """What each text costs as a line of the context."""
    return count_many([f"- {text}\n" for text in texts])


def memory_passages(content: str) -> list[str]:
    """The content as lines of at most `LINE_TOKENS` tokens; one line unless it is long."""
    return list(_lines("", content))


def episode_passages(messages: Sequence[Message], *, speaker: str | None = None) -> list[str]:
    """The messages as lines that each say who speaks, by role or, where known, by name.

    One line for the whole episode when it fits, otherwise lines of whole sentences as far as
    they fit in `LINE_TOKENS` tokens.
    """
    spoken = [
        (_prefix(message, speaker), message.content)
        for message in messages
        if message.content.strip()
    ]
    whole = one_line(" ".join(f"{prefix} {content}" for prefix, content in spoken))
    # Four characters a token is the least English needs; far longer texts are not even counted.
    if spoken and len(whole) < LINE_TOKENS * 12 and line_tokens([whole])[0] <= LINE_TOKENS:
        return [whole]
    return [line for prefix, content in spoken for line in _lines(prefix, content)]


def without_sentences(line: str, unwanted: Callable[[str], bool]) -> str | None:
    """An episode's line with an ellipsis for each unwanted sentence.

    None when there is no such sentence, or no other.
    """
    sentences = _SENTENCE_END.split(line)
    wanted = [sentence for sentence in sentences if not unwanted(sentence)]
    if not wanted or len(wanted) == len(sentences):
        return None
    kept: list[str] = []
    for sentence in sentences:
        if not unwanted(sentence):
            kept.append(sentence)
        elif speaker := _SPEAKER.match(sentence):
            kept.append(f"{speaker.group()} …")
        elif kept[-1:] != ["…"]:
            kept.append("…")
    return " ".join(kept)


class Header:
    """The task section: the task on one line, shortened to `TASK_TOKENS`."""

    def __init__(self, task: str) -> None:
        self.text = f"## Task\n{_shortened(one_line(task))}\n\n"
        self.tokens = count_tokens(self.text)


def totals(header: Header, lines: Iterable[Line]) -> Iterator[int]:
    """Tokens of the whole text with the first 1, 2, 3 … lines in it, exactly.

    Counting is additive by line: a line begins with a visible character and ends in newlines,
    and cl100k_base never joins what stands before a newline with what follows. A section's
    last line ends in two newlines instead of one, which can change its own cost.
    """
    tails: dict[int, int] = {}
    spent = header.tokens
    for line in lines:
        section = _SECTION_OF.get(line.kind, 0)
        if section not in tails:
            spent += _heading_tokens()[section]
        tails[section] = _blank_line_tokens(line.text)
        spent += line.tokens
        yield spent + sum(tails.values()) - tails[max(tails)]


def fitting(totals_by_count: Iterable[int], max_tokens: int) -> int:
    """How many lines fit: all before the first with which the text would be too long."""
    count = 0
    for total in totals_by_count:
        if total > max_tokens:
            break
        count += 1
    return count


class Layout:
    """The text for the model with the first lines of a ranking in it, for any number of them."""

    def __init__(self, header: Header, lines: Sequence[Line]) -> None:
        self._header = header
        self._sections: dict[int, Prefixes[str]] = {}
        for position, line in enumerate(lines):
            section = self._sections.setdefault(_SECTION_OF.get(line.kind, 0), Prefixes())
            section.add(position, f"- {line.text}\n")

    def text(self, count: int) -> str:
        """The text with `count` lines, empty with none."""
        if not count:
            return ""
        return self._header.text + "\n".join(
            _SECTIONS[section] + "".join(lines)
            for section in sorted(self._sections)
            if (lines := self._sections[section].before(count))
        )


class Prefixes(Generic[T]):
    """Values with the position each stands at, so that those before any position are a slice."""

    def __init__(self) -> None:
        self._positions: list[int] = []
        self._values: list[T] = []

    def add(self, position: int, value: T) -> None:
        """Adds the value at a position after all others."""
        self._positions.append(position)
        self._values.append(value)

    def before(self, position: int) -> list[T]:
        """The values that stand before `position`."""
        return self._values[: bisect_left(self._positions, position)]


def _prefix(message: Message, speaker: str | None) -> str:
    if speaker is None:
        return f"{_label(message.role)}:"
    # The text may begin with the name by itself; twice would cost tokens for nothing.
    named = message.content.lstrip().startswith(f"{speaker}:")
    return "" if named else f"{_label(speaker)}:"


@lru_cache(maxsize=256)
def _label(text: str) -> str:
    # A colon would end the label early.
    label = one_line(text).replace(":", "·")[:_LABEL_CHARS]
    while count_tokens(label) > _LABEL_TOKENS:
        label = label[:-1]
    return label.strip() or "-"


def _lines(prefix: str, content: str) -> Iterator[str]:
    # Two spare: the newline can cost more after punctuation than it does after the prefix.
    room = LINE_TOKENS - line_tokens([prefix])[0] - 2
    line: list[str] = []
    used = 0
    for words, costs in _sentences(content, limit=room):
        cost = sum(costs)
        if used + cost > room and line:
            yield " ".join([prefix, *line]).strip()
            line, used = [], 0
        for word, tokens in zip(words, costs, strict=True):
            if used + tokens > room:
                yield " ".join([prefix, *line]).strip()
                line, used = [], 0
            line.append(word)
            used += tokens
    if line:
        yield " ".join([prefix, *line]).strip()


def _sentences(content: str, *, limit: int) -> Iterator[tuple[list[str], list[int]]]:
    for sentence in _SENTENCE_END.split(content):
        words = [
            piece
            for word in sentence.split()
            for piece in (_pieces(word, limit) if len(word) > _LONG_WORD // 4 else [word])
        ]
        if words:
            # Additive, because cl100k_base always starts a piece at the space before a word.
            yield words, count_many([f" {word}" for word in words])


def _pieces(word: str, limit: int) -> list[str]:
    if len(word) > _LONG_WORD:
        halves = [word[at : at + _LONG_WORD] for at in range(0, len(word), _LONG_WORD)]
    elif count_tokens(f" {word}") > limit and len(word) > 1:
        halves = [word[: len(word) // 2], word[len(word) // 2 :]]
    else:
        return [word]
    return [piece for half in halves for piece in _pieces(half, limit)]


def _shortened(task: str) -> str:
    if len(task) <= TASK_TOKENS and count_tokens(task) <= TASK_TOKENS:
        return task
    words = [piece for word in task[:4000].split() for piece in _pieces(word, TASK_TOKENS // 2)]
    kept: list[str] = []
    used = 2  # the ellipsis
    for word, tokens in zip(words, count_many([f" {word}" for word in words]), strict=True):
        if used + tokens > TASK_TOKENS:
            return " ".join([*kept, "…"])
        kept.append(word)
        used += tokens
    return task


@lru_cache(maxsize=1)
def _heading_tokens() -> tuple[int, ...]:
    return tuple(count_many(_SECTIONS))


def _blank_line_tokens(text: str) -> int:
    """What a blank line after `text` costs more; only its last word can matter."""
    if text[-1:].isascii() and text[-1:].isalnum():
        return 0  # the newlines are a piece of their own then, and "\n\n" is one token as "\n" is
    return _blank_after(text.rpartition(" ")[2])


@lru_cache(maxsize=4096)
def _blank_after(word: str) -> int:
    return count_tokens(f" {word}\n\n") - count_tokens(f" {word}\n")
