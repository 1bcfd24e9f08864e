"""One line: what the next prompt takes of the model's window, and of what it is made."""

import streamlit as st

from lib.conversation import PromptMeter
from lib.pricing import price_table
from lib.ui.text import literal


def draw(meter: PromptMeter) -> None:
    """The line, with every part in its help."""
    parts = [f"system {meter.system:,}", f"history {meter.history:,}"]
    parts.insert(1, f"memory ≤ {meter.memory:,}" if meter.memory else "memory off")
    line = f"Next prompt ≤ **{meter.total:,}**{_of_window(meter)}: {', '.join(parts)}"
    if not meter.fits:
        line = f":material/warning: {line}. Too much: shorten the history or the budget."
    st.caption(line, help=_details(meter))


def _of_window(meter: PromptMeter) -> str:
    if meter.window is None or meter.share is None:
        return f" tokens (window of {literal(meter.model)} unknown)"
    share = "under 1 %" if meter.share < 0.01 else f"{100 * meter.share:.0f} %"
    return f" of {meter.window:,} tokens ({share} with the reply)"


def _details(meter: PromptMeter) -> str:
    rows = [
        f"Counted {'roughly, as' if meter.estimate else 'as'} {literal(meter.model)} would.",
        "Your message comes on top.",
        "Memory takes at most its budget and its frame; how much depends on your message."
        if meter.memory
        else "Memory is switched off: replies get none. What is said is recorded all the same.",
        f"{meter.reply:,} tokens are kept for the reply.",
    ]
    if meter.window is None:
        rows.append("Windows are kept in lib/prices.toml: add this model there.")
    else:
        rows.append(f"Windows are in lib/prices.toml, as of {price_table().as_of}.")
    return "  \n".join(rows)
