"""What separates the two sides of a comparison: tokens, USD, and the prompts line by line."""

import streamlit as st

from lib.comparison import (
    Comparison,
    MemoryAddition,
    PromptDiff,
    comparison_json,
    memory_addition,
    prompt_diff,
)
from lib.models import ContextBundle
from lib.ui import injected, shared_facts, side_costs
from lib.ui.figures import format_ms, format_usd
from lib.ui.sides import record_again
from lib.ui.text import literal

TABS = "compare_tabs"
_WHERE = {
    "both": "In both prompts",
    "memory": ":primary[●] Only in the memory-backed prompt",
    "stateless": ":gray[●] Only in the stateless prompt",
}


def draw(comparison: Comparison) -> None:
    """What memory added, then the two prompts as they differ and as they were sent."""
    added = memory_addition(comparison)
    if added is None:
        st.markdown("Nothing is compared, as only two whole replies can be.")
    else:
        st.markdown(_sentence(comparison, added))
    with st.container(horizontal=True, vertical_alignment="center"):
        _draw_recorded(comparison)
        st.download_button(
            "Download",
            data=lambda: comparison_json(comparison).encode(),
            file_name=f"comparison-{comparison.id[:8]}.json",
            mime="application/json",
            icon=":material/download:",
            on_click="ignore",
            help="The question, both prompts, both replies and their costs, as JSON.",
        )
    _draw_prompts(comparison)


def _draw_prompts(comparison: Comparison) -> None:
    stateless, memory = comparison.stateless.reply.prompt, comparison.memory.reply.prompt
    if stateless is None or memory is None or memory.memory_error is not None:
        return
    diff = prompt_diff(stateless, memory)
    # Tracked, so that charts are only drawn when somebody looks at them.
    differs, sent, facts, costs = st.tabs(
        ["How the prompts differ", "What was injected", "Facts in the reply", "Cost and time"],
        key=TABS,
        on_change="rerun",
    )
    with differs:
        st.markdown(_diff_sentence(diff))
        for block in diff.blocks:
            st.caption(_WHERE[block.where])
            # Without a language, as the colours Streamlit gives a diff fail AA on white, and at
            # full height, as the keyboard cannot scroll inside a code block.
            st.code("\n".join(block.lines).strip("\n"), language=None, wrap_lines=True)
    with sent:
        injected.draw(memory)
    if facts.open:
        with facts:
            shared_facts.draw(comparison)
    if costs.open:
        with costs:
            side_costs.draw(comparison)


def _sentence(comparison: Comparison, added: MemoryAddition) -> str:
    bundle = comparison.memory.reply.prompt.bundle if comparison.memory.reply.prompt else None
    if not added.memories and not added.episodes:
        return _nothing_added(comparison, bundle)
    parts = [_count(added.memories, "memory", "memories")] if added.memories else []
    if added.episodes:
        parts.append(_count(added.episodes, "raw passage", "raw passages"))
    model = literal(comparison.pricing_model)
    if added.usd is None:
        cost = f"the price of {model} is unknown"
    else:
        cost = f"{literal(format_usd(added.usd))} a message for {model}"
    return (
        f"**What memory added: {added.prompt_tokens:,} prompt tokens** from "
        f"{' and '.join(parts)} (context: {added.context_tokens:,} of {added.max_tokens:,} "
        f"tokens); {cost}; assembled in {format_ms(added.context_ms)}."
    )


def _nothing_added(comparison: Comparison, bundle: ContextBundle | None) -> str:
    subject = literal(comparison.subject_id)
    same = "**Both sides got the same prompt.**"
    if bundle is not None and bundle.cut_counts.get("floor"):
        return f"{same} Nothing remembered about {subject} has to do with this message."
    if bundle is not None and bundle.cut_counts.get("budget"):
        budget = comparison.options.max_tokens
        return f"{same} No memory fits in a budget of {budget:,} tokens."
    return (
        f"{same} Memory has nothing about {subject} to add yet. Tell it something in Chat, "
        "then ask again."
    )


def _diff_sentence(diff: PromptDiff) -> str:
    if diff.identical:
        return "The two prompts are the same, word for word."
    if diff.only_memory_differs:
        lines = _count(diff.added, "line", "lines")
        return f"Only the memory block differs: {lines} added, everything else is the same."
    return (
        f"{_count(diff.added, 'line', 'lines')} added and "
        f"{_count(diff.removed, 'line', 'lines')} removed."
    )


def _draw_recorded(comparison: Comparison) -> None:
    error = literal(comparison.record_error) if comparison.record_error else None
    if comparison.episode_id:
        compiled = f" It is not compiled yet: {error}" if error else ""
        said = f"Recorded in memory as episode {literal(comparison.episode_id)}.{compiled}"
    elif error:
        st.caption(f":material/warning: Not recorded: {error}", width="stretch")
        st.button(
            "Record again", icon=":material/refresh:", on_click=record_again, args=(comparison,)
        )
        return
    elif comparison.record:
        said = "Not recorded, as the memory-backed reply is not whole."
    else:
        said = "Nothing of this comparison was recorded."
    st.caption(said, width="stretch")


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
