"""The look of kinds and sides: one label, colour and icon each, everywhere."""

from dataclasses import dataclass
from typing import Final

from lib.models import ARTIFACT_REF, EPISODE, EPISODE_SUMMARY, PROCEDURE, PROFILE_FACT

ACCENT: Final = "#5B5BD6"
ACCENT_ON_DARK: Final = "#9B9BF5"
STATELESS: Final = "#7A7A85"
MEMORY: Final = ACCENT
"""The two sides of a comparison: without memory always grey, with memory always indigo."""

CHART_TEXT_ON_LIGHT: Final = "#55555F"
"""Streamlit's own colour for chart text fails AA on white (3.7:1); this one has 7.3:1. Its colour
on dark backgrounds is fine."""


def memory_colour(*, dark: bool) -> str:
    """The colour of what memory does, on a dark or a light page."""
    return ACCENT_ON_DARK if dark else MEMORY


SCORE_COLOURS: Final = {
    "relevance": "#5B5BD6",
    "kind": "#9A7209",
    "recency": "#3F7F4C",
    "session": "#B8558F",
}
"""The parts of a score that add to it, none the colour of a kind; 3:1 on both backgrounds."""


@dataclass(frozen=True, slots=True)
class KindLook:
    """How a kind is named and marked. `mark` is Markdown; its colour comes from config.toml."""

    label: str
    plural: str
    colour: str
    mark: str
    icon: str
    meaning: str


_KINDS: Final = {
    PROFILE_FACT: KindLook(
        "Profile fact",
        "Profile facts",
        "#0072B2",
        ":blue[●]",
        ":material/person:",
        "Something the subject said about themselves or their project.",
    ),
    PROCEDURE: KindLook(
        "Procedure",
        "Procedures",
        "#009E73",
        ":green[●]",
        ":material/build:",
        "Steps or a fix, with the problem they solve.",
    ),
    ARTIFACT_REF: KindLook(
        "Artifact",
        "Artifacts",
        "#D55E00",
        ":orange[●]",
        ":material/link:",
        "A file, link, package, error code or ticket that came up.",
    ),
    EPISODE_SUMMARY: KindLook(
        "Summary",
        "Summaries",
        "#8E6BBF",
        ":violet[●]",
        ":material/notes:",
        "What was asked and what was concluded in a conversation.",
    ),
    EPISODE: KindLook(
        "Raw episode",
        "Raw episodes",
        "#7A7A85",
        ":gray[●]",
        ":material/chat_bubble:",
        "Words of an earlier conversation, not compiled.",
    ),
}


def kind_look(kind: str) -> KindLook:
    """The look of `kind`; a kind this app does not know keeps its own name, in grey."""
    known = _KINDS.get(kind)
    if known:
        return known
    label = kind.replace("_", " ").capitalize() or "Memory"
    return KindLook(label, label, "#7A7A85", ":gray[●]", ":material/label:", "")
