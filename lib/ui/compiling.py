"""Compiling from a page: started in the background, watched, and what it did kept for the visit."""

import streamlit as st

from lib import resources
from lib.conversation import CompileJob
from lib.state import app_state
from lib.ui import inspected

_SHORT_S = 1.0
"""The rules are done by then, so that their memories are there when the page is drawn."""
_LOOK_EVERY_S = 0.5


def start(subject_id: str, *, every: int | None = None) -> None:
    """Compiles a subject, with `every` only once so many episodes are pending.

    A compile that takes longer goes on while the page is drawn, or left.
    """
    jobs = app_state().compile_jobs
    settle(subject_id)
    if subject_id not in jobs:
        runtime, gate = resources.memory_runtime(), resources.compile_gate()
        jobs[subject_id] = CompileJob(runtime, subject_id, gate=gate, every=every)
    jobs[subject_id].wait(_SHORT_S)


def settle(subject_id: str) -> CompileJob | None:
    """The visit's compile of a subject that has finished since the last look, if one has."""
    state = app_state()
    job = state.compile_jobs.get(subject_id)
    if job is None or not job.finished:
        return None
    del state.compile_jobs[subject_id]
    if job.report and job.report.episodes_compiled:
        state.compiled[subject_id] = job.report
    inspected.reload()
    resources.forget_cached_subjects()
    return job


def is_under_way(subject_id: str) -> bool:
    """True while this visit's compile of a subject goes on."""
    return subject_id in app_state().compile_jobs


def watch(subject_id: str) -> None:
    """How far the compile is; the page is drawn again when it has finished."""
    job = app_state().compile_jobs.get(subject_id)
    if job is not None:
        st.fragment(_draw_progress, run_every=_LOOK_EVERY_S)(job)


def _draw_progress(job: CompileJob) -> None:
    if job.finished:
        st.rerun()
    if job.total:
        text = f"Compiling: {job.done:,} of {job.total:,} episodes"
        st.progress(job.done / job.total, text=text)
    else:
        st.markdown(":shimmer[Compiling…]")
