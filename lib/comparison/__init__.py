"""One message answered without and with memory; everything else is the same."""

from lib.comparison.costs import SideCost, side_costs
from lib.comparison.difference import (
    DiffBlock,
    MemoryAddition,
    PromptDiff,
    memory_addition,
    prompt_diff,
    reply_cost,
)
from lib.comparison.export import comparison_json, comparisons_csv, comparisons_json
from lib.comparison.history import HistoryUse, history_prompt
from lib.comparison.question_run import (
    QuestionResult,
    QuestionRun,
    SideResult,
    SideScore,
    new_question_run,
)
from lib.comparison.shared_words import SharedLine, shared_lines, telling_words
from lib.comparison.sides import (
    DEFAULT_LAST_TURNS,
    BaselineName,
    Comparison,
    Side,
    SideName,
    SideReply,
    SideRun,
    new_comparison,
    record_exchange,
)

__all__ = [
    "DEFAULT_LAST_TURNS",
    "BaselineName",
    "Comparison",
    "DiffBlock",
    "HistoryUse",
    "MemoryAddition",
    "PromptDiff",
    "QuestionResult",
    "QuestionRun",
    "SharedLine",
    "Side",
    "SideCost",
    "SideName",
    "SideReply",
    "SideResult",
    "SideRun",
    "SideScore",
    "comparison_json",
    "comparisons_csv",
    "comparisons_json",
    "history_prompt",
    "memory_addition",
    "new_comparison",
    "new_question_run",
    "prompt_diff",
    "record_exchange",
    "reply_cost",
    "shared_lines",
    "side_costs",
    "telling_words",
]
