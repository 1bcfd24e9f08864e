"""A folder for kill tests: in memory where the system has one, so that a slow disk does not matter.

A killed process leaves exactly what it wrote, wherever that is; only a power cut would need a disk.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_SHARED_MEMORY = Path("/dev/shm")


@contextmanager
def memory_folder() -> Iterator[Path]:
    """An empty folder that is removed at the end."""
    base = _SHARED_MEMORY if _SHARED_MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(dir=base, prefix="statewave-kill-") as folder:
        yield Path(folder)
