"""Runs the real dashboard in a process of its own, as a visitor would."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx

from lib.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
START_DEADLINE_S = 60.0


def free_port() -> int:
    """A loopback port nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def hidden_settings() -> dict[str, str]:
    """This process's environment without any setting of the app, a developer's `.env` included."""
    ours = {name.upper() for name in Settings.model_fields}
    clean = {name: value for name, value in os.environ.items() if name not in ours}
    # An empty value hides what `.env` says.
    return clean | {"LLM_API_KEY": "", "LLM_BASE_URL": "", "STATEWAVE_BASE_URL": ""}


@contextmanager
def dashboard(
    data_dir: Path, settings: Mapping[str, str] | None = None, *, folder: Path = ROOT
) -> Iterator[str]:
    """The address of a fresh dashboard with its own data folder, started from `folder`; stopped
    at the end. What it prints is in `dashboard.log` beside its data.
    """
    port = free_port()
    environment = hidden_settings() | {"STATEWAVE_DATA_DIR": str(data_dir), **(settings or {})}
    log = data_dir / "dashboard.log"
    data_dir.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "streamlit",
                "run",
                str(ROOT / "streamlit_app.py"),
                "--server.port",
                str(port),
            ],
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_until_up(url, process, log)
            yield url
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_until_up(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + START_DEADLINE_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"The dashboard stopped at start:\n{log.read_text()}")
        try:
            if httpx.get(f"{url}/_stcore/health", timeout=1).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise RuntimeError(f"The dashboard did not start in {START_DEADLINE_S} s:\n{log.read_text()}")
