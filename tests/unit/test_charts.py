"""The budget charts: every measured point, the limit, the raw history and the chosen budget."""

from typing import Any

import pytest

from lib.charts import Bar, bars, memories_by_budget, tokens_by_budget
from lib.models import EPISODE
from lib.sweep import Sweep, SweepPoint
from lib.theme import MEMORY, STATELESS, kind_look

POINTS = (
    SweepPoint(20, 18, 1, 0),
    SweepPoint(200, 230, 7, 1),
    SweepPoint(400, 390, 6, 3),
)
SWEEP = Sweep("ada", "x", POINTS, total_memories=9, total_episodes=4, history_tokens=1893)
CHOSEN = SweepPoint(300, 280, 7, 2)


def traces(figure: Any) -> dict[str, Any]:
    return {trace.name: trace for trace in figure.data if trace.mode == "lines"}


def notes(figure: Any) -> str:
    return " | ".join(note.text for note in figure.layout.annotations)


def test_memories_and_passages_are_separate_lines_with_every_point() -> None:
    lines = traces(memories_by_budget(SWEEP, CHOSEN))
    assert list(lines["memories"].x) == [20, 200, 300, 400]
    assert list(lines["memories"].y) == [1, 7, 7, 6]
    assert list(lines["passages"].y) == [0, 1, 2, 3]
    assert lines["memories"].line.color == MEMORY
    assert lines["passages"].line.color == kind_look(EPISODE).colour


def test_no_line_for_passages_when_there_are_none() -> None:
    points = (SweepPoint(20, 18, 1, 0), SweepPoint(40, 38, 2, 0))
    sweep = Sweep("ada", "x", points, 2, 0, 0)
    assert set(traces(memories_by_budget(sweep, points[1]))) == {"memories"}


def test_a_point_over_its_budget_is_drawn_above_the_limit() -> None:
    lines = traces(tokens_by_budget(SWEEP, CHOSEN))
    assert list(lines["tokens used"].y) == [18, 230, 280, 390]
    assert list(lines["limit"].y) == [20, 200, 300, 400]
    assert lines["limit"].line.color == STATELESS


def test_the_raw_history_is_a_labelled_level_inside_the_picture() -> None:
    figure = tokens_by_budget(SWEEP, CHOSEN)
    assert "raw history, 1,893 tokens" in notes(figure)
    assert any(shape.y0 == shape.y1 == 1893 for shape in figure.layout.shapes)
    assert figure.layout.yaxis.range[1] > 1893


@pytest.mark.parametrize("draw", [memories_by_budget, tokens_by_budget])
def test_the_chosen_budget_is_marked_and_named(draw: Any) -> None:
    figure = draw(SWEEP, CHOSEN)
    assert any(shape.x0 == shape.x1 == 300 for shape in figure.layout.shapes)
    assert "300 tokens" in notes(figure)
    assert all(list(trace.x) == [300] for trace in figure.data if trace.mode == "markers")


def test_a_budget_beyond_the_sweep_widens_the_picture() -> None:
    figure = memories_by_budget(SWEEP, SweepPoint(1200, 390, 6, 3))
    assert figure.layout.xaxis.range[1] >= 1200


def test_all_memories_are_a_level_only_where_the_total_is_known() -> None:
    assert "all 9 memories" in notes(memories_by_budget(SWEEP, CHOSEN))
    unknown = Sweep("ada", "x", POINTS, 9, 4, 1893, complete=False)
    assert "all" not in notes(memories_by_budget(unknown, CHOSEN))
    assert "at least" in notes(tokens_by_budget(unknown, CHOSEN))


def test_more_passages_than_memories_hide_neither() -> None:
    points = (SweepPoint(20, 18, 1, 0), SweepPoint(900, 880, 9, 30))
    figure = memories_by_budget(Sweep("ada", "x", points, 9, 40, 1893), points[1])
    assert "all 9 memories" in notes(figure)
    assert figure.layout.yaxis.range[1] > 30


@pytest.mark.parametrize("draw", [memories_by_budget, tokens_by_budget])
def test_series_are_labelled_directly_in_the_theme_s_own_text_colour(draw: Any) -> None:
    figure = draw(SWEEP, CHOSEN)
    assert figure.layout.showlegend is False
    assert all(note.font.color is None for note in figure.layout.annotations)


def test_an_empty_sweep_can_be_drawn() -> None:
    point = SweepPoint(20, 0, 0, 0)
    sweep = Sweep("ada", "x", (point,), 0, 0, 0)
    assert memories_by_budget(sweep, point).layout.yaxis.range[1] > 0
    assert tokens_by_budget(sweep, point).layout.yaxis.range[1] > 0


def test_bars_carry_their_numbers_and_memory_its_colour() -> None:
    rows = [Bar("Stateless", 1.0, "$1"), Bar("Memory-backed", 2.0, "$2", is_memory=True)]
    figure: Any = bars(rows, x_title="USD")
    assert list(figure.data[0].text) == ["$1", "$2"]
    assert list(figure.data[0].marker.color) == [STATELESS, MEMORY]
    assert figure.layout.xaxis.range[1] > 2


@pytest.mark.parametrize("rows", [[], [Bar("Only", 0.0, "0 ms")]])
def test_bars_without_length_keep_an_axis(rows: list[Bar]) -> None:
    figure: Any = bars(rows, x_title="ms")
    assert list(figure.layout.xaxis.range) == [0, 1]
