"""Several tasks in one picture: what each budget holds for each of them."""

import textwrap
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final

from lib.charts.drawing import chosen_line, figure, label, marked, spread, text_font
from lib.sweep import Sweep
from lib.theme import memory_colour

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

TASKS_SHOWN: Final = 5
_COLOURS: Final = ("#5B5BD6", "#C05A00", "#008A62", "#B8558F", "#0072B2")
_COLOURS_ON_DARK: Final = ("#9B9BF5", "#F0883E", "#3CC79A", "#E48BC0", "#56B4E9")
_DASHES: Final = ("solid", "dash", "dot", "dashdot", "longdash")
"""Told apart without colour too."""
_HEIGHT_PX: Final = 320
_LABEL_ROOM_PX: Final = 190
_NAME_CHARACTERS: Final = 26
_HEADROOM: Final = 1.12


def items_by_task(sweeps: Sequence[Sweep], max_tokens: int, *, dark: bool = False) -> "Figure":
    """One line a task: the memories and passages that each budget holds for it."""
    colours, font = _COLOURS_ON_DARK if dark else _COLOURS, text_font(dark=dark)
    shown = sweeps[:TASKS_SHOWN]
    end = max([max_tokens, *(sweep.points[-1].max_tokens for sweep in shown)])
    counts = [[point.memories + point.passages for point in sweep.points] for sweep in shown]
    tallest = max((count for line in counts for count in line), default=0)
    axis = {"fixedrange": True, "tickformat": ",d", "zeroline": False, "tickfont": font}
    data = [
        _line(sweep, line, end, colour=colours[place], dash=_DASHES[place])
        for place, (sweep, line) in enumerate(zip(shown, counts, strict=True))
    ]
    layout = {
        "height": _HEIGHT_PX,
        "margin": {"l": 0, "r": _LABEL_ROOM_PX, "t": 28, "b": 0},
        "showlegend": False,
        "hovermode": "x unified",
        "dragmode": False,
        "separators": ".,",
        "font": font,
        "shapes": [chosen_line(max_tokens, memory_colour(dark=dark))],
        "annotations": _labels(shown, counts, colours, tallest),
        "xaxis": {
            **axis,
            "title": {"text": "Token budget", "font": font},
            "range": [0, end],
            "nticks": 7,
            "unifiedhovertitle": {"text": "Budget of %{x:,} tokens"},
        },
        "yaxis": {
            **axis,
            "title": {"text": "Items returned", "font": font},
            "range": [0, max(tallest, 1) * _HEADROOM],
            "nticks": 6,
        },
    }
    return figure(data, layout)


def _line(sweep: Sweep, counts: list[int], end: int, *, colour: str, dash: str) -> dict[str, Any]:
    name = _name(sweep.task)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        # A larger budget than the last returns what the last does: that one held everything.
        "x": [*(point.max_tokens for point in sweep.points), end],
        "y": [*counts, counts[-1]],
        "line": {"color": colour, "width": 2.5, "shape": "hv", "dash": dash},
        "hovertemplate": f"%{{y:,}} {name}<extra></extra>",
    }


def _name(task: str) -> str:
    short = textwrap.shorten(task, _NAME_CHARACTERS, placeholder="…")
    short = short if short != "…" else f"{task[: _NAME_CHARACTERS - 1]}…"
    # Plotly reads tags in names, and braces in what it shows under the pointer.
    return escape(short, quote=False).replace("%{", "% {")


def _labels(
    sweeps: Sequence[Sweep], counts: Sequence[list[int]], colours: Sequence[str], tallest: int
) -> list[dict[str, Any]]:
    order = sorted(range(len(sweeps)), key=lambda place: counts[place][-1])
    places = spread(
        [counts[place][-1] for place in order],
        span=max(tallest, 1) * _HEADROOM,
        height_px=_HEIGHT_PX - 75,
    )
    return [
        label(
            marked(_name(sweeps[index].task), colours[index]),
            x=1,
            xref="paper",
            xanchor="left",
            y=y,
            yanchor="middle",
        )
        for index, y in zip(order, places, strict=True)
    ]
