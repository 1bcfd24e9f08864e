"""Deletes a subject for good, behind typing its id."""

import streamlit as st

from lib.inspection import SubjectMemory
from lib.ui import memory_actions
from lib.ui.text import literal

_TYPED_KEY = "delete_subject_id"


def draw(subject: SubjectMemory) -> None:
    """What would go, and the form that does it."""
    name = literal(subject.subject_id)
    with st.expander(f"Delete {name}", icon=":material/delete_forever:"):
        st.markdown(
            f"Deletes {_amount(subject)} of **{name}**. This cannot be undone: the episodes are "
            "the only source the memories can be made from."
        )
        # Not cleared on submit: of two clicks the second may come first, and would bring no id.
        with st.form("delete_subject", border=False):
            typed, button = st.columns([3, 2], vertical_alignment="bottom")
            # An accessible name is no Markdown, so the id itself stands in the sentence above.
            typed.text_input("Type the subject's id to confirm", key=_TYPED_KEY, autocomplete="off")
            button.form_submit_button(
                "Delete for good",
                icon=":material/delete_forever:",
                on_click=memory_actions.delete_subject,
                args=(subject.subject_id,),
                kwargs={"typed_key": _TYPED_KEY},
            )


def _amount(subject: SubjectMemory) -> str:
    if not subject.complete:
        return "every episode and memory"
    return f"{len(subject.episodes):,} episodes and {len(subject.memories):,} memories"
