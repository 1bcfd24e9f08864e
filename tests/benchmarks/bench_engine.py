"""How fast the embedded engine is: `python tests/benchmarks/bench_engine.py`.

Prints the median of each operation; the targets stand beside it.
"""

import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from lib.compiling.draft import Draft
from lib.embedded import EmbeddedRuntime
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


def _measure(folder: Path, memories: int) -> None:
    runtime = EmbeddedRuntime(folder / f"{memories}.db", compiler=_OnePerEpisode())
    episodes = _episodes(memories, seed=memories)
    start = time.perf_counter()
    runtime.record_episodes("ada", episodes)
    recorded = time.perf_counter() - start
    start = time.perf_counter()
    runtime.compile_memories("ada")
    compiled = time.perf_counter() - start
    start = time.perf_counter()
    runtime.get_context("ada", _TASKS[0])
    first = (time.perf_counter() - start) * 1000
    context = _median_ms(lambda n: runtime.get_context("ada", _TASKS[n % len(_TASKS)]), 40)
    budgets = [20 + 200 * step for step in range(40)]
    sweep = _median_ms(lambda n: list(runtime.sweep_context("ada", _TASKS[n % 4], budgets)), 8)
    widest = _median_ms(
        lambda n: runtime.get_context("ada", _TASKS[n % 4], max_tokens=budgets[-1]), 8
    )
    broad = _median_ms(lambda _: runtime.get_context("ada", "What do you know about me?"), 10)
    record = _median_ms(lambda n: runtime.record_episode("ada", f"I keep note {n} of it"), 40)

    def after_write(number: int) -> None:
        runtime.record_episode("ada", f"I keep another note {number}")
        runtime.get_context("ada", _TASKS[0])

    fresh = _median_ms(after_write, 10) - record
    print(f"{memories:>7,} memories and as many episodes")
    target = {1_000: "3", 10_000: "8", 100_000: "40"}.get(memories, "–")
    print(f"  get_context, median         {context:9.2f} ms   target {target} ms")
    print(f"  get_context, broad task     {broad:9.2f} ms")
    print(f"  get_context, cold           {first:9.2f} ms")
    print(f"  get_context, after a write  {fresh:9.2f} ms")
    print(
        f"  40-point sweep              {sweep:9.2f} ms   {sweep / widest:.1f} × its widest bundle,"
        " target 2 ×"
    )
    print(f"  record one episode          {record:9.2f} ms   target 1 ms")
    print(f"  record a batch              {memories / recorded:9,.0f} episodes/s")
    print(f"  compile                     {memories / compiled:9,.0f} episodes/s   target 1,000/s")
    runtime.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        for size in [int(argument) for argument in sys.argv[1:]] or [1_000, 10_000]:
            _measure(Path(scratch), size)
