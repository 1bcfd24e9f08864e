"""The sidebar: whose memory, which engine, which model, what still waits."""

import streamlit as st

from lib import resources
from lib.ui import pending
from lib.ui.text import literal


def draw() -> None:
    """Subject picker, badges and pending turns, on every page."""
    directory = resources.subject_directory()
    # Somebody new is listed as well, before anything was said.
    chosen = st.session_state.get("subject") or st.query_params.get("subject")
    newcomer = [chosen] if chosen and chosen not in directory.subject_ids else []
    with st.sidebar:
        st.selectbox(
            "Subject",
            [*directory.subject_ids, *newcomer],
            key="subject",
            bind="query-params",
            persist_state="session",
            accept_new_options=True,
            help="Whose memory is shown. Pick one, or type a new id to start from nothing.",
        )
        description = directory.descriptions.get(st.session_state.subject)
        if description:
            st.caption(literal(description))
        _draw_connected()
        if directory.error:
            st.warning(
                literal(directory.error),
                title="Memory is not reachable",
                icon=":material/cloud_off:",
            )
        pending.draw()


def _draw_connected() -> None:
    info = resources.memory_runtime().info()
    version = info.version if info.version[:1].isdigit() else f"({info.version})"
    with st.container(gap="xsmall"):
        st.caption("Connected")
        st.badge(f"{info.name} {version}", icon=":material/database:", color="gray")
        st.badge(resources.chat_model().name, icon=":material/smart_toy:", color="gray")
