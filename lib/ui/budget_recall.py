"""The recommended budgets: for the task, and over the subject's questions with their recall."""

import streamlit as st

from lib import charts, resources
from lib.demo.profiles import DemoQuestion
from lib.protocol import MemoryRuntime
from lib.state import app_state
from lib.sweep import (
    RecallSweep,
    Recommendation,
    Sweep,
    recommend_for_questions,
    sweep_recall,
)
from lib.ui import chart_frame
from lib.ui.waiting import Waiting

MARKER = "budget_marker"
"""The widget that holds the budget to look at."""


def draw_for_task(found: Recommendation, max_tokens: int) -> None:
    """The recommended budget for the task, and a button that looks at it."""
    _draw_recommendation("this task", found, max_tokens, key="task")


def _draw_recommendation(what: str, found: Recommendation, max_tokens: int, *, key: str) -> None:
    if found.max_tokens is None:
        st.markdown(f"**No budget to recommend for {what}**: {found.reason}.")
        return
    text, button = st.columns([6, 1], vertical_alignment="center")
    text.markdown(f"**Recommended for {what}: {found.max_tokens:,} tokens**, {found.reason}.")
    button.button(
        "Look at it",
        key=f"recommended_{key}",
        disabled=found.max_tokens == max_tokens,
        on_click=_look_at,
        args=(found.max_tokens,),
        width="stretch",
    )


def _look_at(max_tokens: int) -> None:
    """Callback: the run that follows shows this budget."""
    st.session_state[MARKER] = max_tokens


def draw(runtime: MemoryRuntime, sweep: Sweep, max_tokens: int) -> None:
    """Recall over the subject's questions, measured once a visit; a server is asked on request."""
    questions = next(
        (
            item.questions
            for item in resources.demo_catalogue()
            if item.subject_id == sweep.subject_id
        ),
        (),
    )
    if not questions:
        st.markdown("**There are no questions with known answers for this subject.**")
        st.caption("Recall is measured on the demo subjects, whose data files list both.")
        return
    recall = _measured(runtime, sweep, questions)
    if recall is not None:
        _draw_recall(recall, sweep, max_tokens)


def _measured(
    runtime: MemoryRuntime, sweep: Sweep, questions: tuple[DemoQuestion, ...]
) -> RecallSweep | None:
    kept, wanted = app_state().recalls, app_state().recalls_wanted
    # What can be found changes with what is there.
    key = (sweep.subject_id, sweep.total_memories, sweep.history_tokens)
    if key in kept:
        return kept[key]
    local = resources.app_settings().runtime == "embedded"
    if not wanted.get(sweep.subject_id, local):
        st.button(
            "Measure recall",
            key="recall_start",
            icon=":material/play_arrow:",
            on_click=wanted.__setitem__,
            args=(sweep.subject_id, True),
        )
        st.caption(
            f"Asks this runtime for the context of {len(questions):,} questions at every budget; "
            "nothing is recorded."
        )
        return None
    waiting = Waiting(
        key="recall_cancel", on_cancel=lambda: wanted.__setitem__(sweep.subject_id, False)
    )
    kept[key] = sweep_recall(
        runtime,
        sweep.subject_id,
        questions,
        on_call=lambda done, total: waiting.show(done, total, unit="contexts asked for"),
    )
    waiting.end()
    return kept[key]


def _draw_recall(recall: RecallSweep, sweep: Sweep, max_tokens: int) -> None:
    best = recall.best
    title = (
        f"{best.found:,} of {recall.facts:,} expected facts are in the context from "
        f"{best.max_tokens:,} tokens on, over {recall.questions:,} questions"
    )
    chart_frame.draw(
        charts.recall_by_budget(recall, sweep, max_tokens, dark=chart_frame.is_dark()),
        title=title,
        alt=f"Recall by token budget. {title}.",
        key="budget_recall",
        table={
            "Token budget": [point.max_tokens for point in recall.points],
            "Facts found": [point.found for point in recall.points],
            "Recall, %": [round(100 * recall.share(point), 1) for point in recall.points],
        },
    )
    _draw_recommendation(
        "the subject's questions", recommend_for_questions(recall), max_tokens, key="questions"
    )
    st.caption(
        "Recall: expected facts of all questions whose words stand in the assembled context, "
        "whatever the case; it says what the model could read, not what it replies. Interval: "
        "Wilson, 95 %."
    )
