"""The Budget page's lines: memories and tokens against the token budget."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from lib.charts.drawing import chosen_line, figure, label, marked, text_font
from lib.models import EPISODE
from lib.sweep import Sweep, SweepPoint
from lib.theme import STATELESS, kind_look, memory_colour

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_HEIGHT_PX: Final = 270
_LABEL_ROOM_PX: Final = 88
"""Right of the lines, where their names stand clear of everything else."""
_HEADROOM: Final = 1.16
"""Room for a label above the highest line."""

_ROOM_UNTIL: Final = 0.7
"""Of the width: beyond it a label to the right would leave the picture."""

_HOVER_NAMES: Final = {
    "memories": "memories",
    "passages": "passages of raw episodes",
    "tokens used": "tokens used",
    "limit": "tokens allowed",
}

_Value = Callable[[SweepPoint], int]


def memories_by_budget(
    sweep: Sweep, chosen: SweepPoint, *, recommended: int | None = None, dark: bool = False
) -> "Figure":
    """How many memories each budget returns, passages of raw episodes apart, with `chosen` and
    the `recommended` budget marked; `dark` is the page's theme.
    """
    points, memory = _with(sweep.points, chosen), memory_colour(dark=dark)
    series: list[tuple[str, _Value, str]] = [("memories", _memories, memory)]
    if any(point.passages for point in points):
        series.append(("passages", _passages, kind_look(EPISODE).colour))
    tallest = max(value(point) for _, value, _ in series for point in points)
    shapes, labels = [chosen_line(chosen.max_tokens, memory)], [_chosen_label(points, chosen)]
    if sweep.complete:
        total = sweep.total_memories
        tallest = max(tallest, total)
        shapes.append(_level(total))
        labels.append(_level_label(points, chosen, total, f"all {total:,} memories"))
    labels += _end_labels(points[-1], series)
    y_title = "Memories returned" if len(series) == 1 else "Items returned"
    return figure(
        [_line(points, *item) for item in reversed(series)]
        + [_mark(chosen, value, colour) for _, value, colour in reversed(series)]
        + [
            _recommended(point, memory, end=points[-1].max_tokens)
            for point in points
            if point.max_tokens == recommended
        ],
        _layout(points, tallest, shapes, labels, y_title=y_title, dark=dark),
    )


def tokens_by_budget(sweep: Sweep, chosen: SweepPoint, *, dark: bool = False) -> "Figure":
    """What each budget really costs, against the budget itself and against the raw history."""
    points, memory = _with(sweep.points, chosen), memory_colour(dark=dark)
    history = sweep.history_tokens
    tallest = max(points[-1].max_tokens, history, *(point.token_estimate for point in points))
    shapes, labels = [chosen_line(chosen.max_tokens, memory)], [_chosen_label(points, chosen)]
    if history:
        least = "" if sweep.complete else "at least "
        shapes.append(_level(history))
        labels.append(
            _level_label(points, chosen, history, f"raw history, {least}{history:,} tokens")
        )
    labels += _end_labels(
        points[-1], [("limit", _budget, STATELESS), ("tokens used", _tokens, memory)]
    )
    limit = _line(points, "limit", _budget, STATELESS)
    limit |= {"line": {"color": STATELESS, "width": 1.5, "dash": "dash"}, "hoverinfo": "skip"}
    del limit["hovertemplate"]
    return figure(
        [limit, _line(points, "tokens used", _tokens, memory), _mark(chosen, _tokens, memory)],
        _layout(points, tallest, shapes, labels, y_title="Tokens", dark=dark),
    )


def _memories(point: SweepPoint) -> int:
    return point.memories


def _passages(point: SweepPoint) -> int:
    return point.passages


def _tokens(point: SweepPoint) -> int:
    return point.token_estimate


def _budget(point: SweepPoint) -> int:
    return point.max_tokens


def _with(points: Sequence[SweepPoint], chosen: SweepPoint) -> list[SweepPoint]:
    """The points by budget, the chosen one among them."""
    others = [point for point in points if point.max_tokens != chosen.max_tokens]
    return sorted([*others, chosen], key=_budget)


def _line(points: Sequence[SweepPoint], name: str, value: _Value, colour: str) -> dict[str, Any]:
    counted = value in (_memories, _passages)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": [point.max_tokens for point in points],
        "y": [value(point) for point in points],
        # A count changes in steps; between two budgets the smaller one's value holds.
        "line": {"color": colour, "width": 2.5, "shape": "hv" if counted else "linear"},
        "hovertemplate": f"%{{y:,}} {_HOVER_NAMES[name]}<extra></extra>",
    }


def _mark(chosen: SweepPoint, value: _Value, colour: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [chosen.max_tokens],
        "y": [value(chosen)],
        "marker": {"color": colour, "size": 10},
        "hoverinfo": "skip",
        "cliponaxis": False,
    }


def _recommended(point: SweepPoint, colour: str, *, end: int) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers+text",
        "name": "recommended",
        "x": [point.max_tokens],
        "y": [point.memories],
        "text": ["recommended"],
        # Under the level line where there is room: the line climbs on the left of it, and past
        # the end stand the names of the lines.
        "textposition": "bottom right" if point.max_tokens < _ROOM_UNTIL * end else "bottom left",
        "textfont": {"size": 12},
        "marker": {"color": colour, "size": 13, "symbol": "triangle-down"},
        "hoverinfo": "skip",
        "cliponaxis": False,
    }


def _chosen_label(points: Sequence[SweepPoint], chosen: SweepPoint) -> dict[str, Any]:
    part = chosen.max_tokens / points[-1].max_tokens
    return label(
        f"{chosen.max_tokens:,} tokens",
        x=chosen.max_tokens,
        y=1,
        yref="paper",
        yanchor="bottom",
        xanchor="left" if part < 0.15 else "right" if part > 0.85 else "center",
    )


def _level(value: int) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "paper",
        "yref": "y",
        "x0": 0,
        "x1": 1,
        "y0": value,
        "y1": value,
        "line": {"color": STATELESS, "width": 1.5, "dash": "dot"},
    }


def _level_label(
    points: Sequence[SweepPoint], chosen: SweepPoint, value: int, text: str
) -> dict[str, Any]:
    """Above the level, beginning where neither the chosen budget's line nor a series crosses it."""
    after = chosen.max_tokens < points[-1].max_tokens / 2
    x = chosen.max_tokens if after else 0
    return label(text, x=x, xanchor="left", y=value, yanchor="bottom")


def _end_labels(
    last: SweepPoint, series: Sequence[tuple[str, _Value, str]]
) -> list[dict[str, Any]]:
    """The name of each line beside its end: the higher one's above, the lower one's below."""
    order = sorted(series, key=lambda item: item[1](last), reverse=True)
    return [
        label(
            marked(name, colour),
            x=last.max_tokens,
            xanchor="left",
            # Clear of the mark that stands here when the largest budget is the chosen one.
            xshift=4,
            y=value(last),
            yanchor="middle" if len(order) == 1 else "bottom" if place == 0 else "top",
            yshift=0 if len(order) == 1 else -4 if place == 0 else 4,
        )
        for place, (name, value, colour) in enumerate(order)
    ]


def _layout(
    points: Sequence[SweepPoint],
    tallest: int,
    shapes: list[dict[str, Any]],
    labels: list[dict[str, Any]],
    *,
    y_title: str,
    dark: bool,
) -> dict[str, Any]:
    font = text_font(dark=dark)
    axis = {"fixedrange": True, "tickformat": ",d", "zeroline": False, "tickfont": font}
    return {
        "height": _HEIGHT_PX,
        "margin": {"l": 0, "r": _LABEL_ROOM_PX, "t": 24, "b": 0},
        "showlegend": False,
        "hovermode": "x unified",
        "dragmode": False,
        "separators": ".,",
        "shapes": shapes,
        "annotations": labels,
        "font": font,
        "xaxis": {
            **axis,
            "title": {"text": "Token budget", "font": font},
            "range": [0, points[-1].max_tokens],
            "nticks": 7,
            "unifiedhovertitle": {"text": "Budget of %{x:,} tokens"},
        },
        "yaxis": {
            **axis,
            "title": {"text": y_title, "font": font},
            "range": [0, max(tallest, 1) * _HEADROOM],
            "nticks": 6,
        },
    }
