"""The two columns of the Chat page: the conversation and, beside it, the memory."""

from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

_HEIGHT: Final = 440
"""Pixels, where app.css does not fit the columns to the window."""


def columns() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Containers for conversation and memory; each scrolls on its own on a wide screen."""
    left, right = st.columns([3, 2], gap="medium", wrap=True)
    return (
        left.container(height=_HEIGHT, border=False, key="chat_talk", autoscroll=True),
        right.container(height=_HEIGHT, border=False, key="chat_memory"),
    )
