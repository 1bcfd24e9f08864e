"""Recording: a turn becomes an episode exactly once, and episodes become memories."""

from typing import Any

from lib.conversation.turns import Conversation, Turn
from lib.errors import StatewaveError
from lib.gate import CompileGate
from lib.models import CompileReport
from lib.protocol import MemoryRuntime, Progress


def record_turn(runtime: MemoryRuntime, conversation: Conversation, turn: Turn) -> bool:
    """True when the runtime has the turn; otherwise the turn says why, and waits.

    A turn it replaces is recorded first, so that the new episode can name the old one.
    """
    if turn.replaces and turn.replaces.unrecorded:
        record_turn(runtime, conversation, turn.replaces)
    if not turn.unrecorded:
        return turn.episode_id is not None
    try:
        episode = runtime.record_episode(
            conversation.subject_id,
            turn.messages(),
            session_id=conversation.session_id,
            metadata=_metadata(turn),
            occurred_at=turn.asked_at,
            idempotency_key=turn.id,
        )
    except StatewaveError as error:
        turn.record_error = str(error)
        return False
    turn.episode_id, turn.record_error = episode.id, None
    return True


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
