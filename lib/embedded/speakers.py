"""Who speaks in an episode of one message, where it says so beyond the role."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from lib.embedded.wording import one_line
from lib.models import Message

ROLES: Final = frozenset({"user", "assistant", "system", "tool"})
_KEYS = ("speaker", "speaker_name", "author", "name")
_NAME_CHARS = 24
_PREFIX = re.compile(r"([^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,2}): ")
_LABEL = re.compile(r"[^\s:][^:]{0,39}: ")
# What people write before a colon that is not who they are.
_NOT_NAMES = """
    answer caution context edit error example exception expected fix goal hint idea info input
    note ok output problem question reason reply result solution step summary task tip todo
    traceback update usage warning
"""


def speaker_of(messages: Sequence[Message], metadata: Mapping[str, Any]) -> str | None:
    """The name in the metadata, in the role, or before a colon at the start of the text."""
    if len(messages) != 1:
        return None
    (message,) = messages
    for key in _KEYS:
        value = metadata.get(key)
        if isinstance(value, str) and 0 < len(one_line(value)) <= _NAME_CHARS:
            return one_line(value)
    if message.role.casefold() not in ROLES and len(message.role) <= _NAME_CHARS:
        return one_line(message.role) or None
    found = _PREFIX.match(message.content)
    if found is None or not found[1][0].isupper() or len(found[1]) > _NAME_CHARS:
        return None
    return None if found[1].casefold() in _NOT_NAMES.split() else found[1]


def without_label(line: str) -> str:
    """What an episode's line says, without the name or role before its first colon."""
    found = _LABEL.match(line)
    return line[found.end() :] if found else line


def as_asked_of(task: str, names: Sequence[str]) -> tuple[str, frozenset[str]]:
    """`task` with "I" for each of the names, as that person would say it, and the names in it."""
    found: set[str] = set()
    for name in filter(None, names):
        pattern = re.compile(rf"(?<!\w){re.escape(name)}(?:['’]s)?(?!\w)", re.IGNORECASE)
        task, count = pattern.subn("I", task)
        if count:
            found.add(name)
    return task, frozenset(found)
