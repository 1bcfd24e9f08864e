"""What the Overview page tells of a subject and of the runtime."""

from dataclasses import dataclass
from typing import Final

from lib.demo.profiles import DemoSubject
from lib.inspection.subject import count_memories, inspect_subject
from lib.protocol import Capability, MemoryRuntime
from lib.tokens import count_many

_CANNOT: Final[dict[Capability, str]] = {
    "strict_budget": "A context can come out larger than the token budget asked for.",
    "nested": "A larger token budget can drop a memory that a smaller one had.",
    "explain": "It does not tell the score of a memory, nor why one was left out.",
    "forget": "A single memory cannot be forgotten or corrected here, only a whole subject.",
    "paging": "Long lists end after the first 100 entries, so totals are unknown there.",
    "sessions": "It does not say which conversation an episode belongs to.",
    "occurred_at": "Imported conversations get the time of the import, not their own.",
    "idempotency": "Recording the same turn twice stores it twice.",
    "semantic_search": "Memories are found by their words, not by their meaning.",
}


@dataclass(frozen=True, slots=True)
class SubjectFigures:
    """What one subject's memory amounts to, and what it saves for one task, in tokens.

    `history_tokens` is every recorded word; `context_tokens` what the context for the task costs.
    """

    memories: int
    episodes: int
    sessions: int
    history_tokens: int
    context_tokens: int
    max_tokens: int
    complete: bool

    @property
    def context_share(self) -> float:
        """Context tokens per history token, 0 when there is no history."""
        return self.context_tokens / self.history_tokens if self.history_tokens else 0.0


def missing_capabilities(runtime: MemoryRuntime) -> tuple[str, ...]:
    """What this runtime cannot do, one sentence each."""
    able = runtime.capabilities()
    return tuple(sentence for name, sentence in _CANNOT.items() if name not in able)


def example_task(demo: DemoSubject | None) -> str:
    """A question about one thing a demo subject said; of anyone else, the widest question."""
    questions = demo.compare if demo else ()
    # The first ready-made question asks for everything, which shows nothing of choosing.
    return next(iter((*questions[1:], *questions)), "What should I know about this subject?")


def measure_subject(
    runtime: MemoryRuntime, subject_id: str, task: str, *, max_tokens: int
) -> SubjectFigures:
    """Counts of a subject's memory, and the tokens of its history against a context for `task`."""
    subject = inspect_subject(runtime, subject_id)
    bundle = runtime.get_context(subject_id, task, max_tokens=max_tokens)
    return SubjectFigures(
        memories=count_memories(subject.memories).active,
        episodes=len(subject.episodes),
        sessions=len(subject.session_ids),
        history_tokens=sum(count_many([episode.text for episode in subject.episodes])),
        context_tokens=bundle.token_estimate,
        max_tokens=max_tokens,
        complete=subject.complete,
    )
