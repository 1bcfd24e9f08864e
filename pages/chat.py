"""Chat: a conversation with memory, and beside it what is remembered and what was used."""

from dataclasses import replace

import streamlit as st

from lib import resources
from lib.conversation import measure_next_prompt
from lib.state import current_subject
from lib.ui import chat_layout, chat_session, controls, conversation, memory_panel
from lib.ui.text import literal

subject_id = current_subject()
panel = memory_panel.load(subject_id)
talk = chat_session.current(panel.memory)

with st.container(horizontal=True, vertical_alignment="center", key="chat_head"):
    st.title(f"Chat as {literal(subject_id)}", width="content")
    use_memory = controls.memory_switch()
    st.space("stretch")
    chat_session.draw_sessions(panel.memory, talk)
    with st.popover("Settings", icon=":material/tune:"):
        options = replace(controls.reply_options(), use_memory=use_memory)
        history_turns = controls.history_turns()
        if talk:
            chat_session.draw_title(talk)

# The message box and the panel come before the reply, so that they stay while it streams.
meter = measure_next_prompt(
    talk.history(turns=history_turns) if talk else (),
    options=options,
    model=options.model or resources.chat_model().pricing_model,
)
chat_session.draw_input(meter)
talking, remembered = chat_layout.columns()
with remembered:
    memory_panel.draw(panel, talk.last_bundle if talk else None)
with talking:
    if talk and talk.turns:
        conversation.draw(talk, options, history_turns=history_turns)
    else:
        chat_session.draw_opening(panel.memory)
