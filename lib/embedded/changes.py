"""What a person changes about a memory: forgotten, restored, corrected."""

from dataclasses import replace
from datetime import datetime

from lib.compiling.reconcile import last_stated, supersede
from lib.errors import InputError
from lib.models import Memory


def forgotten(memory: Memory, *, now: datetime) -> Memory:
    """The memory as forgotten at `now`; one that is forgotten stays as it is."""
    if memory.status == "forgotten":
        return memory
    return replace(memory, status="forgotten", updated_at=now)


def restored(memory: Memory, rivals: list[Memory], *, now: datetime) -> Memory:
    """The memory as before; superseded when a rival, active in its slot, took its place."""
    if memory.status != "forgotten":
        return memory
    if memory.superseded_by is not None or "replaced_by_episode" in memory.metadata:
        return replace(memory, status="superseded", updated_at=now)
    if rivals:
        return supersede(memory, max(rivals, key=last_stated), now=now)[0]
    return replace(memory, status="active", updated_at=now)


def corrected(old: Memory, content: str, *, now: datetime, new_id: str) -> tuple[Memory, Memory]:
    """The old memory as superseded, and the new one, certain.

    Raises InputError when the old one is not active or says the same.
    """
    if old.status != "active":
        raise InputError(f"This memory is {old.status}; correct the one that holds instead.")
    if content == old.content:
        raise InputError("The correction says what the memory says already; change the text.")
    metadata = {key: value for key, value in old.metadata.items() if key in ("tags", "slot")}
    new = Memory(
        id=new_id,
        subject_id=old.subject_id,
        kind=old.kind,
        content=content,
        confidence=1.0,
        valid_from=now,
        created_at=now,
        updated_at=now,
        summary=content,
        source_episode_ids=old.source_episode_ids,
        metadata={**metadata, "corrected_from": old.id},
        labels=old.labels,
    )
    return supersede(old, new, now=now)
