"""Recall by budget, its interval, and the budgets that are recommended."""

from dataclasses import replace
from typing import Any

import pytest

from lib.charts import recall_by_budget
from lib.demo.profiles import DemoQuestion
from lib.sweep import (
    RecallPoint,
    RecallSweep,
    recommend_for_questions,
    recommend_for_task,
    sweep_budgets,
    sweep_recall,
    whole_context,
    wilson_interval,
)
from tests.support.canned import CannedRuntime, memory

QUESTIONS = (
    DemoQuestion("Where do I live?", (("Porto", "Oporto"),), ()),
    DemoQuestion("What do I use, FastAPI?", (("FastAPI",), ("Postgres",)), ()),
)


def stocked(**changes: Any) -> Any:
    texts = ["Lives in PORTO.", "Likes tea.", "Uses Postgres."]
    return CannedRuntime([memory(n, text) for n, text in enumerate(texts, start=1)], **changes)


def measured(*found: int, facts: int = 20) -> RecallSweep:
    points = tuple(RecallPoint(100 * place, hits) for place, hits in enumerate(found, start=1))
    return RecallSweep("ada", 10, facts, points)


def test_a_fact_counts_when_an_alternative_stands_in_the_context() -> None:
    calls: list[tuple[int, int]] = []
    recall = sweep_recall(
        stocked(), "ada", QUESTIONS, on_call=lambda done, total: calls.append((done, total))
    )
    assert (recall.questions, recall.facts) == (2, 3)
    found = {point.max_tokens: point.found for point in recall.points}
    # Twenty tokens hold two memories, thirty all three.
    assert (found[20], found[30]) == (1, 2)
    assert calls[-1] == (2 * len(recall.points), 2 * len(recall.points))


def test_words_of_the_question_itself_are_no_recall() -> None:
    runtime = stocked()
    answer = runtime.get_context

    def with_header(subject_id: str, task: str, **options: Any) -> Any:
        bundle = answer(subject_id, task, **options)
        return replace(bundle, assembled_context=f"Task: {task}\n{bundle.assembled_context}")

    runtime.get_context = with_header
    assert sweep_recall(runtime, "ada", QUESTIONS).best.found == 2


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    # Worked out apart from the code, to four places.
    [(8, 10, 0.4902, 0.9433), (10, 10, 0.7225, 1.0), (0, 10, 0.0, 0.2775), (0, 0, 0.0, 1.0)],
)
def test_the_interval_is_wilson_s(hits: int, total: int, low: float, high: float) -> None:
    assert wilson_interval(hits, total) == pytest.approx((low, high), abs=1e-4)


def test_the_smallest_budget_within_the_interval_of_the_best_is_recommended() -> None:
    recall = measured(5, 15, 17, 19, 19)
    assert recall.best.max_tokens == 400
    found = recommend_for_questions(recall)
    # 19 of 20 has an interval from 76 %: 15 are below it, 17 within.
    assert found.max_tokens == 300
    assert "17 of 20 expected facts" in found.reason
    assert "76% to 99%" in found.reason


def test_recall_of_nothing_recommends_nothing() -> None:
    assert recommend_for_questions(measured(0, 0)).max_tokens is None


def test_the_smallest_budget_that_holds_everything_is_recommended_for_a_task() -> None:
    runtime = stocked()
    whole = whole_context(runtime, "ada", task="x")
    sweep = sweep_budgets(runtime, "ada", task="x", budgets=(20, 25, 30, 60))
    found = recommend_for_task(sweep, whole)
    assert found.max_tokens == 30
    assert (
        found.reason == "the smallest of 4 budgets that holds all 3 items above the relevance floor"
    )


def test_where_the_runtime_does_not_explain_no_floor_is_claimed() -> None:
    runtime = stocked(explains=False)
    whole = whole_context(runtime, "ada", task="x")
    sweep = sweep_budgets(runtime, "ada", task="x", budgets=(20, 30))
    assert recommend_for_task(sweep, whole).reason.endswith("that this runtime returns")


def test_no_budget_is_recommended_where_none_holds_everything() -> None:
    runtime = stocked(forgetful_from=30)
    whole = whole_context(stocked(), "ada", task="x")
    sweep = sweep_budgets(runtime, "ada", task="x", budgets=(20, 30))
    assert recommend_for_task(sweep, whole).max_tokens is None
    cut = replace(whole, cut_counts={"budget": 4})
    assert "128,000" in recommend_for_task(sweep, cut).reason
    empty = whole_context(CannedRuntime(), "ada", task="x")
    assert "nothing remembered" in recommend_for_task(sweep, empty).reason


def test_the_chart_has_recall_the_task_the_interval_and_the_recommended_budget() -> None:
    sweep = sweep_budgets(stocked(), "ada", task="x", budgets=(20, 30, 500))
    figure: Any = recall_by_budget(measured(5, 15, 17, 19, 19), sweep, 200)
    lines = {trace.name: trace for trace in figure.data}
    assert list(lines["recall"].y) == pytest.approx([25, 75, 85, 95, 95])
    assert list(lines["items of this task"].y) == pytest.approx([200 / 3, 100, 100])
    assert list(lines["recommended"].x) == [300]
    texts = " ".join(note.text for note in figure.layout.annotations)
    assert "95 % interval of the best, 76 to 99 %" in texts


def test_the_chart_of_one_budget_is_marks() -> None:
    sweep = sweep_budgets(stocked(), "ada", task="x", budgets=(20,))
    figure: Any = recall_by_budget(measured(0), sweep, 20)
    assert {trace.mode for trace in figure.data} == {"markers"}
