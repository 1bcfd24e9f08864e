"""Plain values for tests."""

from datetime import UTC, datetime

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
