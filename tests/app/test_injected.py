"""What was injected, in Chat and in Compare: scores with their parts, and why the rest was cut."""

from datetime import UTC, datetime

from streamlit.testing.v1 import AppTest

from lib.assistant import PreparedPrompt
from lib.models import (
    EPISODE,
    PROFILE_FACT,
    ContextBundle,
    ContextItem,
    CutReason,
    Memory,
    Message,
    ScoreParts,
)
from tests.app.conftest import OpenPage
from tests.support.pages import text_of

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def test_chat_shows_the_parts_of_every_score(app: OpenPage) -> None:
    at = app("chat", subject="dev_alice")
    at.chat_input[0].set_value("Which similarity measure do I use now?").run()
    check_scores(at)


def test_compare_shows_the_parts_of_every_score(app: OpenPage) -> None:
    at = app("compare", subject="dev_alice")
    at.chat_input(key="compare_message").set_value("Which similarity measure do I use now?").run()
    check_scores(at)


def check_scores(at: AppTest) -> None:
    """Each listed item has a bar whose alternative text is the sum beside it."""
    assert not at.exception
    assert "What each score is made of" in text_of(at)
    lines = [str(each.value) for each in at.markdown if "![Score" in str(each.value)]
    assert lines
    for line in lines:
        total, _, rest = line.split("![Score ", 1)[1].partition(" = ")
        words = rest.split("](data:image/svg+xml,", 1)[0]
        assert f"score\u00a0{total} = {words}" in line


def cut(id: str, content: str, reason: CutReason, related_id: str | None = None) -> ContextItem:
    return ContextItem(
        id, EPISODE, content, 10, 9, False, reason, 2.0, ScoreParts(relevance=2),
        related_id=related_id,
    )  # fmt: skip


def _draw() -> None:
    import streamlit as st

    from lib.ui import injected

    injected.draw(st.session_state.prompt)


def drawn(bundle: ContextBundle) -> str:
    """The view of one prompt, on a page of its own."""
    at = AppTest.from_function(_draw)
    at.session_state.prompt = PreparedPrompt((Message("user", "Where?"),), bundle, 3.0)
    at.run()
    assert not at.exception
    return text_of(at)


def bundle_with(*items: ContextItem) -> ContextBundle:
    kept = Memory("m1", "ada", PROFILE_FACT, "Ada lives in *Porto*.", 0.9, NOON, NOON, NOON)
    first = ContextItem(
        "m1", PROFILE_FACT, kept.content, 8, 1, True, "", 6.0, ScoreParts(kind=1, relevance=5)
    )
    counts = {str(item.reason): 1 for item in items}
    return ContextBundle(
        "ada", "Where?", "…", 20, facts=(kept,), items=(first, *items), cut_counts=counts
    )


def test_why_something_was_cut_is_said_in_words_and_names_what_took_its_place() -> None:
    text = drawn(
        bundle_with(
            cut("e1", "I moved to Porto", "suppressed", "m1"),
            cut("m2", "Ada lives in Rome.", "superseded", "m1"),
            cut("m3", "Ada likes tea.", "floor"),
            cut("m4", "Ada ships.", "budget"),
            cut("m5", "Ada's key", "filtered"),
        )
    )
    for words in (
        "already said by “Ada lives in *Porto*.”",
        "replaced by “Ada lives in *Porto*.”",
        "not relevant enough to the message",
        "did not fit the token budget",
        "kept out by its labels",
    ):
        assert words in text


def test_a_cut_that_names_something_unknown_still_has_its_reason() -> None:
    text = drawn(bundle_with(cut("e1", "I moved to Porto", "suppressed", "gone")))
    assert "already said by another item" in text


def test_a_server_that_tells_no_scores_gets_no_bars() -> None:
    memory = Memory("m1", "ada", PROFILE_FACT, "Ada lives in Porto.", 0.9, NOON, NOON, NOON)
    text = drawn(ContextBundle("ada", "Where?", "…", 20, facts=(memory,)))
    assert "Ada lives in Porto." in text
    assert "![Score" not in text
    assert "What each score" not in text
