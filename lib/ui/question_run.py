"""All of a subject's questions in one go: progress, cancelling, and what each side got right."""

import streamlit as st

from lib import resources
from lib.comparison import QuestionRun, SideResult, new_question_run
from lib.state import app_state
from lib.table import Table
from lib.ui import chart_frame, sides
from lib.ui.question import Setup
from lib.ui.side_costs import NAMES
from lib.ui.text import literal


def draw(subject_id: str, setup: Setup) -> None:
    """The button that asks every question; the run; its table. Nothing without a question list."""
    demo = next(
        (item for item in resources.demo_catalogue() if item.subject_id == subject_id), None
    )
    if demo is None:
        return
    with st.expander(
        "All of this subject's questions", icon=":material/checklist:", key="question_run"
    ):
        runs = app_state().question_runs
        run = runs.get(subject_id)
        if run is not None and run.next_side() is not None:
            _carry_on(run)
        replies = len(demo.questions) * (2 + len(setup.baselines))

        def start() -> None:
            runs[subject_id] = new_question_run(
                demo.questions, lambda message: setup.compare(subject_id, message)
            )

        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Ask all again" if run else "Ask all",
                key="question_run_start",
                icon=":material/play_arrow:",
                on_click=start,
            )
            if run and (run.failed or run.cancelled):
                st.button(
                    "Go on",
                    key="question_run_go_on",
                    icon=":material/refresh:",
                    on_click=run.go_on,
                    help="Asks what failed or was left out.",
                )
            st.caption(
                f"{len(demo.questions):,} questions with known answers, {replies:,} replies of "
                f"{literal(setup.model_name)}; nothing is recorded",
                width="stretch",
            )
        if run:
            _draw_results(run)


def _carry_on(run: QuestionRun) -> None:
    """Asks side after side; Cancel and any other click end it between two pieces of a reply."""
    slot = st.empty()
    with slot.container(horizontal=True, vertical_alignment="center"):
        bar = st.empty()
        st.button(
            "Cancel", key="question_run_cancel", icon=":material/stop_circle:", on_click=run.cancel
        )
    total = len(run.questions)
    while (step := run.next_side()) is not None:
        comparison, side = step
        asking = f"{run.done:,} of {total:,} questions asked; now {NAMES[side.name].lower()}"
        bar.progress(run.done / total, text=asking)
        sides.stream(comparison, side)
    slot.empty()


def _draw_results(run: QuestionRun) -> None:
    st.markdown(_finding(run))
    chart_frame.draw_table(
        _table(run), alt="What each side got right, question by question", key="question_run"
    )
    st.caption(
        "Right means that the reply names every expected fact. A question counts only where every "
        "side is whole; one with a failed side has no verdict."
    )
    if not resources.chat_model().is_language_model:
        st.caption(
            "Of earlier turns the offline reader quotes only what the person wrote; a language "
            "model also reads the replies, so full history and last turns may do better with one."
        )


def _finding(run: QuestionRun) -> str:
    scores = run.scores()
    judged = scores[0].judged if scores else 0
    open_ones = len(run.questions) - judged
    without = ""
    if open_ones:
        verb = "question has" if open_ones == 1 else "questions have"
        without = f" {open_ones:,} {verb} no verdict: a side failed or was not asked."
    if not judged:
        return f"**No verdict.**{without}"
    parts = [f"{NAMES[item.name]} {item.right:,} of {item.judged:,}" for item in scores]
    return f"**Right answers: {', '.join(parts)}.**{without}"


def _table(run: QuestionRun) -> Table:
    results = run.results()
    table: dict[str, list[str | float | None]] = {
        "Question": [result.question.question for result in results],
        "Expected": [
            ", ".join(" or ".join(group) for group in result.question.expected)
            for result in results
        ],
    }
    for place, side in enumerate(results[0].sides if results else ()):
        table[NAMES[side.name]] = [_verdict(result.sides[place]) for result in results]
    return table


def _verdict(side: SideResult) -> str:
    if side.reply.state == "failed":
        return f"No reply: {side.reply.error}"
    if side.right is None:
        return "Not asked"
    if side.right:
        return "Right"
    noun = "fact" if len(side.facts) == 1 else "facts"
    return f"{sum(side.facts):,} of {len(side.facts):,} {noun}"
