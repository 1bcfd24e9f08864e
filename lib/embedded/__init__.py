"""The embedded engine: memory in one SQLite file in this process."""

from lib.embedded.runtime import EmbeddedRuntime

__all__ = ["EmbeddedRuntime"]
