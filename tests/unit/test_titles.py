"""Names of sessions: kept across restarts, apart by runtime and subject, erased with a subject."""

from pathlib import Path

import pytest

from lib.errors import StoreError
from lib.titles import LONGEST_TITLE, SessionTitles


def titles(folder: Path, destination: str = "here") -> SessionTitles:
    return SessionTitles(folder / "data" / "titles.db", destination=destination)


def test_a_name_outlives_the_process_and_reading_makes_no_file(tmp_path: Path) -> None:
    assert titles(tmp_path).of_subject("ann") == {}
    assert not (tmp_path / "data").exists()
    titles(tmp_path).rename("ann", "s1", "  The  cache\nbug ")
    assert titles(tmp_path).of_subject("ann") == {"s1": "The cache bug"}


def test_names_are_apart_by_subject_and_runtime(tmp_path: Path) -> None:
    titles(tmp_path).rename("ann", "s1", "Mine")
    titles(tmp_path, "there").rename("ann", "s1", "Theirs")
    assert titles(tmp_path).of_subject("bob") == {}
    assert titles(tmp_path).of_subject("ann") == {"s1": "Mine"}


def test_the_latest_name_counts_and_an_empty_one_takes_it_away(tmp_path: Path) -> None:
    kept = titles(tmp_path)
    kept.rename("ann", "s1", "One")
    kept.rename("ann", "s1", "Two \ud800" + "x" * 200)
    assert len(kept.of_subject("ann")["s1"]) == LONGEST_TITLE
    kept.rename("ann", "s1", "  ")
    assert kept.of_subject("ann") == {}


def test_deleting_a_subject_erases_its_names(tmp_path: Path) -> None:
    kept = titles(tmp_path)
    kept.forget_subject("ann")
    kept.rename("ann", "s1", "Secret project")
    kept.forget_subject("ann")
    assert kept.of_subject("ann") == {}
    assert b"Secret project" not in (tmp_path / "data" / "titles.db").read_bytes()


def test_a_file_that_is_none_of_ours_is_explained(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "titles.db").write_text("something else entirely, " * 100)
    with pytest.raises(StoreError, match="move the file away"):
        titles(tmp_path).of_subject("ann")
