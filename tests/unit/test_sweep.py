"""The budget sweep: which budgets, what they return, what is cut and why."""

import csv
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.models import ContextBundle, ContextItem
from lib.sweep import (
    FRAME,
    LARGEST_BUDGET,
    Sweep,
    SweepPoint,
    comes_and_goes,
    default_budgets,
    flags,
    kind_finding,
    largest_kind,
    map_finding,
    memory_finding,
    sweep_budgets,
    sweep_csv,
    token_finding,
    view_budget,
    whole_context,
)
from lib.tokens import count_tokens
from tests.support.canned import CannedRuntime, episode, memory


def stocked(**changes: Any) -> Any:
    memories = [memory(number, f"Fact number {number}.") for number in range(1, 13)]
    episodes = [episode(1, "I moved to Porto."), episode(2, "We use FastAPI.")]
    return CannedRuntime(memories, episodes, **changes)


def sweep_of(runtime: Any, budgets: tuple[int, ...] = (20, 60, 120, 500)) -> Sweep:
    return sweep_budgets(runtime, "ada", task="What do I use?", budgets=budgets)


def test_forty_budgets_from_twenty_tokens_to_everything() -> None:
    budgets = default_budgets(742)
    assert len(budgets) == 40
    assert budgets[0] == 20
    assert 742 <= budgets[-1] < 742 + 5


def test_presets_in_range_are_among_the_budgets_and_add_no_point() -> None:
    budgets = default_budgets(742, include=(200, 500, 800))
    assert {200, 500} <= set(budgets)
    assert 800 not in budgets
    assert len(budgets) == 40


@given(st.integers(0, LARGEST_BUDGET), st.integers(2, 60))
def test_budgets_grow_and_reach_everything(everything: int, points: int) -> None:
    budgets = default_budgets(everything, points=points, include=(200, 500, 800))
    assert list(budgets) == sorted(set(budgets))
    assert len(budgets) <= max(points, 2)
    assert budgets[0] == 20
    assert budgets[-1] >= everything


def test_nothing_to_return_needs_one_budget() -> None:
    assert default_budgets(0) == (20,)


def test_a_sweep_counts_memories_and_passages_apart() -> None:
    sweep = sweep_of(stocked(passages=2))
    assert [(p.max_tokens, p.memories, p.passages) for p in sweep.points] == [
        (20, 2, 0),
        (60, 6, 0),
        (120, 12, 0),
        (500, 12, 2),
    ]
    assert sweep.total_memories == 12
    assert sweep.total_episodes == 2


def test_superseded_memories_are_not_part_of_the_total() -> None:
    runtime = stocked()
    runtime.memories[0] = replace(runtime.memories[0], status="superseded")
    assert sweep_of(runtime).total_memories == 11


def test_raw_history_is_the_tokens_of_every_episode() -> None:
    runtime = stocked()
    expected = sum(count_tokens(item.text) for item in runtime.episodes)
    assert sweep_of(runtime).history_tokens == expected > 0


def test_each_finished_point_is_reported() -> None:
    seen: list[int] = []
    sweep_budgets(stocked(), "ada", task="x", budgets=(20, 40, 60), on_point=seen.append)
    assert seen == [1, 2, 3]


def test_the_first_budget_with_most_memories_is_named() -> None:
    assert sweep_of(stocked()).most_memories.max_tokens == 120


def test_a_strict_runtime_raises_no_flag() -> None:
    assert flags(sweep_of(stocked())) == ()


def test_points_over_budget_are_kept_and_flagged() -> None:
    sweep = sweep_of(stocked(overshoot=1.2))
    assert [point.token_estimate for point in sweep.points] == [24, 72, 144, 144]
    assert len(sweep.over_budget) == 3
    (sentence,) = flags(sweep)
    assert sentence.startswith("3 budgets return more tokens than the budget, the worst 24 for 20")


def test_a_larger_budget_with_fewer_memories_is_kept_and_flagged() -> None:
    sweep = sweep_of(stocked(forgetful_from=120))
    assert [point.memories for point in sweep.points] == [2, 6, 1, 1]
    (sentence,) = flags(sweep)
    assert sentence.startswith("1 budget returns fewer memories")
    assert "120 tokens" in sentence


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        (SweepPoint(500, 431, 9, 0), "500 tokens hold 9 of 12 memories"),
        (SweepPoint(500, 431, 9, 1), "500 tokens hold 9 of 12 memories and 1 raw passage"),
        (SweepPoint(20, 0, 0, 0), "20 tokens hold 0 of 12 memories"),
        (SweepPoint(9000, 431, 12, 2), "9,000 tokens hold 12 of 12 memories and 2 raw passages"),
    ],
)
def test_the_finding_says_what_the_budget_holds(point: SweepPoint, expected: str) -> None:
    assert memory_finding(sweep_of(stocked()), point) == expected


def test_totals_a_runtime_cannot_know_are_not_claimed() -> None:
    sweep = sweep_of(stocked(complete=False))
    point = SweepPoint(500, 431, 9, 0)
    assert memory_finding(sweep, point) == "500 tokens hold 9 memories"
    assert "at least" in token_finding(sweep, point)


def test_the_cost_is_set_against_the_raw_history() -> None:
    sweep = replace(sweep_of(stocked()), history_tokens=1893)
    finding = token_finding(sweep, SweepPoint(500, 431, 9, 0))
    assert finding == "431 tokens used; the raw history takes 1,893"


def test_what_is_in_and_what_is_cut_carry_tokens_scores_and_reasons() -> None:
    runtime = stocked()
    whole = whole_context(runtime, "ada", task="x")
    view = view_budget(runtime, "ada", task="x", max_tokens=90, whole=whole)
    assert [item.id for item in view.kept] == [f"m{n}" for n in range(1, 10)]
    assert [item.reason for item in view.cut] == ["budget"] * 3
    assert [item.rank for item in view.cut] == [10, 11, 12]
    assert view.kept[0].score == 9.0
    assert view.unlisted == 0


@pytest.mark.parametrize(
    ("reason", "related", "covered_by"),
    [
        ("floor", None, None),
        ("superseded", "kept", None),
        ("suppressed", "kept", 1),
        ("suppressed", "gone", None),
    ],
)
def test_what_already_says_a_cut_item_is_named_by_its_rank(
    reason: Any, related: str | None, covered_by: int | None
) -> None:
    items = (
        ContextItem("kept", "procedure", "Kept", 5, 1, included=True),
        ContextItem("cut", "procedure", "Cut", 5, 2, False, reason, related_id=related),
    )
    bundle = ContextBundle("ada", "x", "Kept", 5, items=items, cut_counts={reason: 40})
    runtime: Any = CannedRuntime()
    runtime.get_context = lambda *_args, **_options: bundle
    view = view_budget(runtime, "ada", task="x", max_tokens=50, whole=bundle)
    assert [(item.reason, item.covered_by) for item in view.cut] == [(reason, covered_by)]
    assert view.unlisted == 39


def test_a_runtime_that_does_not_explain_still_shows_what_was_left_out() -> None:
    runtime = stocked(explains=False)
    whole = whole_context(runtime, "ada", task="x")
    view = view_budget(runtime, "ada", task="x", max_tokens=90, whole=whole)
    assert len(view.kept) == 9
    assert [item.id for item in view.cut] == ["m10", "m11", "m12"]
    assert {item.reason for item in view.cut} == {""}
    assert view.kept[0].tokens == count_tokens("Fact number 1.")
    assert view.kept[0].score is None


def test_a_subject_without_anything_is_empty() -> None:
    runtime: Any = CannedRuntime()
    assert sweep_of(runtime, (20,)).empty
    assert not sweep_of(stocked()).empty


def test_the_csv_has_one_row_per_budget() -> None:
    sweep = sweep_of(stocked(overshoot=1.2))
    rows = list(csv.DictReader(StringIO(sweep_csv(sweep))))
    assert [row["max_tokens"] for row in rows] == ["20", "60", "120", "500"]
    assert rows[0] == {
        "max_tokens": "20",
        "token_estimate": "24",
        "memories": "2",
        "passages": "0",
        "over_budget": "true",
    }


def test_the_map_says_at_which_budget_each_item_enters_best_first() -> None:
    sweep = sweep_of(stocked(passages=2))
    assert [(entry.id, entry.enters_at) for entry in sweep.entries[:3]] == [
        ("m1", 20),
        ("m2", 20),
        ("m3", 60),
    ]
    assert sweep.entries[0].budgets == (20, 60, 120, 500)
    assert map_finding(sweep) == (
        "The first of 14 items is in from 20 tokens on, the last from 500"
    )
    assert comes_and_goes(sweep) == 0


def test_an_item_that_a_larger_budget_drops_has_a_gap() -> None:
    sweep = sweep_of(stocked(forgetful_from=120))
    second = next(entry for entry in sweep.entries if entry.id == "m2")
    assert second.budgets == (20, 60)
    assert comes_and_goes(sweep) == 5


def test_the_map_works_where_the_runtime_does_not_explain() -> None:
    sweep = sweep_of(stocked(explains=False))
    assert len(sweep.entries) == 12
    assert sweep.entries[0].tokens == count_tokens("Fact number 1.")


def test_tokens_by_kind_add_up_to_what_is_used_with_the_frame_apart() -> None:
    point = sweep_of(stocked(passages=2, overshoot=1.5)).points[-1]
    assert point.tokens_by_kind == {"profile_fact": 120, "episode": 20, FRAME: 70}
    assert sum(point.tokens_by_kind.values()) == point.token_estimate
    assert largest_kind(point) == "profile_fact"
    assert kind_finding(point, label="Profile facts", kind="profile_fact") == (
        "At 500 tokens, profile facts take most: 120 of 210 tokens used"
    )
    assert largest_kind(SweepPoint(20, 0, 0, 0)) is None


def test_nothing_enters_for_a_subject_without_anything() -> None:
    assert map_finding(sweep_of(CannedRuntime())) == "No budget holds anything for this task"
