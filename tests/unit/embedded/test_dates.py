"""Times that a task names."""

from datetime import UTC, datetime

import pytest

from lib.embedded.dates import periods

NOW = datetime(2026, 3, 18, 15, 30, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("task", "start", "end"),
    [
        ("What did we fix today?", "2026-03-18", "2026-03-19"),
        ("What did we fix yesterday?", "2026-03-17", "2026-03-18"),
        ("What did we decide last week?", "2026-03-09", "2026-03-16"),
        ("Where was I last weekend?", "2026-03-14", "2026-03-16"),
        ("and this week?", "2026-03-16", "2026-03-23"),
        ("What broke last month?", "2026-02-01", "2026-03-01"),
        ("What broke last year?", "2025-01-01", "2026-01-01"),
        ("What broke two weeks ago?", "2026-03-01", "2026-03-08"),
        ("What broke 3 days ago?", "2026-03-15", "2026-03-16"),
        ("What happened in March?", "2026-03-01", "2026-04-01"),
        ("What happened in December?", "2025-12-01", "2026-01-01"),
        ("What happened in Dec 2023?", "2023-12-01", "2024-01-01"),
        ("What happened on 16 October?", "2025-10-16", "2025-10-17"),
        ("What happened on March 5th, 2024?", "2024-03-05", "2024-03-06"),
        ("What happened on the 3rd of May?", "2025-05-03", "2025-05-04"),
        ("What happened on 2025-05-03?", "2025-05-03", "2025-05-04"),
        ("What happened in 2025-05?", "2025-05-01", "2025-06-01"),
        ("What happened in 2024?", "2024-01-01", "2025-01-01"),
    ],
)
def test_a_time_in_a_task_is_a_period(task: str, start: str, end: str) -> None:
    (period,) = periods(task, now=NOW)
    assert (f"{period.start:%Y-%m-%d}", f"{period.end:%Y-%m-%d}") == (start, end)


@pytest.mark.parametrize(
    "task",
    [
        "What may I eat?",
        "Did they march?",
        "What is on 31 February 2025?",
        "Why 429s?",
        "What of 0000?",
    ],
)
def test_other_tasks_name_no_time(task: str) -> None:
    assert periods(task, now=NOW) == []


def test_a_task_may_name_several_times() -> None:
    assert len(periods("What changed in May and in December?", now=NOW)) == 2
