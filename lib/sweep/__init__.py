"""What every token budget buys: memories, passages and tokens, from the smallest to everything."""

from lib.sweep.points import (
    LARGEST_BUDGET,
    Sweep,
    SweepKey,
    SweepPoint,
    default_budgets,
    point_of,
    sweep_budgets,
    whole_context,
)
from lib.sweep.view import BudgetView, Candidate, view_budget
from lib.sweep.wording import flags, memory_finding, sweep_csv, token_finding

__all__ = [
    "LARGEST_BUDGET",
    "BudgetView",
    "Candidate",
    "Sweep",
    "SweepKey",
    "SweepPoint",
    "default_budgets",
    "flags",
    "memory_finding",
    "point_of",
    "sweep_budgets",
    "sweep_csv",
    "token_finding",
    "view_budget",
    "whole_context",
]
