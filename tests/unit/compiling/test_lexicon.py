"""Lexicon: tools are found by name, everyday words are not."""

import pytest

from lib.compiling.lexicon import find_tools


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("in Postgres 16", "database", "postgres"),
        ("PostgreSQL's planner", "database", "postgres"),
        ("with VS Code.", "editor", "vs code"),
        ("on Grafana Loki", "monitoring", "grafana loki"),
        ("text-embedding-3-small", "embedding model", "text-embedding-3-small"),
        ("gpt-4.1-mini", "language model", "gpt-4.1-mini"),
        ("cosine distance", "similarity measure", "cosine"),
        ("Go", "language", "go"),
    ],
)
def test_a_tool_is_found_with_its_kind(text: str, kind: str, value: str) -> None:
    (tool,) = find_tools(text)
    assert (tool.kind, tool.value) == (kind, value)
    assert text[tool.start : tool.end].lower() in text.lower()


@pytest.mark.parametrize("text", ["I go home", "the rest of it", "a linear scan", "express it", ""])
def test_everyday_words_are_no_tools(text: str) -> None:
    assert find_tools(text) == []
