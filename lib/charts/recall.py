"""Recall over a subject's questions against the token budget."""

from typing import TYPE_CHECKING, Any, Final

from lib.charts.drawing import chosen_line, figure, label, marked, spread, text_font
from lib.sweep import RecallSweep, Sweep
from lib.theme import STATELESS, memory_colour

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_HEIGHT_PX: Final = 300
_LABEL_ROOM_PX: Final = 128
_TOP: Final = 112
"""Percent: room for the labels above the highest line."""


def recall_by_budget(
    recall: RecallSweep, sweep: Sweep, max_tokens: int, *, dark: bool = False
) -> "Figure":
    """The share of expected facts that each budget finds, beside the share of this task's items
    that it holds, with the interval of the best recall and the smallest budget within it.
    """
    memory, font = memory_colour(dark=dark), text_font(dark=dark)
    budgets = [point.max_tokens for point in recall.points]
    end = max(budgets[-1], max_tokens)
    shares = [100 * recall.share(point) for point in recall.points]
    task = [point for point in sweep.points if point.max_tokens <= end]
    most = max((point.memories + point.passages for point in sweep.points), default=0) or 1
    task_shares = [100 * (point.memories + point.passages) / most for point in task]
    lines = [
        ("items of this task", [point.max_tokens for point in task], task_shares, STATELESS),
        ("recall", budgets, shares, memory),
    ]
    low, high = (100 * bound for bound in recall.interval)
    axis = {"fixedrange": True, "zeroline": False, "tickfont": font}
    layout = {
        "height": _HEIGHT_PX,
        "margin": {"l": 0, "r": _LABEL_ROOM_PX, "t": 28, "b": 0},
        "showlegend": False,
        "hovermode": "x unified",
        "dragmode": False,
        "separators": ".,",
        "font": font,
        "shapes": [_interval(low, high, memory), chosen_line(max_tokens, memory)],
        "annotations": _labels(lines, low, high),
        "xaxis": {
            **axis,
            "title": {"text": "Token budget", "font": font},
            "range": [0, end],
            "tickformat": ",d",
            "nticks": 7,
            "unifiedhovertitle": {"text": "Budget of %{x:,} tokens"},
        },
        "yaxis": {
            **axis,
            "title": {"text": "Share, %", "font": font},
            "range": [0, _TOP],
            "tickvals": [0, 25, 50, 75, 100],
        },
    }
    return figure([*(_line(*line) for line in lines), _recommended(recall, memory)], layout)


def _line(name: str, x: list[int], y: list[float], colour: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        # One budget alone is a mark, as a line needs two.
        "mode": "lines" if len(x) > 1 else "markers",
        "name": name,
        "x": x,
        "y": y,
        "line": {"color": colour, "width": 2.5, "shape": "hv"},
        "marker": {"color": colour, "size": 8},
        "hovertemplate": f"%{{y:.0f}} % {name}<extra></extra>",
    }


def _recommended(recall: RecallSweep, colour: str) -> dict[str, Any]:
    point = recall.recommended
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "recommended",
        "x": [point.max_tokens],
        "y": [100 * recall.share(point)],
        "marker": {"color": colour, "size": 13, "symbol": "triangle-down"},
        "hovertemplate": "recommended<extra></extra>",
        "cliponaxis": False,
    }


def _interval(low: float, high: float, colour: str) -> dict[str, Any]:
    return {
        "type": "rect",
        "xref": "paper",
        "yref": "y",
        "x0": 0,
        "x1": 1,
        "y0": low,
        "y1": high,
        "fillcolor": colour,
        "opacity": 0.12,
        "line": {"width": 0},
        "layer": "below",
    }


def _labels(
    lines: list[tuple[str, list[int], list[float], str]], low: float, high: float
) -> list[dict[str, Any]]:
    ends = sorted((line for line in lines if line[2]), key=lambda line: line[2][-1])
    places = spread([y[-1] for _, _, y, _ in ends], span=_TOP, height_px=_HEIGHT_PX - 75)
    named = [
        label(marked(name, colour), x=1, xref="paper", xanchor="left", y=place, yanchor="middle")
        for (name, _, _, colour), place in zip(ends, places, strict=True)
    ]
    interval = f"95 % interval of the best, {low:.0f} to {high:.0f} %"
    return [
        *named,
        label(interval, x=1, xref="paper", xanchor="right", y=low, yanchor="top"),
    ]
