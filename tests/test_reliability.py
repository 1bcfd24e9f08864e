"""The table of promises names tests that exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TABLE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
ROWS = [line for line in TABLE.splitlines() if line.startswith("| ") and "---" not in line]
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TABLE)


@pytest.mark.parametrize(("path", "name"), sorted(set(NAMED)))
def test_a_promised_test_exists(path: str, name: str) -> None:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_promise_names_a_test() -> None:
    promises = [row for row in ROWS if not row.startswith("| Promise")]
    assert len(promises) >= 30
    for row in promises:
        assert "::test_" in row, row
