"""What each whole reply of a comparison took: tokens, USD and time."""

from dataclasses import dataclass

from lib.comparison.difference import reply_cost
from lib.comparison.sides import Comparison, Side, SideName


@dataclass(frozen=True, slots=True)
class SideCost:
    """The figures of one whole reply; times in ms."""

    name: SideName
    prompt_tokens: int
    completion_tokens: int
    usd: float | None
    """None where the model has no price."""
    first_token_ms: float | None
    context_ms: float
    """Time for assembling the context, before the model was asked."""
    reply_ms: float

    @property
    def total_ms(self) -> float:
        """From the question to the end of the reply."""
        return self.context_ms + self.reply_ms


def side_costs(comparison: Comparison) -> tuple[SideCost, ...]:
    """The figures of every side whose reply is whole; a failed one has none to compare."""
    return tuple(
        cost for side in comparison.sides if (cost := _cost(side, comparison.pricing_model))
    )


def _cost(side: Side, pricing_model: str) -> SideCost | None:
    reply = side.reply
    if reply.state != "whole" or reply.end is None:
        return None
    return SideCost(
        name=side.name,
        prompt_tokens=reply.end.prompt_tokens,
        completion_tokens=reply.end.completion_tokens,
        usd=reply_cost(reply, pricing_model=pricing_model),
        first_token_ms=reply.end.first_token_ms,
        context_ms=(reply.prompt.context_ms if reply.prompt else None) or 0.0,
        reply_ms=reply.end.total_ms,
    )
