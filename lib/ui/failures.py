"""How a failure is shown: what happened, what to do, and a way to try again."""

import logging

import streamlit as st

from lib.errors import (
    InputError,
    ModelError,
    StatewaveAuthError,
    StatewaveConnectionError,
    StatewaveError,
    StoreError,
)
from lib.ui.text import literal

_LOG = logging.getLogger(__name__)

_TITLES: dict[type[StatewaveError], str] = {
    StatewaveConnectionError: "The memory runtime did not answer",
    StatewaveAuthError: "The memory runtime did not accept the API key",
    StoreError: "The memory file cannot be used",
    ModelError: "The model gave no reply",
    InputError: "That cannot be done",
}


def title_of(error: StatewaveError) -> str:
    """A headline in plain words for `error`."""
    return next(
        (title for kind, title in _TITLES.items() if isinstance(error, kind)),
        "Something went wrong",
    )


def show(error: StatewaveError, *, key: str = "page") -> None:
    """The error as a sentence, with a button that runs the page again."""
    _LOG.warning("%s: %s", type(error).__name__, error)
    st.error(literal(str(error)), title=title_of(error), icon=":material/error:")
    # A click is a rerun, and a rerun asks again: the button needs no callback.
    st.button("Try again", key=f"retry_{key}", icon=":material/refresh:")
