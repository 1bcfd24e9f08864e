"""What one browser tab remembers."""

from dataclasses import dataclass, field
from threading import Lock

import streamlit as st

from lib.comparison import Comparison, QuestionRun
from lib.conversation import CompileJob, Visit
from lib.errors import StatewaveError
from lib.inspection import SubjectMemory
from lib.models import CompileReport
from lib.sweep import RecallSweep, Sweep, SweepKey

_COMPARISONS_KEPT = 100
"""A comparison holds its prompts, and full histories are large."""


@dataclass(frozen=True, slots=True)
class PanelMemory:
    """What the memory panel shows, until `fresh_until` on the monotonic clock."""

    memory: SubjectMemory
    pending: int
    fresh_until: float
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Inspected:
    """What the Memory page shows, until `fresh_until` on the monotonic clock."""

    memory: SubjectMemory
    fresh_until: float
    pending: int = 0
    """Episodes that are recorded and not compiled."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a change did, or why it did not; `memory_id` is where it is told, None for the top."""

    memory_id: str | None
    done: str = ""
    error: StatewaveError | None = None


@dataclass(frozen=True, slots=True)
class BulkChange:
    """Memories of a subject to forget, or with `undo` to bring back."""

    subject_id: str
    ids: tuple[str, ...]
    undo: bool


@dataclass(slots=True)
class AppState:
    """Everything of a visit that no widget holds. Lives as long as the tab's session."""

    chat: Visit = field(default_factory=Visit)
    panel: PanelMemory | None = None
    acting: Lock = field(default_factory=Lock)
    """Held by a change while it is made: the run that a double click starts waits for it."""
    inspected: Inspected | None = None
    opened_of: str | None = None
    """Whose memory the Memory page opened last."""
    comparison: Comparison | None = None
    """What the Compare page shows."""
    compared: dict[str, Comparison] = field(default_factory=dict)
    """The visit's comparisons by id, oldest first."""
    question_runs: dict[str, QuestionRun] = field(default_factory=dict)
    """Subject → the last run of its question list."""
    sweeps: dict[SweepKey, Sweep] = field(default_factory=dict)
    sweeps_cancelled: set[SweepKey] = field(default_factory=set)
    """Sweeps that the visitor ended; they wait until asked for again."""
    recalls: dict[tuple[str, int, int], RecallSweep] = field(default_factory=dict)
    """Subject, its memories, its tokens of history → the recall measured of that."""
    recalls_wanted: dict[str, bool] = field(default_factory=dict)
    """Subject → whether the visitor asked for its recall, or cancelled it."""
    compile_jobs: dict[str, CompileJob] = field(default_factory=dict)
    """Subject → its compile that this visit started and has not looked at since it finished."""
    compiled: dict[str, CompileReport] = field(default_factory=dict)
    """Subject → what its last compile of this visit did."""
    bulk: BulkChange | None = None
    """What the next run of the Memory page carries out."""
    forgotten: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)
    """Subject → what was forgotten together in this visit, the latest last, to be undone."""
    outcome: Outcome | None = None
    """What the last change on the Memory page did; the run that follows shows it once."""

    def show_comparison(self, comparison: Comparison) -> None:
        """Makes it the one the Compare page shows, and keeps it for the visit."""
        self.comparison = comparison
        self.compared[comparison.id] = comparison
        while len(self.compared) > _COMPARISONS_KEPT:
            del self.compared[next(iter(self.compared))]


def app_state() -> AppState:
    """This tab's state, made on first use."""
    if "app_state" not in st.session_state:
        st.session_state.app_state = AppState()
    state = st.session_state.app_state
    assert isinstance(state, AppState)
    return state


def current_subject() -> str:
    """The subject the router's picker holds."""
    return str(st.session_state.subject)
