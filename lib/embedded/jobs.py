"""Jobs: compiles that run while the caller asks how far they are."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from uuid import uuid4

from lib.errors import StatewaveError
from lib.models import CompileReport
from lib.protocol import MemoryRuntime

JOBS_KEPT = 1000
"""Older ones are forgotten; whoever asks for one is told so."""

_LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class Job:
    """One compile; `report` once it is completed, `error` once it has failed."""

    id: str
    subject_id: str
    status: str = "pending"
    done: int = 0
    total: int = 0
    report: CompileReport | None = None
    error: str | None = None


class CompileJobs:
    """Starts compiles in the background, each in a thread of its own."""

    def __init__(
        self, runtime: MemoryRuntime, *, new_id: Callable[[], str] = lambda: uuid4().hex[:8]
    ) -> None:
        self._runtime = runtime
        self._new_id = new_id
        self._lock = threading.Lock()
        self._jobs: OrderedDict[str, Job] = OrderedDict()

    def start(self, subject_id: str) -> Job:
        """The new job; it has not begun when this returns."""
        job = Job(self._new_id(), subject_id)
        with self._lock:
            self._jobs[job.id] = job
            while len(self._jobs) > JOBS_KEPT:
                self._jobs.popitem(last=False)
        # A daemon: stopping the server ends it, and the store undoes what was half written.
        threading.Thread(target=self._run, args=(job,), daemon=True).start()
        return job

    def find(self, job_id: str) -> Job | None:
        """The job, or None for one that is unknown or forgotten."""
        with self._lock:
            return self._jobs.get(job_id)

    def _run(self, job: Job) -> None:
        def hear(done: int, total: int) -> None:
            job.done, job.total = done, total

        job.status = "running"
        try:
            job.report = self._runtime.compile_memories(job.subject_id, on_progress=hear)
        except StatewaveError as error:
            job.error, job.status = str(error), "failed"
        except Exception:  # noqa: BLE001 - nobody else would ever hear of it
            _LOG.exception("compile job %s failed", job.id)
            job.error, job.status = "An unexpected error occurred", "failed"
        else:
            job.status = "completed"
