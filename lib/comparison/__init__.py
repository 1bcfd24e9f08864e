"""One message answered twice, without and with memory; everything else is the same."""

from lib.comparison.difference import (
    DiffBlock,
    MemoryAddition,
    PromptDiff,
    memory_addition,
    prompt_diff,
    reply_cost,
)
from lib.comparison.export import comparison_json
from lib.comparison.sides import (
    Comparison,
    Side,
    SideName,
    SideReply,
    SideRun,
    new_comparison,
    record_exchange,
)

__all__ = [
    "Comparison",
    "DiffBlock",
    "MemoryAddition",
    "PromptDiff",
    "Side",
    "SideName",
    "SideReply",
    "SideRun",
    "comparison_json",
    "memory_addition",
    "new_comparison",
    "prompt_diff",
    "record_exchange",
    "reply_cost",
]
