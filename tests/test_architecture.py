"""Imports point down, and each outside package has one home (the table in README terms)."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

WORDS = {
    "models",
    "protocol",
    "errors",
    "settings",
    "tokens",
    "pricing",
    "prompt",
    "theme",
    "wire",
    "gate",
    "table",
}
TOOLS = {"compiling", "embedding"}
ENGINES = {"statewave", "embedded", "feather", "llm", "offline"}
USE_CASES = {
    "assistant",
    "conversation",
    "comparison",
    "sweep",
    "inspection",
    "demo",
    "outbox",
    "titles",
}
PICTURES = {"charts", "growth_chart"}
EDGE = {"ui", "state", "resources", "connect", "cli"}

MAY_IMPORT = {
    **dict.fromkeys(WORDS, WORDS),
    **dict.fromkeys(TOOLS, WORDS | TOOLS),
    **dict.fromkeys(ENGINES, WORDS | TOOLS | ENGINES),
    **dict.fromkeys(USE_CASES, WORDS | USE_CASES),
    **dict.fromkeys(PICTURES, WORDS | USE_CASES),
    "connect": WORDS | TOOLS | ENGINES | USE_CASES,
    "cli": WORDS | USE_CASES | {"connect"},
    "resources": WORDS | USE_CASES | {"connect"},
    "state": WORDS | USE_CASES,
    "ui": WORDS | USE_CASES | PICTURES | {"ui", "state", "resources"},
    "app": WORDS | {"ui", "state", "resources"},
}
"""`lib` module → the `lib` modules it may import, beside its own."""

HOMES = {
    "streamlit": {"ui", "state", "resources", "app"},
    "httpx": {"statewave", "llm"},
    "openai": {"llm"},
    "plotly": PICTURES,
    "sqlite3": {"embedded", "outbox", "titles"},
    "tiktoken": {"tokens"},
    "pydantic_settings": {"settings"},
    "fastapi": {"embedded"},
    "typer": {"cli"},
    "uvicorn": {"cli"},
    "onnxruntime": {"embedding"},
    "tokenizers": {"embedding"},
}
"""Outside package → the only `lib` modules that import it."""


def modules() -> list[Path]:
    return sorted((ROOT / "lib").rglob("*.py"))


def owner(path: Path) -> str:
    """The top-level `lib` module a file belongs to."""
    return path.relative_to(ROOT / "lib").parts[0].removesuffix(".py")


def is_module(name: str) -> bool:
    return (ROOT / "lib" / name).is_dir() or (ROOT / "lib" / f"{name}.py").is_file()


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            if node.module == "lib":
                # What is no module is a constant of the package itself, such as VERSION.
                yield from (f"lib.{alias.name}" for alias in node.names if is_module(alias.name))
            else:
                yield str(node.module)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    me = owner(path)
    if me == "__init__":
        return
    assert me in MAY_IMPORT, f"lib/{me} has no layer: add it to this table"
    for name in imported(path):
        if name.startswith("lib."):
            other = name.split(".")[1]
            assert other == me or other in MAY_IMPORT[me], f"{path}: may not import {name}"
        package = name.split(".")[0]
        if package in HOMES:
            assert me in HOMES[package], f"{path}: {package} belongs to {sorted(HOMES[package])}"


@pytest.mark.parametrize("path", sorted((ROOT / "pages").glob("*.py")), ids=lambda path: path.name)
def test_pages_only_ask_and_draw(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 100
    for name in imported(path):
        package, _, rest = name.partition(".")
        assert package in {"streamlit", "lib", "functools", "collections", "dataclasses"}, (
            f"{path}: {name}"
        )
        if package == "lib":
            assert rest.split(".")[0] not in ENGINES | TOOLS | {"connect"}, f"{path}: {name}"
    tree = ast.parse(source)
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert "main" not in functions


def test_only_settings_reads_the_environment() -> None:
    for path in [*modules(), *(ROOT / "pages").glob("*.py"), ROOT / "streamlit_app.py"]:
        text = path.read_text(encoding="utf-8")
        if owner_or_none(path) != "settings":
            assert "os.environ" not in text, path
            assert "getenv" not in text, path
            assert "st.secrets" not in text, path


def owner_or_none(path: Path) -> str | None:
    return owner(path) if (ROOT / "lib") in path.parents else None


def test_no_page_renders_raw_html() -> None:
    for path in [*modules(), *(ROOT / "pages").glob("*.py")]:
        text = path.read_text(encoding="utf-8")
        assert "unsafe_allow_html" not in text, path
        assert "unsafe_allow_javascript" not in text, path


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_says_what_it_owns(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), path
    assert len(text.splitlines()) <= 400, path
    assert path.stem not in {"utils", "helpers", "common"}


@pytest.mark.parametrize("path", sorted((ROOT / "lib").rglob("*.py")), ids=str)
def test_sql_has_no_numbered_placeholders(path: Path) -> None:
    # Python 3.14 refuses `?1` together with a sequence; 3.11 does not even warn.
    text = path.read_text(encoding="utf-8")
    if "sqlite3" in text:
        assert not re.search(r"[ (]\?\d", text)
