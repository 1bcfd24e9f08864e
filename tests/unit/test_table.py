"""A table as a file."""

from lib.table import Table, table_csv


def test_the_csv_has_the_columns_in_order_and_nothing_for_what_is_unknown() -> None:
    table: Table = {"Side": ["Stateless", "Memory-backed"], "USD": [0.001, None]}
    assert table_csv(table) == "Side,USD\nStateless,0.001\nMemory-backed,\n"


def test_no_cell_starts_a_formula_in_a_spreadsheet() -> None:
    assert table_csv({"Text": ['=HYPERLINK("x")'], "n": [-1]}).splitlines()[1] == (
        '"\'=HYPERLINK(""x"")",-1'
    )
