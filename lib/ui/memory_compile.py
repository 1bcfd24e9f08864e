"""The Memory page's compile area: what is pending, the button, and what the last compile did."""

from collections.abc import Iterable, Sequence

import streamlit as st

from lib import resources
from lib.errors import InputError
from lib.inspection import SubjectMemory
from lib.models import CompileReport, Memory, Skipped
from lib.state import Outcome, app_state
from lib.theme import kind_look
from lib.ui import compiling, memory_actions
from lib.ui.text import literal

_LISTED = 12
_COMPILERS = {"": "the server's compiler", "offline": "the offline compiler"}
_REASONS = {
    "question": "only asked something",
    "nothing": "said nothing lasting about the subject",
    "no_words": "held no sentence of the subject (code, logs, nothing)",
    "stopped": "had a reply that was stopped, and nothing else",
    "ungrounded": "proposed by the model, but not said anywhere",
    "secret": "would have repeated a secret",
}


def settle(subject_id: str) -> None:
    """Takes what a compile has done since the last look; call it before the subject is read."""
    job = compiling.settle(subject_id)
    if job is None:
        return
    error = job.error
    if error is None and job.report is None:
        error = InputError(
            "This subject is being compiled already; its memories are here in a moment."
        )
    if error is not None:
        app_state().outcome = Outcome(None, error=error)


def draw(subject_id: str, pending: int) -> None:
    """Pending episodes with the button that compiles them, or how far that is."""
    if compiling.is_under_way(subject_id):
        compiling.watch(subject_id)
    elif pending:
        with st.container(horizontal=True, vertical_alignment="center", width="content"):
            st.markdown(
                f"{pending:,} {_noun(pending, 'episode')} pending",
                width="content",
                help="Recorded, and not compiled into memories yet.",
            )
            st.button(
                "Compile now",
                key="memory_compile",
                icon=":material/auto_awesome:",
                on_click=compiling.start,
                args=(subject_id,),
                help=_how(),
            )


def draw_report(subject: SubjectMemory) -> None:
    """What the last compile of this visit made of the subject's episodes, and what it left out."""
    report = app_state().compiled.get(subject.subject_id)
    if report is None:
        return
    with st.expander(_headline(report), icon=":material/auto_awesome:"):
        for note in report.notes:
            st.markdown(f":material/info: {literal(note)}")
        made = [each for each in report.created if each.id not in report.superseded_ids]
        _draw_memories("Made", made, subject)
        _draw_memories("Superseded", _named(subject, report.superseded_ids), subject)
        _draw_memories("Said again", _named(subject, report.merged_ids), subject)
        if report.masked:
            count = f"{report.masked:,} {_noun(report.masked, 'secret')}"
            st.markdown(f"**Masked**: {count} replaced before anything was stored")
        _draw_skipped(report)


def _how() -> str:
    """What the button does with the words, where that is more than reading them here."""
    settings = resources.app_settings()
    if settings.runtime == "statewave":
        return "The server reads the pending episodes with its own compiler."
    if settings.statewave_compiler == "llm":
        return (
            f"{literal(settings.openai_model)} reads the pending episodes, secrets masked; "
            "the offline compiler stands in where it fails."
        )
    return "The offline compiler reads the pending episodes by rules; nothing leaves this machine."


def _headline(report: CompileReport) -> str:
    by = literal(_COMPILERS.get(report.compiler, report.compiler))
    made = len(report.created) - sum(each.id in report.superseded_ids for each in report.created)
    skipped = sum(report.skipped_counts.values())
    figures = [
        f"{made:,} made",
        *(
            f"{number:,} {word}"
            for number, word in (
                (len(report.superseded_ids), "superseded"),
                (report.merged, "merged"),
                (report.masked, "masked"),
                (skipped, "skipped"),
            )
            if number
        ),
    ]
    read = f"{report.episodes_compiled:,} {_noun(report.episodes_compiled, 'episode')}"
    return f"Last compile: {' · '.join(figures)} from {read} by {by}"


def _named(subject: SubjectMemory, ids: Iterable[str]) -> list[Memory]:
    return [memory for id_ in ids if (memory := subject.memory(id_))]


def _draw_memories(title: str, memories: Sequence[Memory], subject: SubjectMemory) -> None:
    if not memories:
        return
    st.markdown(f"**{title}**: {len(memories):,}")
    with st.container(gap="xxsmall"):
        for memory in memories[:_LISTED]:
            look = kind_look(memory.kind)
            st.button(
                literal(memory.content),
                key=f"compiled_{title}_{memory.id}",
                icon=look.icon,
                type="tertiary",
                help=f"{look.label}: open it",
                on_click=memory_actions.open_memory,
                args=(memory.id,),
            )
            newer = subject.replacement(memory)
            if newer:
                st.caption(f"by {literal(newer.content)}")
    if len(memories) > _LISTED:
        st.caption(f"{len(memories) - _LISTED:,} more in the table below.")


def _draw_skipped(report: CompileReport) -> None:
    total = sum(report.skipped_counts.values())
    if not total:
        return
    st.markdown(f"**Skipped**: {total:,}")
    for reason, count in report.skipped_counts.items():
        listed = [each for each in report.skipped if each.reason == reason]
        st.markdown("\n".join([f"- {count:,} {why_skipped(reason)}", *map(_quoted, listed[:3])]))


def why_skipped(reason: str) -> str:
    """Why something became no memory, in words."""
    return _REASONS.get(reason, literal(reason))


def _quoted(skipped: Skipped) -> str:
    return f"  - “{literal(skipped.text)}”" if skipped.text else "  - (no text)"


def _noun(number: int, one: str) -> str:
    return one if number == 1 else f"{one}s"
