"""Memory growth → plotly figure; the page adds `key=` and `alt=`."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final

from lib.inspection import Growth
from lib.theme import CHART_TEXT_ON_LIGHT, kind_look

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

CONFIG: Final = {
    "displaylogo": False,
    "modeBarButtons": [["toImage"]],
    "toImageButtonOptions": {"format": "png", "scale": 2, "filename": "memory-growth"},
    "scrollZoom": False,
    "doubleClick": False,
}
"""For `st.plotly_chart`: one tool, which saves the picture as PNG in the browser."""

_HEIGHT_PX: Final = 320
_LABEL_ROOM_PX: Final = 150
_LABEL_PX: Final = 17
"""From one label to the next, at least."""
_PLOT_PX: Final = _HEIGHT_PX - 80
_HEADROOM: Final = 1.1
_TAIL: Final = 0.04
"""Of the width, at least, after the last change."""


def memories_by_day(growth: Growth, *, until: date, dark: bool = False) -> "Figure":
    """Memories in use by kind, stacked, up to the day `until`, each kind named at its end with
    its last number; `dark` is the page's theme. A single day is a column, as a line needs two.
    """
    # Here, because plotly costs the first page 0.3 s and most pages never draw.
    from plotly.graph_objects import Figure

    days = [point.day.isoformat() for point in growth.points]
    single = len(days) == 1
    data = []
    if len(days) > 1:
        days.append(_last_day(growth, until).isoformat())
    for place, kind in enumerate(growth.kinds):
        counts = [point.counts[place] for point in growth.points]
        counts += counts[-1:] if len(days) > len(counts) else []
        data.append(_column(kind, days, counts) if single else _area(kind, days, counts))
    return Figure({"data": data, "layout": _layout(growth, single=single, dark=dark)})


def _last_day(growth: Growth, until: date) -> date:
    """Where the picture ends: a last step on the day itself would have no width to be seen."""
    first, last = growth.points[0].day, growth.points[-1].day
    return max(until, last + timedelta(days=max(1, round((last - first).days * _TAIL))))


def _area(kind: str, days: Sequence[str], counts: Sequence[int]) -> dict[str, Any]:
    look = kind_look(kind)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": look.plural,
        "x": days,
        "y": counts,
        "stackgroup": "memories",
        # Between two days of change the earlier one's number holds.
        "line": {"color": look.colour, "width": 1.5, "shape": "hv"},
        "hovertemplate": f"%{{y:,}} {look.plural.lower()}<extra></extra>",
    }


def _column(kind: str, days: Sequence[str], counts: Sequence[int]) -> dict[str, Any]:
    look = kind_look(kind)
    return {
        "type": "bar",
        "name": look.plural,
        "x": days,
        "y": counts,
        "width": [0.4],
        "marker": {"color": look.colour},
        "hovertemplate": f"%{{y:,}} {look.plural.lower()}<extra></extra>",
    }


def _end_labels(growth: Growth) -> list[dict[str, Any]]:
    """The name of each kind beside its band, moved up where the one below would be covered."""
    last = growth.points[-1]
    step = max(_tallest(growth), 1) * _HEADROOM * _LABEL_PX / _PLOT_PX
    labels, below, lowest = [], 0, step / 2
    for kind, count in zip(growth.kinds, last.counts, strict=True):
        if count:
            look = kind_look(kind)
            y = max(below + count / 2, lowest)
            lowest = y + step
            noun = look.label if count == 1 else look.plural
            labels.append(_label(f"{count:,} {noun.lower()}", look.colour, y))
        below += count
    return labels


def _label(text: str, colour: str, y: float) -> dict[str, Any]:
    return {
        # Only the mark has the colour: as text, it would fail AA in one theme or the other.
        "text": f'<span style="color:{colour}">●</span> {text}',
        "x": 1,
        "xref": "paper",
        "xanchor": "left",
        "xshift": 4,
        "y": y,
        "yanchor": "middle",
        "showarrow": False,
        "font": {"size": 12},
    }


def _tallest(growth: Growth) -> int:
    return max((point.total for point in growth.points), default=0)


def _layout(growth: Growth, *, single: bool, dark: bool) -> dict[str, Any]:
    font = {} if dark else {"color": CHART_TEXT_ON_LIGHT}
    axis = {"fixedrange": True, "zeroline": False, "tickfont": font}
    days = {"type": "category"} if single else {"type": "date", "tickformat": "%-d %b<br>%Y"}
    return {
        "height": _HEIGHT_PX,
        "margin": {"l": 0, "r": _LABEL_ROOM_PX, "t": 32, "b": 0},
        "showlegend": False,
        "barmode": "stack",
        "hovermode": "x unified",
        "dragmode": False,
        "separators": ".,",
        "font": font,
        "annotations": _end_labels(growth) if growth.points else [],
        "xaxis": {**axis, **days, "nticks": 4, "tickangle": 0, "showgrid": False},
        "yaxis": {
            **axis,
            "title": {"text": "Memories in use", "font": font},
            "range": [0, max(_tallest(growth), 1) * _HEADROOM],
            "tickformat": ",d",
            "nticks": 6,
        },
    }
