"""kill -9 at 200 random points, two senders on one file: nothing lost, doubled or reordered."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.memory_folder import memory_folder

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("mode", ["kept first", "no keys", "direct"])
def test_every_acknowledged_turn_arrives_once_and_in_order_after_kills(mode: str) -> None:
    with memory_folder() as folder:
        result = subprocess.run(
            [sys.executable, "-m", "tests.support.crash_outbox", str(folder), mode],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    *wrong, summary = result.stdout.splitlines() or [""]
    assert wrong == [], result.stdout
    found = re.fullmatch(r"kills 200, acknowledged (\d+)", summary)
    assert found, result.stderr
    # Otherwise they were all killed before they had done anything.
    assert int(found[1]) > 200
