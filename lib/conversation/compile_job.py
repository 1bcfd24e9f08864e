"""A compile in a thread of its own, so that leaving the page does not end it."""

from threading import Event, Thread

from lib.conversation.recording import compile_once, compile_when_due
from lib.errors import StatewaveError
from lib.gate import CompileGate
from lib.models import CompileReport
from lib.protocol import MemoryRuntime


class CompileJob:
    """One compile under way; started when it is made.

    With `every` it compiles only once so many episodes are pending. When it has finished there is
    a report, or an error, or neither: nothing was due, or somebody else was compiling.
    """

    def __init__(
        self, runtime: MemoryRuntime, subject_id: str, *, gate: CompileGate, every: int | None
    ) -> None:
        self.subject_id = subject_id
        self.done, self.total = 0, 0
        """Episodes read, of how many; 0 of 0 while the runtime tells nothing."""
        self.report: CompileReport | None = None
        self.error: StatewaveError | None = None
        self._runtime, self._gate, self._every = runtime, gate, every
        self._finished = Event()
        Thread(target=self._run, name="compile-job", daemon=True).start()

    @property
    def finished(self) -> bool:
        """True when nothing more will come."""
        return self._finished.is_set()

    def wait(self, timeout_s: float) -> bool:
        """True once it has finished, within `timeout_s` seconds."""
        return self._finished.wait(timeout_s)

    def _run(self) -> None:
        try:
            self.report = self._compile()
        except StatewaveError as error:
            self.error = error
        finally:
            self._finished.set()

    def _compile(self) -> CompileReport | None:
        runtime, gate, hear = self._runtime, self._gate, self._hear
        if self._every is None:
            return compile_once(runtime, self.subject_id, gate=gate, on_progress=hear)
        return compile_when_due(
            runtime, self.subject_id, every=self._every, gate=gate, on_progress=hear
        )

    def _hear(self, done: int, total: int) -> None:
        self.done, self.total = done, total
