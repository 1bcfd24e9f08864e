"""What every chart has in common: text, marks, labels and the tool that saves a picture."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from lib.theme import CHART_TEXT_ON_LIGHT

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_LABEL_PX: Final = 17
"""From one label to the next, at least."""


def config(file_name: str) -> dict[str, Any]:
    """For `st.plotly_chart`: the picture can be saved as PNG, and a finger scrolls the page."""
    return {
        "displayModeBar": "hover",
        "modeBarButtons": [["toImage"]],
        "displaylogo": False,
        "toImageButtonOptions": {"format": "png", "scale": 2, "filename": file_name},
        "scrollZoom": False,
        "doubleClick": False,
    }


def label(text: str, **place: object) -> dict[str, Any]:
    """Text inside a chart, at `place`."""
    return {"text": text, "showarrow": False, "font": {"size": 12}, "borderpad": 2, **place}


def marked(name: str, colour: str) -> str:
    """`name` after a mark in `colour`."""
    # Only the mark has the colour: as text, it would fail AA in one theme or the other.
    return f'<span style="color:{colour}">●</span> {name}'


def text_font(*, dark: bool) -> dict[str, str]:
    """The font of titles and ticks, readable on the page's background."""
    return {} if dark else {"color": CHART_TEXT_ON_LIGHT}


def figure(data: list[dict[str, Any]], layout: dict[str, Any]) -> "Figure":
    """The figure of plain dictionaries, which are built faster than plotly's own objects."""
    # Here, because plotly costs the first page 0.3 s and most pages never draw.
    from plotly.graph_objects import Figure

    return Figure({"data": data, "layout": layout})


def chosen_line(max_tokens: int, colour: str) -> dict[str, Any]:
    """The dotted line at the budget that is looked at."""
    return {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": max_tokens,
        "x1": max_tokens,
        "y0": 0,
        "y1": 1,
        "line": {"color": colour, "width": 1.5, "dash": "dot"},
    }


def spread(places: Sequence[float], *, span: float, height_px: float) -> list[float]:
    """The ascending places, moved up where labels would cover each other, then down into `span`.

    `span` is the axis from 0 in its own unit, `height_px` its length in pixels.
    """
    step = span * _LABEL_PX / height_px
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + step) if moved else max(place, step / 2))
    ceiling = span - step / 2
    for index in reversed(range(len(moved))):
        moved[index] = min(moved[index], ceiling)
        ceiling = moved[index] - step
    return moved
