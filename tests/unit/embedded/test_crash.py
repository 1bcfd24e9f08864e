"""kill -9 at 200 random points under four writers and two readers; two processes under load."""

import json
import re
import subprocess
import sys
from pathlib import Path

from lib.embedded import EmbeddedRuntime
from tests.support.crash_engine import faults_of_file
from tests.support.memory_folder import memory_folder
from tests.support.plain_compiler import PlainCompiler

ROOT = Path(__file__).resolve().parents[3]


def run(module: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def test_acknowledged_writes_survive_kills_and_nothing_is_kept_by_half() -> None:
    with memory_folder() as folder:
        result = run("tests.support.crash_engine", str(folder))
    *wrong, summary = result.stdout.splitlines() or [""]
    assert wrong == [], result.stdout + result.stderr
    found = re.fullmatch(r"kills 200, acknowledged (\d+)", summary)
    assert found, result.stderr
    # Otherwise they were all killed before they had done anything.
    assert int(found[1]) > 200


def test_two_processes_with_eight_threads_each_share_one_file_without_an_error(
    tmp_path: Path,
) -> None:
    path = tmp_path / "memory.db"
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.support.mixed_load", str(path), "8", "2", name],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    loads = [json.loads(process.communicate(timeout=120)[0]) for process in processes]
    assert [load["errors"] for load in loads] == [[], []]
    assert all(load["recorded"] > 0 for load in loads)
    runtime = EmbeddedRuntime(path, compiler=PlainCompiler())
    stored = sum(row.episode_count for row in runtime.list_subjects())
    runtime.close()
    assert stored == sum(load["recorded"] for load in loads)
    assert faults_of_file(path) == []
