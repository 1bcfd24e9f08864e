"""Loads demo subjects on a click, with progress."""

from collections.abc import Sequence

import streamlit as st

from lib import resources
from lib.demo.profiles import DemoSubject
from lib.demo.seeding import seed_subject
from lib.ui import inspected


def offer(label: str, subjects: Sequence[DemoSubject]) -> bool:
    """A button that records and compiles the subjects' conversations; True when it has done so."""
    slot = st.empty()
    if not slot.button(label, icon=":material/download:", key="load_demo"):
        return False
    total = sum(len(subject.sessions) for subject in subjects)
    before = 0
    runtime = resources.memory_runtime()
    for subject in subjects:
        for step in seed_subject(runtime, subject):
            told = f"{step.subject_id}: {step.done} of {step.total} conversations"
            slot.progress((before + step.done) / total, text=told)
        before += len(subject.sessions)
    slot.empty()
    resources.forget_cached_subjects()
    inspected.reload()
    return True
