"""Results → plotly figures; the page adds `key=` and `alt=`."""

from lib.charts.budget import memories_by_budget, tokens_by_budget
from lib.charts.drawing import CONFIG

__all__ = ["CONFIG", "memories_by_budget", "tokens_by_budget"]
