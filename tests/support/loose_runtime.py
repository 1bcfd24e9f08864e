"""A runtime with the limits of a real server: loose budgets, no reasons, short lists."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from lib.models import ContextBundle, Timeline
from lib.protocol import Capability, MemoryRuntime

LISTED = 100
"""Episodes and memories after which a timeline ends, the oldest first."""


class LooseRuntime:
    """What `inner` holds, answered as a 0.7.1 server does.

    Estimates are a fifth over the budget, from `forgetful_from` tokens on most memories are
    dropped, nothing is explained, a timeline ends early, and nothing strict is declared.
    """

    def __init__(self, inner: MemoryRuntime, *, forgetful_from: int) -> None:
        self._inner = inner
        self._forgetful_from = forgetful_from
        self.budgets: list[int] = []
        """Every budget asked for, in order."""

    def capabilities(self) -> frozenset[Capability]:
        return frozenset({"sessions"})

    def get_context(
        self, subject_id: str, task: str, *, max_tokens: int = 800, **options: Any
    ) -> ContextBundle:
        self.budgets.append(max_tokens)
        bundle = self._inner.get_context(subject_id, task, max_tokens=max_tokens, **options)
        loose = replace(
            bundle, items=(), cut_counts={}, token_estimate=round(bundle.token_estimate * 1.2)
        )
        # Only a budget that is asked for, and not the one that stands for everything.
        if self._forgetful_from <= max_tokens < 10_000:
            return replace(loose, facts=loose.facts[:1], procedures=(), episodes=())
        return loose

    def sweep_context(
        self, subject_id: str, task: str, budgets: Sequence[int], **options: Any
    ) -> Iterator[ContextBundle]:
        for max_tokens in budgets:
            yield self.get_context(subject_id, task, max_tokens=max_tokens, **options)

    def timeline(self, subject_id: str) -> Timeline:
        whole = self._inner.timeline(subject_id)
        return replace(whole, episodes=whole.episodes[:LISTED], memories=whole.memories[:LISTED])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)
