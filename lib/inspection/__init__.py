"""What a subject remembers, arranged for looking at: filters, totals, origins, timeline."""

from lib.inspection.confidence import confidence_meaning
from lib.inspection.directory import Directory, SubjectIds
from lib.inspection.overview import (
    SubjectFigures,
    example_task,
    measure_subject,
    missing_capabilities,
)
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
    "Directory",
    "MemoryFilter",
    "SubjectFigures",
    "SubjectIds",
    "SubjectMemory",
    "TimelineEntry",
    "TimelineSession",
    "Totals",
    "confidence_meaning",
    "count_memories",
    "example_task",
    "filter_memories",
    "inspect_subject",
    "measure_subject",
    "memory_json",
    "missing_capabilities",
    "timeline_sessions",
]
