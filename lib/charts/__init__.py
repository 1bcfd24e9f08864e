"""Results → plotly figures; the page adds `key=` and `alt=`."""

from lib.charts.bars import Bar, bars
from lib.charts.budget import memories_by_budget, tokens_by_budget
from lib.charts.drawing import CONFIG

__all__ = ["CONFIG", "Bar", "bars", "memories_by_budget", "tokens_by_budget"]
