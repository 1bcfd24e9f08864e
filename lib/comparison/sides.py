"""A question and its sides, each filling up on its own."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from lib.assistant import PreparedPrompt, ReplyOptions, open_reply, prepare_prompt
from lib.comparison.history import HistoryUse, history_prompt
from lib.errors import StatewaveConnectionError, StatewaveError
from lib.models import Message, ReplyEnd
from lib.protocol import ChatModel, MemoryRuntime, ReplyStream

SideName = Literal["stateless", "memory", "history", "last_turns"]
BaselineName = Literal["history", "last_turns"]
DEFAULT_LAST_TURNS = 6
SideState = Literal["waiting", "streaming", "whole", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class SideReply:
    """What one side has come to; `end` is known when the reply is whole."""

    state: SideState = "waiting"
    text: str = ""
    prompt: PreparedPrompt | None = None
    end: ReplyEnd | None = None
    error: str | None = None
    history: HistoryUse | None = None
    """What a baseline sent of the recorded history."""

    @property
    def memory_missing(self) -> bool:
        """True when the runtime gave no context, so that this is no memory-backed reply."""
        return self.prompt is not None and self.prompt.memory_error is not None


@dataclass(slots=True)
class Side:
    """One side under way; `reply` always holds what there is so far."""

    name: SideName
    reply: SideReply = field(default_factory=SideReply)
    run: "SideRun | None" = field(default=None, repr=False, compare=False)
    """Who may write `reply`: the latest to have been asked."""

    @property
    def settled(self) -> bool:
        """True when nothing more will come without asking again."""
        return self.reply.state in ("whole", "stopped", "failed")


@dataclass(frozen=True, slots=True)
class Comparison:
    """The question is fixed; its sides fill up, each on its own."""

    id: str
    subject_id: str
    message: str
    options: ReplyOptions
    model: str
    pricing_model: str
    is_language_model: bool = True
    record: bool = False
    stateless: Side = field(default_factory=lambda: Side("stateless"))
    memory: Side = field(default_factory=lambda: Side("memory"))
    baselines: tuple[Side, ...] = ()
    """Sides that send recorded turns instead of memory, where they were asked for."""
    last_turns: int = DEFAULT_LAST_TURNS
    episode_id: str | None = None
    """The recorded exchange, once there is one."""
    record_error: str | None = None
    """What went wrong while recording or, with an `episode_id`, while compiling afterwards."""

    @property
    def sides(self) -> tuple[Side, ...]:
        """Every side in the order every screen shows them, stateless and memory-backed first."""
        return (self.stateless, self.memory, *self.baselines)

    @property
    def settled(self) -> bool:
        """True when every side has ended, well or badly."""
        return all(side.settled for side in self.sides)

    @property
    def comparable(self) -> bool:
        """True when the stateless and the memory-backed reply are whole: only then is anything
        said about the difference.
        """
        return all(side.reply.state == "whole" for side in (self.stateless, self.memory))

    def ask_again(self) -> None:
        """Forget every reply that is not whole, so that those sides are asked anew."""
        for side in self.sides:
            if side.reply.state != "whole":
                side.run, side.reply = None, SideReply()


def new_comparison(
    subject_id: str,
    message: str,
    *,
    options: ReplyOptions,
    model: ChatModel,
    comparison_id: str,
    record: bool = False,
    baselines: Sequence[BaselineName] = (),
    last_turns: int = DEFAULT_LAST_TURNS,
) -> Comparison:
    """A comparison that nobody has been asked yet."""
    return Comparison(
        id=comparison_id,
        subject_id=subject_id,
        message=message,
        options=options,
        model=options.model or model.name,
        pricing_model=options.model or model.pricing_model,
        is_language_model=model.is_language_model,
        record=record,
        baselines=tuple(Side(name) for name in baselines),
        last_turns=last_turns,
    )


class SideRun:
    """Asks one side once: `open` begins, `add` collects, `finish`, `fail` or `leave` settles.

    Streamlit lets an old run of a page go on for a moment beside the new one; what it does once
    another SideRun has taken over the side changes nothing.
    """

    def __init__(
        self, comparison: Comparison, side: Side, *, runtime: MemoryRuntime, model: ChatModel
    ) -> None:
        self._comparison = comparison
        self._side = side
        self._runtime = runtime
        self._model = model
        self._stream: ReplyStream | None = None
        side.run = self
        side.reply = SideReply("streaming")

    def open(self) -> ReplyStream:
        """The reply stream. Raises StatewaveConnectionError when memory was wanted and is not
        there, another StatewaveError when history is not, ModelError when the model fails.
        """
        prompt = self._prompt()
        if prompt.memory_error is not None:
            # A reply without memory must not stand under "Memory-backed".
            raise StatewaveConnectionError(prompt.memory_error)
        self._stream = open_reply(self._model, prompt, options=self._comparison.options)
        return self._stream

    def _prompt(self) -> PreparedPrompt:
        comparison, side = self._comparison, self._side
        history: HistoryUse | None = None
        if side.name in ("history", "last_turns"):
            prompt, history = history_prompt(
                self._runtime.timeline(comparison.subject_id),
                message=comparison.message,
                options=comparison.options,
                pricing_model=comparison.pricing_model,
                last_turns=comparison.last_turns if side.name == "last_turns" else None,
            )
        else:
            prompt = prepare_prompt(
                self._runtime,
                comparison.subject_id,
                message=comparison.message,
                options=replace(comparison.options, use_memory=side.name == "memory"),
            )
        self._change(prompt=prompt, history=history)
        return prompt

    def add(self, piece: str) -> str:
        """Keep a piece of the reply; returns it, so that it can be drawn."""
        self._change(text=self._side.reply.text + piece)
        return piece

    def finish(self) -> None:
        """The stream has ended by itself."""
        assert self._stream is not None, "finish before open"
        self._change(state="whole", end=self._stream.end)

    def fail(self, error: StatewaveError) -> None:
        """The stream has ended with `error`; what came before it is kept."""
        self._change(state="failed", error=str(error))

    def leave(self) -> None:
        """Call at the very end: what is still streaming by now was stopped."""
        if self._side.reply.state == "streaming":
            self._change(state="stopped")

    def _change(self, **changes: Any) -> None:
        if self._side.run is self:
            self._side.reply = replace(self._side.reply, **changes)


def record_exchange(runtime: MemoryRuntime, comparison: Comparison) -> Comparison:
    """The comparison with its memory-backed exchange recorded, once. Raises StatewaveError.

    Nothing is recorded unless the visitor asked for it and that reply is whole.
    """
    reply = comparison.memory.reply
    if not comparison.record or comparison.episode_id or reply.state != "whole":
        return comparison
    episode = runtime.record_episode(
        comparison.subject_id,
        (Message("user", comparison.message), Message("assistant", reply.text)),
        source="compare",
        # Under the same name as a turn of a chat: what no language model wrote is not compiled.
        metadata={
            "reply": {
                "model": comparison.model,
                "is_language_model": comparison.is_language_model,
            }
        },
        idempotency_key=f"compare:{comparison.id}",
    )
    return replace(comparison, episode_id=episode.id, record_error=None)
