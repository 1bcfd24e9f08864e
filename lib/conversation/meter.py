"""How much of a model's window the next prompt takes, before the question is known."""

from collections.abc import Sequence
from dataclasses import dataclass

from lib.assistant import ReplyOptions
from lib.models import ContextBundle, Message
from lib.pricing import price_of
from lib.prompt import build_messages, memory_block
from lib.tokens import count_prompt_tokens, count_tokens, model_encoding


@dataclass(frozen=True, slots=True)
class PromptMeter:
    """Tokens of the next prompt without the question itself, which is not written yet.

    `memory` is the most that memory may take: which memories go in depends on the question.
    `window` is how many tokens the model reads at once, None when the price file does not say;
    `reply` of them are kept free. `estimate` is True when the model's own count is unknown.
    """

    model: str
    system: int
    memory: int
    history: int
    reply: int
    window: int | None
    estimate: bool

    @property
    def total(self) -> int:
        """The most the next prompt takes, the question apart."""
        return self.system + self.memory + self.history

    @property
    def share(self) -> float | None:
        """The part of the window that prompt and reply take, from 0; None when it is unknown."""
        return (self.total + self.reply) / self.window if self.window else None

    @property
    def fits(self) -> bool:
        """False when prompt and reply certainly exceed the window."""
        return self.share is None or self.share <= 1


def measure_next_prompt(
    history: Sequence[Message], *, options: ReplyOptions, model: str
) -> PromptMeter:
    """The meter for a conversation with this working history, sent to `model`."""
    name, estimate = model_encoding(model)
    empty = count_prompt_tokens((), model=model).tokens
    head = build_messages(options.system_prompt, "")
    memory = 0
    if options.use_memory:
        # The block's frame comes on top of the budget, which bounds only what is remembered.
        frame = memory_block(ContextBundle("", "", "", 0))
        memory = options.max_tokens + count_tokens(frame, encoding_name=name)
    price = price_of(model)
    return PromptMeter(
        model=model,
        system=count_prompt_tokens(head, model=model).tokens,
        memory=memory,
        history=count_prompt_tokens(history, model=model).tokens - empty,
        reply=options.reply_max_tokens,
        window=price.window if price else None,
        estimate=estimate,
    )
