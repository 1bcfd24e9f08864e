"""Notes: everything in a prompt that an answer may be taken from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from textwrap import wrap

from lib.models import Message
from lib.prompt import read_memory_block

_QUESTION_CHARS = 2_000
"""What is read of a question; whatever is pasted below it cannot slow the reader down."""
_STATEMENT_CHARS = 20_000
_SENTENCE_CHARS = 600
_SECTION = re.compile(r"^##\s+(.+?)\s*$")
_ITEM = re.compile(r"^- (.*)$")
_SPOKEN = re.compile(r"^\[[^\]\n]{1,60}\]\s*(?=\w+:)")
_TURN = re.compile(r"(?:^|\s)(user|assistant|system|tool):\s", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"”)]?\s+(?=[\"“(`A-Z0-9À-Þ])")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|Dr|Mr|Mrs|Ms|No|approx)\.$")


class Source(Enum):
    """Where a note came from."""

    PROFILE = "about this user"
    PROCEDURE = "procedures"
    ARTIFACT = "artifacts"
    SUMMARY = "recent history"
    INTERACTION = "recent interactions"
    CONVERSATION = "this conversation"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Passage:
    """What one speaker said in a note; "" where it was not said but noted."""

    speaker: str
    text: str

    @property
    def sentences(self) -> list[str]:
        """The sentences, in order."""
        found: list[str] = []
        for part in _SENTENCE_END.split(self.text):
            if found and _ABBREVIATION.search(found[-1]):
                found[-1] = f"{found[-1]} {part}"
            elif part.strip():
                # Something without full stops, such as a log, is read in pieces.
                found.extend(wrap(part, _SENTENCE_CHARS, break_on_hyphens=False))
        return found

    @property
    def clauses(self) -> list[str]:
        """The sentences, taken apart at semicolons as well."""
        return [clause for sentence in self.sentences for clause in sentence.split("; ") if clause]


@dataclass(frozen=True, slots=True)
class Note:
    """One remembered line, or one thing said in this conversation."""

    source: Source
    passages: tuple[Passage, ...]
    position: int

    @property
    def text(self) -> str:
        """All passages as one text."""
        return " ".join(passage.text for passage in self.passages)


@dataclass(frozen=True, slots=True)
class Given:
    """What the reader was given: the question, notes to answer from, and the talk before it."""

    question: str
    notes: tuple[Note, ...]
    earlier_questions: tuple[str, ...]
    has_memory: bool

    def of(self, *sources: Source) -> list[Note]:
        """The notes from `sources`, in order."""
        return [note for note in self.notes if note.source in sources]


def read_given(messages: Sequence[Message]) -> Given:
    """The notes in a prompt, exactly as a model would get it."""
    block = read_memory_block(messages)
    spoken = [message.content.strip() for message in messages if message.role == "user"]
    question = spoken[-1][:_QUESTION_CHARS] if spoken else ""
    notes = _read_block(block or "")
    for text in spoken[:-1]:
        passage = Passage("user", " ".join(text[:_STATEMENT_CHARS].split()))
        notes.append(Note(Source.CONVERSATION, (passage,), len(notes)))
    return Given(
        question,
        tuple(notes),
        tuple(text[:_QUESTION_CHARS] for text in spoken[:-1]),
        block is not None,
    )


def _read_block(block: str) -> list[Note]:
    notes: list[Note] = []
    source: Source | None = None
    lines: list[str] = []

    def flush() -> None:
        if source is not None and lines:
            text = " ".join(" ".join(lines).split())
            notes.append(Note(source, _passages(text), len(notes)))
        lines.clear()

    for line in block.splitlines():
        if section := _SECTION.match(line):
            flush()
            source = _source(section.group(1))
        elif item := _ITEM.match(line):
            flush()
            lines.append(item.group(1))
        elif lines:
            lines.append(line)
    flush()
    return notes


def _source(title: str) -> Source | None:
    """The source a section stands for; None for the task, which is the question itself."""
    if title.casefold() == "task":
        return None
    try:
        return Source(title.casefold())
    except ValueError:
        return Source.OTHER


def _passages(text: str) -> tuple[Passage, ...]:
    text = _SPOKEN.sub("", text)
    turns = list(_TURN.finditer(text))
    if turns and turns[0].start() == 0:
        ends = [turn.start() for turn in turns[1:]] + [len(text)]
        return tuple(
            Passage(turn.group(1).lower(), text[turn.end() : end].strip())
            for turn, end in zip(turns, ends, strict=True)
            if text[turn.end() : end].strip()
        )
    asked, arrow, concluded = text.partition(" → ")
    if arrow:
        return (Passage("user", asked.strip()), Passage("assistant", concluded.strip()))
    return (Passage("", text),)
