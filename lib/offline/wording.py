"""Wording: how the reader says what it found, or that it has no record."""

import re
from collections.abc import Sequence

from lib.offline.asking import Part
from lib.offline.finding import Found
from lib.offline.notes import Given, Note, Passage, Source

NO_RECORD = "I have no record of that."
NOTHING_CAME = "Nothing from an earlier conversation came with this message"
_NEEDS_MODEL = "set `LLM_API_KEY` to have one"
_MOST_LISTED = 8
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I've|I'd|my|we|our|we're|we've)\b", re.IGNORECASE)

_INTRODUCTIONS = {
    Source.PROFILE: "From your profile",
    Source.PROCEDURE: "From earlier advice",
    Source.ARTIFACT: "From your references",
    Source.SUMMARY: "From an earlier conversation",
    Source.INTERACTION: "From an earlier conversation",
    Source.CONVERSATION: "You said in this conversation",
    Source.OTHER: "From my notes",
}


def say_found(found: Sequence[Found]) -> str:
    """The quotes, each with where it comes from."""
    return "\n\n".join(_quote(item) for item in found)


def say_no_record(part: Part | None, given: Given) -> str:
    """That nothing here answers, and what would."""
    need = f" It would take a message that {_need(part)}." if part else ""
    if given.has_memory:
        return NO_RECORD + need
    return f"{NO_RECORD} {NOTHING_CAME}.{need}"


def greet(name: str) -> str:
    """A greeting that says what can be asked."""
    hello = f"Hello {name}!" if name else "Hello!"
    return f"{hello} Ask me about something you told me, or tell me what you are working on."


def introduce() -> str:
    """What the reader is."""
    return (
        "I am the offline reader, not a language model: I answer by quoting what you told me, "
        f"or say that I have no record of it. For more than that, {_NEEDS_MODEL}."
    )


def describe(given: Given) -> str:
    """What is known about the person."""
    facts = [_line(note) for note in given.of(Source.PROFILE)]
    if not facts:
        facts = _about_themselves(given.of(Source.INTERACTION, Source.SUMMARY, Source.OTHER))
    said = _about_themselves(given.of(Source.CONVERSATION))
    lines: list[str] = []
    if facts:
        lines += ["This is what I know about you:", "", *_bullets(facts)]
    if said:
        lines += ["", "In this conversation you said:", "", *_bullets(said)]
    if lines:
        return "\n".join(lines).strip()
    return (
        f"I have no record of anything about you. {NOTHING_CAME}. "
        "Tell me who you are and what you work on."
    )


def recap(given: Given) -> str:
    """Where the last conversation ended."""
    said = given.of(Source.CONVERSATION)
    # A line of the person's own says more about where things stand than a reply without it.
    spoken = [
        note
        for note in given.of(Source.INTERACTION, Source.OTHER)
        if note.passages[0].speaker == "user"
    ]
    last = given.of(Source.SUMMARY)[:2] or spoken[:1]
    last = last or given.of(Source.PROCEDURE, Source.PROFILE)[:2]
    lines: list[str] = []
    if last:
        lines += ["This is where we left off:", "", *_bullets([_line(note) for note in last])]
    if said:
        lines += [
            "",
            "Since then, in this conversation, you said:",
            "",
            *_bullets([_line(note) for note in said[-3:]]),
        ]
    if lines:
        return "\n".join(lines).strip()
    return f"I have no record of a conversation to go on from. {NOTHING_CAME}."


def decline_to_write(relevant: Sequence[Note]) -> str:
    """That writing needs a model, with what matters for it."""
    refusal = f"Writing that needs a language model. None is connected: {_NEEDS_MODEL}."
    if relevant:
        return "\n".join(
            [
                refusal,
                "",
                "What I recall that matters for it:",
                "",
                *_bullets([_line(note) for note in relevant]),
            ]
        )
    return f"{refusal} I have no record of anything that matters for it."


def acknowledge(message: str) -> str:
    """That a statement was heard, and no more."""
    return f"Noted, as part of this conversation: “{_short(message)}”"


def thank() -> str:
    """An answer to thanks and good-byes."""
    return "You are welcome."


def _quote(found: Found) -> str:
    text = _embolden(found.quote, found.answer)
    if found.passage.speaker == "user":
        who = _INTRODUCTIONS[Source.CONVERSATION]
        if found.note.source is not Source.CONVERSATION:
            who = "You said earlier"
        return f"{who}: “{text}”"
    said = f"{text[:1].upper()}{text[1:]}"
    if not found.passage.speaker and _FIRST_PERSON.match(said):
        # Some compilers keep the person's own words; without quotation marks "I" would be us.
        said = f"“{said}”"
    return f"{_INTRODUCTIONS[found.note.source]}: {said}"


def _embolden(text: str, answer: str) -> str:
    # Inside backticks or next to an asterisk, bold would come out as stars.
    if not answer or "`" in text or "*" in text:
        return text
    before, answer, after = text.partition(answer)
    return f"{before}**{answer}**{after}" if answer else text


def _bullets(texts: Sequence[str]) -> list[str]:
    return [f"- {text}" for text in texts[:_MOST_LISTED]]


def _about_themselves(notes: Sequence[Note]) -> list[str]:
    """What the person stated in the first person, without their questions."""
    return [
        sentence
        for note in notes
        for passage in note.passages
        if passage.speaker == "user"
        for sentence in passage.sentences
        if _FIRST_PERSON.search(sentence) and not sentence.endswith("?")
    ]


def _line(note: Note) -> str:
    if len(note.passages) == 1:
        return note.passages[0].text
    return " ".join(_said(passage) for passage in note.passages)


def _said(passage: Passage) -> str:
    who = "You" if passage.speaker == "user" else "I"
    return f"{who}: “{_short(passage.text)}”"


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 240 else words[:240].rsplit(" ", 1)[0] + " …"


def _need(part: Part | None) -> str:
    if part is None:
        return "says so"
    if part.explains:
        return "explains it"
    return part.kind.need if part.kind else "says so"
