"""What separates the two sides: prompt lines, tokens and USD."""

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from lib.assistant import PreparedPrompt
from lib.comparison.sides import Comparison, SideReply
from lib.models import Message
from lib.pricing import price_of
from lib.prompt import memory_block


def reply_cost(reply: SideReply, *, pricing_model: str) -> float | None:
    """USD for this reply at list prices; None while it is not whole or the price is unknown."""
    price = price_of(pricing_model)
    if price is None or reply.end is None:
        return None
    return price.cost(reply.end.prompt_tokens, reply.end.completion_tokens)


@dataclass(frozen=True, slots=True)
class MemoryAddition:
    """What memory put into the prompt, and what that costs."""

    memories: int
    episodes: int
    context_tokens: int
    max_tokens: int
    prompt_tokens: int
    """Prompt tokens of the memory-backed side minus those of the stateless one."""
    usd: float | None
    """USD for those prompt tokens alone; replies differ in length for other reasons."""
    context_ms: float


def memory_addition(comparison: Comparison) -> MemoryAddition | None:
    """What memory added; None unless both sides are whole."""
    stateless, memory = comparison.stateless.reply, comparison.memory.reply
    if not comparison.comparable or memory.prompt is None or memory.prompt.bundle is None:
        return None
    assert stateless.end is not None
    assert memory.end is not None
    bundle = memory.prompt.bundle
    added = memory.end.prompt_tokens - stateless.end.prompt_tokens
    price = price_of(comparison.pricing_model)
    return MemoryAddition(
        memories=len(bundle.memories),
        episodes=len(bundle.episodes),
        # The text of an unused bundle never reaches the prompt.
        context_tokens=bundle.token_estimate if bundle.context_used else 0,
        max_tokens=comparison.options.max_tokens,
        prompt_tokens=added,
        usd=None if price is None else price.cost(added, 0),
        context_ms=memory.prompt.context_ms or 0.0,
    )


@dataclass(frozen=True, slots=True)
class DiffBlock:
    """Neighbouring lines that both prompts have, or only one of them."""

    where: Literal["both", "memory", "stateless"]
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PromptDiff:
    """Both prompts, line by line in order, cut into blocks where they part."""

    blocks: tuple[DiffBlock, ...]
    only_memory_differs: bool
    """True when the memory block is the one and only difference."""

    @property
    def added(self) -> int:
        """Lines that only the memory-backed prompt has."""
        return sum(len(block.lines) for block in self.blocks if block.where == "memory")

    @property
    def removed(self) -> int:
        """Lines that only the stateless prompt has."""
        return sum(len(block.lines) for block in self.blocks if block.where == "stateless")

    @property
    def identical(self) -> bool:
        """True when both sides got the same prompt."""
        return all(block.where == "both" for block in self.blocks)


def prompt_diff(stateless: PreparedPrompt, memory: PreparedPrompt) -> PromptDiff:
    """How the two prompts differ."""
    before, after = _lines(stateless.messages), _lines(memory.messages)
    blocks: list[DiffBlock] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag == "equal":
            blocks.append(DiffBlock("both", tuple(before[start:end])))
            continue
        if end > start:
            blocks.append(DiffBlock("stateless", tuple(before[start:end])))
        if new_end > new_start:
            blocks.append(DiffBlock("memory", tuple(after[new_start:new_end])))
    return PromptDiff(
        blocks=tuple(blocks),
        only_memory_differs=_without_memory(memory) == stateless.messages
        and memory.messages != stateless.messages,
    )


def _lines(messages: tuple[Message, ...]) -> list[str]:
    blocks = (f"{message.role}:\n{message.content}" for message in messages)
    return "\n\n".join(blocks).splitlines()


def _without_memory(prompt: PreparedPrompt) -> tuple[Message, ...]:
    """The prompt with the memory block of its bundle taken out, if it is there."""
    if prompt.bundle is None or not prompt.bundle.context_used:
        return prompt.messages
    block = memory_block(prompt.bundle)
    kept = (
        Message(message.role, message.content.replace(block, "", 1).strip())
        if message.role == "system"
        else message
        for message in prompt.messages
    )
    return tuple(message for message in kept if message.content or message.role != "system")
