"""Model compiler: episodes to memories by a language model, checked, with a fallback."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from lib.compiling.draft import Compiler, Draft
from lib.compiling.extraction import (
    Proposal,
    Reading,
    messages_for,
    read_answer,
    read_episode,
    schema_for,
)
from lib.compiling.grammar import Voice, sentence_case
from lib.compiling.grounding import is_asked, numbers_are_known, stands_in
from lib.compiling.journal import Journal
from lib.compiling.lexicon import find_tools
from lib.compiling.secrets import MASK, mask_secrets
from lib.errors import ModelError
from lib.models import ARTIFACT_REF, PROCEDURE, PROFILE_FACT, Episode, Memory, SkipReason
from lib.protocol import ChatModel

BATCH_EPISODES = 12
BATCH_TOKENS = 2_000
"""What one request holds at most, so that a model with a small window can do it."""

ANSWER_TOKENS = 4_000
MAX_FAILURES = 2
"""After so many failures to reach the model, the rest is not sent: each may take a minute."""

_UNREACHABLE = ("auth", "no_such_model", "rate_limit", "network", "timeout")
_HOPELESS = ("auth", "no_such_model")
_SINGLE = frozenset({"name", "role", "home", "origin", "employer", "age"})
_FROM_THE_SUBJECT = (PROFILE_FACT, ARTIFACT_REF)


class ModelCompiler:
    """Compiler that asks a language model, in batches, and takes nothing on trust.

    A memory whose quotation does not stand in the named episode is dropped and counted. A batch
    whose answer is not what was asked for, or does not come, is compiled by `fallback`, and the
    notes say so. Confidence is on the offline compiler's scale: 0.9 said outright, 0.75 in
    passing; steps 0.8 where the subject said they worked, else 0.6; 0.7 artifacts and summaries.
    """

    def __init__(self, model: ChatModel, *, fallback: Compiler) -> None:
        self._model, self._fallback = model, fallback

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def draft(self, episodes: Sequence[Episode], *, known: Sequence[Memory] = ()) -> list[Draft]:
        """Drafts for `episodes`, one subject's, oldest first."""
        return self.draft_and_tell(episodes, known=known, journal=Journal())

    def draft_and_tell(
        self, episodes: Sequence[Episode], *, known: Sequence[Memory], journal: Journal
    ) -> list[Draft]:
        """Drafts for `episodes`; what was dropped or compiled offline is in the journal."""
        work = _Work(self._model, self._fallback, known, journal)
        done = 0
        journal.progress(done, len(episodes))
        for batch in _batches(episodes):
            work.compile(batch)
            done += len(batch)
            journal.progress(done, len(episodes))
        work.tell()
        return work.drafts


@dataclass(slots=True)
class _Failures:
    """How often the model could not be reached, and for which reason the rest is not sent."""

    count: int = 0
    stopped_by: str = ""

    def add(self, error: ModelError) -> None:
        """Remembers an error that the next request would most likely meet again."""
        self.count += error.reason in _UNREACHABLE
        if error.reason in _HOPELESS or self.count >= MAX_FAILURES:
            self.stopped_by = _as_reason(error)


class _Work:
    """One compile: what is known so far while batch follows batch."""

    def __init__(
        self, model: ChatModel, fallback: Compiler, known: Sequence[Memory], journal: Journal
    ) -> None:
        self.drafts: list[Draft] = []
        self._model, self._fallback, self._known, self._journal = model, fallback, known, journal
        self._failures = _Failures()
        self._offline: Counter[str] = Counter()
        self._total = 0
        self._slots = {str(slot) for each in known if (slot := each.metadata.get("slot"))}
        self._voice = Voice(_known_name(known))

    def compile(self, batch: Sequence[Reading]) -> None:
        """Adds the drafts of one batch: the model's, or the fallback's."""
        self._total += len(batch)
        try:
            drafts = self._ask(batch)
        except ModelError as error:
            self._failures.add(error)
            self._compile_offline(batch, _as_reason(error))
            return
        if drafts is None:
            self._compile_offline(batch, self._failures.stopped_by)
            return
        if any(reading.is_cut for reading in batch):
            self._journal.note("Very long messages were not sent to the model whole.")
        self._keep(drafts)

    def tell(self) -> None:
        """Notes how much was compiled offline, and why."""
        for reason, count in self._offline.items():
            self._journal.note(
                f"{count:,} of {self._total:,} episodes were compiled by the "
                f"{self._fallback.name} compiler instead of {self._model.name}: {reason}."
            )

    def _compile_offline(self, batch: Sequence[Reading], reason: str) -> None:
        self._offline[reason] += len(batch)
        episodes = [reading.episode for reading in batch]
        self._keep(self._fallback.draft(episodes, known=self._known))

    def _keep(self, drafts: Sequence[Draft]) -> None:
        self.drafts += drafts
        self._slots |= {draft.slot for draft in drafts if draft.slot}
        names = [draft.metadata["name"] for draft in drafts if draft.metadata.get("name")]
        self._voice = Voice(names[-1]) if names else self._voice

    def _ask(self, batch: Sequence[Reading]) -> list[Draft] | None:
        """The model's drafts, or None when it is not asked any more. Raises ModelError."""
        if not any(reading.said for reading in batch):
            return []
        if self._failures.stopped_by:
            return None
        proposals = read_answer(self._reply(batch), batch)
        weak = [(each, reason) for each in proposals if (reason := _weakness(each))]
        if proposals and [reason for _, reason in weak] == ["ungrounded"] * len(proposals):
            raise ModelError(
                "nothing in its answer stood in the episodes", reason="other", retryable=True
            )
        for proposal, reason in weak:
            self._journal.skip(reason, proposal.content, episode_id=proposal.reading.episode.id)
        dropped = {id(proposal) for proposal, _ in weak}
        drafts = [draft for reading in batch for draft in self._secrets(reading)]
        for proposal in proposals:
            if id(proposal) not in dropped:
                drafts.append(self._draft(proposal, drafts))
        return sorted(drafts, key=lambda draft: draft.valid_from)

    def _reply(self, batch: Sequence[Reading]) -> str:
        prompt = messages_for(batch, self._known)
        stream = self._model.stream(
            prompt, max_tokens=ANSWER_TOKENS, temperature=0.0, json_schema=schema_for(batch)
        )
        with closing(stream):
            text = "".join(stream)
        if stream.end.finish_reason in ("length", "content_filter"):
            raise ModelError("its answer broke off", reason="other", retryable=True)
        return text

    def _draft(self, proposal: Proposal, drafts: Sequence[Draft]) -> Draft:
        slot = self._slot(proposal, drafts)
        metadata = {"value": proposal.value.lower()} if slot and proposal.value else {}
        if slot == "name" and stands_in(proposal.value, proposal.reading.said):
            metadata["name"] = proposal.value
        return Draft(
            kind=proposal.kind,
            content=proposal.content,
            confidence=_confidence(proposal),
            valid_from=proposal.reading.episode.when,
            source_episode_ids=(proposal.reading.episode.id,),
            slot=slot,
            tags=tuple(dict.fromkeys(tool.value for tool in find_tools(proposal.content))),
            metadata=metadata,
        )

    def _slot(self, proposal: Proposal, drafts: Sequence[Draft]) -> str | None:
        """The slot, unless the subject might as well have two of it."""
        slot = proposal.slot
        if proposal.kind != PROFILE_FACT or not slot:
            return None
        taken = self._slots | {draft.slot for draft in drafts if draft.slot}
        # "We use Redis" beside "we use Postgres" replaces nothing unless they say so.
        return None if slot in taken - _SINGLE and not proposal.changed else slot

    def _secrets(self, reading: Reading) -> Iterator[Draft]:
        for kind, count in Counter(reading.secrets).items():
            article = "an" if kind[0] in "aA" else "a"
            told = f"{self._voice.subject} pasted {article} {kind}, kept here only as {MASK}{kind}]"
            yield Draft(
                kind=ARTIFACT_REF,
                content=sentence_case(told),
                confidence=0.7,
                valid_from=reading.episode.when,
                source_episode_ids=(reading.episode.id,),
                tags=("secret",),
                labels=("secret",),
                masked=count,
            )


def _batches(episodes: Sequence[Episode]) -> Iterator[list[Reading]]:
    """Consecutive episodes that fit into one request; one that is longer goes alone."""
    batch: list[Reading] = []
    tokens = 0
    for episode in episodes:
        reading = read_episode(episode, f"e{len(batch) + 1}")
        size = reading.tokens
        if batch and (len(batch) == BATCH_EPISODES or tokens + size > BATCH_TOKENS):
            yield batch
            batch, tokens = [], 0
            reading = read_episode(episode, "e1")
        batch.append(reading)
        tokens += size
    if batch:
        yield batch


def _weakness(proposal: Proposal) -> SkipReason | None:
    """Why a proposal cannot be kept, if it cannot."""
    reading = proposal.reading
    own = proposal.kind in _FROM_THE_SUBJECT
    said = (reading.said,) if own else (reading.said, reading.replied)
    if MASK in proposal.content + proposal.quote or mask_secrets(proposal.content).kinds:
        return "secret"
    if not any(stands_in(proposal.quote, text) for text in said):
        return "ungrounded"
    if not numbers_are_known(proposal.content, "\n".join(said), reading.episode.when):
        return "ungrounded"
    asked = proposal.kind == PROFILE_FACT and is_asked(proposal.quote, reading.said)
    return "question" if asked else None


def _confidence(proposal: Proposal) -> float:
    if proposal.kind == PROFILE_FACT:
        return 0.9 if proposal.certain else 0.75
    if proposal.kind == PROCEDURE:
        return 0.8 if proposal.certain else 0.6
    return 0.7


def _known_name(known: Sequence[Memory]) -> str | None:
    named = [each for each in known if each.metadata.get("slot") == "name"]
    newest = max(named, key=lambda memory: memory.valid_from, default=None)
    return str(newest.metadata.get("name", "")) or None if newest else None


def _as_reason(error: ModelError) -> str:
    """The error's first sentence as the end of another one."""
    return str(error).split(". ")[0].rstrip(".")
