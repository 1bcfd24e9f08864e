"""Request bodies: what is recorded, in words a Statewave server stores without harm."""

from collections.abc import Callable, Sequence
from typing import Any

from lib.errors import InputError
from lib.models import RECORDING_NOTES, Message, NewEpisode
from lib.statewave.cleaning import Cleaner, checked_id
from lib.wire import encode_time


def episode_body(
    subject_id: str, episode: NewEpisode, *, new_id: Callable[[], str]
) -> dict[str, Any]:
    """The body of `POST /v1/episodes`; it always carries an idempotency key.

    What had to be changed stands in its metadata, as `Episode.notes`. Always messages of plain
    text, whatever they came from: other payloads can make a subject unreadable for ever.
    """
    cleaner = Cleaner()
    messages = [
        {"role": cleaner.content(message.role), "content": cleaner.content(message.content)}
        for message in episode.messages
    ]
    if not any(message["content"].strip() for message in messages):
        raise InputError("There is nothing to record: the message is empty.")
    body: dict[str, Any] = {
        "subject_id": checked_id(subject_id),
        "source": cleaner.text(episode.source),
        "type": cleaner.text(episode.type),
        "payload": {"messages": messages},
        "metadata": cleaner.json(episode.metadata),
        "idempotency_key": checked_id(episode.idempotency_key or new_id(), "idempotency key"),
    }
    if episode.provenance:
        body["provenance"] = cleaner.json(episode.provenance)
    if cleaner.notes:
        body["metadata"][RECORDING_NOTES] = list(cleaner.notes)
    if episode.session_id:
        body["session_id"] = checked_id(episode.session_id, "session id")
    if episode.occurred_at is not None:
        body["occurred_at"] = encode_time(episode.occurred_at)
    return body


def as_messages(messages: Sequence[Message] | str) -> tuple[Message, ...]:
    """`messages`, where a text alone is one message of the user."""
    return (Message("user", messages),) if isinstance(messages, str) else tuple(messages)
