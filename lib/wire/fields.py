"""Typed fields of one JSON object, with errors that name the field and never quote a value."""

import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

from lib.errors import InputError

V = TypeVar("V")
_KINDS_OF_NUMBER = (int, float)


class Fields:
    """Typed reading of one JSON object; `what` names it in errors."""

    def __init__(self, data: object, what: str) -> None:
        if not isinstance(data, Mapping):
            raise InputError(f"{what} must be an object, not {_type_name(data)}.")
        self._data = data
        self._what = what

    def text(self, name: str, default: str | None = None) -> str:
        """The text under `name`; without `default` it must be there."""
        value = self._typed(name, str, "text")
        if value is None and default is None:
            raise InputError(f"{self._what} has no `{name}`.")
        return str(default if value is None else value)

    def optional_text(self, name: str) -> str | None:
        """The text under `name`, or None; an empty text stays empty."""
        value = self._typed(name, str, "text")
        return None if value is None else str(value)

    def number(self, name: str, default: float) -> float:
        """The number under `name`."""
        value = self.optional_number(name)
        return default if value is None else value

    def optional_number(self, name: str) -> float | None:
        """The number under `name`, or None."""
        value = self._typed(name, _KINDS_OF_NUMBER, "a number")
        if value is None:
            return None
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise InputError(f"`{name}` of {self._what} must be a finite number.")
        return number

    def count(self, name: str, default: int | None = 0) -> int:
        """The whole number under `name`; with `default=None` it must be there."""
        value = self._typed(name, int, "a whole number")
        if value is None and default is None:
            raise InputError(f"{self._what} has no `{name}`.")
        return int(cast(int, default if value is None else value))

    def flag(self, name: str) -> bool | None:
        """True or False under `name`, or None."""
        return cast(bool | None, self._typed(name, bool, "true or false"))

    def mapping(self, name: str) -> Mapping[str, Any]:
        """The object under `name`; empty when missing."""
        return cast(Mapping[str, Any], self._typed(name, Mapping, "an object") or {})

    def texts(self, name: str) -> tuple[str, ...]:
        """The list of texts under `name`; empty when missing."""
        values = self._typed(name, list, "a list") or []
        if not all(isinstance(value, str) for value in values):
            raise InputError(f"`{name}` of {self._what} must be a list of texts.")
        return tuple(values)

    def many(self, name: str, parse: Callable[[object], V]) -> tuple[V, ...]:
        """The list under `name`, each parsed; empty when missing."""
        return tuple(parse(value) for value in self._typed(name, list, "a list") or [])

    def time(self, *names: str) -> datetime:
        """The first of `names` that is there, as a time with a zone."""
        for name in names:
            value = self.optional_time(name)
            if value is not None:
                return value
        raise InputError(f"{self._what} has no `{names[0]}`.")

    def optional_time(self, name: str) -> datetime | None:
        """The time under `name`, or None; without a zone it is UTC."""
        value = self._typed(name, str, "a time")
        if value is None:
            return None
        try:
            when = datetime.fromisoformat(value)
            when = when if when.tzinfo else when.replace(tzinfo=UTC)
            # What has no time in UTC, such as an hour before year 1, could not be shown.
            when.astimezone(UTC)
        except (ValueError, OverflowError) as error:
            raise InputError(f"`{name}` of {self._what} must be an ISO 8601 time.") from error
        return when

    def has(self, name: str) -> bool:
        """Whether `name` is there and not null."""
        return self._data.get(name) is not None

    def _typed(self, name: str, kind: Any, expected: str) -> Any:
        value = self._data.get(name)
        # In Python True is an int; on the wire it is not a number.
        if value is None or (
            isinstance(value, kind) and (isinstance(value, bool) == (kind is bool))
        ):
            return value
        raise InputError(f"`{name}` of {self._what} must be {expected}, not {_type_name(value)}.")


def _type_name(value: object) -> str:
    names = {str: "text", bool: "true or false", int: "a number", float: "a number", list: "a list"}
    if isinstance(value, Mapping):
        return "an object"
    return "nothing" if value is None else names.get(type(value), "something else")
