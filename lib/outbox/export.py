"""Kept turns as a file: nothing said is locked into the outbox."""

import json
from collections.abc import Iterable
from datetime import datetime

from lib.outbox.values import KeptTurn


def kept_as_json(turns: Iterable[KeptTurn]) -> str:
    """The turns as a JSON list: what was said, whose it is, where it should go, why it did not."""
    return json.dumps([_row(turn) for turn in turns], indent=2, ensure_ascii=False)


def _row(turn: KeptTurn) -> dict[str, object]:
    episode = turn.episode
    return {
        "subject_id": turn.subject_id,
        "session_id": episode.session_id,
        "turn_id": turn.turn_id,
        "state": turn.state,
        "reason": turn.reason,
        "destination": turn.destination,
        "occurred_at": _time(episode.occurred_at),
        "kept_at": _time(turn.kept_at),
        "messages": [{"role": each.role, "content": each.content} for each in episode.messages],
        "metadata": dict(episode.metadata),
    }


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
