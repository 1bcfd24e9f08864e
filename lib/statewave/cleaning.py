"""Cleaning: what a Statewave server stumbles over, made safe before it is sent, and told.

Each of these gives a 500 on 0.7.1, and a special token in a stored episode breaks every later
context of that subject. Nothing is dropped silently: the replacement stays visible, and `Cleaner`
keeps one sentence about each kind of change.
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


class Cleaner:
    """Makes values safe for a server and remembers what it had to change."""

    def __init__(self) -> None:
        self._notes: dict[str, None] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """One sentence for each kind of change, in the order they were first needed."""
        return tuple(self._notes)

    def text(self, text: str) -> str:
        """`text` with `<|name|>` broken to `<| name|>`, NUL and lone surrogates replaced."""
        broken = _SPECIAL_TOKEN.sub("<| ", text)
        if broken != text:
            self._note("Special tokens such as <| endoftext|> were written with a space.")
        safe = _UNSTORABLE.sub(_REPLACEMENT, broken)
        if safe != broken:
            self._note(f"Characters that no server can store were replaced by {_REPLACEMENT}.")
        return safe

    def json(self, value: object) -> Any:
        """`value` as JSON a server can store; NaN, infinities and anything else become text."""
        if isinstance(value, str):
            return self.text(value)
        if value is None or isinstance(value, bool | int):
            return value
        if isinstance(value, float) and math.isfinite(value):
            return value
        if isinstance(value, Mapping):
            return {self.text(str(key)): self.json(item) for key, item in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self.json(item) for item in value]
        self._note("Values that JSON cannot hold were written as text.")
        return self.text(str(value))

    def content(self, content: object) -> str:
        """A message's content as text; anything else (parts, None) makes 0.7.1 compiles fail."""
        if isinstance(content, str):
            return self.text(content)
        self._note("Message content that was not text was written as text.")
        return "" if content is None else json.dumps(self.json(content), ensure_ascii=False)

    def task(self, task: str) -> str:
        """1 to 4000 characters: a longer task is cut, an empty one becomes a general question."""
        asked = task.strip()
        if not asked:
            self._note(f"No task was given, so the context was asked for “{DEFAULT_TASK}”.")
        safe = self.text(asked or DEFAULT_TASK)
        if len(safe) > MAX_TASK_CHARACTERS:
            self._note(f"The task was cut to its first {MAX_TASK_CHARACTERS:,} characters.")
        return safe[:MAX_TASK_CHARACTERS]

    def _note(self, sentence: str) -> None:
        self._notes.setdefault(sentence)


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
