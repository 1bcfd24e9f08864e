"""A turn, from the question to the recorded episode, and the conversation it belongs to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from math import isfinite
from typing import Any, Final, Literal, Self

from lib.assistant import PreparedPrompt
from lib.models import ContextBundle, Message, ReplyEnd
from lib.outbox import Recording, RecordState
from lib.protocol import ChatModel

HISTORY_TURNS: Final = 6
"""How many earlier turns of the session a prompt carries, so that "and why?" can be answered."""

DOUBLE_CLICK: Final = timedelta(seconds=1.5)

TurnState = Literal["waiting", "streaming", "whole", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class ReplyFigures:
    """What a reply took, as shown beneath it and kept in its episode's metadata.

    Times in ms; None where there is no such figure.
    """

    model: str
    is_language_model: bool = True
    pricing_model: str = ""
    memories: int = 0
    raw_episodes: int = 0
    context_tokens: int = 0
    context_ms: float | None = None
    memory_error: str | None = None
    memory_off: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    measured: bool = False
    first_token_ms: float | None = None
    total_ms: float | None = None

    @classmethod
    def before_reply(cls, prompt: PreparedPrompt, model: ChatModel, *, name: str | None) -> Self:
        """What is known before the first token."""
        bundle = prompt.bundle
        return cls(
            model=name or model.name,
            is_language_model=model.is_language_model,
            pricing_model=name or model.pricing_model,
            memories=len(bundle.memories) if bundle else 0,
            raw_episodes=len(bundle.episodes) if bundle else 0,
            context_tokens=bundle.token_estimate if bundle and bundle.context_used else 0,
            context_ms=prompt.context_ms,
            memory_error=prompt.memory_error,
            memory_off=bundle is None and prompt.memory_error is None,
        )

    @classmethod
    def from_metadata(cls, metadata: Mapping[str, Any]) -> Self | None:
        """The figures kept in an episode, or None when it has none of this app's."""
        kept = metadata.get("reply")
        if not isinstance(kept, Mapping) or not isinstance(kept.get("model"), str):
            return None
        # Another app may keep something else under the same names.
        return cls(**{name: kept[name] for name, fits in _FIGURES.items() if fits(kept.get(name))})

    def as_metadata(self) -> dict[str, Any]:
        """The figures that are not empty, for the episode."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


_FIGURES: Final[dict[str, Callable[[object], bool]]] = {
    "model": _is_text,
    "is_language_model": _is_flag,
    "pricing_model": _is_text,
    "memories": _is_count,
    "raw_episodes": _is_count,
    "context_tokens": _is_count,
    "context_ms": _is_time,
    "memory_error": _is_text,
    "memory_off": _is_flag,
    "prompt_tokens": _is_count,
    "completion_tokens": _is_count,
    "measured": _is_flag,
    "first_token_ms": _is_time,
    "total_ms": _is_time,
}
"""Every field of ReplyFigures, and which values it can hold."""


@dataclass(slots=True)
class Turn:
    """One question and what became of it; `id` is the idempotency key of its episode."""

    id: str
    question: str
    asked_at: datetime
    state: TurnState = "waiting"
    reply: str = ""
    prompt: PreparedPrompt | None = None
    """What was sent; unknown for a turn loaded from the runtime."""
    figures: ReplyFigures | None = None
    error: str | None = None
    replaces: "Turn | None" = None
    """The turn whose reply this one regenerates."""
    episode_id: str | None = None
    record_state: RecordState | None = None
    """What became of it in the outbox; None before it was handed over."""
    record_error: str | None = None
    shares_episode: bool = False
    """True when its episode holds other turns too, so that it cannot be replaced alone."""

    @property
    def settled(self) -> bool:
        """True when the reply has ended, well or badly."""
        return self.state in ("whole", "stopped", "failed")

    @property
    def unrecorded(self) -> bool:
        """True when it belongs into the runtime and is not there yet."""
        ended = self.state in ("whole", "stopped")
        return ended and self.episode_id is None and self.record_state != "discarded"

    @property
    def can_regenerate(self) -> bool:
        """True when another reply may take its place."""
        return self.state in ("whole", "stopped") and not self.shares_episode

    def begin(self, prompt: PreparedPrompt, figures: ReplyFigures) -> None:
        """The prompt goes out now."""
        self.state, self.reply, self.error = "streaming", "", None
        self.prompt, self.figures = prompt, figures

    def finish(self, figures: ReplyFigures) -> None:
        """The reply is whole."""
        self.state, self.figures = "whole", figures

    def fail(self, reason: str) -> None:
        """The model gave no usable reply: nothing of this turn is stored."""
        self.state, self.error = "failed", reason

    def settle(self, became: Recording) -> None:
        """The outbox says what became of the turn."""
        self.record_state, self.episode_id = became.state, became.episode_id
        self.record_error = None if became.episode_id else became.reason

    def messages(self) -> tuple[Message, ...]:
        """What was said, without a reply that never began."""
        asked = (Message("user", self.question),) if self.question else ()
        return (*asked, Message("assistant", self.reply)) if self.reply else asked


def final_figures(figures: ReplyFigures, end: ReplyEnd) -> dict[str, Any]:
    """The fields of ReplyFigures that only the end of a reply can tell."""
    return {
        "model": end.model if figures.is_language_model else figures.model,
        "prompt_tokens": end.prompt_tokens,
        "completion_tokens": end.completion_tokens,
        "measured": end.measured,
        "first_token_ms": end.first_token_ms,
        "total_ms": end.total_ms,
    }


@dataclass(slots=True)
class Conversation:
    """One session of one subject; only its last turn can be under way."""

    subject_id: str
    session_id: str
    turns: list[Turn] = field(default_factory=list)

    @property
    def waiting(self) -> Turn | None:
        """The turn whose question still has to go out."""
        last = self.turns[-1] if self.turns else None
        return last if last and last.state == "waiting" else None

    @property
    def last_bundle(self) -> ContextBundle | None:
        """What the last reply was given, as far as this visit knows."""
        last = next((turn for turn in reversed(self.turns) if turn.settled), None)
        return last.prompt.bundle if last and last.prompt else None

    def ask(self, question: str, *, turn_id: str, at: datetime) -> None:
        """A new turn; the same question again within a moment is a double click, not another."""
        text = _storable(question)
        if not text:
            return
        last = self.turns[-1] if self.turns else None
        if last and last.question == text and at - last.asked_at < DOUBLE_CLICK:
            if last.state == "stopped":
                self.ask_again(turn_id=turn_id, at=at)
        elif self.waiting:
            self.turns[-1] = Turn(turn_id, text, at)
        else:
            self.turns.append(Turn(turn_id, text, at))

    def ask_again(self, *, turn_id: str, at: datetime) -> None:
        """Another reply to the last question: a retry after a failure, otherwise a replacement."""
        last = self.turns[-1] if self.turns else None
        if last is None:
            return
        if last.state == "failed":
            self.turns[-1] = Turn(turn_id, last.question, at, replaces=last.replaces)
        elif last.can_regenerate:
            self.turns[-1] = Turn(turn_id, last.question, at, replaces=last)

    def ask_instead(self, question: str, *, turn_id: str, at: datetime) -> None:
        """Another question in place of the last one, whose turn it replaces; unchanged or
        without words, nothing happens.
        """
        last = self.turns[-1] if self.turns else None
        text = _storable(question)
        if last is None or not text or text == last.question:
            return
        if last.state == "failed":
            self.turns[-1] = Turn(turn_id, text, at, replaces=last.replaces)
        elif last.can_regenerate:
            self.turns[-1] = Turn(turn_id, text, at, replaces=last)

    def keep_earlier(self) -> None:
        """Take back the reply that the last turn was to replace."""
        last = self.turns[-1] if self.turns else None
        if last and last.replaces:
            self.turns[-1] = last.replaces

    def interrupt(self, turn: Turn, *, stopped: bool) -> None:
        """The reply was cut off: by Stop, or by a click that made the page start over.

        A click before the first word (the second of a double click) leaves the question waiting.
        """
        if turn.settled:
            return
        if not turn.reply and not stopped:
            turn.state = "waiting"
            return
        turn.state = "stopped"
        if not turn.reply and turn.replaces:
            self.keep_earlier()

    def history(
        self, turn: Turn | None = None, *, turns: int = HISTORY_TURNS
    ) -> tuple[Message, ...]:
        """The last answered turns before `turn`, or before the next one, as messages for its
        prompt.
        """
        earlier: list[Turn] = []
        for other in self.turns:
            if other is turn:
                break
            if other.reply and other.state in ("whole", "stopped"):
                earlier.append(other)
        working = earlier[-turns:] if turns else []
        return tuple(message for each in working for message in each.messages())

    def unrecorded(self) -> list[Turn]:
        """Turns the runtime does not have yet, the replaced ones before their replacements."""
        found: list[Turn] = []
        for turn in self.turns:
            chain = [turn]
            while chain[0].replaces is not None:
                chain.insert(0, chain[0].replaces)
            found += [each for each in chain if each.unrecorded]
        return found


def _storable(text: str) -> str:
    """The text without what databases and JSON parsers refuse: NUL and lone surrogates."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd").strip()
