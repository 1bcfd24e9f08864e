"""What each side of a comparison took, as bars."""

import streamlit as st

from lib import charts
from lib.comparison import Comparison, SideCost, SideName, side_costs
from lib.ui import chart_frame
from lib.ui.figures import format_ms, format_usd
from lib.ui.text import literal

NAMES: dict[SideName, str] = {
    "stateless": "Stateless",
    "memory": "Memory-backed",
    "history": "Full history",
    "last_turns": "Last turns",
}


def draw(comparison: Comparison) -> None:
    """Cost and time of every whole reply."""
    costs = side_costs(comparison)
    if len(costs) < 2:
        st.caption("There is nothing to compare: fewer than two replies are whole.")
        return
    left, right = st.columns(2, wrap=True)
    with left:
        _draw_cost(comparison, costs)
    with right:
        _draw_time(costs)


def _draw_cost(comparison: Comparison, costs: tuple[SideCost, ...]) -> None:
    model = comparison.pricing_model
    priced = [cost.usd for cost in costs if cost.usd is not None]
    if len(priced) == len(costs):
        values = priced
        texts = [format_usd(usd) for usd in priced]
        x_title, what = f"USD a message, list prices of {model}", "costs"
        title = f"{_dearest(costs, values)} costs most: {literal(format_usd(max(values)))}"
    else:
        values = [float(cost.prompt_tokens) for cost in costs]
        texts = [f"{cost.prompt_tokens:,} tokens" for cost in costs]
        x_title, what = "Prompt tokens", "sends"
        title = f"{_dearest(costs, values)} sends most; there is no price for {literal(model)}"
    if len(set(values)) == 1:
        title = f"Every side {what} the same"
    chart_frame.draw(
        charts.bars(_bars(costs, values, texts), x_title=x_title, dark=chart_frame.is_dark()),
        title=title,
        alt=_in_words(x_title, costs, texts),
        key="compare_costs",
        table={
            "Side": [NAMES[cost.name] for cost in costs],
            "Prompt tokens": [cost.prompt_tokens for cost in costs],
            "Completion tokens": [cost.completion_tokens for cost in costs],
            "USD": [cost.usd for cost in costs],
        },
    )


def _draw_time(costs: tuple[SideCost, ...]) -> None:
    values = [cost.total_ms for cost in costs]
    texts = [format_ms(value) for value in values]
    chart_frame.draw(
        charts.bars(
            _bars(costs, values, texts),
            x_title="Time from question to end of reply, ms",
            dark=chart_frame.is_dark(),
        ),
        title=f"{_dearest(costs, values)} took longest: {format_ms(max(values))}",
        alt=_in_words("Time from question to end of reply", costs, texts),
        key="compare_times",
        table={
            "Side": [NAMES[cost.name] for cost in costs],
            "Context, ms": [cost.context_ms for cost in costs],
            "First token, ms": [cost.first_token_ms for cost in costs],
            "Reply, ms": [cost.reply_ms for cost in costs],
            "Total, ms": values,
        },
    )


def _bars(costs: tuple[SideCost, ...], values: list[float], texts: list[str]) -> list[charts.Bar]:
    return [
        charts.Bar(NAMES[cost.name], value, text, is_memory=cost.name == "memory")
        for cost, value, text in zip(costs, values, texts, strict=True)
    ]


def _dearest(costs: tuple[SideCost, ...], values: list[float]) -> str:
    return NAMES[costs[values.index(max(values))].name]


def _in_words(what: str, costs: tuple[SideCost, ...], texts: list[str]) -> str:
    pairs = zip(costs, texts, strict=True)
    return f"{what}: " + ", ".join(f"{NAMES[cost.name]} {text}" for cost, text in pairs)
