"""The search box of the Memory page promises what this runtime's search does, and no more."""

from pathlib import Path

import pytest

from lib import resources
from tests.app.conftest import OpenPage
from tests.app.test_memory import rows, search
from tests.support.old_server import old_server


def box(app: OpenPage) -> tuple[str, str]:
    """What stands in the empty search box, and its help."""
    field = app("memory", subject="dev_alice").text_input(key="memory_words")
    return field.placeholder, field.help


@pytest.mark.parametrize("able", [True, False])
def test_meaning_is_promised_where_the_runtime_declares_it(
    app: OpenPage, monkeypatch: pytest.MonkeyPatch, *, able: bool
) -> None:
    app("overview")
    runtime = resources.memory_runtime()
    declared = runtime.capabilities() - {"semantic_search"}
    monkeypatch.setattr(
        runtime, "capabilities", lambda: declared | ({"semantic_search"} if able else set())
    )
    placeholder, help = box(app)
    assert ("meaning" in placeholder.lower()) == able
    assert ("meaning" in help) == able
    assert "words" in placeholder.lower()


def test_an_old_server_is_searched_by_words_and_says_so(app: OpenPage, tmp_path: Path) -> None:
    with old_server(tmp_path, memories=3) as url:
        at = app("memory", subject="ada", settings={"STATEWAVE_BASE_URL": url})
        assert "meaning" not in at.text_input(key="memory_words").help
        search(at, "number 2")
        assert any("number 2" in row for row in rows(at))
