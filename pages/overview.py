"""Overview: what this is, three clicks to the point, and what is connected."""

import streamlit as st

from lib import resources
from lib.errors import StatewaveError
from lib.inspection import example_task, measure_subject
from lib.state import current_subject
from lib.ui import connection, demo_loader, failures, overview_cards

subject_id = current_subject()
runtime = resources.memory_runtime()
max_tokens = resources.app_settings().statewave_max_tokens
demo = {subject.subject_id: subject for subject in resources.demo_catalogue()}
task = example_task(demo.get(subject_id))

st.title("See what memory does for an assistant")
st.markdown(
    "A chat assistant starts every conversation from nothing, unless something remembers for it. "
    "This app shows what such a memory keeps, what it adds to each prompt, and what that costs in "
    "tokens, the pieces of words that models charge for."
)
try:
    with st.spinner("Measuring…"):
        figures = measure_subject(runtime, subject_id, task, max_tokens=max_tokens)
    if not figures.episodes and subject_id in demo:
        st.markdown("The demo subjects, with their conversations, are not in this runtime yet.")
        if demo_loader.offer("Load the demo subjects", list(demo.values())):
            figures = measure_subject(runtime, subject_id, task, max_tokens=max_tokens)
    if figures.episodes:
        overview_cards.draw(subject_id, task, figures)
    elif subject_id not in demo:
        overview_cards.draw_empty(subject_id)
    answers = True
except StatewaveError as error:
    failures.show(error, key="figures")
    answers = False

connected, settings = st.columns(2, gap="medium")
with connected:
    st.header("What is connected")
    connection.draw(answers=answers)
with settings:
    st.header("Your own server and model")
    connection.draw_settings()
