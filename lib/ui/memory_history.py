"""What happened to the opened memory: replaced, said again, corrected, forgotten."""

import streamlit as st

from lib.inspection import SubjectMemory, memory_history
from lib.models import Memory
from lib.ui import episode, memory_actions
from lib.ui.text import literal

_WORDS = {
    "began": "First said",
    "replaced": "Replaced by",
    "corrected": "Corrected by hand to",
    "said_again": "Said again: merged into it",
    "ended": "Out of use, nothing in its place",
    "forgotten": "Forgotten by hand",
}


def draw(subject: SubjectMemory, memory: Memory) -> None:
    """The line it belongs to, oldest first; nothing where it was only ever said once."""
    steps = memory_history(subject, memory)
    if len(steps) < 2:
        return
    with st.expander(f"History: {len(steps):,} steps", icon=":material/history:"):
        box = st.container(gap="xsmall", key="memory_history")
        for number, step in enumerate(steps):
            said = f"{episode.day(step.at)} · **{_WORDS[step.kind]}**"
            names = step.kind in ("began", "replaced", "corrected")
            if not names:
                box.markdown(said)
            elif step.memory.id == memory.id:
                box.markdown(f"{said}: {literal(step.memory.content)} :small[(this one)]")
            else:
                box.markdown(said)
                box.button(
                    literal(step.memory.content),
                    key=f"history_{number}_{step.memory.id}",
                    type="tertiary",
                    wrap=True,
                    help="Open it",
                    on_click=memory_actions.open_memory,
                    args=(step.memory.id,),
                )
