"""A table of plain values as CSV."""

import csv
from collections.abc import Mapping, Sequence
from io import StringIO

Table = Mapping[str, Sequence[str | float | None]]
"""Column → values, all of one length."""


def table_csv(table: Table) -> str:
    """The table as CSV; what is unknown is empty, and no cell starts a formula."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table)
    writer.writerows([_cell(value) for value in row] for row in zip(*table.values(), strict=True))
    return out.getvalue()


def _cell(value: str | float | None) -> str | float:
    if value is None:
        return ""
    # A spreadsheet would run what begins so.
    risky = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{value}" if risky else value
