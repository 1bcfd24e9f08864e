"""What new drafts mean for the memories there are: create, merge, supersede."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from lib.compiling.draft import Draft
from lib.models import Memory

MAX_MERGED_CONFIDENCE = 0.99
"""Repetition alone never makes a memory certain; only a person's correction does (1.0)."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """A memory that ended, and the one that holds instead."""

    old: Memory
    new: Memory


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """What to write: new memories, changed ones, and what replaced what."""

    created: tuple[Memory, ...]
    """New memories in draft order, those already superseded within the batch included."""
    updated: tuple[Memory, ...]
    """Memories that were there before and changed."""
    replacements: tuple[Replacement, ...]
    merged: int
    masked: int
    merged_ids: tuple[str, ...] = ()
    """The memories that drafts were merged into."""


def normalised(content: str) -> str:
    """What two contents have in common when they say the same: case, spaces and final stop
    do not count.
    """
    return " ".join(content.split()).casefold().rstrip(".!;, ")


def merged_confidence(first: float, second: float) -> float:
    """Two independent statements: 1 − (1 − a)(1 − b), at most 0.99, never less than before."""
    return max(first, min(MAX_MERGED_CONFIDENCE, 1 - (1 - first) * (1 - second)))


def slot_of(memory: Memory) -> str | None:
    """What there can be only one of, where the memory has such a thing."""
    slot = memory.metadata.get("slot")
    return slot if isinstance(slot, str) else None


def last_stated(memory: Memory) -> datetime:
    """When the memory was last said: `confirmed_at` of the newest merge, else `valid_from`."""
    confirmed = memory.metadata.get("confirmed_at")
    return datetime.fromisoformat(confirmed) if isinstance(confirmed, str) else memory.valid_from


def supersede(old: Memory, new: Memory, *, now: datetime) -> tuple[Memory, Memory]:
    """The old memory ended by the new one, and the new one that says so."""
    ended = replace(
        old,
        status="superseded",
        # Never before its own beginning, as a backdated memory ends in its own future.
        valid_to=max(old.valid_from, new.valid_from),
        updated_at=now,
        metadata={**old.metadata, "superseded_by": new.id},
    )
    # A backdated memory does not take the place of the one really superseded.
    return ended, replace(new, metadata={"supersedes": old.id, **new.metadata})


def reconcile(
    drafts: Sequence[Draft],
    active: Iterable[Memory],
    *,
    subject_id: str,
    now: datetime,
    new_id: Callable[[], str],
) -> Reconciliation:
    """What `drafts`, oldest first, make of the `active` memories of one subject.

    The same content within a kind merges. Another content in the same slot supersedes the
    memory there, unless that one was stated later: then the draft is superseded at once.
    `active` needs to hold only the memories that share a content or a slot with a draft.
    """
    ledger = _Ledger(active, subject_id=subject_id, now=now, new_id=new_id)
    for draft in drafts:
        if draft.content.strip():
            ledger.enter(draft)
    return ledger.result(masked=sum(draft.masked for draft in drafts))


class _Ledger:
    """Memories by what they say and by their slot, while drafts come in."""

    def __init__(
        self,
        active: Iterable[Memory],
        *,
        subject_id: str,
        now: datetime,
        new_id: Callable[[], str],
    ) -> None:
        self._subject_id, self._now, self._new_id = subject_id, now, new_id
        self._before: dict[str, Memory] = {}
        self._memories: dict[str, Memory] = {}
        self._by_content: dict[tuple[str, str], str] = {}
        self._by_slot: dict[str, str] = {}
        self._replaced: list[tuple[str, str]] = []
        self._merged = 0
        self._merged_ids: dict[str, None] = {}
        for memory in sorted(active, key=last_stated):
            self._before[memory.id] = memory
            self._hold(memory)

    def enter(self, draft: Draft) -> None:
        same = self._by_content.get((draft.kind, normalised(draft.content)))
        if same is not None:
            self._merge(self._memories[same], draft)
            return
        memory = self._new_memory(draft)
        holder = self._by_slot.get(draft.slot) if draft.slot else None
        if holder is None:
            self._hold(memory)
            return
        current = self._memories[holder]
        if last_stated(current) > memory.valid_from:
            self._replace(memory, current)
        else:
            self._hold(memory)
            self._replace(current, memory)

    def result(self, *, masked: int) -> Reconciliation:
        memories = self._memories
        return Reconciliation(
            created=tuple(m for m in memories.values() if m.id not in self._before),
            updated=tuple(
                memories[id_] for id_, before in self._before.items() if memories[id_] != before
            ),
            replacements=tuple(
                Replacement(memories[old], memories[new]) for old, new in self._replaced
            ),
            merged=self._merged,
            masked=masked,
            merged_ids=tuple(self._merged_ids),
        )

    def _new_memory(self, draft: Draft) -> Memory:
        metadata: dict[str, Any] = dict(draft.metadata)
        if draft.tags:
            metadata["tags"] = list(draft.tags)
        if draft.slot:
            metadata["slot"] = draft.slot
        return Memory(
            id=self._new_id(),
            subject_id=self._subject_id,
            kind=draft.kind,
            content=draft.content.strip(),
            confidence=draft.confidence,
            valid_from=draft.valid_from,
            created_at=self._now,
            updated_at=self._now,
            summary=draft.content.strip(),
            source_episode_ids=tuple(dict.fromkeys(draft.source_episode_ids)),
            metadata=metadata,
            labels=tuple(dict.fromkeys(draft.labels)),
        )

    def _hold(self, memory: Memory) -> None:
        self._memories[memory.id] = memory
        self._by_content[memory.kind, normalised(memory.content)] = memory.id
        slot = slot_of(memory)
        if slot:
            self._by_slot[slot] = memory.id

    def _merge(self, memory: Memory, draft: Draft) -> None:
        self._merged += 1
        self._merged_ids[memory.id] = None
        metadata = dict(memory.metadata)
        tags = dict.fromkeys((*memory.tags, *draft.tags))
        if tags:
            metadata["tags"] = list(tags)
        if draft.valid_from > last_stated(memory):
            metadata["confirmed_at"] = draft.valid_from.isoformat()
        self._memories[memory.id] = replace(
            memory,
            confidence=merged_confidence(memory.confidence, draft.confidence),
            updated_at=self._now,
            source_episode_ids=tuple(
                dict.fromkeys((*memory.source_episode_ids, *draft.source_episode_ids))
            ),
            metadata=metadata,
            labels=tuple(dict.fromkeys((*memory.labels, *draft.labels))),
        )

    def _replace(self, old: Memory, new: Memory) -> None:
        ended, successor = supersede(old, new, now=self._now)
        if normalised(new.content).startswith(normalised(old.content)):
            # It says the same and more, so what it came from still stands.
            sources = dict.fromkeys((*old.source_episode_ids, *new.source_episode_ids))
            successor = replace(successor, source_episode_ids=tuple(sources))
        self._memories[old.id], self._memories[new.id] = ended, successor
        self._replaced.append((old.id, new.id))
        content = (old.kind, normalised(old.content))
        if self._by_content.get(content) == old.id:
            del self._by_content[content]
