"""What the app is connected to, and how to point it elsewhere."""

from typing import Final

import streamlit as st

from lib import resources
from lib.inspection import missing_capabilities
from lib.ui.text import literal

ENVIRONMENT_EXAMPLE: Final = """\
# A Statewave server
STATEWAVE_BASE_URL=http://127.0.0.1:8100
STATEWAVE_API_KEY=

# OpenAI, or any model that speaks its API
LLM_API_KEY=sk-...
OPENAI_MODEL=gpt-4o-mini
LLM_BASE_URL=https://api.openai.com/v1
"""


def draw(*, answers: bool) -> None:
    """Engine, place and model in use; what the engine cannot do, when it `answers` at all."""
    runtime = resources.memory_runtime()
    model = resources.chat_model()
    # A server tells its version together with its abilities, so these are asked for first.
    missing = missing_capabilities(runtime) if answers else ()
    info = runtime.info()
    reads = "a language model" if model.is_language_model else "it quotes what it is given"
    st.table(
        {
            "Engine": f"{literal(info.name)} {literal(info.version)}",
            "Where": literal(info.location),
            "Model": f"{literal(model.name)}; {reads}",
        },
        border="horizontal",
        alt="What the app is connected to",
    )
    if not answers:
        st.caption("The engine does not answer, so what it can do is unknown.")
    elif missing:
        st.caption("Limits of this engine: " + " ".join(missing))


def draw_settings() -> None:
    """The environment variables that choose another server or model, to copy."""
    st.markdown(
        "Put these lines into `.env` beside `streamlit_app.py`, or set them as environment "
        "variables, and start the app again."
    )
    st.code(ENVIRONMENT_EXAMPLE, language=None, wrap_lines=True)
