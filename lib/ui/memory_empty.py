"""What the Memory page says where there is nothing to list, and the step that changes it."""

import streamlit as st

from lib import resources
from lib.inspection import SubjectMemory
from lib.ui import demo_loader, memory_actions
from lib.ui.text import literal

CHAT_PAGE = "../../pages/chat.py"
"""Relative to the router, as Streamlit wants it."""


def draw(subject_id: str) -> bool:
    """A subject without episodes; True when its demo conversations have just been restored."""
    demo = [item for item in resources.demo_catalogue() if item.subject_id == subject_id]
    slot = st.empty()
    with slot.container(border=True):
        st.markdown(f"**Nothing is remembered about {literal(subject_id)} yet.**")
        if demo:
            st.markdown(
                "It is a demo subject whose conversations are not in this runtime. Restoring "
                "records them again and compiles them into memories."
            )
            if demo_loader.offer("Restore the demo conversations", demo):
                slot.empty()
                return True
        else:
            st.markdown(
                "Say something about yourself in Chat. Each turn is recorded as an episode, and "
                "episodes are compiled into memories."
            )
        st.page_link(CHAT_PAGE, label="Open Chat", icon=":material/chat:")
    return False


def draw_uncompiled(subject: SubjectMemory, pending: int) -> None:
    """A subject with episodes of which no memory was made, `pending` of them never compiled."""
    count = len(subject.episodes)
    recorded = (
        f"{count:,} episode is recorded" if count == 1 else f"{count:,} episodes are recorded"
    )
    with st.container(border=True):
        if pending:
            st.markdown(f"**{recorded}, none is a memory yet.**")
            st.markdown(
                "**Compile now** reads what is pending and keeps the facts worth bringing up again."
            )
        else:
            st.markdown(f"**{recorded} and compiled; nothing was worth remembering.**")
            st.markdown("Say in Chat who you are, what you build and what you use.")


def draw_no_match(subject: SubjectMemory) -> None:
    """Filters that leave nothing."""
    with st.container(border=True):
        st.markdown("**No memory matches these filters.**")
        st.button(
            "Show all memories",
            icon=":material/filter_alt_off:",
            on_click=memory_actions.clear_filters,
            args=(subject.subject_id,),
        )
