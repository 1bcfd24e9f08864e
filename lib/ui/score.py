"""A score as its parts: in words, and as a small bar."""

from collections.abc import Iterable
from urllib.parse import quote

from lib.models import ScoreParts
from lib.theme import SCORE_COLOURS

_NAMES = {
    "relevance": "relevance",
    "kind": "kind",
    "recency": "recency",
    "session": "same session",
    "validity": "no longer valid",
}
_WIDTH, _HEIGHT, _GAP = 72, 8, 1
_LEAST = 0.05
"""Fewer points would show as 0.0."""


def in_words(parts: ScoreParts) -> str:
    """The parts as a sum, such as "relevance 6.2 + kind 1.0 − no longer valid 2.0"."""
    told = ""
    for name, points in _points(parts):
        sign = " − " if points < 0 else " + "
        told += f"{sign if told or points < 0 else ''}{_NAMES[name]} {abs(points):.1f}"
    return told.strip() or "no signal"


def bar(parts: ScoreParts, *, longest: float) -> str:
    """Markdown of a stacked bar, `longest` points wide at most; its alternative text has the sum.

    What is taken off for a memory that is no longer valid shows as the end of the bar left hollow.
    """
    scale = _WIDTH / longest if longest > 0 else 0.0
    total = max(parts.total, 0.0) * scale
    shapes, at = [], 0.0
    for name, points in _points(parts):
        if points > 0:
            wide = points * scale
            filled = min(at + wide, total) - at
            shapes += _shapes(SCORE_COLOURS[name], at, wide=wide, filled=max(filled, 0.0))
            at += wide
    return f"![Score {parts.total:.1f} = {in_words(parts)}]({_picture(shapes, _WIDTH)})"


def reach(parts: ScoreParts) -> float:
    """How long the bar of `parts` is, in points."""
    return sum(points for _, points in _points(parts) if points > 0)


def legend(scores: Iterable[ScoreParts]) -> str:
    """Markdown that says what the colours of these bars stand for; empty without bars."""
    used = {name for parts in scores for name, points in _points(parts) if points > 0}
    return ", ".join(
        f"![]({_picture(_shapes(colour, 0.0, wide=_HEIGHT, filled=_HEIGHT), _HEIGHT)})"
        f" {_NAMES[name]}"
        for name, colour in SCORE_COLOURS.items()
        if name in used
    )


def _points(parts: ScoreParts) -> list[tuple[str, float]]:
    points = ((name, float(getattr(parts, name))) for name in _NAMES)
    return [(name, value) for name, value in points if abs(value) >= _LEAST]


def _shapes(colour: str, at: float, *, wide: float, filled: float) -> list[str]:
    """One part: full as far as it counts, an outline from there on."""
    shapes = []
    if filled > _GAP:
        shapes.append(
            f"<rect x='{at:.1f}' width='{filled - _GAP:.1f}' height='{_HEIGHT}' fill='{colour}'/>"
        )
    hollow = wide - filled
    if hollow > 2 * _GAP:
        shapes.append(
            f"<rect x='{at + filled + 0.5:.1f}' y='.5' width='{hollow - _GAP - 1:.1f}' "
            f"height='{_HEIGHT - 1}' fill='none' stroke='{colour}'/>"
        )
    return shapes


def _picture(shapes: list[str], width: int) -> str:
    drawn = "".join(shapes)
    size = f"width='{width}' height='{_HEIGHT}'"
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' {size}>{drawn}</svg>"
    # Parentheses and spaces would end the address in Markdown.
    return f"data:image/svg+xml,{quote(svg, safe='')}"
