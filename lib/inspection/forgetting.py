"""Forgetting many memories at once, and bringing them back."""

from collections.abc import Iterator, Sequence

from lib.errors import StatewaveNotFoundError
from lib.protocol import MemoryRuntime


def forget_each(runtime: MemoryRuntime, subject_id: str, ids: Sequence[str]) -> Iterator[str]:
    """Forgets one after the other and yields the id of each that is; those gone are left out.

    Raises StatewaveError where the runtime fails; what was yielded before stays forgotten.
    """
    for memory_id in ids:
        try:
            runtime.forget_memory(subject_id, memory_id)
        except StatewaveNotFoundError:
            continue
        yield memory_id


def restore_each(runtime: MemoryRuntime, subject_id: str, ids: Sequence[str]) -> Iterator[str]:
    """Undoes `forget_each` and yields the id of each that is back. Raises StatewaveError."""
    for memory_id in ids:
        try:
            runtime.restore_memory(subject_id, memory_id)
        except StatewaveNotFoundError:
            continue
        yield memory_id
