"""One memory opened: its words, how far to trust it, where it came from, what to do with it."""

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from lib import resources
from lib.inspection import ACTIVE, FORGOTTEN, SubjectMemory, confidence_meaning, memory_json
from lib.models import Memory
from lib.theme import kind_look
from lib.ui import episode, memory_actions, memory_history
from lib.ui.text import literal


def draw(
    subject: SubjectMemory, memory: Memory, listed: Sequence[Memory], *, can_change: bool
) -> None:
    """The opened memory beside its source episodes; `listed` is what the arrows step through."""
    with st.container(border=True):
        _draw_head(memory, listed)
        words, origin = st.columns([1, 1], gap="medium")
        with words:
            st.text(memory.content, width="stretch")
            _draw_trust(subject, memory)
            with st.container():
                memory_actions.report_outcome(memory.id)
            if can_change:
                _draw_actions(subject, memory)
            else:
                st.caption(
                    "This server cannot forget or correct a single memory, only delete a subject."
                )
        with origin:
            _draw_sources(subject, memory)
        memory_history.draw(subject, memory)
        with st.expander("Raw JSON", icon=":material/data_object:"):
            st.code(memory_json(memory), language=None, wrap_lines=True)


def _draw_head(memory: Memory, listed: Sequence[Memory]) -> None:
    look = kind_look(memory.kind)
    ids = [item.id for item in listed]
    place = ids.index(memory.id) if memory.id in ids else None
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"{look.mark} **{literal(look.label)}**", help=look.meaning or None)
        if memory.status != ACTIVE:
            st.badge(memory.status.capitalize(), color="gray")
        st.space("stretch")
        if place is not None:
            # A box of its own, so that a phone moves the three to the next line together.
            with st.container(horizontal=True, vertical_alignment="center", width="content"):
                _draw_step("Previous", ids, place - 1)
                st.markdown(f"{place + 1:,} of {len(ids):,}")
                _draw_step("Next", ids, place + 1)


def _draw_step(label: Literal["Previous", "Next"], ids: Sequence[str], place: int) -> None:
    possible = 0 <= place < len(ids)
    st.button(
        label,
        key=f"memory_{label}",
        icon=":material/chevron_left:" if label == "Previous" else ":material/chevron_right:",
        icon_position="left" if label == "Previous" else "right",
        type="tertiary",
        disabled=not possible,
        on_click=memory_actions.open_memory,
        args=(ids[place] if possible else "",),
    )


def _draw_trust(subject: SubjectMemory, memory: Memory) -> None:
    documented = "explain" in resources.memory_runtime().capabilities()
    meaning = confidence_meaning(memory, documented=documented)
    st.markdown(f"**Confidence {memory.confidence:.2f}**: {meaning}.")
    st.markdown(f"**Valid** {_validity(memory)}.")
    newer = subject.replacement(memory)
    if newer:
        _draw_related("Superseded by", "Open the newer memory", newer)
    for older in subject.replaced(memory):
        _draw_related("Supersedes", "Open the older memory", older)


def _validity(memory: Memory) -> str:
    if memory.valid_to is None:
        return f"since {episode.day(memory.valid_from)}"
    return f"from {episode.day(memory.valid_from)} to {episode.day(memory.valid_to)}"


def _draw_related(relation: str, label: str, other: Memory) -> None:
    st.markdown(f"**{relation}**: {literal(other.content)}")
    st.button(
        label,
        key=f"open_{other.id}",
        type="tertiary",
        icon=":material/history:",
        on_click=memory_actions.open_memory,
        args=(other.id,),
    )


def _draw_actions(subject: SubjectMemory, memory: Memory) -> None:
    named = (subject.subject_id, memory.id)
    if memory.status == FORGOTTEN:
        st.caption("It never reaches a prompt while it is forgotten.")
        st.button("Undo", icon=":material/undo:", on_click=memory_actions.restore, args=named)
    elif memory.status == ACTIVE:
        with st.container(horizontal=True):
            st.button(
                "Forget",
                icon=":material/block:",
                on_click=memory_actions.forget,
                args=named,
                help="It never reaches a prompt again. You can undo it. Another memory that says "
                "the same stays: search for the words to find it.",
            )
            with st.popover("Correct it", icon=":material/edit:"):
                _draw_correction(subject, memory)


def _draw_correction(subject: SubjectMemory, memory: Memory) -> None:
    with st.form(f"correct_{memory.id}", border=False):
        st.text_area(
            "What is true",
            value=memory.content,
            key=memory_actions.correction_key(memory.id),
            help="One sentence that can be understood on its own.",
        )
        st.form_submit_button(
            "Save the correction",
            on_click=memory_actions.correct,
            args=(subject.subject_id, memory.id),
        )
    st.caption("The sentence of today is kept, marked superseded by yours.")


def _draw_sources(subject: SubjectMemory, memory: Memory) -> None:
    sources = subject.sources(memory)
    missing = len(memory.source_episode_ids) - len(sources)
    st.markdown("**Where it came from**")
    if not memory.source_episode_ids:
        st.caption("The runtime names no source episode.")
    for number, source in enumerate(sources):
        with st.expander(episode.heading(source), expanded=number == 0):
            episode.draw(source)
            st.button(
                "All memories of this episode",
                key=f"episode_{source.id}",
                type="tertiary",
                icon=":material/account_tree:",
                on_click=memory_actions.open_episode,
                args=(source.id,),
            )
    if missing:
        st.caption(f"{missing:,} more source episodes that the server does not list.")
