"""Sentences: the prose of a chat message, without code, quotations of others and logs."""

import re
from dataclasses import dataclass

_FENCE = re.compile(r"(?:```|~~~)[\s\S]*?(?:```|~~~|\Z)")
_NOT_PROSE = re.compile(
    r"^(?:\s*>|\s*\||    \s*\S|\t|\s*[$%#❯]\s+\S*|\s*@@|\s*(?:import|from) [\w.]+ ?(?:import.*)?$"
    r"|\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\s*\[?\d\d:\d\d:\d\d|\s*\[?(?:TRACE|DEBUG"
    r"|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b"
    r"|\s*Traceback \(|\s*File \"|\s*at [\w.$<>]+\(|\s*(?:On .+ wrote:|From: |Subject: ))"
)
_BULLET = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)]|#{1,4})\s+")
_LABELLED = re.compile(r"[A-Z][^:.]{2,60}: ")
_END = re.compile(r"(?<![\s.])[.!?…]+[\"”'’)\]]*(?=\s)")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|vs|approx|incl|resp|cf|mr|mrs|ms|dr|prof|st|no|nr|fig|jan|feb|aug"
    r"|sept?|oct|nov|dec|(?-i:[A-Z]))\.$",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"\*\*|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)")
_LINK = re.compile(r"!?\[([^\]\n]{1,200})\]\((https?://[^\s)]{1,500})\)")
_QUOTED = re.compile(
    r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|«[^»\n]{1,400}»|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){8,400}'(?!\w)"
    r"|`[^`\n]+ [^`\n]+ [^`\n]+`"
)
_ASKS = re.compile(
    r"^(?:(?:so|and|but|ok|okay|hi|hey|hello|well|also|then|now|thanks|please)[,!]?\s+)*"
    r"(?:(?:what|which|who|whose|whom|where|why|how)\b"
    r"|when (?:do|does|did|is|are|was|were|will|should|can)\b"
    r"|(?:should|could|can|may|might|shall|would|do|does|did|is|are|am|was|were|will|have|has)"
    r"(?:n['’]t)? (?:i|we|you|he|she|it|they|there|this|that|these|those|the|an?|my|our"
    r"|your|any\w*|some\w*)\b"
    r"|any (?:idea|thought|chance|way|tips|advice)|(?:please )?(?:tell|remind|show) me\b)",
    re.IGNORECASE,
)

MAX_PROSE = 20_000
"""Characters of a message that are read; what people say of themselves stands before a paste."""

MAX_SENTENCE = 700
"""Longer "sentences" are data without punctuation."""

QUOTE_MARK = "“…”"
"""Stands for a quotation where only the writer's own words are read."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of prose; `asks` when it wants an answer rather than states something."""

    text: str
    asks: bool
    listed: bool = False
    """True for an entry of a list."""


def split_sentences(text: str) -> list[Sentence]:
    """The prose sentences of a message, in order; code, quoted lines and logs are left out."""
    return [
        Sentence(sentence, sentence.rstrip("\"”')]* ").endswith("?") or asks(sentence), listed)
        for block, listed in _blocks(text[:MAX_PROSE])
        for sentence in _split(block)
        if len(sentence) <= MAX_SENTENCE
    ]


def asks(text: str) -> bool:
    """True for a text that starts like a question, with or without a question mark."""
    return bool(_ASKS.match(text))


def without_quotations(text: str) -> str:
    """`text` with each quotation replaced by a mark, as its words may be another's."""
    return _QUOTED.sub(QUOTE_MARK, text)


def plain(text: str) -> str:
    """`text` without backticks and with single spaces."""
    return " ".join(text.replace("`", "").split())


def _blocks(text: str) -> list[tuple[str, bool]]:
    """Paragraphs and list entries. A line break ends a sentence unless the line was just full."""
    if "```" in text or "~~~" in text:
        text = _FENCE.sub("\n\n", text)
    if "](" in text:
        text = _LINK.sub(r"\1 (\2)", text)
    blocks: list[tuple[str, bool]] = []
    joins = False
    for line in text.splitlines():
        if not line.strip() or _NOT_PROSE.match(line):
            joins = False
            continue
        entry = _BULLET.match(line)
        body = _MARKUP.sub("", line[entry.end() :] if entry else line).strip()
        if (
            joins
            and not entry
            and len(blocks[-1][0]) > 50
            and not blocks[-1][0].endswith((".", "!", "?", ":"))
            and not _LABELLED.match(body)
        ):
            blocks[-1] = (f"{blocks[-1][0]} {body}", blocks[-1][1])
        elif body:
            blocks.append((body, entry is not None))
        joins = bool(blocks)
    return blocks


def _split(block: str) -> list[str]:
    sentences: list[str] = []
    start = 0
    for end in _END.finditer(block):
        if end[0] == "." and _ABBREVIATION.search(block, max(start, end.start() - 8), end.end()):
            continue
        sentences.append(block[start : end.end()].strip())
        start = end.end()
    sentences.append(block[start:].strip())
    return [sentence for sentence in sentences if sentence]
