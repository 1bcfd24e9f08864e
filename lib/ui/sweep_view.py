"""The Budget page: task and budget, the sweep as charts and table, what is in and what is cut."""

import re

import streamlit as st

from lib import charts, resources
from lib.models import ContextBundle
from lib.protocol import MemoryRuntime
from lib.sweep import (
    LARGEST_BUDGET,
    BudgetView,
    Sweep,
    flags,
    memory_finding,
    recommend_for_task,
    sweep_csv,
    token_finding,
)
from lib.ui import (
    budget_contents,
    budget_map,
    budget_price,
    budget_recall,
    budget_tasks,
    controls,
)
from lib.ui.budget_recall import MARKER
from lib.ui.text import literal

CHAT_PAGE = "../../pages/chat.py"
"""Relative to the router, as Streamlit wants it."""
TABS = "budget_tabs"
_PRESET = "budget_preset"
_ANY_TASK = "What should I know about this subject?"


def choose(subject_id: str) -> tuple[str, int]:
    """Draws title and controls: the task, and the budget to look at in tokens."""
    st.title(f"Budget for {literal(subject_id)}")
    state = st.session_state
    current = state.get("max_tokens", resources.app_settings().statewave_max_tokens)
    state.setdefault(MARKER, current)
    task_column, budget, presets, use = st.columns([10, 4, 6, 5], vertical_alignment="bottom")
    task = task_column.selectbox(
        "Task",
        _suggested_tasks(subject_id),
        key=f"budget_task_{subject_id}",
        persist_state="session",
        accept_new_options=True,
        format_func=str,
        help="What the context is assembled for. Pick a question or type your own.",
    )
    budget.number_input(
        "Token budget",
        min_value=1,
        max_value=LARGEST_BUDGET,
        step=20,
        key=MARKER,
        persist_state="session",
        help="The budget to look at. Chat and Compare keep theirs until you carry this one over.",
    )
    max_tokens = int(state[MARKER])
    with presets:
        # Shows the preset that the number is, and none for any other number.
        state[_PRESET] = max_tokens if max_tokens in controls.BUDGET_PRESETS else None
        st.segmented_control(
            "Preset budgets, tokens",
            controls.BUDGET_PRESETS,
            key=_PRESET,
            on_change=_take_preset,
            label_visibility="collapsed",
            width="stretch",
        )
    use.button(
        "In use" if current == max_tokens else "Use this budget",
        key="use_budget",
        type="primary",
        icon=":material/check:",
        disabled=current == max_tokens,
        on_click=_use,
        args=(max_tokens,),
        width="stretch",
        help="Chat and Compare assemble their context with this budget.",
    )
    return task.strip() or _ANY_TASK, max_tokens


def _suggested_tasks(subject_id: str) -> list[str]:
    demo = next(
        (item for item in resources.demo_catalogue() if item.subject_id == subject_id), None
    )
    asked = [*demo.compare, *demo.hints] if demo else []
    return list(dict.fromkeys([*asked, _ANY_TASK]))


def _take_preset() -> None:
    picked = st.session_state[_PRESET]
    if picked:
        st.session_state[MARKER] = picked


def _use(max_tokens: int) -> None:
    controls.use_budget(max_tokens)
    st.toast(f"Chat and Compare now use {max_tokens:,} tokens.", icon=":material/check:")


def draw(runtime: MemoryRuntime, sweep: Sweep, view: BudgetView, *, whole: ContextBundle) -> None:
    """Both charts with their findings, the recommended budget, then the views in depth."""
    finding, cost = memory_finding(sweep, view.point), token_finding(sweep, view.point)
    recommended = recommend_for_task(sweep, whole)
    dark = st.context.theme.type == "dark"
    left, right = st.columns(2, wrap=True)
    with left:
        st.markdown(f"**{finding}**")
        st.plotly_chart(
            charts.memories_by_budget(
                sweep, view.point, recommended=recommended.max_tokens, dark=dark
            ),
            key="memories_by_budget",
            config=charts.config("memories-by-budget"),
            alt=f"{finding}. {_range_of(sweep)}",
        )
    with right:
        st.markdown(f"**{cost}**")
        st.plotly_chart(
            charts.tokens_by_budget(sweep, view.point, dark=dark),
            key="tokens_by_budget",
            config=charts.config("tokens-by-budget"),
            alt=f"Of {view.point.max_tokens:,} tokens, {cost}.",
        )
    for sentence in flags(sweep):
        st.caption(f":material/flag: {sentence}")
    budget_recall.draw_for_task(recommended, view.point.max_tokens)
    _draw_tabs(runtime, sweep, view)
    _draw_points(sweep)


def draw_empty(subject_id: str) -> None:
    """A subject with nothing that could be put into a prompt."""
    with st.container(border=True):
        st.markdown(f"**There is nothing to fit into a budget for {literal(subject_id)} yet.**")
        st.markdown(
            "Once this subject has said something in Chat, this page shows what each token budget "
            "holds, what is cut and why."
        )
        st.page_link(CHAT_PAGE, label="Open Chat", icon=":material/chat:")


def _range_of(sweep: Sweep) -> str:
    most = sweep.most_memories
    return (
        f"From {sweep.points[0].memories:,} memories at {sweep.points[0].max_tokens:,} tokens "
        f"to {most.memories:,} from {most.max_tokens:,} tokens on."
    )


def _draw_tabs(runtime: MemoryRuntime, sweep: Sweep, view: BudgetView) -> None:
    # Fixed labels: a tab whose label changes is closed when the budget does. Tracked, so that
    # only what somebody looks at is measured and drawn.
    kept, cut, entering, kinds, recall, tasks, price = st.tabs(
        ["In the prompt", "Cut", "Map", "By kind", "Recall", "Several tasks", "Price"],
        key=TABS,
        on_change="rerun",
    )
    with kept:
        budget_contents.draw_kept(view)
    with cut:
        budget_contents.draw_cut(view)
    if entering.open:
        with entering:
            budget_map.draw_map(sweep, view.point)
    if kinds.open:
        with kinds:
            budget_map.draw_kinds(sweep, view.point)
    if recall.open:
        with recall:
            budget_recall.draw(runtime, sweep, view.point.max_tokens)
    if tasks.open:
        with tasks:
            suggested = _suggested_tasks(sweep.subject_id)
            budget_tasks.draw(runtime, sweep, view.point.max_tokens, suggested=suggested)
    if price.open:
        with price:
            budget_price.draw(sweep, view.point)


def _draw_points(sweep: Sweep) -> None:
    with st.expander("All budgets as a table", icon=":material/table_rows:"):
        st.dataframe(
            {
                "Token budget": [point.max_tokens for point in sweep.points],
                "Tokens used": [point.token_estimate for point in sweep.points],
                "Memories": [point.memories for point in sweep.points],
                "Raw passages": [point.passages for point in sweep.points],
            },
            key="budget_points",
            hide_index=True,
            column_config={
                name: st.column_config.NumberColumn(format="localized")
                for name in ("Token budget", "Tokens used", "Memories", "Raw passages")
            },
            alt="Memories, raw passages and tokens for every budget of the sweep",
        )
        st.download_button(
            "Download as CSV",
            data=sweep_csv(sweep),
            file_name=f"budget-{re.sub(r'[^A-Za-z0-9_-]+', '-', sweep.subject_id)}.csv",
            mime="text/csv",
            icon=":material/download:",
            on_click="ignore",
        )
