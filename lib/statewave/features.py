"""Features: what the server behind an address can do, from `GET /v1/version`."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast, get_args

from lib.errors import StatewaveError, StatewaveNotFoundError
from lib.protocol import Capability
from lib.wire.fields import Fields

KNOWN_FOR_S = 300.0
"""A server may be upgraded while the app runs, so an answer is asked for again after this."""
ASK_S = 3.0
UNREACHABLE_FOR_S = 5.0
"""A page asks several times; while the server is down only the first should wait."""


@dataclass(frozen=True, slots=True)
class Features:
    """A server's version and capabilities; `extended` where it offers our additions to `/v1`."""

    version: str
    capabilities: frozenset[Capability]
    extended: bool = False


OLD = Features("0.7.x or older", frozenset({"sessions"}))
UNKNOWN = Features("unknown", frozenset({"sessions"}))


class FeatureCheck:
    """Asks the server when needed and remembers the answer."""

    def __init__(self, ask: Callable[[float], Features], *, clock: Callable[[], float]) -> None:
        self._ask = ask
        self._clock = clock
        self._lock = threading.Lock()
        self._known = UNKNOWN
        self._until = clock()

    @property
    def known(self) -> Features:
        """What is known so far; asks nothing."""
        return self._known

    def current(self, within_s: float = ASK_S) -> Features:
        """What the server offers, or what was last known of it while it cannot be asked."""
        if not self._lock.acquire(timeout=within_s):
            return self._known
        try:
            if self._clock() >= self._until:
                lasts = self._refresh(min(within_s, ASK_S))
                self._until = self._clock() + lasts
            return self._known
        finally:
            self._lock.release()

    def _refresh(self, within_s: float) -> float:
        try:
            self._known = self._ask(within_s)
        except StatewaveNotFoundError:
            self._known = OLD
        except StatewaveError:
            return UNREACHABLE_FOR_S
        return KNOWN_FOR_S


def parse_features(data: object) -> Features:
    """The features a version answer declares; a server that lists none has the 1.4 contract."""
    fields = Fields(data, "the version")
    if not fields.has("capabilities"):
        return Features(
            fields.text("version", "unknown"),
            frozenset({"sessions", "idempotency", "occurred_at"}),
        )
    declared = set(fields.texts("capabilities")) & set(get_args(Capability))
    return Features(
        fields.text("version", "unknown"),
        cast(frozenset[Capability], frozenset(declared)),
        extended=True,
    )
