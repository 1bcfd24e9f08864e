"""The file: what survives, who may open it, and what is said when it cannot be used."""

import os
import resource
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from lib.embedded import EmbeddedRuntime
from lib.embedded.schema import APPLICATION_ID, MIGRATIONS
from lib.errors import StoreError
from lib.tokens import count_tokens
from tests.support.plain_compiler import PlainCompiler
from tests.unit.embedded.conftest import OpenRuntime

ROOT = Path(__file__).resolve().parents[3]

RECORDING = """
import sys
from pathlib import Path
from lib.embedded import EmbeddedRuntime
from tests.support.plain_compiler import PlainCompiler

runtime = EmbeddedRuntime(Path(sys.argv[1]), compiler=PlainCompiler())
number = 0
while True:
    runtime.record_episode("ada", f"I keep note {number}.")
    print(number, flush=True)
    number += 1
"""

READ_ONLY = """
import os, sys
from pathlib import Path
from lib.embedded import EmbeddedRuntime
from lib.errors import StoreError
from tests.support.plain_compiler import PlainCompiler

if os.getuid() == 0:
    os.setuid(65534)  # root may write anywhere; nobody may not
try:
    EmbeddedRuntime(Path(sys.argv[1]), compiler=PlainCompiler())
except StoreError as error:
    print(error)
"""


def child(script: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", script, *arguments]


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_deleted_under_the_app_acknowledges_nothing_more(
    open_runtime: OpenRuntime, path: Path, replaced: bool
) -> None:
    runtime = open_runtime(path)
    runtime.record_episode("ada", "I live in Porto.")
    away = path.rename(path.with_suffix(".away"))
    if replaced:
        path.write_bytes(b"")
    with pytest.raises(StoreError, match="deleted, moved or replaced"):
        runtime.record_episode("ada", "I moved to Lyon.")
    with pytest.raises(StoreError, match="deleted, moved or replaced"):
        runtime.get_context("ada", "Where do I live?")
    away.rename(path)
    runtime.record_episode("ada", "I moved to Lyon.")
    assert len(runtime.timeline("ada").episodes) == 2


def test_what_was_recorded_is_there_after_reopening(open_runtime: OpenRuntime, path: Path) -> None:
    first = open_runtime(path)
    first.record_episode("ada", "I live in Porto.")
    first.compile_memories("ada")
    before = first.timeline("ada"), first.get_context("ada", "Where do I live?")
    first.close()
    again = open_runtime(path)
    assert (again.timeline("ada"), again.get_context("ada", "Where do I live?")) == before


def test_acknowledged_episodes_survive_a_kill(open_runtime: OpenRuntime, path: Path) -> None:
    with subprocess.Popen(
        child(RECORDING, str(path)), cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        acknowledged = [int(process.stdout.readline()) for _ in range(20)][-1]
        process.send_signal(signal.SIGKILL)
    said = [episode.text for episode in open_runtime(path).timeline("ada").episodes]
    assert said[: acknowledged + 1] == [
        f"user: I keep note {number}." for number in range(acknowledged + 1)
    ]


def test_two_runtimes_on_one_file_see_each_other(open_runtime: OpenRuntime, path: Path) -> None:
    one, two = open_runtime(path), open_runtime(path)
    assert not two.get_context("ada", "Where do I live?").context_used
    one.record_episode("ada", "I live in Porto.")
    assert "Porto" in two.get_context("ada", "Where do I live?").assembled_context
    two.compile_memories("ada")
    (memory,) = one.list_memories("ada").memories
    one.forget_memory("ada", memory.id)
    assert not two.get_context("ada", "Where do I live?").context_used
    two.delete_subject("ada")
    assert one.list_subjects() == []


def test_another_process_may_write_meanwhile(open_runtime: OpenRuntime, path: Path) -> None:
    runtime = open_runtime(path)
    runtime.record_episode("bob", "hello")
    with subprocess.Popen(
        child(RECORDING, str(path)), cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        for number in range(20):
            runtime.record_episode("bob", f"I keep note {number}.")
        process.kill()
    counts = {each.subject_id: each.episode_count for each in runtime.list_subjects()}
    assert counts["bob"] == 21
    assert counts["ada"] >= 1


def test_a_foreign_file_is_refused_and_left_as_it_is(open_runtime: OpenRuntime, path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE notes (text)")
    connection.close()
    for content in (path.read_bytes(), b"just some text", b"SQLite format 3\x00"):
        path.write_bytes(content)
        with pytest.raises(StoreError, match="left untouched"):
            open_runtime(path)
        assert path.read_bytes() == content
        assert list(path.parent.iterdir()) == [path]


def test_a_newer_file_is_refused(open_runtime: OpenRuntime, path: Path) -> None:
    open_runtime(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    content = path.read_bytes()
    with pytest.raises(StoreError, match="newer version"):
        open_runtime(path)
    assert path.read_bytes() == content


def test_a_damaged_file_is_explained(open_runtime: OpenRuntime, path: Path) -> None:
    runtime = open_runtime(path)
    for number in range(200):
        runtime.record_episode("ada", f"I keep note {number}.")
    runtime.close()
    content = bytearray(path.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        open_runtime(path).timeline("ada")
    assert path.read_bytes() == content


def test_a_folder_that_cannot_be_written_is_explained(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o555)
    for parent in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        parent.chmod(0o755)
    result = subprocess.run(
        child(READ_ONLY, str(folder / "memory.db")),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "cannot be opened for writing" in result.stdout, result.stderr
    assert list(folder.iterdir()) == []


def test_a_missing_folder_is_explained(open_runtime: OpenRuntime, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be opened for writing"):
        open_runtime(tmp_path / "nowhere" / "memory.db")
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be opened for writing"):
        open_runtime(tmp_path / "file" / "memory.db")


def test_a_full_disk_is_explained_and_keeps_what_was_there(
    open_runtime: OpenRuntime, path: Path
) -> None:
    runtime = open_runtime(path)
    runtime.record_episode("ada", "I live in Porto.")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 50_000, hard))
    try:
        with pytest.raises(StoreError, match="disk is full"):
            runtime.record_episode("ada", "I keep everything. " * 20_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [episode.text for episode in runtime.timeline("ada").episodes] == [
        "user: I live in Porto."
    ]
    runtime.record_episode("ada", "I ship on Fridays.")
    assert runtime.pending_episodes("ada") == 2


def test_a_closed_runtime_says_so(path: Path) -> None:
    runtime = EmbeddedRuntime(path, compiler=PlainCompiler())
    runtime.close()
    with pytest.raises(StoreError, match="closed"):
        runtime.list_subjects()
    runtime.close()


def test_a_file_of_the_first_version_is_brought_up_to_date(
    open_runtime: OpenRuntime, path: Path
) -> None:
    old = sqlite3.connect(path)
    for statement in MIGRATIONS[0].split(";"):
        old.execute(statement)
    old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    old.execute("PRAGMA user_version = 1")
    old.execute("INSERT INTO subjects (key, subject_id, version) VALUES (1, 'ada', 1)")
    old.execute(
        "INSERT INTO episodes (seq, id, subject, source, type, payload, metadata, created_us)"
        " VALUES (1, 'e1', 1, 'chat', 'conversation', ?, '{}', 1767600000000000)",
        ('{"messages": [{"role": "user", "content": "I live [almost] in Porto."}]}',),
    )
    old.execute(
        "INSERT INTO passages (key, subject, episode, position, kind, when_us, text, tokens)"
        " VALUES (1, 1, 1, 0, 'episode', 1767600000000000,"
        " '[chat/conversation] user: I live [almost] in Porto.', 21)"
    )
    old.execute(
        "INSERT INTO words (rowid, text, subject) VALUES (1, 'user: I live almost in Porto', 's1')"
    )
    old.commit()
    old.close()
    bundle = open_runtime(path).get_context("ada", "Porto?")
    assert "- user: I live [almost] in Porto.\n" in bundle.assembled_context
    assert bundle.token_estimate == count_tokens(bundle.assembled_context)
    assert bundle.episodes[0].text == "user: I live [almost] in Porto."
