"""A compiler simple enough to predict: each sentence the user says is one memory."""

import re
from collections.abc import Iterator, Sequence

from lib.compiling.draft import Draft
from lib.models import ARTIFACT_REF, EPISODE_SUMMARY, PROCEDURE, PROFILE_FACT, Episode, Memory

_KINDS = {"To ": PROCEDURE, "See ": ARTIFACT_REF, "We ": EPISODE_SUMMARY}
_HOME = re.compile(r"lives? in ")


class PlainCompiler:
    """Questions give nothing; where somebody lives is one slot, so a newer place supersedes."""

    name = "plain"

    def draft(
        self,
        episodes: Sequence[Episode],
        *,
        known: Sequence[Memory] = (),  # noqa: ARG002
    ) -> list[Draft]:
        """One draft per sentence, in order."""
        return [draft for episode in episodes for draft in self._of(episode)]

    def _of(self, episode: Episode) -> Iterator[Draft]:
        for message in episode.messages:
            if message.role != "user":
                continue
            for sentence in re.split(r"(?<=[.?!])\s+", message.content):
                if not sentence.strip() or sentence.endswith("?"):
                    continue
                yield Draft(
                    kind=next(
                        (kind for start, kind in _KINDS.items() if sentence.startswith(start)),
                        PROFILE_FACT,
                    ),
                    content=sentence,
                    confidence=0.8,
                    valid_from=episode.when,
                    source_episode_ids=(episode.id,),
                    slot="home" if _HOME.search(sentence) else None,
                )
