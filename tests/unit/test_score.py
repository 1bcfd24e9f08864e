"""A score in words and as a bar that carries the same in its alternative text."""

import re
from urllib.parse import unquote
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from lib.models import ScoreParts
from lib.ui import score

points = st.floats(0, 8)
parts_of_items = st.builds(ScoreParts, points, points, points, st.floats(-8, 0), st.floats(0, 1))


def svg(markdown: str) -> ElementTree.Element:
    """The picture of a bar."""
    found = re.fullmatch(r"!\[[^\]]*\]\(data:image/svg\+xml,([^\s()]+)\)", markdown)
    assert found
    return ElementTree.fromstring(unquote(found[1]))


def widths(markdown: str) -> list[float]:
    return [float(shape.attrib["width"]) for shape in svg(markdown)]


def test_the_words_are_a_sum() -> None:
    parts = ScoreParts(kind=1, recency=0.51, relevance=6.2, validity=-2)
    assert score.in_words(parts) == ("relevance 6.2 + kind 1.0 + recency 0.5 − no longer valid 2.0")
    assert score.in_words(ScoreParts()) == "no signal"
    assert score.in_words(ScoreParts(validity=-1)) == "− no longer valid 1.0"


def test_the_bar_says_in_words_what_it_shows() -> None:
    parts = ScoreParts(kind=1, relevance=6)
    assert score.bar(parts, longest=14).startswith("![Score 7.0 = relevance 6.0 + kind 1.0](")


def test_parts_are_as_wide_as_they_weigh() -> None:
    wide, narrow = widths(score.bar(ScoreParts(relevance=6, kind=2), longest=8))
    assert (wide, narrow) == (53.0, 17.0)  # 72 px for 8 points, less a gap of 1 px each
    assert widths(score.bar(ScoreParts(relevance=6), longest=12)) == [35.0]


def test_what_is_taken_off_is_hollow() -> None:
    kept, lost = svg(score.bar(ScoreParts(relevance=8, validity=-4), longest=8))
    assert kept.attrib["width"] == "35.0"
    assert lost.attrib["fill"] == "none"


@given(parts_of_items, points)
def test_a_bar_never_leaves_its_picture(parts: ScoreParts, more: float) -> None:
    drawn = svg(score.bar(parts, longest=score.reach(parts) + more))
    for shape in drawn:
        assert float(shape.attrib["width"]) >= 0
        end = float(shape.attrib.get("x", 0)) + float(shape.attrib["width"])
        assert end <= float(drawn.attrib["width"]) + 0.1


def test_the_legend_names_the_parts_that_are_there() -> None:
    named = score.legend([ScoreParts(relevance=3), ScoreParts(session=1)])
    assert re.sub(r"!\[\]\(\S+\) ", "", named) == "relevance, same session"
    assert score.legend([]) == ""
