"""Which budgets hold each memory, and what the tokens go to."""

import textwrap
from collections.abc import Sequence
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from lib.charts.drawing import chosen_line, figure, label, marked, spread, text_font
from lib.sweep import FRAME, Entry, Sweep, SweepPoint
from lib.theme import kind_look, memory_colour

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

ROWS_SHOWN: Final = 40
"""Beyond these, rows would be thinner than their text."""
FRAME_LABEL: Final = "Headings"
_FRAME_COLOUR: Final = "#B4B4BE"
_ROW_PX: Final = 20
_FRAME_PX: Final = 66
_NAME_CHARACTERS: Final = 30
_HOVER_CHARACTERS: Final = 300
_KINDS_PX: Final = 300
_LABEL_ROOM_PX: Final = 118
_HEADROOM: Final = 1.12


def memories_map(sweep: Sweep, chosen: SweepPoint, *, dark: bool = False) -> "Figure":
    """One row an item, the first to enter on top; its bar covers the budgets that hold it."""
    entries = sweep.entries[:ROWS_SHOWN]
    budgets = [point.max_tokens for point in sweep.points]
    end = max(budgets[-1], chosen.max_tokens)
    font = text_font(dark=dark)
    axis = {"fixedrange": True, "zeroline": False, "tickfont": font}
    layout = {
        "height": _FRAME_PX + _ROW_PX * max(len(entries), 2),
        "margin": {"l": 0, "r": 8, "t": 28, "b": 0},
        "showlegend": False,
        "barmode": "overlay",
        "bargap": 0.25,
        "dragmode": False,
        "separators": ".,",
        "font": font,
        "shapes": [chosen_line(chosen.max_tokens, memory_colour(dark=dark))],
        "xaxis": {
            **axis,
            "title": {"text": "Token budget", "font": font},
            "range": [0, end],
            "tickformat": ",d",
            "nticks": 7,
        },
        "yaxis": {
            **axis,
            "tickmode": "array",
            "tickvals": list(range(len(entries))),
            "ticktext": [_name(entry) for entry in entries],
            "range": [max(len(entries), 1) - 0.5, -0.5],
            "automargin": True,
            "showgrid": False,
        },
    }
    return figure([_kind_rows(kind, entries, budgets, end) for kind in _kinds(entries)], layout)


def _kinds(entries: Sequence[Entry]) -> list[str]:
    return list(dict.fromkeys(entry.kind for entry in entries))


def _kind_rows(
    kind: str, entries: Sequence[Entry], budgets: Sequence[int], end: int
) -> dict[str, Any]:
    look = kind_look(kind)
    bars = [
        (row, entry, first, last)
        for row, entry in enumerate(entries)
        if entry.kind == kind
        for first, last in _stretches(entry, budgets, end)
    ]
    return {
        "type": "bar",
        "orientation": "h",
        "name": look.label,
        "y": [row for row, *_ in bars],
        "base": [first for _, _, first, _ in bars],
        # A budget that is the largest of all has no width of its own.
        "x": [max(last - first, end / 200) for _, _, first, last in bars],
        "marker": {"color": look.colour},
        "cliponaxis": False,
        "hovertext": [_hover(entry, first) for _, entry, first, _ in bars],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _stretches(entry: Entry, budgets: Sequence[int], end: int) -> list[tuple[int, int]]:
    """From where to where it is held without a gap; up to the next budget, which drops it."""
    held = set(entry.budgets)
    found = []
    for is_in, group in groupby(range(len(budgets)), key=lambda place: budgets[place] in held):
        places = list(group)
        if is_in:
            after = places[-1] + 1
            found.append((budgets[places[0]], budgets[after] if after < len(budgets) else end))
    return found


def _name(entry: Entry) -> str:
    # Plotly reads tags in its labels; escaped they are shown as they were written.
    text = textwrap.shorten(entry.content, _NAME_CHARACTERS, placeholder="…")
    text = text if text != "…" else entry.content[: _NAME_CHARACTERS - 1] + "…"
    return f"{escape(text, quote=False)} "


def _hover(entry: Entry, enters: int) -> str:
    text = escape(entry.content[:_HOVER_CHARACTERS], quote=False)
    lines = "<br>".join(textwrap.wrap(text, 60))
    return f"{lines}<br>{kind_look(entry.kind).label}, {entry.tokens:,} tokens, from {enters:,} on"


def kind_name(kind: str) -> str:
    """How a band of the chart is called."""
    return FRAME_LABEL if kind == FRAME else kind_look(kind).plural


def kinds_of(sweep: Sweep) -> list[str]:
    """Every kind that any point has tokens of, the largest at the end first, headings last."""
    totals: dict[str, int] = {}
    for point in sweep.points:
        for kind, tokens in point.tokens_by_kind.items():
            totals[kind] = totals.get(kind, 0) + tokens
    return sorted(totals, key=lambda kind: (kind == FRAME, -totals[kind]))


def tokens_by_kind(sweep: Sweep, chosen: SweepPoint, *, dark: bool = False) -> "Figure":
    """The tokens of every budget as bands, one a kind, stacked to what the context costs."""
    others = [point for point in sweep.points if point.max_tokens != chosen.max_tokens]
    points = sorted([*others, chosen], key=lambda point: point.max_tokens)
    kinds = kinds_of(sweep)
    single = len(points) == 1
    x = [point.max_tokens for point in points]
    data = [_band(kind, x, points, single=single) for kind in reversed(kinds)]
    tallest = max(sum(point.tokens_by_kind.values()) for point in points)
    font = text_font(dark=dark)
    axis = {"fixedrange": True, "tickformat": ",d", "zeroline": False, "tickfont": font}
    layout = {
        "height": _KINDS_PX,
        "margin": {"l": 0, "r": _LABEL_ROOM_PX, "t": 28, "b": 0},
        "showlegend": False,
        "hovermode": "x unified",
        "dragmode": False,
        "separators": ".,",
        "font": font,
        "shapes": [chosen_line(chosen.max_tokens, memory_colour(dark=dark))],
        "annotations": _band_labels(points[-1], kinds, tallest),
        "xaxis": {
            **axis,
            "title": {"text": "Token budget", "font": font},
            "range": [0, x[-1] * (2 if single else 1)],
            "nticks": 7,
            "unifiedhovertitle": {"text": "Budget of %{x:,} tokens"},
        },
        "yaxis": {
            **axis,
            "title": {"text": "Tokens used", "font": font},
            "range": [0, max(tallest, 1) * _HEADROOM],
            "nticks": 6,
        },
    }
    return figure(data, layout)


def _colour(kind: str) -> str:
    return _FRAME_COLOUR if kind == FRAME else kind_look(kind).colour


def _band(
    kind: str, x: Sequence[int], points: Sequence[SweepPoint], *, single: bool
) -> dict[str, Any]:
    common = {
        "name": kind_name(kind),
        "x": x,
        "y": [point.tokens_by_kind.get(kind, 0) for point in points],
        "hovertemplate": f"%{{y:,}} {kind_name(kind).lower()}<extra></extra>",
    }
    if single:
        # An area of one point has no width.
        return {**common, "type": "bar", "width": x[0] / 4, "marker": {"color": _colour(kind)}}
    # Between two budgets the smaller one's value holds.
    line = {"color": _colour(kind), "width": 1, "shape": "hv"}
    return {**common, "type": "scatter", "mode": "lines", "stackgroup": "kinds", "line": line}


def _band_labels(last: SweepPoint, kinds: Sequence[str], tallest: int) -> list[dict[str, Any]]:
    """The name of each band beside its middle, moved apart where they would cover each other."""
    below, middles, shown = 0, [], []
    for kind in reversed(kinds):
        tokens = last.tokens_by_kind.get(kind, 0)
        if tokens:
            middles.append(below + tokens / 2)
            shown.append(kind)
        below += tokens
    places = spread(middles, span=max(tallest, 1) * _HEADROOM, height_px=_KINDS_PX - 75)
    return [
        label(
            f"{marked(kind_name(kind), _colour(kind))} {last.tokens_by_kind[kind]:,}",
            x=1,
            xref="paper",
            xanchor="left",
            y=place,
            yanchor="middle",
        )
        for kind, place in zip(shown, places, strict=True)
    ]
