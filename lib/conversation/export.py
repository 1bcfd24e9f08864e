"""A conversation as a file to keep: Markdown to read, JSON to process."""

import json
from datetime import UTC
from typing import Any

from lib.conversation.turns import Conversation, Turn


def to_markdown(conversation: Conversation) -> str:
    """The conversation as Markdown, with what each reply took."""
    lines = [
        f"# Conversation with {conversation.subject_id}",
        "",
        f"Session `{conversation.session_id}`",
    ]
    for turn in conversation.turns:
        at = turn.asked_at.astimezone(UTC)
        lines += ["", f"## {at:%Y-%m-%d %H:%M} UTC", "", "**You**", "", turn.question]
        lines += ["", "**Assistant**", "", turn.reply or f"*{_why_empty(turn)}*"]
        if turn.state == "stopped" and turn.reply:
            lines += ["", "*Stopped before the end.*"]
        if turn.figures:
            figures = turn.figures
            lines += [
                "",
                f"> {figures.memories} memories, {figures.context_tokens} context tokens, "
                f"model {figures.model}, episode {turn.episode_id or 'not recorded yet'}",
            ]
    return "\n".join(lines) + "\n"


def to_json(conversation: Conversation) -> str:
    """The conversation as JSON: turns, what each took, and the messages sent where known."""
    return json.dumps(
        {
            "subject_id": conversation.subject_id,
            "session_id": conversation.session_id,
            "turns": [_turn(turn) for turn in conversation.turns],
        },
        indent=2,
        ensure_ascii=False,
    )


def _turn(turn: Turn) -> dict[str, Any]:
    row: dict[str, Any] = {
        "asked_at": turn.asked_at.astimezone(UTC).isoformat(),
        "state": turn.state,
        "question": turn.question,
        "reply": turn.reply,
        "episode_id": turn.episode_id,
    }
    if turn.error:
        row["error"] = turn.error
    if turn.figures:
        row["figures"] = turn.figures.as_metadata()
    if turn.prompt:
        row["messages_sent"] = [
            {"role": message.role, "content": message.content} for message in turn.prompt.messages
        ]
    return row


def _why_empty(turn: Turn) -> str:
    return turn.error or "No reply."
