"""Threads that record, compile, ask, list, search and forget on one store, all at once.

`python -m tests.support.mixed_load FILE THREADS SECONDS NAME` prints one JSON object: how many
calls of each kind there were, their times in ms, and the errors.
"""

import json
import random
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from lib.embedded import EmbeddedRuntime
from lib.errors import InputError, StatewaveError
from lib.models import Message, NewEpisode
from lib.protocol import MemoryRuntime
from tests.support.plain_compiler import PlainCompiler

SUBJECTS = ("ada", "bob", "cleo")
TASKS = ("Where does the person live?", "Which notes are kept?", "What was filed last?")


@dataclass(slots=True)
class Load:
    """What the threads of one process did; times in ms."""

    times: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)
    recorded: int = 0


def run_load(runtime: MemoryRuntime, *, threads: int, seconds: float, name: str) -> Load:
    """What `threads` threads could do in `seconds`, each call chosen at random."""
    load, guard, end = Load(), threading.Lock(), time.monotonic() + seconds

    def work(number: int) -> None:
        chance = random.Random(f"{name}-{number}")
        calls = _calls(runtime, chance, label=f"{name}-{number}")
        while time.monotonic() < end:
            (kind,) = chance.choices(list(_WEIGHTS), weights=list(_WEIGHTS.values()))
            started = time.perf_counter()
            try:
                stored = calls[kind]()
            except StatewaveError as error:
                with guard:
                    load.errors.append(f"{kind}: {error}")
                continue
            with guard:
                load.times[kind].append((time.perf_counter() - started) * 1000)
                load.recorded += stored

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return load


_WEIGHTS = {
    "record": 30,
    "batch": 4,
    "compile": 6,
    "context": 30,
    "list": 10,
    "search": 10,
    "timeline": 6,
    "forget": 4,
}


def _calls(
    runtime: MemoryRuntime, chance: random.Random, *, label: str
) -> dict[str, Callable[[], int]]:
    """Call by name; each gives how many episodes it stored."""

    def subject() -> str:
        return chance.choice(SUBJECTS)

    def said() -> str:
        return f"I keep note {chance.randrange(10**6)} of {label}."

    def record() -> int:
        runtime.record_episode(subject(), said(), session_id=label)
        return 1

    def batch() -> int:
        episodes = [NewEpisode((Message("user", said()),)) for _ in range(5)]
        return len(runtime.record_episodes(subject(), episodes))

    def forget() -> int:
        whose = subject()
        memories = runtime.list_memories(whose).memories
        if memories:
            try:
                runtime.forget_memory(whose, chance.choice(memories).id)
            except InputError:
                # Another thread has forgotten it meanwhile.
                return 0
        return 0

    def none(call: Callable[[], object]) -> Callable[[], int]:
        def ask() -> int:
            call()
            return 0

        return ask

    return {
        "record": record,
        "batch": batch,
        "forget": forget,
        "compile": none(lambda: runtime.compile_memories(subject())),
        "context": none(lambda: runtime.get_context(subject(), chance.choice(TASKS))),
        "list": none(lambda: runtime.list_memories(subject())),
        "search": none(lambda: runtime.search_memories(subject(), "note")),
        "timeline": none(lambda: runtime.timeline(subject())),
    }


def main() -> None:
    path, threads, seconds, name = sys.argv[1:]
    runtime = EmbeddedRuntime(Path(path), compiler=PlainCompiler())
    load = run_load(runtime, threads=int(threads), seconds=float(seconds), name=name)
    runtime.close()
    print(json.dumps({"times": load.times, "errors": load.errors, "recorded": load.recorded}))


if __name__ == "__main__":
    main()
