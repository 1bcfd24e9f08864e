"""What tokens cost, from the editable price file."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PRICE_FILE = Path(__file__).with_name("prices.toml")


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens of one model, and how much it reads at once."""

    model: str
    input: float
    output: float
    window: int | None = None
    """Tokens of its context window; None when the file does not say."""

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """USD for one call."""
        return (prompt_tokens * self.input + completion_tokens * self.output) / 1_000_000


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices with the day and place they were read."""

    prices: dict[str, Price]
    as_of: str
    source: str


@cache
def price_table(path: Path = PRICE_FILE) -> PriceTable:
    """The price file's content."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    prices = {
        name: Price(name, float(row["input"]), float(row["output"]), row.get("window"))
        for name, row in data["models"].items()
    }
    return PriceTable(prices, str(data["as_of"]), str(data["source"]))


def price_of(model: str) -> Price | None:
    """The price of `model` or of the model it is a dated variant of; None when unknown."""
    table = price_table().prices
    name = model.rsplit("/", 1)[-1]
    return table.get(name) or table.get(re.sub(r"-\d{4}-\d{2}-\d{2}$", "", name))
