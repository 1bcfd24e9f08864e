"""What the Memory page changes, as callbacks, and how each change is reported."""

from collections.abc import Callable, Sequence

import streamlit as st

from lib import resources
from lib.errors import InputError, StatewaveError
from lib.inspection import forget_each, restore_each
from lib.state import BulkChange, Outcome, app_state
from lib.ui import failures, inspected
from lib.ui.text import literal

_BULK_STEP = 20
"""So many changes between two looks at the progress."""

MEMORY_PARAMETER = "memory"
"""The opened memory's id in the address, so that it can be shared and survives F5."""

EPISODE_PARAMETER = "episode"
"""The episode that the Sources view shows, likewise."""

VIEW = "memory_view"
"""Where the page keeps which of its views is shown."""
MEMORIES_VIEW = "Memories"
SOURCES_VIEW = "Sources"

ANY = ""
"""A filter that lets everything pass."""


def open_memory(memory_id: str) -> None:
    """Show this memory below the table, from whichever view."""
    st.query_params[MEMORY_PARAMETER] = memory_id
    st.session_state[VIEW] = MEMORIES_VIEW


def open_episode(episode_id: str) -> None:
    """Show this episode and what was made of it."""
    st.query_params[EPISODE_PARAMETER] = episode_id
    st.session_state[VIEW] = SOURCES_VIEW


def close_memory() -> None:
    """Let the first memory that matches the filters be the opened one."""
    st.query_params.pop(MEMORY_PARAMETER, None)


def session_filter_key(subject_id: str) -> str:
    """Where the session filter of a subject keeps its value; each has its own sessions."""
    return f"memory_session_{subject_id}"


def clear_filters(subject_id: str) -> None:
    """Show every memory again."""
    st.session_state.memory_words = ""
    for key in ("memory_kind", "memory_status", session_filter_key(subject_id)):
        st.session_state[key] = ANY


def forget(subject_id: str, memory_id: str) -> None:
    """Keep one memory out of every later context."""

    def act() -> str:
        resources.memory_runtime().forget_memory(subject_id, memory_id)
        # It stays open even where the filter no longer lists it: its place offers Undo.
        open_memory(memory_id)
        return "Forgotten."

    _attempt(act, memory_id)


def restore(subject_id: str, memory_id: str) -> None:
    """Undo `forget`."""

    def act() -> str:
        resources.memory_runtime().restore_memory(subject_id, memory_id)
        open_memory(memory_id)
        return "Restored. It can reach a prompt again."

    _attempt(act, memory_id)


def correct(subject_id: str, memory_id: str) -> None:
    """Put the sentence from the correction form in place of a memory, and open it."""
    content = str(st.session_state[correction_key(memory_id)]).strip()

    def act() -> str:
        runtime = resources.memory_runtime()
        open_memory(runtime.correct_memory(subject_id, memory_id, content).id)
        return "Corrected. The old sentence is kept as superseded."

    _attempt(act, memory_id)


def correction_key(memory_id: str) -> str:
    """Where the correction form of a memory keeps its text."""
    return f"correction_{memory_id}"


def start_bulk(subject_id: str, ids: Sequence[str], *, undo: bool) -> None:
    """Let the next run forget these memories, or bring them back, while it shows how far it is."""
    app_state().bulk = BulkChange(subject_id, tuple(ids), undo)


def carry_out_bulk() -> None:
    """Does what `start_bulk` asked for. Ended half-way, what was done can still be undone."""
    state = app_state()
    change, state.bulk = state.bulk, None
    if change is None:
        return
    act = restore_each if change.undo else forget_each
    done: list[str] = []
    error: StatewaveError | None = None
    bar = st.progress(0.0, text="Restoring…" if change.undo else "Forgetting…")
    try:
        for memory_id in act(resources.memory_runtime(), change.subject_id, change.ids):
            done.append(memory_id)
            if len(done) % _BULK_STEP == 0:
                bar.progress(len(done) / len(change.ids), text=f"{len(done):,} done")
    except StatewaveError as failure:
        error = failure
    finally:
        # Runs when the visitor leaves half-way, too.
        _note_bulk(change, done)
        inspected.reload()
    bar.empty()
    count = f"{len(done):,} {'memory' if len(done) == 1 else 'memories'}"
    told = f"{count} can reach a prompt again." if change.undo else f"{count} forgotten."
    state.outcome = Outcome(None, told, error)


def _note_bulk(change: BulkChange, done: Sequence[str]) -> None:
    batches = app_state().forgotten.setdefault(change.subject_id, [])
    if not change.undo:
        if done:
            batches.append(tuple(done))
    elif batches:
        left = tuple(memory_id for memory_id in batches.pop() if memory_id not in set(done))
        if left and done:
            batches.append(left)


def delete_subject(subject_id: str, *, typed_key: str) -> None:
    """Delete a subject for good, if its id was typed exactly."""
    typed = str(st.session_state[typed_key]).strip()

    def act() -> str | None:
        if typed != subject_id:
            raise InputError(f"Nothing was deleted: the text you typed is not {subject_id!r}.")
        runtime = resources.memory_runtime()
        # What still waits to be recorded would bring the subject back.
        report = resources.outbox().delete_subject(
            subject_id, lambda: runtime.delete_subject(subject_id)
        )
        resources.session_titles().forget_subject(subject_id)
        resources.forget_cached_subjects()
        if not report.episodes_deleted and not report.memories_deleted:
            # The second of two clicks: the first one says what it did.
            return None
        return (
            f"Deleted {report.episodes_deleted:,} episodes and "
            f"{report.memories_deleted:,} memories."
        )

    _attempt(act)


def report_outcome(memory_id: str | None = None) -> None:
    """What the last change did, once: in the opened memory it was made to, or on top."""
    state = app_state()
    outcome = state.outcome
    if outcome is None or outcome.memory_id != memory_id:
        return
    if outcome.error:
        title = failures.title_of(outcome.error)
        st.error(literal(str(outcome.error)), title=title, icon=":material/error:")
    else:
        st.success(outcome.done, icon=":material/check:")
    # Only now: a click may end this run before it has drawn anything.
    state.outcome = None


def _attempt(act: Callable[[], str | None], memory_id: str | None = None) -> None:
    # What a callback raises would skip the page, so it is kept and shown by the run that follows.
    state = app_state()
    with state.acting:
        inspected.reload()
        try:
            done = act()
        except StatewaveError as error:
            state.outcome = Outcome(memory_id, error=error)
        else:
            if done is not None:
                # A correction goes on at its new memory.
                state.outcome = Outcome(memory_id and st.query_params[MEMORY_PARAMETER], done)
