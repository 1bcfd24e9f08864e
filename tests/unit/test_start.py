"""Starting the app as a process: wrong settings, another folder, what it listens on and logs."""

import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.support.dashboard import ROOT, dashboard, hidden_settings


@pytest.mark.parametrize(
    ("name", "value"),
    [("STATEWAVE_MAX_TOKENS", "many"), ("STATEWAVE_BASE_URL", "http://127.0.0.1:99999")],
)
def test_a_wrong_setting_stops_the_start_with_one_sentence(name: str, value: str) -> None:
    started = subprocess.run(
        [sys.executable, "-m", "streamlit", "run", "streamlit_app.py", "--server.port", "0"],
        cwd=ROOT,
        env=hidden_settings() | {name: value},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert started.returncode != 0
    assert f"The dashboard did not start. {name}: it must be " in started.stderr
    assert "Traceback" not in started.stdout + started.stderr


def test_started_from_another_folder_it_still_serves_this_machine_only(tmp_path: Path) -> None:
    with dashboard(tmp_path / "data", folder=tmp_path) as url:
        port = urlsplit(url).port
        assert port
        assert _websocket(port, host=f"127.0.0.1:{port}").startswith("HTTP/1.1 101")
        # A hostile page whose name points to 127.0.0.1 sends its own name (DNS rebinding).
        assert _websocket(port, host=f"evil.example:{port}").startswith("HTTP/1.1 403")
        with socket.socket() as other:
            # Not bound on all interfaces: every other loopback address is still free.
            other.bind(("127.0.0.2", port))
    log = (tmp_path / "data" / "dashboard.log").read_text()
    assert "Memory runtime: embedded. Model: offline reader." in log


def test_the_log_level_is_honoured(tmp_path: Path) -> None:
    with dashboard(tmp_path, {"LOG_LEVEL": "ERROR"}):
        pass
    assert "Memory runtime" not in (tmp_path / "dashboard.log").read_text()


def _websocket(port: int, *, host: str) -> str:
    """The first line of the answer to a WebSocket handshake of a page at `host`."""
    lines = [
        "GET /_stcore/stream HTTP/1.1",
        f"Host: {host}",
        f"Origin: http://{host}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return connection.recv(200).decode().splitlines()[0]
