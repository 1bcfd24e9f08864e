"""USD for many turns: what is added, what fits, what is said."""

import pytest

from lib.pricing import Price
from lib.sweep import TURNS, TurnTokens, cost_finding, turn_costs

TOKENS = TurnTokens(prompt=100, reply=200, memory=400, last_turns=900, history=9_900)
PRICE = Price("mine", 1.0, 2.0, window=10_000)


def test_every_way_pays_for_prompt_reply_and_what_it_adds() -> None:
    costs = {cost.way: cost for cost in turn_costs(TOKENS, PRICE)}
    assert {way: cost.prompt_tokens for way, cost in costs.items()} == {
        "stateless": 100,
        "memory": 500,
        "last_turns": 1_000,
        "history": 10_000,
    }
    assert costs["memory"].usd == pytest.approx(TURNS * (500 * 1 + 200 * 2) / 1_000_000)


def test_what_exceeds_the_window_is_flagged_where_the_window_is_known() -> None:
    assert [cost.fits for cost in turn_costs(TOKENS, PRICE)] == [True, True, True, False]
    assert all(cost.fits for cost in turn_costs(TOKENS, Price("mine", 1.0, 2.0)))


@pytest.mark.parametrize(
    ("memory", "history", "expected"),
    [
        (100, 2_300, "Full history costs 4.7 times as much as memory"),
        (2_300, 100, "Memory costs 4.7 times as much as full history"),
        (100, 200, "Full history costs 17% more than memory"),
        (100, 100, "Memory and full history cost the same"),
    ],
)
def test_the_finding_says_which_costs_more(memory: int, history: int, expected: str) -> None:
    tokens = TurnTokens(100, 200, memory, 0, history)
    assert cost_finding(turn_costs(tokens, PRICE)) == expected


def test_a_model_that_is_free_costs_the_same_every_way() -> None:
    free = turn_costs(TOKENS, Price("local", 0.0, 0.0))
    assert cost_finding(free) == "Memory and full history cost the same"
