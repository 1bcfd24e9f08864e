"""What every token budget buys: memories, passages and tokens, from the smallest to everything."""

from lib.sweep.candidates import Candidate
from lib.sweep.map_wording import comes_and_goes, kind_finding, largest_kind, map_finding
from lib.sweep.points import (
    FRAME,
    LARGEST_BUDGET,
    Entry,
    Sweep,
    SweepKey,
    SweepPoint,
    default_budgets,
    point_of,
    sweep_budgets,
    whole_context,
)
from lib.sweep.view import BudgetView, view_budget
from lib.sweep.wording import flags, memory_finding, sweep_csv, token_finding

__all__ = [
    "FRAME",
    "LARGEST_BUDGET",
    "BudgetView",
    "Candidate",
    "Entry",
    "Sweep",
    "SweepKey",
    "SweepPoint",
    "comes_and_goes",
    "default_budgets",
    "flags",
    "kind_finding",
    "largest_kind",
    "map_finding",
    "memory_finding",
    "point_of",
    "sweep_budgets",
    "sweep_csv",
    "token_finding",
    "view_budget",
    "whole_context",
]
