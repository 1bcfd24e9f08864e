"""Other languages: statements of a person about themselves, kept in their own words."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lib.compiling.clauses import is_meant
from lib.compiling.sentences import QUOTE_MARK, Sentence, plain, without_quotations

_MIN_MARKS = 3
_HEAD = re.compile(
    r"(?i)^(?:(?:hallo|hi|hey|moin|servus|salut|bonjour|hola|buenas|olá|oi|ciao|hoi|also|bon|bueno|bem"
    r"|ok|okay|übrigens|d['’]ailleurs|por cierto|aliás|sì|ja|oui|sí|sim)\b[\s,!.:–—]*)+"
)
_ENGLISH = re.compile(r"(?i)\b(?:the|and|is|are|with|i['’]?m|my|what|this|have|for)\b")


@dataclass(frozen=True, slots=True)
class _Language:
    name: str
    marks: re.Pattern[str]
    begins: re.Pattern[str]
    unsure: re.Pattern[str]


def _load(path: Path) -> tuple[_Language, ...]:
    return tuple(
        _Language(
            name,
            re.compile(rf"(?i)\b(?:{rules['marks']})\b"),
            re.compile(rf"(?i){rules['begins']}(?:\b|(?<= ))"),
            re.compile(rf"(?i)(?<!\w)(?:{rules['not']})"),
        )
        for name, rules in tomllib.loads(path.read_text(encoding="utf-8")).items()
    )


_LANGUAGES = _load(Path(__file__).with_name("languages.toml"))


def foreign_statements(sentences: Sequence[Sentence]) -> Iterator[tuple[str, str]]:
    """Statements about oneself in a language other than English, each with the language's name."""
    text = " ".join(sentence.text for sentence in sentences)
    language = _language_of(text)
    if language is None:
        return
    for number, sentence in enumerate(sentences):
        body = _HEAD.sub("", plain(sentence.text))
        following = sentences[number + 1].text if number + 1 < len(sentences) else ""
        if (
            language.begins.match(body)
            and not sentence.asks
            and "?" not in body
            and not language.unsure.search(body)
            and is_meant(body, following)
            and QUOTE_MARK not in without_quotations(body)
            and "[masked" not in body
        ):
            yield body, language.name


def _language_of(text: str) -> _Language | None:
    """The language with the most of its small words in `text`; None for English and for none."""
    english = len(_ENGLISH.findall(text))
    counts = [
        (len({word.lower() for word in language.marks.findall(text)}), language)
        for language in _LANGUAGES
    ]
    most, language = max(counts, key=lambda item: item[0])
    return language if most >= _MIN_MARKS and most > english else None
