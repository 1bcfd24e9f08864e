"""What 1,000 turns cost with memory, with full history, with the last turns and with nothing."""

import streamlit as st

from lib import charts, resources
from lib.models import Message
from lib.pricing import Price, price_of, price_table
from lib.prompt import DEFAULT_SYSTEM_PROMPT
from lib.sweep import TURNS, Sweep, SweepPoint, TurnCost, TurnTokens, Way, cost_finding, turn_costs
from lib.tokens import count_prompt_tokens
from lib.ui import chart_frame
from lib.ui.figures import format_usd
from lib.ui.text import literal

_NAMES: dict[Way, str] = {
    "stateless": "Stateless",
    "memory": "Memory",
    "last_turns": "Last turns",
    "history": "Full history",
}
_LAST_TURNS = 6
_REPLY_TOKENS = 200
_MOST_TOKENS = 100_000_000


def draw(sweep: Sweep, chosen: SweepPoint) -> None:
    """The inputs, each to be changed, and the cost of every way."""
    model, tokens = _inputs(sweep, chosen)
    price = price_of(model)
    if price is None:
        st.markdown(
            f"**There is no price for {literal(model) or 'this model'}.** Prices are in "
            "`lib/prices.toml`, which can be edited."
        )
        return
    _draw_costs(turn_costs(tokens, price), price)


def _inputs(sweep: Sweep, chosen: SweepPoint) -> tuple[str, TurnTokens]:
    known = list(price_table().prices)
    configured = resources.chat_model().pricing_model
    state = st.session_state
    state.setdefault("price_model", configured)
    with st.container(horizontal=True, vertical_alignment="bottom", key="price_inputs"):
        model = st.selectbox(
            "Model",
            list(dict.fromkeys([configured, *known])),
            key="price_model",
            persist_state="session",
            accept_new_options=True,
            format_func=str,
            width=150,
        )
        prompt = _number(
            "Prompt",
            "price_prompt",
            _prompt_tokens(sweep, model),
            "Tokens of system prompt and message, which every way sends.",
        )
        reply = _number("Reply", "price_reply", _REPLY_TOKENS, "Tokens of one reply.")
        memory = _number(
            "Memory",
            f"price_memory_{chosen.max_tokens}_{hash(sweep.task)}",
            chosen.token_estimate,
            f"Tokens that memory takes at the budget of {chosen.max_tokens:,}.",
        )
        last = _number(
            "Last turns",
            f"price_last_{sweep.subject_id}",
            sum(sweep.turn_tokens[-_LAST_TURNS:]),
            f"Tokens of the last {_LAST_TURNS} recorded turns"
            + ("." if sweep.complete else " that this runtime lists; it does not list the newest."),
        )
        history = _number(
            "Full history",
            f"price_history_{sweep.subject_id}",
            sweep.history_tokens,
            "Tokens of everything recorded"
            + (
                "."
                if sweep.complete
                else "; more than is listed by this runtime, so a lower limit."
            ),
        )
    st.caption("In tokens of one turn, as this page counts them; each can be changed.")
    return str(model).strip(), TurnTokens(prompt, reply, memory, last, history)


def _number(name: str, key: str, value: int, about: str) -> int:
    st.session_state.setdefault(key, value)
    return int(
        st.number_input(
            name,
            min_value=0,
            max_value=_MOST_TOKENS,
            step=10,
            key=key,
            help=about,
            persist_state="session",
            width=125,
        )
    )


def _prompt_tokens(sweep: Sweep, model: str) -> int:
    system = str(st.session_state.get("system_prompt", DEFAULT_SYSTEM_PROMPT))
    messages = [Message("system", system), Message("user", sweep.task)]
    return count_prompt_tokens(messages, model=model).tokens


def _draw_costs(costs: tuple[TurnCost, ...], price: Price) -> None:
    table = price_table()
    texts = [format_usd(cost.usd) for cost in costs]
    model = literal(price.model)
    finding = cost_finding(costs)
    chart_frame.draw(
        charts.bars(
            [
                charts.Bar(_NAMES[cost.way], cost.usd, text, is_memory=cost.way == "memory")
                for cost, text in zip(costs, texts, strict=True)
            ],
            x_title=f"USD per {TURNS:,} turns, {price.model}",
            dark=chart_frame.is_dark(),
        ),
        title=f"{finding}: {TURNS:,} turns of {model}",
        alt=f"USD per {TURNS:,} turns: "
        + ", ".join(f"{_NAMES[cost.way]} {text}" for cost, text in zip(costs, texts, strict=True)),
        key="budget_price",
        table={
            "Way": [_NAMES[cost.way] for cost in costs],
            "Prompt tokens a turn": [cost.prompt_tokens for cost in costs],
            f"USD per {TURNS:,} turns": [cost.usd for cost in costs],
        },
    )
    for cost in costs:
        if not cost.fits and price.window:
            st.caption(
                f":material/flag: {_NAMES[cost.way]} would not fit: {cost.prompt_tokens:,} prompt "
                f"tokens and the reply exceed the window of {price.window:,} tokens."
            )
    st.caption(
        f"{literal(format_usd(price.input))} per million prompt tokens, "
        f"{literal(format_usd(price.output))} per million of the reply; list prices of "
        f"{table.as_of}, {literal(table.source)}, without discounts for cached prompts."
    )
