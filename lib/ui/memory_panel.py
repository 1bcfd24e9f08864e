"""The memory panel beside a conversation: what is remembered, and what the last reply used."""

import time

import streamlit as st

from lib import resources
from lib.errors import StatewaveError
from lib.inspection import (
    SubjectMemory,
    confidence_meaning,
    count_memories,
    inspect_subject,
)
from lib.models import ContextBundle, ContextItem, Memory
from lib.state import PanelMemory, app_state
from lib.theme import kind_look
from lib.tokens import count_tokens
from lib.ui import compiling, episode
from lib.ui.injected import why_cut
from lib.ui.text import joined, literal

_SHOWN_PER_KIND = 12
_REUSE_FACTOR = 20
"""What took long to load is shown again for this many times as long before it is loaded anew."""
_LONGEST_REUSE_S = 30.0


def load(subject_id: str) -> PanelMemory:
    """The subject's memory for the panel; the last one known, with the reason, on a failure.

    While a question waits for its reply nothing is loaded: the reply comes first.
    """
    state = app_state()
    last = state.panel if state.panel and state.panel.memory.subject_id == subject_id else None
    conversation = state.chat.current(subject_id)
    if last and conversation and conversation.waiting:
        return last
    note = _compile(subject_id)
    started = time.monotonic()
    if last and note is None and started < last.fresh_until:
        return last
    runtime = resources.memory_runtime()
    try:
        memory = inspect_subject(runtime, subject_id)
        pending, error = runtime.pending_episodes(subject_id), note or None
    except StatewaveError as failure:
        memory = last.memory if last else SubjectMemory(subject_id, (), ())
        pending, error = last.pending if last else 0, str(failure)
    took = time.monotonic() - started
    fresh_until = time.monotonic() + min(_REUSE_FACTOR * took, _LONGEST_REUSE_S)
    state.panel = PanelMemory(memory, pending, fresh_until, error)
    return state.panel


def _forget() -> None:
    app_state().panel = None


def _compile(subject_id: str) -> str | None:
    """Compiles if the visit asked for it: what went wrong, "" when something is new, else None."""
    forced = app_state().chat.compile_due.pop(subject_id, None)
    if forced is not None:
        every = None if forced else resources.app_settings().compile_every
        compiling.start(subject_id, every=every)
    job = compiling.settle(subject_id)
    if job is not None and job.error is not None:
        return f"Compiling did not work: {job.error}"
    return "" if job is not None or forced is not None else None


def draw(panel: PanelMemory, bundle: ContextBundle | None) -> None:
    """The panel; `bundle` is what the last reply was given."""
    memory = panel.memory
    active = [item for item in memory.memories if item.status == "active"]
    used = bundle.memory_ids if bundle else frozenset()
    _draw_head(panel, len(active), sum(item.id in used for item in active))
    if panel.error:
        st.warning(literal(panel.error), icon=":material/cloud_off:")
        st.button("Try again", key="reload_memory", icon=":material/refresh:", on_click=_forget)
    if not active:
        _draw_empty(panel)
    items = {item.id: item for item in bundle.items} if bundle else {}
    for kind, count in count_memories(active).by_kind:
        look = kind_look(kind)
        st.markdown(f"{look.mark} **{look.plural}** {count:,}", help=look.meaning or None)
        ours = [item for item in active if item.kind == kind]
        ours.sort(key=lambda item: _order(item, items, used))
        with st.container(gap="xxsmall"):
            for each in ours[:_SHOWN_PER_KIND]:
                _draw_memory(memory, each, items.get(each.id), each.id in used)
        if count > _SHOWN_PER_KIND:
            st.caption(f"{count - _SHOWN_PER_KIND:,} more on the Memory page")


def _draw_head(panel: PanelMemory, active: int, used: int) -> None:
    with st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
    ):
        noun = "memory" if active == 1 else "memories"
        known = f"**{active:,} {noun}**" if active or not panel.error else "**Memory**"
        marked = f" · ◉ {used:,} used" if used else ""
        pending = f" · {panel.pending:,} pending" if panel.pending else ""
        st.markdown(
            f"{known}{marked}{pending}",
            width="content",
            help="Pending episodes are recorded and not compiled into memories yet."
            if panel.pending
            else None,
        )
        if panel.pending and not compiling.is_under_way(panel.memory.subject_id):
            st.button(
                "Compile now",
                key="compile_now",
                on_click=app_state().chat.compile_now,
                args=(panel.memory.subject_id,),
            )
    compiling.watch(panel.memory.subject_id)


def _draw_empty(panel: PanelMemory) -> None:
    subject_id = literal(panel.memory.subject_id)
    if panel.pending:
        st.markdown("Nothing compiled yet. **Compile now** turns what was said into memories.")
    elif panel.memory.episodes:
        st.markdown("What was said so far holds nothing worth remembering.")
    elif not panel.error:
        st.markdown(
            f"Nothing is remembered about **{subject_id}** yet. Say who you are, what you build "
            "and what you use; it appears here after the reply."
        )


def _order(
    memory: Memory, items: dict[str, ContextItem], used: frozenset[str]
) -> tuple[bool, float, float]:
    item = items.get(memory.id)
    score = item.score if item and item.score is not None else 0.0
    return (memory.id not in used, -score, -memory.valid_from.timestamp())


def _draw_memory(
    subject: SubjectMemory, memory: Memory, item: ContextItem | None, is_used: bool
) -> None:
    # A memory costs what its line in the context costs.
    tokens = item.tokens if item else count_tokens(f"- {memory.content}\n")
    figures = [f"{tokens:,} tokens"]
    if item and item.score is not None:
        figures.append(f"score {item.score:.1f}")
    if is_used:
        figures.insert(0, "◉ used")
    label = f"{literal(memory.content)} :small[:gray[{joined(figures)}]]"
    with st.expander(label, type="compact"):
        st.markdown(_fate(item, is_used))
        st.markdown(
            f"**Confidence {memory.confidence:.2f}**: {confidence_meaning(memory)}."
            f"  \nValid since {episode.day(memory.valid_from)}."
        )
        for source in subject.sources(memory):
            st.markdown(f"**From** {episode.heading(source)}")
            with st.container(border=True, gap="xsmall"):
                episode.draw(source)


def _fate(item: ContextItem | None, is_used: bool) -> str:
    """What became of a memory in the last reply, and how its score came about."""
    fate = "**Used in the last reply.**" if is_used else ""
    if item is None:
        return fate or "Not ranked for a message yet."
    if not is_used:
        fate = f"**Not in the last reply**: {why_cut(item.reason)}."
    if item.score is None or item.parts is None:
        return fate
    parts = {
        "relevance": item.parts.relevance,
        "kind": item.parts.kind,
        "recency": item.parts.recency,
        "validity": item.parts.validity,
        "same session": item.parts.session,
    }
    told = " + ".join(f"{name} {points:.1f}" for name, points in parts.items() if points)
    return f"{fate}  \n**Score {item.score:.1f}** for the last message: {told or 'no signal'}."
