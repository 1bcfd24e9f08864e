"""A comparison as a document to keep."""

import json
from dataclasses import asdict
from typing import Any

from lib.comparison.difference import reply_cost
from lib.comparison.sides import Comparison, SideReply
from lib.pricing import price_table


def comparison_json(comparison: Comparison) -> str:
    """The comparison as a JSON document: question, settings, both prompts, replies and costs."""
    table = price_table()
    document = {
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
    return json.dumps(document, ensure_ascii=False, indent=2)


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
