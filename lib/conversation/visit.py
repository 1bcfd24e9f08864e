"""The conversations of one visit, and which of them is open for each subject."""

from dataclasses import dataclass, field

from lib.conversation.recording import record_turn
from lib.conversation.turns import Conversation, Turn
from lib.outbox import Outbox, Recording


@dataclass(slots=True)
class Visit:
    """What this tab has talked about; lives as long as the tab's session."""

    conversations: dict[tuple[str, str], Conversation] = field(default_factory=dict)
    open_sessions: dict[str, str] = field(default_factory=dict)
    """Subject → the session its Chat page shows."""
    url_session: str | None = None
    """The session the address was last given; another one there was put in by the visitor."""
    compile_due: dict[str, bool] = field(default_factory=dict)
    """Subjects with something new; True when the visitor asked for a compile there and then."""

    def current(self, subject_id: str) -> Conversation | None:
        """The open conversation with a subject, or None before the first question."""
        session_id = self.open_sessions.get(subject_id)
        return self.conversations.get((subject_id, session_id)) if session_id else None

    def open(self, conversation: Conversation) -> Conversation:
        """Shows a conversation; one of this visit is kept rather than loaded over."""
        place = (conversation.subject_id, conversation.session_id)
        self.open_sessions[conversation.subject_id] = conversation.session_id
        return self.conversations.setdefault(place, conversation)

    def close(self, subject_id: str) -> None:
        """The next question starts a new session."""
        self.open_sessions.pop(subject_id, None)

    def compile_now(self, subject_id: str) -> None:
        """Compiles at the next look at the subject's memory."""
        self.compile_due[subject_id] = True

    def record(self, outbox: Outbox, conversation: Conversation, turn: Turn) -> None:
        """Hands over a settled turn, after those that could not be kept before."""
        if not turn.unrecorded:
            return
        self.record_unkept(outbox)
        subject_id = conversation.subject_id
        ahead = [each for talk, each in self.unkept() if talk.subject_id == subject_id]
        if ahead and turn not in ahead:
            turn.settle(Recording("unkept", reason=ahead[0].record_error))
            return
        record_turn(outbox, conversation, turn)
        self._note(conversation, turn)

    def unkept(self) -> list[tuple[Conversation, Turn]]:
        """Turns that neither the runtime nor the disk has: only this visit does."""
        return [each for each in self._unrecorded() if each[1].record_state == "unkept"]

    def record_unkept(self, outbox: Outbox) -> None:
        """Hands over once more what only this visit has."""
        for conversation, turn in self.unkept():
            record_turn(outbox, conversation, turn)
            self._note(conversation, turn)
            if turn.record_state == "unkept":
                break  # The others would each wait in vain.

    def refresh(self, outbox: Outbox) -> None:
        """Learns which of its turns were recorded, refused or discarded meanwhile."""
        handed_over = {
            turn.id: (conversation, turn)
            for conversation, turn in self._unrecorded()
            if turn.record_state in ("waiting", "refused")
        }
        for turn_id, became in outbox.find(handed_over).items():
            conversation, turn = handed_over[turn_id]
            turn.settle(became)
            self._note(conversation, turn)

    def _note(self, conversation: Conversation, turn: Turn) -> None:
        if turn.episode_id:
            self.compile_due.setdefault(conversation.subject_id, False)

    def _unrecorded(self) -> list[tuple[Conversation, Turn]]:
        return [
            (conversation, turn)
            for conversation in self.conversations.values()
            for turn in conversation.unrecorded()
        ]
