"""Costs come from the editable price file; an unknown model has no price."""

from pathlib import Path

import pytest

from lib.pricing import Price, price_of, price_table


def test_cost_is_usd_from_tokens_per_million() -> None:
    assert Price("m", input=0.15, output=0.60).cost(1_000_000, 500_000) == pytest.approx(0.45)


def test_a_dated_variant_and_a_provider_prefix_have_the_price_of_their_model() -> None:
    assert price_of("gpt-4o-mini-2024-07-18") == price_of("gpt-4o-mini")
    assert price_of("openai/gpt-4o-mini") == price_of("gpt-4o-mini")
    assert price_of("gpt-4o-mini") != price_of("gpt-4o")


def test_an_unknown_model_has_no_price() -> None:
    assert price_of("llama3.2") is None


def test_the_file_says_when_and_where_the_prices_were_read() -> None:
    table = price_table()
    assert len(table.as_of) == 10
    assert table.source.startswith("https://")


def test_an_edited_file_is_what_counts(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(
        'as_of = "2026-01-01"\nsource = "me"\n[models]\n"mine" = { input = 1, output = 2 }\n'
    )
    assert price_table(path).prices["mine"] == Price("mine", 1.0, 2.0)


def test_the_window_of_a_model_is_known_where_the_file_says_it(tmp_path: Path) -> None:
    known = price_of("gpt-4o-mini-2024-07-18")
    assert known is not None
    assert known.window == 128_000
    path = tmp_path / "prices.toml"
    path.write_text(
        'as_of = "2026-01-01"\nsource = "me"\n[models]\n"mine" = { input = 1, output = 2 }\n'
    )
    assert price_table(path).prices["mine"].window is None
