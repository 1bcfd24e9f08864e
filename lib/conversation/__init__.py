"""Conversations of a visit: turns, earlier sessions, recording, a file to keep."""

from lib.conversation.compile_job import CompileJob
from lib.conversation.export import to_json, to_markdown
from lib.conversation.meter import PromptMeter, measure_next_prompt
from lib.conversation.recording import compile_once, compile_when_due, record_turn
from lib.conversation.sessions import SessionEntry, list_sessions, load_conversation
from lib.conversation.turns import HISTORY_TURNS, Conversation, ReplyFigures, Turn, TurnState
from lib.conversation.visit import Visit
from lib.gate import CompileGate

__all__ = [
    "HISTORY_TURNS",
    "CompileGate",
    "CompileJob",
    "Conversation",
    "PromptMeter",
    "ReplyFigures",
    "SessionEntry",
    "Turn",
    "TurnState",
    "Visit",
    "compile_once",
    "compile_when_due",
    "list_sessions",
    "load_conversation",
    "measure_next_prompt",
    "record_turn",
    "to_json",
    "to_markdown",
]
