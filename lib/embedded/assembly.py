"""Bundles from a ranking: what is kept at a budget, what is cut and why."""

import sqlite3
from collections.abc import Iterator, Sequence

import numpy as np

from lib.embedded.candidates import Ints
from lib.embedded.details import read_details, read_owners, read_sessions
from lib.embedded.packing import Header, Layout, Prefixes, fitting, totals
from lib.embedded.ranking import REASONS, Ranking
from lib.models import (
    EPISODE,
    PROCEDURE,
    ContextBundle,
    ContextItem,
    CutReason,
    Episode,
    Memory,
    SessionSummary,
)

CUT_ITEMS = 200
"""How many cut candidates a bundle lists; `cut_counts` counts all of them."""

# By how much lines can cost less together than one by one: a section's last line may save a token.
_TAIL_SLACK = 40
_PLENTY = 2**40  # tokens; beyond it a budget would not fit the arrays


class Assembly:
    """Everything needed to make the bundles of one ranking, read at one moment of the store."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        ranking: Ranking,
        *,
        subject_id: str,
        task: str,
        budgets: Sequence[int],
    ) -> None:
        self._ranking, self._subject_id, self._task = ranking, subject_id, task
        columns = ranking.columns
        eligible = ranking.reasons[ranking.order] == 0
        self._eligible, self._ineligible = ranking.order[eligible], ranking.order[~eligible]
        self._ineligible_counts = _counts_by_reason(ranking)

        largest = max(budgets, default=1)
        possible = self._possible(largest)
        self._details = read_details(connection, columns, possible)
        header, lines = Header(task), [self._details[row].line for row in possible]
        self._totals = [0, *_until_over(totals(header, lines), largest)]
        self._layout = Layout(header, lines[: len(self._totals) - 1])

        counts = {self._count(budget) for budget in budgets}
        cut = [self._next_cut(count) for count in counts]
        listed = np.unique(np.concatenate(cut)).tolist() if cut else []
        read_details(connection, columns, listed)
        kept = self._eligible[: max(counts, default=0)].tolist()
        owners = read_owners(connection, columns, kept)
        self._facts, self._procedures, self._episodes = _by_field([owners[row] for row in kept])
        self._sessions = read_sessions(connection, columns, set(columns.session[kept].tolist()))
        # Made once and shared by the bundles, as those of a sweep differ in few items only.
        self._kept_items = [self._item(row, included=True) for row in kept]
        self._cut_items = {row: self._item(row, included=False) for row in listed}

    def bundle(self, max_tokens: int) -> ContextBundle:
        """The bundle at one of the budgets."""
        count = self._count(max_tokens)
        return ContextBundle(
            subject_id=self._subject_id,
            task=self._task,
            assembled_context=self._layout.text(count),
            token_estimate=self._totals[count],
            facts=tuple(self._facts.before(count)),
            procedures=tuple(self._procedures.before(count)),
            episodes=tuple(self._episodes.before(count)),
            sessions=self._sessions_of(self._eligible[:count]),
            items=(
                *self._kept_items[:count],
                *map(self._cut_items.__getitem__, self._next_cut(count).tolist()),
            ),
            cut_counts=self._cut_counts(count),
        )

    def explain(
        self, connection: sqlite3.Connection, rows: Sequence[int], max_tokens: int
    ) -> ContextItem:
        """The best ranked of some candidates, as the bundle at `max_tokens` would list it."""
        best = min(rows, key=lambda row: int(self._ranking.rank[row]))
        suppressor = self._ranking.suppressor.get(best)
        shown = [best] if suppressor is None else [best, suppressor]
        read_details(connection, self._ranking.columns, shown)
        return self._item(best, included=best in self._eligible[: self._count(max_tokens)])

    def _possible(self, largest: int) -> list[int]:
        """Rows that might fit, by what they cost at least."""
        largest = min(largest, _PLENTY)
        spent = np.cumsum(self._ranking.columns.tokens[self._eligible])
        rows: list[int] = self._eligible[
            : int(np.searchsorted(spent, largest + _TAIL_SLACK))
        ].tolist()
        return rows

    def _count(self, max_tokens: int) -> int:
        return fitting(self._totals[1:], max_tokens)

    def _next_cut(self, count: int) -> Ints:
        cut = np.concatenate(
            [self._eligible[count : count + CUT_ITEMS], self._ineligible[:CUT_ITEMS]]
        )
        return cut[np.argsort(self._ranking.rank[cut])][:CUT_ITEMS]

    def _cut_counts(self, count: int) -> dict[str, int]:
        beyond = len(self._eligible) - count
        return {**({"budget": beyond} if beyond else {}), **self._ineligible_counts}

    def _sessions_of(self, kept: Ints) -> tuple[SessionSummary, ...]:
        columns = self._ranking.columns
        numbers = set(columns.session[kept].tolist()) - {-1}
        found = [self._sessions[columns.session_ids[number]] for number in numbers]
        return tuple(sorted(found, key=lambda each: (each.last_at, each.session_id), reverse=True))

    def _item(self, row: int, *, included: bool) -> ContextItem:
        ranking, columns, detail = self._ranking, self._ranking.columns, self._details[row]
        parts = ranking.parts_of(row)
        session = int(columns.session[row])
        reason: CutReason = "" if included else ranking.reason_of(row) or "budget"
        return ContextItem(
            id=detail.item_id,
            kind=detail.line.kind if columns.memory[row] else EPISODE,
            content=detail.line.text,
            tokens=detail.line.tokens,
            rank=int(ranking.rank[row]),
            included=included,
            reason=reason,
            score=parts.total,
            parts=parts,
            session_id=columns.session_ids[session] if session >= 0 else None,
            source_episode_ids=detail.sources,
            related_id=self._related(row, reason),
        )

    def _related(self, row: int, reason: CutReason) -> str | None:
        if reason == "suppressed":
            return self._details[self._ranking.suppressor[row]].item_id
        return self._ranking.columns.related.get(row)


def _counts_by_reason(ranking: Ranking) -> dict[str, int]:
    by_reason = np.bincount(ranking.reasons, minlength=len(REASONS)).tolist()
    named = zip(REASONS, by_reason, strict=True)
    return {reason: number for reason, number in named if reason and number}


def _by_field(
    owners: Sequence[Memory | Episode],
) -> tuple[Prefixes[Memory], Prefixes[Memory], Prefixes[Episode]]:
    """Facts, procedures and episodes, each at the position of its first line."""
    facts: Prefixes[Memory] = Prefixes()
    procedures: Prefixes[Memory] = Prefixes()
    episodes: Prefixes[Episode] = Prefixes()
    seen: set[str] = set()
    for position, owner in enumerate(owners):
        if owner.id in seen:
            continue
        seen.add(owner.id)
        if isinstance(owner, Episode):
            episodes.add(position, owner)
        else:
            (procedures if owner.kind == PROCEDURE else facts).add(position, owner)
    return facts, procedures, episodes


def _until_over(running: Iterator[int], largest: int) -> Iterator[int]:
    for total in running:
        yield total
        if total > largest:
            return
