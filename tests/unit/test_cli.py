"""`python -m lib.cli serve`: what it refuses in one sentence, and that it serves."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lib.cli import app
from lib.errors import StatewaveAuthError
from lib.statewave import StatewaveClient

ROOT = Path(__file__).resolve().parents[2]
START_DEADLINE_S = 30
KEY = "planted-cli-key"


def refused(*arguments: str, env: dict[str, str] | None = None) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["serve", *arguments], env=env)
    return result.exit_code, result.output.strip()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", ""])
def test_another_address_than_this_machine_needs_a_key(host: str, tmp_path: Path) -> None:
    code, said = refused("--host", host, "--data", str(tmp_path / "data"))
    assert code == 2
    assert re.fullmatch(r"Without an API key .*--api-key-env\.", said)
    assert not (tmp_path / "data").exists()


def test_a_key_that_is_not_there_is_refused(tmp_path: Path) -> None:
    code, said = refused("--api-key-env", "NO_SUCH_KEY", "--data", str(tmp_path))
    assert code == 2
    assert said == ("The environment variable NO_SUCH_KEY is not set, so there is no API key.")


def test_a_wrong_setting_is_refused(tmp_path: Path) -> None:
    code, said = refused("--data", str(tmp_path), env={"STATEWAVE_MAX_TOKENS": "many"})
    assert code == 2
    assert "STATEWAVE_MAX_TOKENS" in said


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        code, said = refused("--port", port, "--data", str(tmp_path))
    assert code == 1
    assert re.fullmatch(rf"Cannot listen on 127\.0\.0\.1, port {port}: .+\.", said)


def test_a_data_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    code, said = refused("--port", "0", "--data", str(tmp_path / "file" / "data"))
    assert code == 1
    assert "cannot be created" in said


@contextmanager
def served(*arguments: str, **env: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process of `serve` and the address it says."""
    process = subprocess.Popen(
        [sys.executable, "-m", "lib.cli", "serve", "--port", "0", *arguments],
        cwd=ROOT,
        env={**os.environ, **env},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        match = re.search(r"at (http://\S+) ", line)
        assert match, line
        yield process, match[1]
    finally:
        process.kill()
        process.communicate(timeout=START_DEADLINE_S)


def test_it_serves_with_a_key_keeps_what_it_acknowledged_and_stops_when_asked(
    tmp_path: Path,
) -> None:
    arguments = ("--data", str(tmp_path), "--api-key-env", "MY_KEY")
    with served(*arguments, MY_KEY=KEY) as (process, url):
        client = StatewaveClient(url, api_key=KEY)
        episode = client.record_episode("ada", "I live in Porto.")
        assert "paging" in client.capabilities()
        with pytest.raises(StatewaveAuthError):
            StatewaveClient(url).list_subjects()
        client.close()
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=START_DEADLINE_S)
        assert process.returncode in (0, -signal.SIGTERM)
    assert KEY not in said
    with served("--data", str(tmp_path)) as (_, url):
        client = StatewaveClient(url)
        assert client.timeline("ada").episodes == (episode,)
        client.close()
