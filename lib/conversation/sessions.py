"""Sessions the runtime already has, and a conversation reloaded from one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from lib.conversation.turns import Conversation, ReplyFigures, Turn
from lib.models import Episode


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """One session to go back to: what it began with, and when it was last used."""

    session_id: str
    title: str
    last_at: datetime
    episodes: int


def list_sessions(episodes: Iterable[Episode]) -> list[SessionEntry]:
    """The sessions of these episodes, the latest first; episodes without a session are left out."""
    groups: dict[str, list[Episode]] = {}
    for episode in sorted(episodes, key=lambda item: item.when):
        if episode.session_id:
            groups.setdefault(episode.session_id, []).append(episode)
    entries = [
        SessionEntry(session_id, _title(group), group[-1].when, len(group))
        for session_id, group in groups.items()
    ]
    return sorted(entries, key=lambda entry: entry.last_at, reverse=True)


def load_conversation(
    subject_id: str, session_id: str, episodes: Iterable[Episode]
) -> Conversation:
    """The session as recorded; a reply that was regenerated appears in its newest form only, also
    where two tabs did so.
    """
    ours = [episode for episode in episodes if episode.session_id == session_id]
    ours.sort(key=lambda item: item.when)
    newest = {str(each.metadata["replaces"]): each for each in ours if "replaces" in each.metadata}
    conversation = Conversation(subject_id, session_id)
    for episode in ours:
        rival = newest.get(str(episode.metadata.get("replaces")))
        if episode.id not in newest and rival in (None, episode):
            conversation.turns += _turns(episode)
    return conversation


def _turns(episode: Episode) -> list[Turn]:
    turns: list[Turn] = []
    for message in episode.messages:
        if message.role == "user" or not turns:
            asked = message.content if message.role == "user" else ""
            turns.append(_loaded(episode, len(turns), asked))
        if message.role == "assistant":
            said = (turns[-1].reply, message.content)
            turns[-1].reply = "\n\n".join(part for part in said if part)
    for turn in turns:
        turn.shares_episode = len(turns) > 1
    return turns


def _loaded(episode: Episode, number: int, question: str) -> Turn:
    return Turn(
        id=f"{episode.id}:{number}",
        question=question,
        asked_at=episode.when,
        state="stopped" if episode.metadata.get("stopped") else "whole",
        figures=ReplyFigures.from_metadata(episode.metadata),
        episode_id=episode.id,
    )


def _title(group: Sequence[Episode]) -> str:
    asked = (
        message.content
        for episode in group
        for message in episode.messages
        if message.role == "user"
    )
    return " ".join(next(asked, group[0].text).split())
