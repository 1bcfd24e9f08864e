"""Confirmations: which procedure a later "that worked" speaks of."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from lib.models import PROCEDURE, Memory

_WORKED = " (this worked)."
_WORD = re.compile(r"[a-z_]{5,}")
_ENOUGH_WORDS = 3
"""Shared words that tie good news of another session to a procedure."""


@dataclass(frozen=True, slots=True)
class HeldProcedure:
    """A procedure of this compile or an earlier one."""

    content: str
    session: str
    sources: tuple[str, ...]

    @property
    def has_worked(self) -> bool:
        """True once the subject said so."""
        return self.content.endswith(_WORKED) or self.content.startswith("A fix that worked")

    @property
    def slot(self) -> str:
        """The same with and without the words that it worked, so that one replaces the other."""
        bare = self.content.removesuffix(_WORKED).rstrip(".")
        return f"procedure:{sha256(bare.encode('utf-8', 'replace')).hexdigest()[:12]}"


class Procedures:
    """The procedures there are, newest last."""

    def __init__(self, known: Sequence[Memory]) -> None:
        self._held: dict[str, HeldProcedure] = {}
        for memory in sorted(known, key=lambda memory: memory.valid_from):
            if memory.kind == PROCEDURE:
                session = str(memory.metadata.get("session", ""))
                self.keep(memory.content, session, memory.source_episode_ids)

    def keep(self, content: str, session: str, sources: tuple[str, ...]) -> HeldProcedure:
        """Holds a procedure, which is never held as untried again once it has worked."""
        new = HeldProcedure(content, session, sources)
        before = self._held.get(new.slot)
        if before is not None and before.has_worked:
            new = HeldProcedure(before.content, session, sources)
        self._held[new.slot] = new
        return new

    def meant_by(self, news: str, session: str | None) -> HeldProcedure | None:
        """The untried procedure that good news speaks of: one of the same session, or one that
        shares several words with it; None where there is none.
        """
        said = _stems(news)
        best: HeldProcedure | None = None
        most = -1
        for held in self._held.values():
            shared = len(said & _stems(held.content))
            near = bool(session) and held.session == session
            if not held.has_worked and (near or shared >= _ENOUGH_WORDS) and shared >= most:
                best, most = held, shared
        return best


def worked(content: str) -> str:
    """A procedure with the words that it worked."""
    return content.rstrip(".") + _WORKED


def _stems(text: str) -> set[str]:
    return {word[:6] for word in _WORD.findall(text.lower())}
