"""The HTTP client for a Statewave server."""

from lib.statewave.calls import RecordedCall
from lib.statewave.client import StatewaveClient

__all__ = ["RecordedCall", "StatewaveClient"]
