"""Cleaning: what a Statewave server stumbles over, made safe before it is sent.

Each of these gives a 500 on 0.7.1, and a special token in a stored episode breaks every later
context of that subject. Nothing is dropped silently: the replacement stays visible.
"""

import json
import math
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from lib.errors import InputError

MAX_ID_CHARACTERS = 256
MAX_TASK_CHARACTERS = 4000
MAX_BUDGET = 128_000
DEFAULT_TASK = "What should I know about this subject?"

_SPECIAL_TOKEN = re.compile(r"<\|(?=\w+\|>)")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def safe_text(text: str) -> str:
    """`text` with `<|name|>` broken to `<| name|>`, NUL and lone surrogates replaced."""
    return _UNSTORABLE.sub(_REPLACEMENT, _SPECIAL_TOKEN.sub("<| ", text))


def safe_json(value: object) -> Any:
    """`value` as JSON a server can store; NaN and infinities, and anything else, become text."""
    if isinstance(value, str):
        return safe_text(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {safe_text(str(key)): safe_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [safe_json(item) for item in value]
    return safe_text(str(value))


def content_text(content: object) -> str:
    """A message's content as text; anything but text (parts, None) makes 0.7.1 compiles fail."""
    if isinstance(content, str):
        return safe_text(content)
    return "" if content is None else json.dumps(safe_json(content), ensure_ascii=False)


def safe_task(task: str) -> str:
    """1 to 4000 characters: a longer task is cut, an empty one becomes a general question."""
    return safe_text(task.strip() or DEFAULT_TASK)[:MAX_TASK_CHARACTERS]


def checked_budget(max_tokens: int) -> int:
    """`max_tokens` if a server takes it: 1 to 128,000."""
    if not 1 <= max_tokens <= MAX_BUDGET:
        raise InputError(f"A token budget is between 1 and {MAX_BUDGET:,}, not {max_tokens:,}.")
    return max_tokens


def checked_id(value: str, what: str = "subject id") -> str:
    """`value` if a server can keep it; changing an id would address someone else."""
    if not value.strip():
        raise InputError(f"The {what} is empty.")
    if len(value) > MAX_ID_CHARACTERS:
        raise InputError(f"The {what} is longer than {MAX_ID_CHARACTERS} characters.")
    if _UNSTORABLE.search(value):
        raise InputError(f"The {what} contains a character that no server can store.")
    return value


def path_segment(value: str, what: str) -> str:
    """`value` quoted for a path. Raises InputError where HTTP cannot carry it as one segment."""
    if "/" in checked_id(value, what) or value in (".", ".."):
        raise InputError(
            f"A {what} that contains “/” or is “.” or “..” cannot be named in a web address, "
            "so this cannot be done over HTTP."
        )
    return quote(value, safe="")
