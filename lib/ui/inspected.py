"""The subject as the Memory page looks at it, loaded anew only as often as that is quick."""

import time

import streamlit as st

from lib import resources
from lib.inspection import SubjectMemory, inspect_subject
from lib.state import Inspected, app_state

_REUSE_FACTOR = 20
"""What took long to load is shown again for this many times as long before it is loaded anew."""


def load(subject_id: str) -> SubjectMemory:
    """Everything the runtime tells about the subject; after a change made here, always anew."""
    state = app_state()
    last = state.inspected
    started = time.monotonic()
    if last and last.memory.subject_id == subject_id and started < last.fresh_until:
        return last.memory
    with st.spinner("Reading what is remembered…"):
        runtime = resources.memory_runtime()
        memory = inspect_subject(runtime, subject_id)
        pending = runtime.pending_episodes(subject_id) if memory.episodes else 0
    ended = time.monotonic()
    state.inspected = Inspected(memory, ended + _REUSE_FACTOR * (ended - started), pending)
    return memory


def pending() -> int:
    """How many episodes of the subject that was loaded last are not compiled yet."""
    last = app_state().inspected
    return last.pending if last else 0


def reload() -> None:
    """Let the next run ask the runtime again."""
    state = app_state()
    state.inspected = None
    # The panel beside the conversation shows the same memories.
    state.panel = None
