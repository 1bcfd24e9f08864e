"""The ASGI entry point: `streamlit run streamlit_app.py`."""

import gc
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Thread

import streamlit as st

from lib.errors import SettingsError, StatewaveError
from lib.settings import load_settings

try:
    settings = load_settings()
except SettingsError as error:
    raise SystemExit(f"The dashboard did not start. {error}") from None

# Only our own messages: at DEBUG, client libraries log what was said to a model.
_log = logging.getLogger("lib")
_log.addHandler(logging.StreamHandler())
_log.setLevel(settings.log_level)
_log.info(
    "Memory runtime: %s. Model: %s.",
    settings.runtime,
    settings.openai_model if settings.llm_api_key or settings.llm_base_url else "offline reader",
)


@asynccontextmanager
async def _lifespan(_app: st.App) -> AsyncIterator[None]:
    Thread(target=_warm_up, name="warm-up", daemon=True).start()
    yield
    # Plain scripts never release cached resources on SIGTERM; this closes files and connections.
    st.cache_resource.clear()


def _warm_up() -> None:
    """Pay for the heavy imports before the first visitor does."""
    import openai
    import pandas
    import plotly.graph_objects  # noqa: F401

    from lib.tokens import ENCODINGS, encoding

    assert openai
    assert pandas
    for name in ENCODINGS:
        encoding(name)
    # Streamlit collects garbage after every run; what lives for ever need not be looked at again.
    gc.collect()
    gc.freeze()
    _send_what_waits()


def _send_what_waits() -> None:
    """Turns that an earlier process could not record go out before anybody visits."""
    from lib import resources

    try:
        resources.outbox().backlog()
    except StatewaveError as error:
        # The first visitor is told as well, with what to do.
        _log.warning("What waits to be recorded was not sent: %s", error)


app = st.App(Path(__file__).resolve().parent / "lib" / "app" / "router.py", lifespan=_lifespan)
