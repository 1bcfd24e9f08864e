"""Horizontal bars with their numbers beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lib.charts.drawing import figure, text_font
from lib.theme import STATELESS, memory_colour

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_BAR_PX: Final = 38
_FRAME_PX: Final = 62
"""Axis title and ticks below the bars, and the tool bar above."""
_NUMBER_ROOM: Final = 1.45
"""Room for the number beside the longest bar."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its length, and the number as people read it."""

    name: str
    value: float
    text: str
    is_memory: bool = False


def bars(rows: Sequence[Bar], *, x_title: str, dark: bool = False) -> "Figure":
    """The bars from top to bottom, memory in its colour and everything else in grey."""
    longest = max((row.value for row in rows), default=0.0)
    font = text_font(dark=dark)
    memory = memory_colour(dark=dark)
    trace = {
        "type": "bar",
        "orientation": "h",
        "y": [row.name for row in rows],
        "x": [row.value for row in rows],
        "text": [row.text for row in rows],
        "textposition": "outside",
        "cliponaxis": False,
        "marker": {"color": [memory if row.is_memory else STATELESS for row in rows]},
        "hovertemplate": "%{y}: %{text}<extra></extra>",
    }
    axis = {"fixedrange": True, "zeroline": False, "tickfont": font}
    layout = {
        "height": _FRAME_PX + _BAR_PX * max(len(rows), 1),
        "margin": {"l": 0, "r": 0, "t": 26, "b": 0},
        "bargap": 0.35,
        "showlegend": False,
        "dragmode": False,
        "separators": ".,",
        "font": font,
        "xaxis": {
            **axis,
            "title": {"text": x_title, "font": font},
            # With nothing to show, the axis still begins at zero and has a length.
            "range": [0, longest * _NUMBER_ROOM or 1],
            "nticks": 5,
            "rangemode": "tozero",
        },
        # The order of the rows, whatever their values.
        "yaxis": {**axis, "autorange": "reversed", "automargin": True},
    }
    return figure([trace], layout)
