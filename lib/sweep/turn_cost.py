"""USD for many turns: memory against everything else that could be sent."""

from dataclasses import dataclass
from typing import Literal

from lib.pricing import Price

TURNS = 1_000
_TELLING = 1.5
"""From here on "times as much" says more than percent."""
Way = Literal["stateless", "memory", "last_turns", "history"]


@dataclass(frozen=True, slots=True)
class TurnTokens:
    """Tokens of one turn: what every way sends, and what each way adds."""

    prompt: int
    """System prompt and message, which every way sends."""
    reply: int
    memory: int
    last_turns: int
    history: int

    def added_by(self, way: Way) -> int:
        """Prompt tokens beyond system prompt and message."""
        return 0 if way == "stateless" else int(getattr(self, way))


@dataclass(frozen=True, slots=True)
class TurnCost:
    """What `TURNS` turns cost one way."""

    way: Way
    prompt_tokens: int
    """Of one turn."""
    usd: float
    fits: bool
    """False where prompt and reply exceed the model's window, so that it could not be sent."""


def turn_costs(tokens: TurnTokens, price: Price) -> tuple[TurnCost, ...]:
    """The cost of every way at the list prices of `price`, without discounts for cached prompts."""
    ways: tuple[Way, ...] = ("stateless", "memory", "last_turns", "history")
    return tuple(_cost(way, tokens, price) for way in ways)


def _cost(way: Way, tokens: TurnTokens, price: Price) -> TurnCost:
    prompt = tokens.prompt + tokens.added_by(way)
    return TurnCost(
        way=way,
        prompt_tokens=prompt,
        usd=TURNS * price.cost(prompt, tokens.reply),
        fits=price.window is None or prompt + tokens.reply <= price.window,
    )


def cost_finding(costs: tuple[TurnCost, ...]) -> str:
    """Memory against full history, as a sentence."""
    usd = {cost.way: cost.usd for cost in costs}
    memory, history = usd["memory"], usd["history"]
    if not min(memory, history) or memory == history:
        return "Memory and full history cost the same"
    dearer, cheaper = ("Full history", "memory") if memory < history else ("Memory", "full history")
    times = max(memory, history) / min(memory, history)
    if times < _TELLING:
        return f"{dearer} costs {times - 1:.0%} more than {cheaper}"
    return f"{dearer} costs {times:.1f} times as much as {cheaper}"
