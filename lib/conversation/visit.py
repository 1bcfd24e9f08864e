"""The conversations of one visit, and which of them is open for each subject."""

from dataclasses import dataclass, field

from lib.conversation.recording import record_turn
from lib.conversation.turns import Conversation, Turn
from lib.protocol import MemoryRuntime


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

    def record(self, runtime: MemoryRuntime, conversation: Conversation, turn: Turn) -> None:
        """Records a settled turn, and with it what waited for the runtime to come back."""
        if turn.unrecorded and record_turn(runtime, conversation, turn):
            self.compile_due.setdefault(conversation.subject_id, False)
            self.record_waiting(runtime)

    def unrecorded(self) -> list[tuple[Conversation, Turn]]:
        """Turns of this visit that the runtime does not have yet."""
        return [
            (conversation, turn)
            for conversation in self.conversations.values()
            for turn in conversation.unrecorded()
        ]

    def record_waiting(self, runtime: MemoryRuntime) -> int:
        """How many of the waiting turns could be recorded now."""
        recorded = 0
        for conversation, turn in self.unrecorded():
            if not record_turn(runtime, conversation, turn):
                break  # The runtime is still away: the others would each wait for it in vain.
            self.compile_due.setdefault(conversation.subject_id, False)
            recorded += 1
        return recorded
