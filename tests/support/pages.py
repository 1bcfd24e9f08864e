"""What a test reads from a page, and how it goes to another one."""

import json
from typing import Any

from streamlit.testing.v1 import AppTest


def go_to(at: AppTest, name: str) -> AppTest:
    """The same visit on another page."""
    at.switch_page(f"../../pages/{name}.py")
    at.run()
    assert not at.exception, at.exception
    return at


def text_of(at: AppTest) -> str:
    """Titles, Markdown, captions and notices, without the backslashes of literal text."""
    elements = [*at.title, *at.markdown, *at.caption, *at.error, *at.warning]
    return "\n".join(str(element.value) for element in elements).replace("\\", "")


def charts_of(at: AppTest) -> list[dict[str, Any]]:
    """The plotly figures of the page, as plain dictionaries."""
    return [json.loads(element.proto.spec) for element in at.get("plotly_chart")]
