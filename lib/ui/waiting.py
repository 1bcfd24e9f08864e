"""Work a page does bit by bit, with progress and a button that ends it."""

import time
from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

_SHOWN_AFTER_S = 0.3
"""The embedded engine is done before a bar could be read."""


class Waiting:
    """Progress in a place of its own; the button is there as soon as it takes long."""

    def __init__(self, *, key: str, on_cancel: Callable[[], None]) -> None:
        self._key = key
        self._on_cancel = on_cancel
        self._started = time.monotonic()
        # Always there, or what follows would move when it comes, and open tabs would close.
        self._slot = st.empty()
        self._bar: DeltaGenerator | None = None

    def show(self, done: int, total: int, *, unit: str) -> None:
        """How much is done. A click ends the work here: every look at the page is a chance to."""
        if time.monotonic() - self._started < _SHOWN_AFTER_S:
            return
        if self._bar is None:
            with self._slot.container(horizontal=True, vertical_alignment="center"):
                self._bar = st.empty()
                st.button(
                    "Cancel", key=self._key, icon=":material/stop_circle:", on_click=self._on_cancel
                )
        self._bar.progress(done / total, text=f"{done:,} of {total:,} {unit}")

    def end(self) -> None:
        """Takes progress and button away."""
        self._slot.empty()
