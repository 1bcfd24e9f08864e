"""Several tasks of one subject in one picture."""

from collections.abc import Sequence

import streamlit as st

from lib import charts
from lib.protocol import MemoryRuntime
from lib.sweep import Sweep, whole_context
from lib.ui import chart_frame
from lib.ui.swept import swept
from lib.ui.text import literal


def draw(
    runtime: MemoryRuntime, sweep: Sweep, max_tokens: int, *, suggested: Sequence[str]
) -> None:
    """The present task and others that are picked or typed, one line each."""
    others = st.multiselect(
        "Other tasks",
        [task for task in suggested if task != sweep.task],
        key=f"budget_tasks_{sweep.subject_id}",
        persist_state="session",
        accept_new_options=True,
        max_selections=charts.TASKS_SHOWN - 1,
        format_func=str,
        help="Each is swept over its own budgets; a server is asked once a budget.",
    )
    tasks = [task for other in others if (task := other.strip()) and task != sweep.task]
    sweeps = [sweep]
    for task in dict.fromkeys(tasks):
        whole = whole_context(runtime, sweep.subject_id, task=task)
        other = swept(runtime, sweep.subject_id, task=task, whole=whole)
        if other is not None:
            sweeps.append(other)
    _draw_chart(sweeps, max_tokens)


def _draw_chart(sweeps: Sequence[Sweep], max_tokens: int) -> None:
    ends = [sweep.entries[-1].enters_at if sweep.entries else 0 for sweep in sweeps]
    most = sweeps[ends.index(max(ends))]
    finding = f"“{literal(most.task)}” needs {max(ends):,} tokens for all it returns"
    if len(sweeps) > 1:
        finding += ", the most of these tasks"
    rows = [(sweep, point) for sweep in sweeps for point in sweep.points]
    chart_frame.draw(
        charts.items_by_task(sweeps, max_tokens, dark=chart_frame.is_dark()),
        title=finding,
        alt=f"Items returned by token budget, one line for each of {len(sweeps)} tasks.",
        key="budget_several",
        table={
            "Task": [sweep.task for sweep, _ in rows],
            "Token budget": [point.max_tokens for _, point in rows],
            "Memories": [point.memories for _, point in rows],
            "Raw passages": [point.passages for _, point in rows],
            "Tokens used": [point.token_estimate for _, point in rows],
        },
    )
