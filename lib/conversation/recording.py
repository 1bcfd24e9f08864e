"""Recording: a turn becomes an episode exactly once, and episodes become memories."""

from typing import Any

from lib.conversation.turns import Conversation, Turn
from lib.gate import CompileGate
from lib.models import CompileReport, NewEpisode
from lib.outbox import Outbox
from lib.protocol import MemoryRuntime, Progress


def record_turn(outbox: Outbox, conversation: Conversation, turn: Turn) -> None:
    """Hands the turn to the outbox; the turn then says what became of it.

    A turn it replaces goes first, so that the new episode can name the old one.
    """
    if turn.replaces and turn.replaces.unrecorded:
        record_turn(outbox, conversation, turn.replaces)
    if not turn.unrecorded:
        return
    episode = NewEpisode(
        turn.messages(),
        session_id=conversation.session_id,
        metadata=_metadata(turn),
        occurred_at=turn.asked_at,
        idempotency_key=turn.id,
    )
    replaced = turn.replaces.id if turn.replaces else None
    turn.settle(outbox.record(conversation.subject_id, episode, replaces_turn=replaced))


def compile_once(
    runtime: MemoryRuntime,
    subject_id: str,
    *,
    gate: CompileGate,
    on_progress: Progress | None = None,
) -> CompileReport | None:
    """What was compiled, or None when another tab is at it. Raises StatewaveError."""
    if not gate.enter(subject_id):
        return None
    try:
        return runtime.compile_memories(subject_id, on_progress=on_progress)
    finally:
        gate.leave(subject_id)


def compile_when_due(
    runtime: MemoryRuntime,
    subject_id: str,
    *,
    every: int,
    gate: CompileGate,
    on_progress: Progress | None = None,
) -> CompileReport | None:
    """Compiles once `every` episodes are pending; 0 never does. Raises StatewaveError."""
    if every == 0 or runtime.pending_episodes(subject_id) < every:
        return None
    return compile_once(runtime, subject_id, gate=gate, on_progress=on_progress)


def _metadata(turn: Turn) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    if turn.figures:
        metadata["reply"] = turn.figures.as_metadata()
    if turn.state == "stopped":
        metadata["stopped"] = True
    if turn.replaces and turn.replaces.episode_id:
        metadata["replaces"] = turn.replaces.episode_id
    return metadata
