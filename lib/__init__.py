"""Everything behind the pages: words, runtimes, models, use cases, pictures, edge."""

VERSION = "0.1.0"
"""The project's version, as `pyproject.toml` has it."""
