"""OfflineReader: answers by quoting the notes in its prompt."""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lib.models import Message, ReplyEnd
from lib.offline import wording
from lib.offline.answer_kind import OWN_NAME, spans
from lib.offline.asking import Intent, intent_of, parts_of
from lib.offline.excerpts import excerpts
from lib.offline.finding import Found, Similarity, compares, find
from lib.offline.notes import Given, Note, Source, read_given
from lib.offline.words import content_words, match, stem, stems, weight
from lib.tokens import count_prompt_tokens, count_tokens, model_encoding

READER_NAME = "Offline reader (no language model)"
_WORDS_PER_PIECE = 6
_SAME_WORDS = 0.5
_SOME_WORD = 0.8
_CLOSE_SCORE = 0.1


class OfflineReader:
    """A deterministic ChatModel: it quotes what it was given, or says it has no record.

    `similarity`, where given, adds nearness in meaning to the ranking; what counts as an answer is
    decided by words alone, so that nothing is answered which the notes do not say.
    """

    def __init__(self, *, pricing_model: str, similarity: Similarity | None = None) -> None:
        self._pricing_model = pricing_model
        self._similarity = similarity

    @property
    def name(self) -> str:
        """What the screen calls it."""
        return READER_NAME

    @property
    def is_language_model(self) -> bool:
        """False."""
        return False

    @property
    def pricing_model(self) -> str:
        """The model whose prices and tokens stand for "if sent to"."""
        return self._pricing_model

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 600,
        temperature: float = 0.2,  # noqa: ARG002 - a reader has nothing to vary
        model: str | None = None,
        json_schema: Mapping[str, Any] | None = None,  # noqa: ARG002 - it only quotes
    ) -> "OfflineReply":
        """The answer, in groups of words; `model` changes only what it would cost."""
        return OfflineReply(
            tuple(messages),
            max_tokens=max_tokens,
            model=model or self._pricing_model,
            reader=self,
        )

    def answer(self, messages: Sequence[Message]) -> str:
        """The whole answer to the last message."""
        given = read_given(messages)
        name = _own_name(given)
        match intent_of(given.question):
            case Intent.GREETING:
                return wording.greet(name)
            case Intent.THANKS:
                return wording.thank()
            case Intent.WHO_ARE_YOU:
                return wording.introduce()
            case Intent.ABOUT_ME:
                return wording.describe(given)
            case Intent.LEFT_OFF:
                return wording.recap(given)
            case Intent.WRITE:
                return wording.decline_to_write(_relevant(given))
            case Intent.STATEMENT:
                return wording.acknowledge(given.question)
            case Intent.QUESTION:
                return self._look_up(given, name)

    def close(self) -> None:
        """Nothing to release."""

    def _look_up(self, given: Given, name: str) -> str:
        names = frozenset(stem(word) for word in name.split())
        before = given.earlier_questions[-1] if given.earlier_questions else ""
        parts = parts_of(given.question, before=before, names=names)
        answers: list[Found] = []
        for part in parts:
            whole = excerpts(part, given.notes, similarity=self._similarity)
            if compares(part) and whole:
                answers += whole[:1]
                continue
            found = find(part, given.notes, similarity=self._similarity)
            best = [item for item in found[:1] if all(_adds(item, other) for other in answers)]
            second = _second(found) if best and part.explains else []
            answers += [*best, *(item for item in second if _adds(item, best[0]))]
        if not answers and parts:
            answers = excerpts(parts[0], given.notes, similarity=self._similarity)
        if answers:
            return wording.say_found(answers)
        return wording.say_no_record(parts[0] if parts else None, given)


class OfflineReply:
    """One reply of the reader; see `lib.protocol.ReplyStream`."""

    def __init__(
        self, messages: tuple[Message, ...], *, max_tokens: int, model: str, reader: OfflineReader
    ) -> None:
        self._messages = messages
        self._max_tokens = max_tokens
        self._model = model
        self._reader = reader
        self._given = ""
        self._finish_reason = ""
        self._started = time.perf_counter()
        self._total_ms = 0.0
        self._iterator = self._pump()

    def __iter__(self) -> Iterator[str]:
        return self._iterator

    def close(self) -> None:
        """End the reply where it is."""
        self._finish("stopped")

    @property
    def end(self) -> ReplyEnd:
        """Usage, counted for the model it would be sent to."""
        if not self._finish_reason:
            raise RuntimeError("The reply is still running: exhaust or close it first.")
        encoding_name, _ = model_encoding(self._model)
        return ReplyEnd(
            prompt_tokens=count_prompt_tokens(self._messages, model=self._model).tokens,
            completion_tokens=count_tokens(self._given, encoding_name=encoding_name),
            measured=False,
            first_token_ms=None,
            total_ms=self._total_ms,
            finish_reason=self._finish_reason,
            model=READER_NAME,
        )

    def _pump(self) -> Iterator[str]:
        text, whole = _shortened(self._reader.answer(self._messages), self._max_tokens, self._model)
        for piece in re.findall(rf"(?:\S+\s*){{1,{_WORDS_PER_PIECE}}}", text):
            if self._finish_reason:
                return
            self._given += piece
            yield piece
        self._finish("stop" if whole else "length")

    def _finish(self, reason: str) -> None:
        if not self._finish_reason:
            self._total_ms = (time.perf_counter() - self._started) * 1000
            self._finish_reason = reason


def _shortened(text: str, max_tokens: int, model: str) -> tuple[str, bool]:
    """`text` cut after the last sentence that fits, or the last word; and whether it is whole."""
    encoding_name, _ = model_encoding(model)
    if count_tokens(text, encoding_name=encoding_name) <= max_tokens:
        return text, True
    for boundary in (r"(?<=[.!?”])\s+|\n+", r"\s+"):
        ends = [found.start() for found in re.finditer(boundary, text)]
        for end in reversed(ends):
            if count_tokens(text[:end], encoding_name=encoding_name) <= max_tokens:
                return text[:end], False
    return "", False


def _second(found: Sequence[Found]) -> list[Found]:
    """A second explanation where it is about as good; a summary only repeats."""
    close = [
        item
        for item in found[1:]
        if item.score > found[0].score - _CLOSE_SCORE and item.note.source is not Source.SUMMARY
    ]
    return close[:1]


def _adds(item: Found, other: Found) -> bool:
    """True unless the two mostly say the same."""
    return _differs(item.quote, other.quote)


def _differs(text: str, other: str) -> bool:
    words, others = stems(text), stems(other)
    return len(words & others) < _SAME_WORDS * min(len(words), len(others))


def _own_name(given: Given) -> str:
    for note in given.of(Source.PROFILE, Source.CONVERSATION):
        for name in spans(OWN_NAME, note.text):
            return name
    return ""


def _relevant(given: Given) -> list[Note]:
    """At most three notes that share a telling word with what should be written."""
    wanted = [word for word in content_words(given.question) if weight(word) >= 1]
    scored = [(sum(match(word, stems(note.text)) for word in wanted), note) for note in given.notes]
    best: list[Note] = []
    for score, note in sorted(scored, key=lambda item: -item[0]):
        if score >= _SOME_WORD and all(_differs(note.text, other.text) for other in best):
            best.append(note)
    return best[:3]
