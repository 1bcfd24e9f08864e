"""The real router with a data folder of its own; demo subjects are seeded once and copied."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from lib.connect import SEEDED_MARKER, connect_runtime
from lib.demo.profiles import demo_subjects
from lib.demo.seeding import seed_demo
from lib.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 30

OpenPage = Callable[..., AppTest]


@pytest.fixture(scope="session")
def seeded_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder as a first start leaves it."""
    folder = tmp_path_factory.mktemp("seeded")
    runtime = connect_runtime(Settings(statewave_data_dir=folder, statewave_runtime="embedded"))
    for _ in seed_demo(runtime, demo_subjects(), marker=folder / SEEDED_MARKER):
        pass
    runtime.close()
    return folder


@pytest.fixture
def app(seeded_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenPage]:
    """Opens a page as a visitor would: `app("chat", subject="dev_bob", settings={…})`.

    Settings are environment variables; a developer's own are hidden.
    """
    shutil.copytree(seeded_folder, tmp_path / "data")
    for name in Settings.model_fields:
        monkeypatch.setenv(name.upper(), "")
    monkeypatch.setenv("STATEWAVE_DATA_DIR", str(tmp_path / "data"))
    st.cache_resource.clear()

    def open_page(
        page: str,
        *,
        subject: str | None = None,
        settings: dict[str, str] | None = None,
        query: dict[str, str] | None = None,
    ) -> AppTest:
        for name, value in (settings or {}).items():
            monkeypatch.setenv(name, value)
        at = AppTest.from_file(str(ROOT / "lib" / "app" / "router.py"), default_timeout=TIMEOUT_S)
        address = query or {}
        for name, value in (address | {"subject": subject} if subject else address).items():
            at.query_params[name] = value
        if page == "overview":
            return at.run()
        # Streamlit knows the pages only after a first run, which would also be a first look.
        at.switch_page(f"../../pages/{page}.py")
        return at.run()

    yield open_page
    st.cache_resource.clear()
