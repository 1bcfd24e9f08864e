"""The growth chart: every day, every kind named, the last step wide enough to be seen."""

from datetime import date

from lib.growth_chart import memories_by_day
from lib.inspection import Growth, GrowthPoint
from lib.models import EPISODE_SUMMARY, PROFILE_FACT

KINDS = (PROFILE_FACT, EPISODE_SUMMARY)
POINTS = (GrowthPoint(date(2026, 1, 1), (3, 0)), GrowthPoint(date(2026, 4, 11), (8, 1)))


def test_each_kind_is_a_band_that_ends_after_its_last_step() -> None:
    figure = memories_by_day(Growth(KINDS, POINTS), until=POINTS[-1].day)
    facts, summaries = figure.data
    assert list(facts.y) == [3, 8, 8]
    assert list(summaries.y) == [0, 1, 1]
    assert facts.x[-1] == "2026-04-15"
    assert memories_by_day(Growth(KINDS, POINTS), until=date(2026, 6, 1)).data[0].x[-1] == (
        "2026-06-01"
    )


def test_labels_name_every_kind_with_its_number_and_stay_apart() -> None:
    figure = memories_by_day(
        Growth(KINDS, (*POINTS, GrowthPoint(date(2026, 5, 1), (60, 1)))), until=date(2026, 5, 1)
    )
    low, high = figure.layout.annotations
    assert "60 profile facts" in low.text
    assert "1 summary" in high.text
    assert figure.layout.showlegend is False
    assert high.y - low.y > 4


def test_one_day_is_a_column_and_none_is_an_empty_picture() -> None:
    one = memories_by_day(Growth(KINDS, POINTS[:1]), until=date(2026, 4, 11))
    assert {trace.type for trace in one.data} == {"bar"}
    assert not memories_by_day(Growth((), ()), until=date(2026, 4, 11)).data
