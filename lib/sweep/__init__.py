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
from lib.sweep.recall import RecallPoint, RecallSweep, sweep_recall, wilson_interval
from lib.sweep.recommended import (
    Recommendation,
    recommend_for_questions,
    recommend_for_task,
)
from lib.sweep.turn_cost import TURNS, TurnCost, TurnTokens, Way, cost_finding, turn_costs
from lib.sweep.view import BudgetView, view_budget
from lib.sweep.wording import flags, memory_finding, sweep_csv, token_finding

__all__ = [
    "FRAME",
    "LARGEST_BUDGET",
    "TURNS",
    "BudgetView",
    "Candidate",
    "Entry",
    "RecallPoint",
    "RecallSweep",
    "Recommendation",
    "Sweep",
    "SweepKey",
    "SweepPoint",
    "TurnCost",
    "TurnTokens",
    "Way",
    "comes_and_goes",
    "cost_finding",
    "default_budgets",
    "flags",
    "kind_finding",
    "largest_kind",
    "map_finding",
    "memory_finding",
    "point_of",
    "recommend_for_questions",
    "recommend_for_task",
    "sweep_budgets",
    "sweep_csv",
    "sweep_recall",
    "token_finding",
    "turn_costs",
    "view_budget",
    "whole_context",
    "wilson_interval",
]
