"""Reply settings that Chat and Compare share; each widget keeps its value across pages."""

import streamlit as st

from lib import resources
from lib.assistant import ReplyOptions
from lib.conversation import HISTORY_TURNS
from lib.prompt import DEFAULT_SYSTEM_PROMPT

MOST_HISTORY_TURNS = 30
BUDGET_PRESETS = (200, 500, 800)


def token_budget() -> int:
    """The token budget for context, in tokens; Budget sets the same value."""
    st.session_state.setdefault("max_tokens", resources.app_settings().statewave_max_tokens)
    return int(
        st.number_input(
            "Token budget",
            min_value=1,
            max_value=128_000,
            step=50,
            key="max_tokens",
            persist_state="session",
            help="The most tokens that memory may take in the prompt.",
        )
    )


def use_budget(max_tokens: int) -> None:
    """Callback: carry a budget to Chat and Compare."""
    st.session_state.max_tokens = max_tokens


def memory_switch() -> bool:
    """Whether the next replies get memory; it may change in the middle of a conversation."""
    st.session_state.setdefault("use_memory", True)
    return bool(st.toggle("Memory", key="use_memory", persist_state="session"))


def history_turns() -> int:
    """How many earlier turns of the session each prompt carries."""
    st.session_state.setdefault("history_turns", HISTORY_TURNS)
    turns = int(
        st.slider(
            "Working history, turns",
            0,
            MOST_HISTORY_TURNS,
            key="history_turns",
            persist_state="session",
            help="The last turns of this session, word for word, beside what memory finds.",
        )
    )
    st.caption(
        "Each message stands alone: “and why?” has nothing to refer to but what memory finds."
        if not turns
        else f"Older turns than the last {turns:,} reach the model only through memory."
    )
    return turns


def reply_options() -> ReplyOptions:
    """Budget, temperature, model and system prompt, drawn in the current container."""
    max_tokens = token_budget()
    st.session_state.setdefault("temperature", 0.2)
    st.session_state.setdefault("system_prompt", DEFAULT_SYSTEM_PROMPT)
    chat_model = resources.chat_model()
    model: str | None = None
    if chat_model.is_language_model:
        st.session_state.setdefault("model", chat_model.name)
        model = st.text_input("Model", key="model", persist_state="session").strip() or None
        st.slider("Temperature", 0.0, 2.0, step=0.1, key="temperature", persist_state="session")
    else:
        st.caption("The offline reader has no model or temperature to choose.")
    st.text_area("System prompt", key="system_prompt", persist_state="session", height=140)
    return ReplyOptions(
        max_tokens=max_tokens,
        temperature=float(st.session_state.temperature),
        system_prompt=str(st.session_state.system_prompt),
        model=model,
    )
