"""Long-lived objects of the app: one runtime and one model for all sessions, cached here only."""

from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import streamlit as st

from lib.connect import (
    SEEDED_MARKER,
    connect_model,
    connect_outbox,
    connect_runtime,
    connect_titles,
    data_folder,
)
from lib.conversation import compile_when_due
from lib.demo.profiles import DemoSubject, demo_subjects
from lib.demo.seeding import needs_seeding, seed_demo
from lib.errors import StatewaveError
from lib.gate import CompileGate
from lib.inspection import Directory
from lib.outbox import Outbox
from lib.protocol import ChatModel, MemoryRuntime
from lib.settings import Settings, load_settings
from lib.titles import SessionTitles

_PREPARING = "Preparing the demo subjects:"


@st.cache_resource(show_spinner=False)
def app_settings() -> Settings:
    """The settings of this process. Raises SettingsError."""
    return load_settings()


@st.cache_resource(show_spinner=False, on_release=lambda runtime: runtime.close())
def memory_runtime() -> MemoryRuntime:
    """The one runtime all pages share. Raises StoreError when its file cannot be used."""
    return connect_runtime(app_settings(), gate=compile_gate())


@st.cache_resource(show_spinner=False, on_release=lambda outbox: outbox.close())
def outbox() -> Outbox:
    """Where turns wait while the runtime is away; one sender for all tabs."""
    runtime, gate, directory = memory_runtime(), compile_gate(), _directory()
    every = app_settings().compile_every

    def compile_sent(subject_id: str) -> None:
        directory.outdate()
        # Where that fails, the memory panel counts the episodes as pending and offers to compile.
        with suppress(StatewaveError):
            compile_when_due(runtime, subject_id, every=every, gate=gate)

    return connect_outbox(app_settings(), runtime, after_sending=compile_sent)


@st.cache_resource(show_spinner=False)
def session_titles() -> SessionTitles:
    """What visitors called their sessions with this runtime."""
    return connect_titles(app_settings(), destination=outbox().destination)


@st.cache_resource(show_spinner=False, on_release=lambda model: model.close())
def chat_model() -> ChatModel:
    """The one model all pages share."""
    return connect_model(app_settings())


@st.cache_resource(show_spinner=False)
def demo_catalogue() -> tuple[DemoSubject, ...]:
    """The demo subjects as their data files describe them."""
    return demo_subjects()


@st.cache_resource(show_spinner=False)
def _seeding() -> Lock:
    return Lock()


def prepare_demo() -> bool:
    """Seeds the demo subjects on the embedded engine's first start; True when it did.

    It shows how far it is, and is not cached: what a cached function draws comes back on every
    rerun. A server is somebody's real memory: nothing is written to one unless it is asked for.
    """
    settings = app_settings()
    if settings.runtime != "embedded":
        return False
    marker = data_folder(settings) / SEEDED_MARKER
    if not needs_seeding(marker):
        return False
    with _seeding():
        return _seed_with_progress(settings, marker)


def _seed_with_progress(settings: Settings, marker: Path) -> bool:
    if not needs_seeding(marker):
        return False
    # By the offline compiler, whatever is set: a first start must neither wait nor cost anything.
    offline = settings.model_copy(update={"statewave_compiler": "offline"})
    bar = st.progress(0.0, text=f"{_PREPARING} about a second")
    with closing(connect_runtime(offline)) as runtime:
        for step in seed_demo(runtime, demo_catalogue(), marker=marker):
            told = f"{_PREPARING} {step.done} of {step.total} conversations"
            bar.progress(step.done / step.total, text=told)
    bar.empty()
    return True


@st.cache_resource(show_spinner=False)
def compile_gate() -> CompileGate:
    """Lets one compile per subject run at a time, across all tabs."""
    return CompileGate()


@dataclass(frozen=True, slots=True)
class SubjectDirectory:
    """The ids the picker offers, what the demo ones are about, and why a list is incomplete."""

    subject_ids: list[str]
    descriptions: dict[str, str]
    error: str | None = None


@st.cache_resource(show_spinner=False)
def _directory() -> Directory:
    return Directory(memory_runtime().list_subjects)


def subject_directory() -> SubjectDirectory:
    """Demo subjects first, then every other one the runtime has. A runtime that is down or slow
    does not hold the page: what it lists is there at a later run.
    """
    demo = {subject.subject_id: subject.description for subject in demo_catalogue()}
    listed = _directory().current()
    others = [subject_id for subject_id in listed.ids if subject_id not in demo]
    return SubjectDirectory([*demo, *others], demo, listed.error)


def forget_cached_subjects() -> None:
    """Make the picker ask the runtime again, after something was recorded or deleted."""
    _directory().outdate()
