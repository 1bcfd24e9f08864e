"""One attempt: a kept turn goes to the runtime, unless it is there already."""

from dataclasses import dataclass

from lib.errors import (
    InputError,
    StatewaveAPIError,
    StatewaveConnectionError,
    StatewaveError,
    StatewaveRateLimitError,
    StoreError,
    UnsupportedError,
)
from lib.models import Episode
from lib.outbox.values import KeptTurn, Recording
from lib.protocol import MemoryRuntime

TURN_ID = "turn_id"
"""Where an episode's metadata names the turn it was, for runtimes that honour no key."""

_REFUSALS = (400, 409, 413, 422)
_SETTINGS_AT_FAULT = ("missing_tenant",)
_UNKNOWABLE = (
    "An earlier attempt may have arrived, and this server shows only its oldest episodes, so "
    "whether the turn is there cannot be checked. Record it again, or discard it."
)


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one attempt came to.

    `unsure`: it may have arrived all the same. `away`: the runtime will not take any other turn
    right now either. `wait_s`: how long the runtime asked to be left alone.
    """

    became: Recording
    unsure: bool = False
    away: bool = False
    wait_s: float = 0.0


def attempt(runtime: MemoryRuntime, turn: KeptTurn, *, replaces: str | None) -> Attempt:
    """Records the turn, once: where an earlier attempt may have arrived and the runtime honours
    no keys, its timeline is looked at first. `replaces` is the episode it takes the place of.
    """
    unsure = turn.unsure and "idempotency" not in runtime.capabilities()
    try:
        if unsure:
            found, complete = _look_for(runtime, turn)
            if found:
                return Attempt(Recording("recorded", found.id))
            if not complete:
                return _unknowable(runtime)
            unsure = False
        episode = _record(runtime, turn, replaces)
    except StatewaveError as error:
        return _failed(error, unsure=unsure)
    return Attempt(Recording("recorded", episode.id))


def _record(runtime: MemoryRuntime, turn: KeptTurn, replaces: str | None) -> Episode:
    said = turn.episode
    metadata = {**said.metadata, TURN_ID: turn.turn_id}
    if replaces:
        metadata["replaces"] = replaces
    return runtime.record_episode(
        turn.subject_id,
        said.messages,
        session_id=said.session_id,
        source=said.source,
        type=said.type,
        metadata=metadata,
        occurred_at=said.occurred_at,
        idempotency_key=turn.turn_id,
    )


def _look_for(runtime: MemoryRuntime, turn: KeptTurn) -> tuple[Episode | None, bool]:
    timeline = runtime.timeline(turn.subject_id)
    found = next(
        (each for each in timeline.episodes if each.metadata.get(TURN_ID) == turn.turn_id), None
    )
    return found, timeline.complete


def _unknowable(runtime: MemoryRuntime) -> Attempt:
    if runtime.info().version == "unknown":
        # It has just come back: once it has said what it can do, a key may settle the question.
        return Attempt(Recording("waiting", reason=_UNKNOWABLE), unsure=True)
    return Attempt(Recording("refused", reason=_UNKNOWABLE), unsure=True)


def _failed(error: StatewaveError, *, unsure: bool) -> Attempt:
    reason = str(error)
    if _is_refusal(error):
        return Attempt(Recording("refused", reason=reason))
    status = error.status if isinstance(error, StatewaveAPIError) else 0
    wait_s = error.retry_after_s if isinstance(error, StatewaveRateLimitError) else None
    return Attempt(
        Recording("waiting", reason=reason),
        unsure=unsure or _may_have_arrived(error),
        # An error of the server's own may come from this one turn or subject.
        away=status != 500,
        wait_s=wait_s or 0.0,
    )


def _is_refusal(error: StatewaveError) -> bool:
    """True when the same turn would be turned down every time."""
    if isinstance(error, StatewaveAPIError):
        return error.status in _REFUSALS and error.code not in _SETTINGS_AT_FAULT
    return isinstance(error, InputError | UnsupportedError)


def _may_have_arrived(error: StatewaveError) -> bool:
    if isinstance(error, StatewaveConnectionError):
        return error.reached
    if isinstance(error, StatewaveAPIError):
        return error.status >= 500 or 200 <= error.status < 300
    # The embedded engine undoes what it could not finish.
    return not isinstance(error, StoreError)
