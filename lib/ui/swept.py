"""A task's sweep: measured once, with progress and a way to end it, and kept for the visit."""

import streamlit as st

from lib.models import ContextBundle
from lib.protocol import MemoryRuntime
from lib.state import app_state
from lib.sweep import Sweep, SweepKey, default_budgets, sweep_budgets
from lib.ui import controls
from lib.ui.waiting import Waiting

_SWEEPS_KEPT = 16


def swept(
    runtime: MemoryRuntime, subject_id: str, *, task: str, whole: ContextBundle
) -> Sweep | None:
    """The sweep for this task; kept for this visit as long as the memory behind it is the same.

    None where the visitor cancelled it, which the page then says.
    """
    budgets = default_budgets(whole.token_estimate, include=controls.BUDGET_PRESETS)
    # The whole context stands for the memory: when it changes, so does what budgets return.
    key = (subject_id, task, budgets, hash(whole.assembled_context))
    kept, cancelled = app_state().sweeps, app_state().sweeps_cancelled
    waiting = Waiting(key=f"sweep_cancel_{hash(key)}", on_cancel=lambda: cancelled.add(key))
    if key in cancelled:
        _draw_cancelled(key, len(budgets))
        return None
    if key not in kept:
        sweep = sweep_budgets(
            runtime,
            subject_id,
            task=task,
            budgets=budgets,
            on_point=lambda done: waiting.show(done, len(budgets), unit="budgets asked for"),
        )
        waiting.end()
        while len(kept) >= _SWEEPS_KEPT:
            del kept[next(iter(kept))]
        kept[key] = sweep
    return kept[key]


def _draw_cancelled(key: SweepKey, budgets: int) -> None:
    st.markdown("**The sweep was cancelled.** Nothing is shown of a sweep that is not whole.")
    st.button(
        f"Sweep all {budgets:,} budgets",
        key=f"sweep_again_{hash(key)}",
        icon=":material/refresh:",
        on_click=app_state().sweeps_cancelled.discard,
        args=(key,),
    )
