"""The two columns of the Chat page: the conversation and, beside it, the memory."""

from pathlib import Path
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

_STYLE: Final = Path(__file__).with_name("chat.css")
_HEIGHT: Final = 440
"""Pixels, where the style sheet does not fit the columns to the window."""


def columns() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Containers for conversation and memory; each scrolls on its own on a wide screen."""
    st.html(_STYLE)
    left, right = st.columns([3, 2], gap="medium", wrap=True)
    return (
        left.container(height=_HEIGHT, border=False, key="chat_talk", autoscroll=True),
        right.container(height=_HEIGHT, border=False, key="chat_memory"),
    )
