"""States: where a product stands, as facts that later ones replace."""

import pytest

from tests.unit.compiling.conversations import facts_of


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("Production is MySQL 8.0 on RDS.", "The user's production is MySQL 8.0 on RDS."),
        ("Atlas 3 ships on 15 September.", "Atlas 3 ships on 15 September."),
        ("Stand-up moves to 10:15.", "The user's stand-up is now at 10:15."),
        ("We run in eu-north-1 since last week.", "The user's team runs in eu-north-1."),
        ("GitHub Actions is live.", "The user's team uses GitHub Actions as the CI system."),
    ],
)
def test_a_state_is_a_fact(message: str, fact: str) -> None:
    assert facts_of(message) == [fact]


@pytest.mark.parametrize(
    "message", ["Production is down.", "Staging is slow again.", "The API is broken in eu-west-1."]
)
def test_trouble_is_none(message: str) -> None:
    assert facts_of(message) == []
