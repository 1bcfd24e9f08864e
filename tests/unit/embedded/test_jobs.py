"""Compile jobs: their states, their progress, their failures, and how many are kept."""

import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from threading import Event

import pytest

from lib.embedded.jobs import JOBS_KEPT, CompileJobs, Job
from lib.embedded.runtime import EmbeddedRuntime
from lib.errors import StoreError
from lib.models import CompileReport
from lib.protocol import Progress
from tests.support.plain_compiler import PlainCompiler

Behaviour = Callable[[Progress | None], CompileReport]


class SlowRuntime(EmbeddedRuntime):
    """Compiles as it was told to."""

    behaviour: Behaviour | None = None

    def compile_memories(
        self, subject_id: str, *, on_progress: Progress | None = None
    ) -> CompileReport:
        assert self.behaviour, subject_id
        return self.behaviour(on_progress)


@pytest.fixture
def runtime(tmp_path: Path) -> SlowRuntime:
    return SlowRuntime(tmp_path / "memory.db", compiler=PlainCompiler())


def ended(job: Job) -> Job:
    until = time.monotonic() + 10
    while job.status in ("pending", "running"):
        assert time.monotonic() < until
        time.sleep(0.001)
    return job


def test_a_job_runs_tells_its_progress_and_is_completed(runtime: SlowRuntime) -> None:
    heard, go = Event(), Event()

    def behaviour(on_progress: Progress | None) -> CompileReport:
        assert on_progress
        on_progress(3, 7)
        heard.set()
        assert go.wait(10)
        return CompileReport("ada", episodes_compiled=7)

    runtime.behaviour = behaviour
    jobs = CompileJobs(runtime)
    job = jobs.start("ada")
    assert heard.wait(10)
    assert jobs.find(job.id) is job
    assert (job.status, job.done, job.total) == ("running", 3, 7)
    go.set()
    assert ended(job).status == "completed"
    assert job.report == CompileReport("ada", episodes_compiled=7)


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (StoreError("The disk is full."), "The disk is full."),
        (RuntimeError("secret path"), "An unexpected error occurred"),
    ],
    ids=["explained", "unforeseen"],
)
def test_a_job_that_fails_says_why_as_far_as_it_may(
    runtime: SlowRuntime, failure: Exception, said: str
) -> None:
    def behaviour(_: Progress | None) -> CompileReport:
        raise failure

    runtime.behaviour = behaviour
    job = ended(CompileJobs(runtime).start("ada"))
    assert (job.status, job.error, job.report) == ("failed", said, None)


def test_old_jobs_are_forgotten(runtime: SlowRuntime) -> None:
    runtime.behaviour = lambda _: CompileReport("ada")
    ids = count()
    jobs = CompileJobs(runtime, new_id=lambda: str(next(ids)))
    for _ in range(JOBS_KEPT + 1):
        ended(jobs.start("ada"))
    assert jobs.find("0") is None
    assert jobs.find("1") is not None
