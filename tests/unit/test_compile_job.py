"""A compile in the background: what it leaves behind, and that only one runs."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from lib.compiling.draft import Draft
from lib.compiling.journal import Journal
from lib.conversation import CompileGate, CompileJob
from lib.embedded.runtime import EmbeddedRuntime
from lib.errors import StoreError
from lib.models import Episode, Memory
from tests.support.plain_compiler import PlainCompiler

SOON_S = 10.0


class _HeldCompiler(PlainCompiler):
    """Tells its progress and waits until it may go on."""

    def __init__(self) -> None:
        self.at_work, self.may_go_on = Event(), Event()

    def draft_and_tell(
        self, episodes: Sequence[Episode], *, known: Sequence[Memory], journal: Journal
    ) -> list[Draft]:
        journal.progress(1, len(episodes))
        self.at_work.set()
        self.may_go_on.wait(SOON_S)
        return self.draft(episodes, known=known)


@pytest.fixture
def compiler() -> _HeldCompiler:
    return _HeldCompiler()


@pytest.fixture
def runtime(tmp_path: Path, compiler: _HeldCompiler) -> Iterator[EmbeddedRuntime]:
    engine = EmbeddedRuntime(tmp_path / "memory.db", compiler=compiler)
    engine.record_episode("ada", "Ada lives in Porto.")
    engine.record_episode("ada", "Ada ships on Fridays.")
    yield engine
    engine.close()


def test_a_job_tells_how_far_it_is_and_then_what_it_did(
    runtime: EmbeddedRuntime, compiler: _HeldCompiler
) -> None:
    job = CompileJob(runtime, "ada", gate=CompileGate(), every=None)
    assert compiler.at_work.wait(SOON_S)
    assert (job.done, job.total, job.finished) == (1, 2, False)
    assert not job.wait(0.01)
    compiler.may_go_on.set()
    assert job.wait(SOON_S)
    assert job.report is not None
    assert (job.report.episodes_compiled, job.error) == (2, None)


def test_a_subject_that_is_being_compiled_is_left_alone(
    runtime: EmbeddedRuntime, compiler: _HeldCompiler
) -> None:
    gate = CompileGate()
    first = CompileJob(runtime, "ada", gate=gate, every=None)
    assert compiler.at_work.wait(SOON_S)
    second = CompileJob(runtime, "ada", gate=gate, every=None)
    assert second.wait(SOON_S)
    assert (second.report, second.error) == (None, None)
    compiler.may_go_on.set()
    assert first.wait(SOON_S)
    # The gate is open again.
    with ThreadPoolExecutor(1) as other:
        assert other.submit(gate.enter, "ada").result()


def test_nothing_is_compiled_before_it_is_due(
    runtime: EmbeddedRuntime, compiler: _HeldCompiler
) -> None:
    compiler.may_go_on.set()
    early = CompileJob(runtime, "ada", gate=CompileGate(), every=3)
    assert early.wait(SOON_S)
    assert early.report is None
    due = CompileJob(runtime, "ada", gate=CompileGate(), every=2)
    assert due.wait(SOON_S)
    assert due.report is not None


def test_a_failure_is_kept_for_whoever_asks(runtime: EmbeddedRuntime) -> None:
    runtime.close()
    job = CompileJob(runtime, "ada", gate=CompileGate(), every=None)
    assert job.wait(SOON_S)
    assert isinstance(job.error, StoreError)
    assert job.report is None
