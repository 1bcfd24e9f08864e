"""Offline compiler: episodes to memories by rules, without a network or a model."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from lib.compiling.artifacts import MAX_PER_SESSION, Artifact, find_artifacts
from lib.compiling.clauses import stated_clauses
from lib.compiling.draft import Draft
from lib.compiling.facts import Fact, read_clause
from lib.compiling.grammar import Voice, sentence_case
from lib.compiling.identity import read_home, read_name, read_role, read_work
from lib.compiling.intents import read_limit, read_plan, read_preference, read_project
from lib.compiling.lexicon import find_tools
from lib.compiling.people import read_people, read_traits
from lib.compiling.phrases import is_relative_date
from lib.compiling.procedures import find_procedure
from lib.compiling.secrets import MASK, mask_secrets
from lib.compiling.sentences import QUOTE_MARK, Sentence, split_sentences
from lib.compiling.slots import Held, resolve_slot
from lib.compiling.stack import read_change, read_stack
from lib.compiling.summaries import report, summarise
from lib.compiling.threads import Thread, find_threads, loose_reports
from lib.models import ARTIFACT_REF, EPISODE_SUMMARY, PROCEDURE, PROFILE_FACT, Episode, Memory
from lib.tokens import count_tokens

MAX_TOKENS = 60
FROM_A_REPLY = 0.6
CONFIRMED = 0.8
NAMED = 0.7

_READERS = (
    read_name, read_role, read_work, read_home, read_people, read_plan, read_limit, read_project,
    read_change, read_stack, read_preference, read_traits,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Turn:
    """One episode, secrets already masked."""

    episode: Episode
    user: str
    reply: str
    sentences: list[Sentence]
    secrets: tuple[str, ...]

    @property
    def when(self) -> datetime:
        return self.episode.when


class OfflineCompiler:
    """Deterministic compiler that reads conversations with rules.

    Confidence: 0.9 what the subject said outright; 0.75 said in passing; 0.7 an artifact the
    subject named, or a summary; 0.6 steps from a reply, 0.8 once the subject said they worked.
    """

    @property
    def name(self) -> str:
        """What the screen calls it."""
        return "offline"

    def draft(self, episodes: Sequence[Episode], *, known: Sequence[Memory] = ()) -> list[Draft]:
        """Drafts for `episodes`, one subject's, oldest first, in the order they were said."""
        desk = _Desk(known)
        for turns in _sessions([_read(episode) for episode in episodes]):
            desk.work_on(turns)
        return desk.drafts


class _Desk:
    """What is known of the subject while its sessions are read one after the other."""

    def __init__(self, known: Sequence[Memory]) -> None:
        self.drafts: list[Draft] = []
        self._held: dict[str, str] = {}
        self._voice = Voice()
        for memory in sorted(known, key=lambda memory: memory.valid_from):
            slot = memory.metadata.get("slot")
            if isinstance(slot, str):
                self._held[slot] = str(memory.metadata.get("value", ""))
            if slot == "name":
                self._voice = Voice(str(memory.metadata.get("name", "")) or None)

    def work_on(self, turns: Sequence[_Turn]) -> None:
        """Adds the drafts of one session."""
        begun = len(self.drafts)
        for turn in turns:
            self._add_secrets(turn)
            self._add_facts(turn)
        threads = find_threads([(turn.sentences, turn.reply) for turn in turns], self._voice)
        solved = [self._add_procedure(thread, turns) for thread in threads]
        # Procedures that work, or that nothing more was said about, need no second telling.
        told = all(solved) and all(each.worked or not each.outcomes for each in threads)
        if threads and not told:
            self._add_summary(turns, threads)
        elif not threads:
            self._add_report(turns)
        self._add_artifacts(turns, threads, begun)

    def _add_secrets(self, turn: _Turn) -> None:
        for kind, count in Counter(turn.secrets).items():
            who = self._voice.subject
            article = "an" if kind[0] in "aA" else "a"
            content = sentence_case(
                f"{who} pasted {article} {kind}, kept here only as [masked {kind}]"
            )
            self._add(
                ARTIFACT_REF,
                content,
                NAMED,
                (turn,),
                tags=("secret",),
                labels=("secret",),
                masked=count,
            )

    def _add_facts(self, turn: _Turn) -> None:
        for clause in stated_clauses(turn.sentences):
            if MASK in clause.text:
                continue
            for fact in read_clause(clause, self._voice, _READERS):
                if QUOTE_MARK in fact.content:
                    continue
                self._add_fact(fact, turn)

    def _add_fact(self, fact: Fact, turn: _Turn) -> None:
        slot = resolve_slot(fact, (Held(*item) for item in self._held.items()))
        metadata = {"value": fact.value} if fact.value else {}
        if fact.name:
            self._voice = Voice(fact.name)
            metadata["name"] = fact.name
        content = fact.content
        if is_relative_date(content):
            content = f"{content[:-1]} (said on {turn.when.day} {turn.when:%B %Y})."
        if slot:
            self._held.pop(slot, None)
            self._held[slot] = fact.value
        tags = (fact.category, *_tool_tags(content))
        self._add(
            PROFILE_FACT, content, fact.confidence, (turn,), slot=slot, tags=tags, metadata=metadata
        )

    def _add_procedure(self, thread: Thread, turns: Sequence[_Turn]) -> bool:
        replies = [turns[number].reply for number in thread.turns]
        text = find_procedure(thread.topic, replies, worked=thread.worked)
        if text:
            sources = [turns[number] for number in thread.turns]
            self._add(
                PROCEDURE,
                text,
                CONFIRMED if thread.worked else FROM_A_REPLY,
                sources,
                tags=_tool_tags(text),
            )
        return bool(text)

    def _add_artifacts(self, turns: Sequence[_Turn], threads: Sequence[Thread], begun: int) -> None:
        """Adds what this session's drafts, from `begun` on, do not name already."""
        told = " ".join(draft.content for draft in self.drafts[begun:])
        topic = threads[0].topic if threads else None
        count = 0
        for turn in turns:
            for artifact in find_artifacts(turn.sentences, topic, self._voice):
                if count == MAX_PER_SESSION or _is_told(artifact, told):
                    continue
                told += artifact.content
                count += 1
                tags = (artifact.kind.lower(), artifact.name)
                self._add(ARTIFACT_REF, artifact.content, NAMED, (turn,), tags=tags)

    def _add_summary(self, turns: Sequence[_Turn], threads: Sequence[Thread]) -> None:
        text = summarise(threads, [turn.reply for turn in turns], self._voice)
        if text:
            self._add(EPISODE_SUMMARY, text, NAMED, turns, tags=_tool_tags(text))

    def _add_report(self, turns: Sequence[_Turn]) -> None:
        """Compiled turn by turn, "that worked" comes without the question it answers."""
        told = [each for turn in turns for each in loose_reports(turn.sentences, self._voice)]
        if text := report(told, self._voice):
            self._add(EPISODE_SUMMARY, text, NAMED, turns, tags=_tool_tags(text))

    def _add(
        self,
        kind: str,
        content: str,
        confidence: float,
        turns: Sequence[_Turn],
        *,
        slot: str | None = None,
        tags: tuple[str, ...] = (),
        labels: tuple[str, ...] = (),
        masked: int = 0,
        metadata: dict[str, str] | None = None,
    ) -> None:
        if count_tokens(content) > MAX_TOKENS:
            return
        self.drafts.append(
            Draft(
                kind=kind,
                content=content,
                confidence=confidence,
                valid_from=turns[-1].when,
                source_episode_ids=tuple(turn.episode.id for turn in turns),
                slot=slot,
                tags=tags,
                labels=labels,
                masked=masked,
                metadata=metadata or {},
            )
        )


def _read(episode: Episode) -> _Turn:
    said = {"user": "", "assistant": ""}
    for message in episode.learnable_messages:
        if message.role in said:
            said[message.role] += f"{message.content}\n\n"
    user, reply = mask_secrets(said["user"]), mask_secrets(said["assistant"])
    return _Turn(episode, user.text, reply.text, split_sentences(user.text), user.kinds)


def _sessions(turns: Sequence[_Turn]) -> list[list[_Turn]]:
    """Turns by session, sessions in the order they began; without an id each turn is its own."""
    sessions: dict[str, list[_Turn]] = {}
    for number, turn in enumerate(turns):
        sessions.setdefault(turn.episode.session_id or f"\0{number}", []).append(turn)
    return list(sessions.values())


def _is_told(artifact: Artifact, told: str) -> bool:
    """True when other drafts name the artifact and most of what is said of it."""
    words = re.findall(r"\w{4,}", artifact.content)
    return artifact.name in told and sum(word in told for word in words) >= 0.6 * len(words)


def _tool_tags(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tool.value for tool in find_tools(text)))
