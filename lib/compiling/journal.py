"""The journal of one compile: progress, what became no memory and why, and notes."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from lib.compiling.draft import Compiler, Draft
from lib.compiling.secrets import mask_secrets
from lib.compiling.sentences import split_sentences
from lib.models import Episode, Memory, Skipped, SkipReason
from lib.protocol import Progress

LISTED = 50
"""How much of what became no memory is listed; the counts are of all of it."""

_SHOWN_CHARACTERS = 160


class Journal:
    """What is told beside the drafts while one compile runs; used by one thread."""

    def __init__(self, on_progress: Progress | None = None) -> None:
        self._on_progress = on_progress
        self._counts: Counter[str] = Counter()
        self._skipped: list[Skipped] = []
        self._notes: dict[str, None] = {}

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """The first of what became no memory, as it was met."""
        return tuple(self._skipped)

    @property
    def skipped_counts(self) -> Mapping[str, int]:
        """How much became no memory in all, by reason."""
        return dict(self._counts)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the visitor, each once."""
        return tuple(self._notes)

    def progress(self, done: int, total: int) -> None:
        """Tells whoever waits that `done` of `total` episodes are read."""
        if self._on_progress is not None:
            self._on_progress(done, total)

    def note(self, sentence: str) -> None:
        """Keeps one sentence for the visitor."""
        self._notes[sentence] = None

    def skip(self, reason: SkipReason, text: str, *, episode_id: str | None = None) -> None:
        """Counts, and lists while there is room, something that became no memory."""
        self._counts[reason] += 1
        if len(self._skipped) < LISTED:
            # Masked before it is cut, or half a key would no longer look like one.
            line = " ".join(mask_secrets(text).text.split())
            if len(line) > _SHOWN_CHARACTERS:
                line = line[: _SHOWN_CHARACTERS - 2].rstrip() + " …"
            self._skipped.append(Skipped(reason, line, episode_id))


@runtime_checkable
class TellingCompiler(Compiler, Protocol):
    """A compiler with more to tell than its drafts."""

    def draft_and_tell(
        self, episodes: Sequence[Episode], *, known: Sequence[Memory], journal: Journal
    ) -> list[Draft]:
        """As `draft`; progress, notes and what a model proposed in vain go to the journal."""
        ...


def drafts_with_reasons(
    compiler: Compiler, episodes: Sequence[Episode], *, known: Sequence[Memory], journal: Journal
) -> list[Draft]:
    """The compiler's drafts; the journal then says why the other episodes gave none."""
    if isinstance(compiler, TellingCompiler):
        drafts = compiler.draft_and_tell(episodes, known=known, journal=journal)
    else:
        drafts = compiler.draft(episodes, known=known)
    named = {id_ for draft in drafts for id_ in draft.source_episode_ids}
    for episode in _without(episodes, named):
        said = "\n\n".join(each.content for each in episode.messages if each.role == "user")
        journal.skip(_reason(episode, said), said or episode.text, episode_id=episode.id)
    return drafts


def _without(episodes: Iterable[Episode], ids: set[str]) -> Iterable[Episode]:
    return (episode for episode in episodes if episode.id not in ids)


def _reason(episode: Episode, said: str) -> SkipReason:
    """Why an episode gave nothing, as far as its words and its record tell."""
    if episode.metadata.get("stopped") is True:
        return "stopped"
    sentences = split_sentences(said)
    if not sentences:
        return "no_words"
    return "question" if all(sentence.asks for sentence in sentences) else "nothing"
