"""Results → plotly figures; the page adds `key=` and `alt=`."""

from lib.charts.bars import Bar, bars
from lib.charts.budget import memories_by_budget, tokens_by_budget
from lib.charts.budget_map import (
    ROWS_SHOWN,
    kind_name,
    kinds_of,
    memories_map,
    tokens_by_kind,
)
from lib.charts.drawing import config
from lib.charts.recall import recall_by_budget
from lib.charts.tasks import TASKS_SHOWN, items_by_task

__all__ = [
    "ROWS_SHOWN",
    "TASKS_SHOWN",
    "Bar",
    "bars",
    "config",
    "items_by_task",
    "kind_name",
    "kinds_of",
    "memories_by_budget",
    "memories_map",
    "recall_by_budget",
    "tokens_by_budget",
    "tokens_by_kind",
]
