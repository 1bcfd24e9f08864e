"""Why an episode became no memory, and what is kept of it to show."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from lib.compiling.draft import Draft
from lib.compiling.journal import LISTED, Journal, drafts_with_reasons
from lib.models import Episode, Memory, Skipped
from tests.support.plain_compiler import PlainCompiler

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def episode(
    text: str, *, id: str = "e1", reply: str = "", metadata: dict[str, Any] | None = None
) -> Episode:
    messages = [{"role": "user", "content": text}, {"role": "assistant", "content": reply}]
    return Episode(id, "ada", {"messages": messages}, NOON, metadata=metadata or {})


class _SilentCompiler:
    """Finds nothing in anything."""

    name = "silent"

    def draft(self, episodes: Sequence[Episode], *, known: Sequence[Memory] = ()) -> list[Draft]:  # noqa: ARG002
        return []


def journal_of(*episodes: Episode) -> Journal:
    """The journal after a compile that found nothing."""
    journal = Journal()
    assert drafts_with_reasons(_SilentCompiler(), episodes, known=(), journal=journal) == []
    return journal


def reason_of(given: Episode) -> str:
    (skipped,) = journal_of(given).skipped
    return skipped.reason


def test_the_reason_is_read_from_what_was_said() -> None:
    assert reason_of(episode("Should I use Rust? What about Go?")) == "question"
    assert reason_of(episode("Nice weather today. Right?")) == "nothing"
    assert reason_of(episode("```\nprint(1)\n```")) == "no_words"
    assert reason_of(episode("")) == "no_words"
    stopped = episode("How do I deploy?", metadata={"stopped": True})
    assert reason_of(stopped) == "stopped"


def test_an_episode_that_gave_a_memory_is_not_skipped() -> None:
    journal = Journal()
    said = [episode("I live in Porto.", id="e1"), episode("Where is Porto?", id="e2")]
    drafts = drafts_with_reasons(PlainCompiler(), said, known=(), journal=journal)
    assert [draft.content for draft in drafts] == ["I live in Porto."]
    assert journal.skipped == (Skipped("question", "Where is Porto?", "e2"),)
    assert journal.skipped_counts == {"question": 1}


def test_what_is_listed_is_short_and_holds_no_secret() -> None:
    key = "sk-" + "a1B2" * 8
    # The key begins where the text is cut.
    (skipped,) = journal_of(episode(f"{'well ' * 29}{key} ok")).skipped
    assert len(skipped.text) <= 160
    assert "sk-a1" not in skipped.text
    assert skipped.text.endswith("…")


def test_the_list_ends_and_the_counts_go_on() -> None:
    journal = journal_of(*(episode("Why?", id=f"e{number}") for number in range(LISTED + 7)))
    assert len(journal.skipped) == LISTED
    assert journal.skipped_counts == {"question": LISTED + 7}


def test_notes_are_told_once_and_progress_at_once() -> None:
    heard: list[tuple[int, int]] = []
    journal = Journal(lambda done, total: heard.append((done, total)))
    journal.note("One.")
    journal.note("Two.")
    journal.note("One.")
    journal.progress(3, 7)
    assert journal.notes == ("One.", "Two.")
    assert heard == [(3, 7)]
