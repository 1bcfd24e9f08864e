"""How fast the embedded engine is: `python -m tests.benchmarks.bench_engine 1000 10000`.

Prints the median of each operation. Targets: get_context 3 ms at 1,000 memories, 8 ms at 10,000
and 40 ms at 100,000; record 1 ms; compile 1,000 episodes/s; a sweep twice one get_context; the
first query on a cold subject of 10,000 within 300 ms.

Vectors are made up (random, of the real length), so that their number costs what it would while
nothing waits for the model; what the model itself costs is printed at the end. A task is new once
and asked again afterwards, as the 40 points of a sweep ask it.
"""

import platform
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from lib.compiling.draft import Draft
from lib.embedded import EmbeddedRuntime
from lib.embedding import MiniLmEmbedder
from lib.models import Episode, Memory, Message, NewEpisode

_START = datetime(2026, 1, 5, 9, tzinfo=UTC)
_SYLLABLES = ("ka", "lo", "mi", "ren", "to", "su", "ve", "pol", "dra", "nis", "ge", "fir")
_TOPICS = ("database", "deployment", "queue", "tokens", "streaming", "retries", "cache", "login")
_TASKS = (
    "How do we configure the database for the queue?",
    "Which retries does the streaming deployment use?",
    "Where are tokens kept in the cache?",
    "What broke the login last week?",
)
_INDEXED_WITHIN_S = 3600.0
_BUDGETS = [20 + 200 * step for step in range(40)]


class _OnePerEpisode:
    """One memory for each episode, so that counts are known beforehand."""

    name = "benchmark"

    def draft(
        self,
        episodes: Sequence[Episode],
        *,
        known: Sequence[Memory] = (),  # noqa: ARG002
    ) -> list[Draft]:
        return [
            Draft(
                kind=("profile_fact", "procedure", "artifact_ref", "episode_summary")[number % 4],
                content=episode.messages[0].content.replace("I ", "The person "),
                confidence=0.7,
                valid_from=episode.when,
                source_episode_ids=(episode.id,),
            )
            for number, episode in enumerate(episodes)
        ]


class _MadeUpVectors:
    """Vectors at no cost, of the model's length."""

    name = "made up"
    dimensions = MiniLmEmbedder.dimensions

    def __init__(self) -> None:
        self._chance = np.random.default_rng(7)

    def embed(self, texts: list[str]) -> NDArray[np.float32]:
        rows = self._chance.normal(size=(len(texts), self.dimensions)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows


def _episodes(count: int, seed: int) -> list[NewEpisode]:
    chance = random.Random(seed)
    words = ["".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4))) for _ in range(4000)]
    return [
        NewEpisode(
            (
                Message(
                    "user",
                    f"I keep the {chance.choice(_TOPICS)} of {' '.join(chance.choices(words, k=8))}"
                    f" in {chance.choice(words)} number {number}",
                ),
                Message("assistant", f"Then {' '.join(chance.choices(words, k=12))} will do."),
            ),
            session_id=f"s{number // 20}",
            occurred_at=_START + timedelta(minutes=number),
        )
        for number in range(count)
    ]


def _median_ms(action: Callable[[int], object], repeats: int) -> float:
    times = []
    for number in range(repeats):
        start = time.perf_counter()
        action(number)
        times.append((time.perf_counter() - start) * 1000)
    return median(times)


def _fill(runtime: EmbeddedRuntime, memories: int) -> None:
    episodes = _episodes(memories, seed=memories)
    recorded = _median_ms(lambda _: runtime.record_episodes("ada", episodes), 1)
    compiled = _median_ms(lambda _: runtime.compile_memories("ada"), 1)
    indexed = _median_ms(lambda _: runtime.wait_until_indexed(_INDEXED_WITHIN_S), 1)
    print(f"{memories:>7,} memories and as many episodes")
    print(f"  record a batch              {memories / recorded * 1000:9,.0f} episodes/s")
    print(f"  compile                     {memories / compiled * 1000:9,.0f} episodes/s")
    print(f"  store vectors after that    {indexed / 1000:9.1f} s")


def _measure(runtime: EmbeddedRuntime) -> None:
    def context(number: int, max_tokens: int = 800) -> object:
        return runtime.get_context("ada", _TASKS[number % len(_TASKS)], max_tokens=max_tokens)

    def sweep(number: int) -> object:
        return list(runtime.sweep_context("ada", _TASKS[number % len(_TASKS)], _BUDGETS))

    def record(number: int) -> object:
        return runtime.record_episode("ada", f"I keep note {number} of it")

    def record_and_ask(number: int) -> None:
        record(number)
        context(0)

    rows = {
        "get_context, cold": _median_ms(context, 1),
        "get_context": _median_ms(context, 40),
        "get_context, broad task": _median_ms(
            lambda _: runtime.get_context("ada", "What do you know about me?"), 10
        ),
        "get_context, widest budget": _median_ms(lambda n: context(n, _BUDGETS[-1]), 12),
        "40-point sweep": _median_ms(sweep, 12),
        "record one episode": _median_ms(record, 40),
        "record one, get_context": _median_ms(record_and_ask, 10),
    }
    for name, median_ms in rows.items():
        print(f"  {name:27} {median_ms:9.2f} ms")


def _opened(path: Path) -> EmbeddedRuntime:
    return EmbeddedRuntime(path, compiler=_OnePerEpisode(), embedder=_MadeUpVectors())


def _measure_cold(path: Path) -> None:
    engine = _opened(path)
    engine.wait_until_indexed(_INDEXED_WITHIN_S)
    cold = _median_ms(lambda _: engine.get_context("ada", _TASKS[0]), 1)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*")) / 2**20
    print(f"  first query after a start   {cold:9.2f} ms")
    print(f"  file {size:,.0f} MiB, largest memory of the process so far {memory:,.0f} MiB")
    engine.close()


def _measure_model() -> None:
    model = MiniLmEmbedder()
    load = _median_ms(lambda _: model.embed(["ready"]), 1)
    lines = [" ".join(episode.messages[0].content.split()[:20]) for episode in _episodes(128, 1)]
    one = _median_ms(lambda number: model.embed([lines[number]]), 40)
    batch = _median_ms(lambda _: model.embed(lines), 3) / len(lines)
    print(
        f"model: loads in {load:,.0f} ms, {one:.1f} ms one line, {batch:.1f} ms a line in batches"
    )


if __name__ == "__main__":
    print(f"{platform.machine()}, {platform.python_implementation()} {platform.python_version()}")
    with tempfile.TemporaryDirectory() as scratch:
        for size in [int(argument) for argument in sys.argv[1:]] or [1_000, 10_000]:
            file = Path(scratch) / f"{size}.db"
            engine = _opened(file)
            _fill(engine, size)
            _measure(engine)
            engine.close()
            _measure_cold(file)
    _measure_model()
