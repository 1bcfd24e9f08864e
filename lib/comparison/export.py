"""Comparisons as documents to keep."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from lib.comparison.difference import reply_cost
from lib.comparison.sides import Comparison, Side, SideReply
from lib.pricing import price_table
from lib.table import table_csv


def comparison_json(comparison: Comparison) -> str:
    """The comparison as a JSON document: question, settings, prompts, replies and costs."""
    return json.dumps(_document(comparison), ensure_ascii=False, indent=2)


def comparisons_json(comparisons: Sequence[Comparison]) -> str:
    """Several comparisons as one JSON list, in the order given."""
    return json.dumps([_document(item) for item in comparisons], ensure_ascii=False, indent=2)


def comparisons_csv(comparisons: Sequence[Comparison]) -> str:
    """Several comparisons as CSV, one row a side; what is unknown is empty. Times in ms."""
    rows = [_row(item, side) for item in comparisons for side in item.sides]
    names = rows[0] if rows else {}
    return table_csv({name: [row[name] for row in rows] for name in names})


def _row(comparison: Comparison, side: Side) -> dict[str, str | float | None]:
    reply = side.reply
    end = reply.end
    return {
        "comparison": comparison.id,
        "subject_id": comparison.subject_id,
        "message": comparison.message,
        "model": comparison.model,
        "max_tokens": comparison.options.max_tokens,
        "side": side.name,
        "state": reply.state,
        "reply": reply.text,
        "prompt_tokens": end.prompt_tokens if end else None,
        "completion_tokens": end.completion_tokens if end else None,
        "usd": reply_cost(reply, pricing_model=comparison.pricing_model),
        "context_ms": reply.prompt.context_ms if reply.prompt else None,
        "first_token_ms": end.first_token_ms if end else None,
        "reply_ms": end.total_ms if end else None,
        "error": reply.error,
    }


def _document(comparison: Comparison) -> dict[str, Any]:
    table = price_table()
    return {
        "id": comparison.id,
        "subject_id": comparison.subject_id,
        "message": comparison.message,
        "model": comparison.model,
        "is_language_model": comparison.is_language_model,
        "max_tokens": comparison.options.max_tokens,
        "temperature": comparison.options.temperature,
        "episode_id": comparison.episode_id,
        "prices": {
            "model": comparison.pricing_model,
            "as_of": table.as_of,
            "source": table.source,
        },
        "sides": {
            side.name: _side_document(side.reply, comparison.pricing_model)
            for side in comparison.sides
        },
    }


def _side_document(reply: SideReply, pricing_model: str) -> dict[str, Any]:
    prompt = reply.prompt
    bundle = prompt.bundle if prompt else None
    return {
        "state": reply.state,
        "error": reply.error,
        "reply": reply.text,
        "usage": asdict(reply.end) if reply.end else None,
        "usd": reply_cost(reply, pricing_model=pricing_model),
        "prompt": [asdict(message) for message in prompt.messages] if prompt else None,
        "memory_ids": sorted(bundle.memory_ids) if bundle else [],
        "episode_ids": [episode.id for episode in bundle.episodes] if bundle else [],
        "context_tokens": bundle.token_estimate if bundle and bundle.context_used else 0,
        "history": asdict(reply.history) if reply.history else None,
    }
