"""What a subject remembers, arranged for looking at: filters, totals, origins, timeline."""

from lib.inspection.confidence import confidence_meaning
from lib.inspection.dates import DateComparison, compare_dates, days_of_change
from lib.inspection.directory import Directory, SubjectIds
from lib.inspection.forgetting import forget_each, restore_each
from lib.inspection.growth import Growth, GrowthPoint, growth_csv, memory_growth
from lib.inspection.history import HistoryStep, memory_history
from lib.inspection.lifetime import end_of
from lib.inspection.overview import (
    SubjectFigures,
    example_task,
    measure_subject,
    missing_capabilities,
)
from lib.inspection.sources import Source, episode_sources
from lib.inspection.subject import (
    ACTIVE,
    FORGOTTEN,
    STATUSES,
    SUPERSEDED,
    MemoryFilter,
    SubjectMemory,
    Totals,
    count_memories,
    filter_memories,
    inspect_subject,
    memory_json,
)
from lib.inspection.timeline import TimelineEntry, TimelineSession, timeline_sessions

__all__ = [
    "ACTIVE",
    "FORGOTTEN",
    "STATUSES",
    "SUPERSEDED",
    "DateComparison",
    "Directory",
    "Growth",
    "GrowthPoint",
    "HistoryStep",
    "MemoryFilter",
    "Source",
    "SubjectFigures",
    "SubjectIds",
    "SubjectMemory",
    "TimelineEntry",
    "TimelineSession",
    "Totals",
    "compare_dates",
    "confidence_meaning",
    "count_memories",
    "days_of_change",
    "end_of",
    "episode_sources",
    "example_task",
    "filter_memories",
    "forget_each",
    "growth_csv",
    "inspect_subject",
    "measure_subject",
    "memory_growth",
    "memory_history",
    "memory_json",
    "missing_capabilities",
    "restore_each",
    "timeline_sessions",
]
