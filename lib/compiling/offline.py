"""Offline compiler: episodes to memories by rules, without a network or a model."""

import re
from collections import Counter
from collections.abc import Sequence

from lib.compiling.artifacts import MAX_PER_SESSION, Artifact, find_artifacts
from lib.compiling.clauses import Clause, own_sentences, stated_clauses
from lib.compiling.confirmations import Procedures, worked
from lib.compiling.corrections import Correction, find_correction
from lib.compiling.draft import Draft
from lib.compiling.facts import SAID_IN_PASSING, SAID_OUTRIGHT, Fact, read_clause
from lib.compiling.grammar import Voice, sentence_case
from lib.compiling.identity import read_home, read_name, read_role, read_work
from lib.compiling.intents import read_limit, read_plan, read_preference, read_project
from lib.compiling.languages import foreign_statements
from lib.compiling.lexicon import find_tools
from lib.compiling.people import read_people, read_traits
from lib.compiling.persons import Persons
from lib.compiling.phrases import is_relative_date
from lib.compiling.procedures import find_procedure, reported_fix
from lib.compiling.quotations import introductions, lists, quoted
from lib.compiling.secrets import MASK
from lib.compiling.sentences import QUOTE_MARK
from lib.compiling.signatures import roster
from lib.compiling.stack import read_change, read_stack
from lib.compiling.statements import asked_for, read_statement, read_wish
from lib.compiling.states import read_state
from lib.compiling.summaries import report, summarise
from lib.compiling.threads import Thread, find_threads, good_news, loose_reports
from lib.compiling.turns import Turn, by_session, read_turns
from lib.models import ARTIFACT_REF, EPISODE_SUMMARY, PROCEDURE, PROFILE_FACT, Episode, Memory
from lib.tokens import count_tokens

MAX_TOKENS = 60
FROM_A_REPLY = 0.6
CONFIRMED = 0.8
NAMED = 0.7

_READERS = (
    read_name, read_role, read_work, read_home, read_people, read_plan, read_limit, read_project,
    read_change, read_stack, read_state, read_preference, read_traits, read_wish, read_statement,
)  # fmt: skip


_MINE = re.compile(r"\b(?:I|[Mm]y|[Mm]ine|[Mm]e)\b")


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
        turns = [turn for episode in episodes for turn in read_turns(episode)]
        for session in by_session(turns):
            desk.work_on(session)
        return desk.drafts


class _Desk:
    """What is known of the subject while its sessions are read one after the other."""

    def __init__(self, known: Sequence[Memory]) -> None:
        self.drafts: list[Draft] = []
        self._persons = Persons(known)
        self._person = self._persons.named("")
        self._procedures = Procedures(known)
        self._told_members = {str(m.metadata["member"]) for m in known if "member" in m.metadata}

    @property
    def _voice(self) -> Voice:
        return self._person.voice

    def work_on(self, turns: Sequence[Turn]) -> None:
        """Adds the drafts of one session."""
        begun = len(self.drafts)
        if not any(turn.speaker for turn in turns):
            turns = self._persons.sign(turns)
        for turn in turns:
            self._person = self._persons.named(turn.speaker)
            if turn.shared:
                self._add_members(turn)
            self._add_secrets(turn)
            self._add_facts(turn)
        if not any(turn.advised for turn in turns):
            # People among themselves give no advice to keep, and their jokes make no summary.
            self._add_artifacts(turns, [], begun)
            self._add_fixes(turns)
            return
        threads = find_threads([(turn.sentences, turn.reply) for turn in turns], self._voice)
        confirmed = self._add_confirmations(turns, threads)
        solved = [self._add_procedure(thread, turns) for thread in threads]
        # Procedures that work, or that nothing more was said about, need no second telling.
        told = all(solved) and all(each.worked or not each.outcomes for each in threads)
        if threads and not told:
            self._add_summary(turns, threads)
        elif not threads and not confirmed and not self._add_fixes(turns):
            self._add_report(turns)
        self._add_artifacts(turns, threads, begun)

    def _add_secrets(self, turn: Turn) -> None:
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

    def _add_facts(self, turn: Turn) -> None:
        own = own_sentences(turn.sentences)
        told = [""] * len(own)
        before = self._person.contents()
        for clause in stated_clauses(turn.sentences):
            self._person = self._persons.named(turn.speaker)
            if MASK in clause.text or not self._is_somebodys(clause, turn):
                continue
            if turn.shared and not _MINE.search(clause.text):
                self._person = self._persons.named("")
            for fact in read_clause(clause, self._voice, _READERS):
                if QUOTE_MARK in fact.content or (fact.name and turn.shared):
                    continue
                told[clause.sentence] += f" {fact.content}"
                self._add_fact(fact, turn)
        self._person = self._persons.named(turn.speaker)
        now = self._person.contents()
        unchanged = {slot: text for slot, text in before.items() if now[slot] == text}
        correction = (
            None
            if turn.shared
            else find_correction(own, unchanged, self._voice, has_facts=any(told))
        )
        if correction:
            self._add_correction(correction, turn)
        foreign = [
            quoted(text, self._voice, language=name) for text, name in foreign_statements(own)
        ]
        if foreign or (turn.speaker and not turn.shared):
            quotations = foreign
        else:
            quotations = [asked_for(each.text, self._voice) for each in own if not each.asks]
            quotations += introductions(own, told, self._voice)
            quotations += lists(own, self._voice)
        for content in quotations:
            self._add_quotation(content, turn)

    def _is_somebodys(self, clause: Clause, turn: Turn) -> bool:
        """False for "we" among people who talk to each other, and for an "I" nobody signed."""
        if turn.shared:
            named = clause.text[:1].isupper() and not _MINE.match(clause.text)
            return bool(turn.speaker) or named or not _MINE.search(clause.text)
        return not (turn.speaker and clause.text.startswith(("we ", "our ")))

    def _add_members(self, turn: Turn) -> None:
        """Who shares the account: the roster somebody gives, and whoever signs first."""
        for name, what in roster(turn.sentences):
            self._persons.share(name)
            self._told_members.add(name)
            owned = re.search(r"\bowns? ([a-z]+-[a-z-]+)", what)
            for service in [owned[1]] if owned else ():
                slot = self._person.hold(f"team:owner {service}", name.lower(), "")
                self._add(
                    PROFILE_FACT, f"{name} owns {service}.", SAID_OUTRIGHT, (turn,), slot=slot
                )
            content = sentence_case(f"{name} is in the team: {what}")
            self._add(
                PROFILE_FACT,
                content,
                SAID_OUTRIGHT,
                (turn,),
                tags=("team",),
                metadata={"member": name},
            )
        if turn.speaker and turn.speaker not in self._told_members:
            self._told_members.add(turn.speaker)
            content = f"{turn.speaker} is in the team that shares this assistant."
            self._add(
                PROFILE_FACT, content, SAID_OUTRIGHT, (turn,), slot=f"{turn.speaker}/name",
                tags=("team",), metadata={"member": turn.speaker, "value": turn.speaker.lower()},
            )  # fmt: skip

    def _add_correction(self, correction: Correction, turn: Turn) -> None:
        content = _dated(correction.content, turn)
        slot = self._person.hold(correction.slot, "", content)
        tags = ("correction", *_tool_tags(content))
        self._add(PROFILE_FACT, content, SAID_IN_PASSING, (turn,), slot=slot, tags=tags)

    def _add_quotation(self, content: str, turn: Turn) -> None:
        if not content:
            return
        content = _dated(content, turn)
        tags = ("in own words", *_tool_tags(content))
        self._add(PROFILE_FACT, content, SAID_IN_PASSING, (turn,), tags=tags)

    def _add_fact(self, fact: Fact, turn: Turn) -> None:
        content = _dated(fact.content, turn)
        slot = self._person.take(fact, content)
        metadata = {"value": fact.value} if fact.value else {}
        if fact.name:
            metadata["name"] = fact.name
        tags = (fact.category, *_tool_tags(content))
        self._add(
            PROFILE_FACT, content, fact.confidence, (turn,), slot=slot, tags=tags, metadata=metadata
        )

    def _add_procedure(self, thread: Thread, turns: Sequence[Turn]) -> bool:
        replies = [turns[number].reply for number in thread.turns]
        text = find_procedure(thread.topic, replies, worked=thread.worked)
        if text:
            self._keep_procedure(text, [turns[number] for number in thread.turns])
        return bool(text)

    def _add_confirmations(self, turns: Sequence[Turn], threads: Sequence[Thread]) -> bool:
        """Marks procedures of earlier compiles that the first turns say have worked."""
        first = threads[0].turns[0] if threads else len(turns) - 1
        confirmed = False
        for turn in turns[: first + 1]:
            news = good_news(turn.sentences)
            held = self._procedures.meant_by(news, turn.episode.session_id) if news else None
            if held is not None:
                self._keep_procedure(worked(held.content), (turn,), earlier=held.sources)
                confirmed = True
        return confirmed

    def _add_fixes(self, turns: Sequence[Turn]) -> bool:
        found = False
        for turn in turns:
            if text := reported_fix(own_sentences(turn.sentences), self._voice):
                self._keep_procedure(text, (turn,))
                found = True
        return found

    def _keep_procedure(
        self, text: str, turns: Sequence[Turn], *, earlier: tuple[str, ...] = ()
    ) -> None:
        session = turns[-1].episode.session_id or ""
        sources = (*earlier, *(turn.episode.id for turn in turns))
        held = self._procedures.keep(text, session, sources)
        self._add(
            PROCEDURE,
            held.content,
            CONFIRMED if held.has_worked else FROM_A_REPLY,
            turns,
            slot=held.slot,
            tags=_tool_tags(text),
            metadata={"session": session} if session else {},
            sources=sources,
        )

    def _add_artifacts(self, turns: Sequence[Turn], threads: Sequence[Thread], begun: int) -> None:
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

    def _add_summary(self, turns: Sequence[Turn], threads: Sequence[Thread]) -> None:
        text = summarise(threads, [turn.reply for turn in turns], self._voice)
        if text:
            self._add(EPISODE_SUMMARY, text, NAMED, turns, tags=_tool_tags(text))

    def _add_report(self, turns: Sequence[Turn]) -> None:
        """Compiled turn by turn, "that worked" comes without the question it answers."""
        told = [each for turn in turns for each in loose_reports(turn.sentences, self._voice)]
        if text := report(told, self._voice):
            self._add(EPISODE_SUMMARY, text, NAMED, turns, tags=_tool_tags(text))

    def _add(
        self,
        kind: str,
        content: str,
        confidence: float,
        turns: Sequence[Turn],
        *,
        slot: str | None = None,
        tags: tuple[str, ...] = (),
        labels: tuple[str, ...] = (),
        masked: int = 0,
        metadata: dict[str, str] | None = None,
        sources: tuple[str, ...] = (),
    ) -> None:
        if count_tokens(content) > MAX_TOKENS:
            return
        who = {"speaker": turns[-1].speaker} if turns[-1].speaker else {}
        self.drafts.append(
            Draft(
                kind=kind,
                content=content,
                confidence=confidence,
                valid_from=turns[-1].when,
                source_episode_ids=sources or tuple(turn.episode.id for turn in turns),
                slot=slot,
                tags=tags,
                labels=labels,
                masked=masked,
                metadata={**(metadata or {}), **who},
            )
        )


def _dated(content: str, turn: Turn) -> str:
    """`content` with the day it was said where a date in it is only clear with that."""
    if is_relative_date(content):
        return f"{content[:-1]} (said on {turn.when.day} {turn.when:%B %Y})."
    return content


def _is_told(artifact: Artifact, told: str) -> bool:
    """True when other drafts name the artifact and most of what is said of it."""
    words = re.findall(r"\w{4,}", artifact.content)
    return artifact.name in told and sum(word in told for word in words) >= 0.6 * len(words)


def _tool_tags(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tool.value for tool in find_tools(text)))
