"""Turns: what each person said and what was replied, episode by episode, secrets masked."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from lib.compiling.secrets import mask_secrets
from lib.compiling.sentences import Sentence, split_sentences
from lib.compiling.words import WORDS
from lib.models import Episode, Message

_KEYS = ("speaker", "speaker_name", "author", "name")
_ROLES = frozenset({"user", "assistant", "system", "tool"})
_MAX_NAME = 24
_NAMED = re.compile(r"\s*(?P<name>[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,2}): (?=\S)")


@dataclass(frozen=True, slots=True)
class Turn:
    """One person's part of an episode, and the reply to it where an assistant gave one.

    `speaker` is the name of who said it in a conversation of several people, else empty.
    """

    episode: Episode
    reply: str
    sentences: list[Sentence]
    secrets: tuple[str, ...]
    speaker: str = ""
    shared: bool = False
    """True in an account of several people, who sign what they write or not."""
    advised: bool = False
    """True where an assistant replied in the same episode."""

    @property
    def when(self) -> datetime:
        """When it was said."""
        return self.episode.when


def read_turns(episode: Episode) -> list[Turn]:
    """The turns of one episode: one per speaker where it names them, else one in all."""
    messages = episode.learnable_messages
    speakers = [_speaker(message, episode) for message in messages]
    if speakers and all(speakers):
        return [
            _turn(episode, _without_name(message), "", speaker=speaker)
            for message, speaker in zip(messages, speakers, strict=True)
        ]
    said = {"user": "", "assistant": ""}
    for message in messages:
        if message.role in said:
            said[message.role] += f"{message.content}\n\n"
    return [_turn(episode, said["user"], said["assistant"])]


def by_session(turns: Sequence[Turn]) -> list[list[Turn]]:
    """Turns by session, sessions in the order they began; without an id each turn is its own."""
    sessions: dict[str, list[Turn]] = {}
    for number, turn in enumerate(turns):
        sessions.setdefault(turn.episode.session_id or f"\0{number}", []).append(turn)
    return list(sessions.values())


def _turn(episode: Episode, said: str, replied: str, *, speaker: str = "") -> Turn:
    user, reply = mask_secrets(said), mask_secrets(replied)
    return Turn(
        episode,
        reply.text,
        split_sentences(user.text),
        user.kinds,
        speaker,
        advised=not speaker and any(m.role == "assistant" for m in episode.messages) and bool(said),
    )


def _speaker(message: Message, episode: Episode) -> str:
    """The name in the metadata, in the role, or before a colon at the start of the text."""
    if len(episode.messages) == 1:
        for key in _KEYS:
            value = episode.metadata.get(key)
            if isinstance(value, str) and 0 < len(value.strip()) <= _MAX_NAME:
                return value.strip()
    if message.role.casefold() not in _ROLES and len(message.role) <= _MAX_NAME:
        return message.role.strip()
    found = _NAMED.match(message.content)
    name = found["name"] if found else ""
    if not name or not name[0].isupper() or len(name) > _MAX_NAME:
        return ""
    return "" if _is_label(name) else name


def _is_label(name: str) -> bool:
    first = name.split()[0].casefold()
    return first in WORDS.labels or first in WORDS.ordinary


def _without_name(message: Message) -> str:
    found = _NAMED.match(message.content)
    return (
        message.content[found.end() :]
        if found and not _is_label(found["name"])
        else (message.content)
    )
