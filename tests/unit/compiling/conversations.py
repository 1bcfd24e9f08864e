"""Episodes for compiler tests, built from plain (user, assistant) turns."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from lib.compiling.draft import Draft
from lib.compiling.offline import OfflineCompiler
from lib.models import Episode

START = datetime(2026, 11, 2, 9, tzinfo=UTC)


def conversation(
    *turns: tuple[str, str], session_id: str = "s1", start: datetime = START
) -> list[Episode]:
    """One episode per turn, a minute apart, all in one session."""
    return [
        Episode(
            id=f"{session_id}-{number}",
            subject_id="sam",
            payload={
                "messages": [
                    {"role": "user", "content": user},
                    {"role": "assistant", "content": reply},
                ]
            },
            created_at=start + timedelta(minutes=number),
            session_id=session_id,
        )
        for number, (user, reply) in enumerate(turns)
    ]


def facts_of(message: str) -> list[str]:
    """The profile facts in one message."""
    drafts = OfflineCompiler().draft(conversation((message, "Understood.")))
    return contents(drafts, "profile_fact")


def contents(drafts: Sequence[Draft], kind: str) -> list[str]:
    """What the drafts of one kind say."""
    return [draft.content for draft in drafts if draft.kind == kind]
