"""Compiling on a server: one at a time per subject, pass after pass, until nothing is left."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain

from lib.errors import StatewaveAPIError, StatewaveConnectionError, StatewaveError
from lib.gate import CompileGate
from lib.models import CompileReport
from lib.protocol import Progress
from lib.statewave.calls import COMPILE_S, Call, Caller
from lib.statewave.cleaning import checked_id, path_segment
from lib.wire import parse_compile
from lib.wire.fields import Fields

JOB_S = 600.0
"""How long a compile may take in all when it runs as a job that is asked for its progress."""

_PATH = "/v1/memories/compile"
_FIRST_POLL_S = 0.05
_SLOWEST_POLL_S = 1.0


@dataclass(frozen=True, slots=True)
class _Pass:
    """The state of one compile call; `report` once it is through, `job_id` where it is a job."""

    job_id: str = ""
    failed: bool = False
    report: CompileReport | None = None
    made: int = 0
    """How many memories the server says it made; its list may be shorter."""
    progress: tuple[int, int] | None = None


class ServerCompiler:
    """Has a server compile; callers of the same process share `gate`."""

    def __init__(
        self,
        caller: Caller,
        *,
        gate: CompileGate,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self._caller = caller
        self._gate = gate
        self._clock, self._sleep = clock, sleep

    def compile(self, subject_id: str, on_progress: Progress | None) -> CompileReport:
        """What all passes together did. A server compiles at most 500 episodes a call and does
        not say whether there are more.

        With `on_progress` the server is asked to work in the background where it can.
        """
        until = self._clock() + (COMPILE_S if on_progress is None else JOB_S)
        if not self._gate.enter(checked_id(subject_id), wait_s=until - self._clock()):
            raise StatewaveConnectionError(
                "This subject is still being compiled for somebody else; try again in a minute."
            )
        try:
            return self._all_passes(subject_id, on_progress, until)
        finally:
            self._gate.leave(subject_id)

    def _all_passes(
        self, subject_id: str, on_progress: Progress | None, until: float
    ) -> CompileReport:
        total = CompileReport(subject_id)
        made = 0
        while True:
            try:
                done = self._one_pass(subject_id, on_progress, until)
            except StatewaveError as error:
                if made:
                    already = f"It had made {made:,} by then; compile again for the rest."
                    error.args = (f"{error} {already}",)
                raise
            assert done.report is not None
            known = {memory.id for memory in total.created}
            fresh = any(memory.id not in known for memory in done.report.created)
            if fresh or done.report.compiler:
                total = _joined(total, done.report)
            made += done.made
            unlisted = done.made - len(done.report.created)
            if unlisted > 0:
                total = replace(total, notes=(*total.notes, _unlisted_note(unlisted)))
            # Ours says everything in one answer. From any other, the end is when nothing new came.
            if done.report.compiler or not (fresh or unlisted > 0):
                return total
            if on_progress is not None:
                on_progress(total.episodes_compiled, total.episodes_compiled)

    def _one_pass(self, subject_id: str, on_progress: Progress | None, until: float) -> _Pass:
        if on_progress is None:
            return self._start({"subject_id": subject_id}, until, wait=True)
        body = {"subject_id": subject_id, "async": True}
        for _ in range(2):
            state = self._follow(self._start(body, until, wait=False), on_progress, until)
            if not state.failed:
                return state
        raise StatewaveAPIError(
            "The server failed while compiling (an error of its own); its log says why.",
            status=500,
            code="compile_failed",
        )

    def _start(self, body: dict[str, object], until: float, *, wait: bool) -> _Pass:
        left = until - self._clock()
        call = Call(
            "POST",
            _PATH,
            body=body,
            deadline_s=left if wait else min(left, self._caller.call_s),
            # Broken off, it may still be at work, and a second one would make everything twice.
            answered_only=True,
        )
        return self._caller.call(call, _parse_pass)

    def _follow(self, state: _Pass, on_progress: Progress, until: float) -> _Pass:
        pause = _FIRST_POLL_S
        while state.report is None and not state.failed:
            if self._clock() + pause >= until:
                raise StatewaveConnectionError(
                    f"The server was not done compiling within {JOB_S:g} s; it goes on, and what "
                    "it makes will appear."
                )
            self._sleep(pause)
            pause = min(pause * 2, _SLOWEST_POLL_S)
            path = f"{_PATH}/{path_segment(state.job_id, 'job id')}"
            left = min(until - self._clock(), self._caller.call_s)
            state = self._caller.call(Call("GET", path, deadline_s=left), _parse_pass)
            if state.progress is not None:
                on_progress(*state.progress)
        return state


def _parse_pass(data: object) -> _Pass:
    fields = Fields(data, "a compile answer")
    job_id = fields.text("job_id", "")
    status = fields.text("status", "completed")
    if status == "failed":
        # Its `error` is the raw text of an exception: nothing for a visitor.
        return _Pass(job_id, failed=True)
    if status in ("pending", "running"):
        done = Fields(fields.mapping("progress"), "`progress`")
        told = (done.count("done"), done.count("total")) if fields.has("progress") else None
        return _Pass(job_id or fields.text("job_id"), progress=told)
    report = parse_compile(data)
    return _Pass(job_id, report=report, made=fields.count("memories_created", len(report.created)))


def _joined(first: CompileReport, second: CompileReport) -> CompileReport:
    counts = {
        reason: first.skipped_counts.get(reason, 0) + second.skipped_counts.get(reason, 0)
        for reason in chain(first.skipped_counts, second.skipped_counts)
    }
    return replace(
        second,
        created=first.created + second.created,
        superseded_ids=first.superseded_ids + second.superseded_ids,
        merged=first.merged + second.merged,
        masked=first.masked + second.masked,
        episodes_compiled=first.episodes_compiled + second.episodes_compiled,
        merged_ids=first.merged_ids + second.merged_ids,
        skipped=first.skipped + second.skipped,
        skipped_counts=counts,
        notes=first.notes + second.notes,
    )


def _unlisted_note(count: int) -> str:
    return f"More was made than is listed here ({count:,}); the memory list has it all."
