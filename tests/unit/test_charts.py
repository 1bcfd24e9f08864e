"""The budget charts: every measured point, the limit, the raw history and the chosen budget."""

from itertools import pairwise
from typing import Any

import pytest

from lib.charts import (
    ROWS_SHOWN,
    TASKS_SHOWN,
    Bar,
    bars,
    items_by_task,
    kinds_of,
    memories_by_budget,
    memories_map,
    tokens_by_budget,
    tokens_by_kind,
)
from lib.charts.drawing import spread
from lib.models import EPISODE
from lib.sweep import FRAME, Entry, Sweep, SweepPoint
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


def mapped(*entries: Entry) -> Sweep:
    return Sweep("ada", "x", POINTS, 9, 4, 1893, entries=entries)


def test_the_map_has_a_bar_a_stretch_of_budgets_and_gaps_where_items_are_dropped() -> None:
    steady = Entry("a", "procedure", "Steady", 5, (200, 400))
    gap = Entry("b", "procedure", "Comes and goes", 5, (20, 400))
    (trace,) = memories_map(mapped(steady, gap), CHOSEN).data
    bars_drawn = list(zip(trace.y, trace.base, trace.x, strict=True))
    # The last budget has no next one: its bar is a mark at the edge.
    assert bars_drawn == [(0, 200, 200), (1, 20, 180), (1, 400, 2.0)]
    assert trace.marker.color == kind_look("procedure").colour


def test_text_in_the_map_is_shown_and_never_read_as_a_tag() -> None:
    figure: Any = memories_map(
        mapped(Entry("a", "procedure", "<b>x</b> <a href='y'>", 5, (20,))), CHOSEN
    )
    assert "<" not in figure.layout.yaxis.ticktext[0]
    assert "<b>" not in figure.data[0].hovertext[0]


def test_a_long_map_shows_the_first_rows_and_an_empty_one_can_be_drawn() -> None:
    many = [Entry(str(n), "procedure", f"Item {n}", 5, (20,)) for n in range(ROWS_SHOWN + 9)]
    assert len(memories_map(mapped(*many), CHOSEN).layout.yaxis.ticktext) == ROWS_SHOWN
    assert not memories_map(mapped(), CHOSEN).data


def test_bands_of_tokens_are_stacked_named_and_add_up() -> None:
    point = SweepPoint(20, 18, 1, 0, {"procedure": 8, FRAME: 10})
    more = SweepPoint(200, 90, 3, 1, {"procedure": 30, "episode": 50, FRAME: 10})
    sweep = Sweep("ada", "x", (point, more), 9, 4, 1893)
    assert kinds_of(sweep) == ["episode", "procedure", FRAME]
    figure: Any = tokens_by_kind(sweep, more)
    assert [trace.stackgroup for trace in figure.data] == ["kinds"] * 3
    assert sum(trace.y[-1] for trace in figure.data) == 90
    assert all(name in notes(figure) for name in ("Raw episodes", "Procedures", "Headings"))


def test_one_budget_alone_is_a_column_of_its_kinds() -> None:
    point = SweepPoint(20, 18, 1, 0, {"procedure": 8, FRAME: 10})
    figure: Any = tokens_by_kind(Sweep("ada", "x", (point,), 9, 4, 1893), point)
    assert {trace.type for trace in figure.data} == {"bar"}
    nothing = SweepPoint(20, 0, 0, 0)
    assert not tokens_by_kind(Sweep("ada", "x", (nothing,), 0, 0, 0), nothing).data


def test_labels_that_would_cover_each_other_are_moved_apart_inside_the_picture() -> None:
    places = spread([1.0, 2.0, 99.0, 99.5], span=100.0, height_px=170)
    gaps = [after - before for before, after in pairwise(places)]
    assert min(gaps) >= 10 - 1e-9
    assert places[0] >= 0
    assert places[-1] <= 95


def test_each_task_is_a_line_named_at_its_end_up_to_the_widest_budget() -> None:
    short = Sweep("ada", "What <b>now</b>?", POINTS[:1], 9, 4, 1893)
    figure: Any = items_by_task([SWEEP, short], 100)
    assert [list(trace.y)[-1] for trace in figure.data] == [9, 1]
    assert {trace.x[-1] for trace in figure.data} == {400}
    assert len({trace.line.dash for trace in figure.data}) == 2
    assert "<b>" not in notes(figure)


def test_no_more_tasks_are_drawn_than_there_are_colours() -> None:
    assert len(items_by_task([SWEEP] * 9, 100).data) == TASKS_SHOWN


def test_the_recommended_budget_is_marked_where_it_is_one_of_the_points() -> None:
    drawn: Any = memories_by_budget(SWEEP, CHOSEN, recommended=200)
    (mark,) = (trace for trace in drawn.data if trace.name == "recommended")
    assert (list(mark.x), list(mark.y)) == ([200], [7])
    assert all(trace.name != "recommended" for trace in memories_by_budget(SWEEP, CHOSEN).data)
