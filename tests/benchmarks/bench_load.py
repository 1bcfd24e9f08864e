"""How the engine and the app bear load: `python tests/benchmarks/bench_load.py [SECONDS]`.

Mixed calls on one store from 16 threads, in one process and in two, then the real app with 20 and
with 50 visitors who look at another page after a second of thought. SECONDS (60) is how long each
part runs. Prints median, 99th percentile and longest time of each call, and every error.
"""

import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import quantiles

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from tests.support.dashboard import dashboard

ROOT = Path(__file__).resolve().parents[2]
THINK_S = 1.0
PAGES = ("", "chat", "budget", "memory", "compare")
SUBJECTS = ("dev_alice", "dev_bob", "dev_priya")
ANSWER_S = 60.0
_MAX_MESSAGE = 64 * 1024 * 1024


def print_times(title: str, times: Mapping[str, Sequence[float]], *, errors: Sequence[str]) -> None:
    """One line per kind of call: how many, and their times in ms."""
    print(f"{title}: {sum(map(len, times.values())):,} calls, {len(errors)} errors")
    for error in sorted(set(errors)):
        print(f"  ! {errors.count(error):,} × {error}")
    together = [value for values in times.values() for value in values]
    for kind, values in [*sorted(times.items()), ("all", together)]:
        if len(values) > 1:
            cuts = quantiles(values, n=100, method="inclusive")
            print(
                f"  {kind:10} {len(values):7,}   median {cuts[49]:8.1f} ms"
                f"   p99 {cuts[98]:9.1f} ms   longest {max(values):9.1f} ms"
            )


def load_engine(folder: Path, *, processes: int, threads: int, seconds: float) -> None:
    """Mixed calls on one file, from processes of their own."""
    path = folder / f"load-{processes}.db"
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.support.mixed_load", *map(str, each)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for each in ((path, threads, seconds, f"p{number}") for number in range(processes))
    ]
    times: defaultdict[str, list[float]] = defaultdict(list)
    errors: list[str] = []
    for process in running:
        load = json.loads(process.communicate()[0])
        errors += load["errors"]
        for kind, values in load["times"].items():
            times[kind] += values
    title = f"Engine, {processes} × {threads} threads, {seconds:.0f} s, {path.stat().st_size:,} B"
    print_times(title, times, errors=errors)


def visitor(url: str) -> connect:
    """A connection as a browser opens one."""
    return connect(
        f"{url.replace('http', 'ws', 1)}/_stcore/stream",
        subprotocols=[Subprotocol("streamlit")],
        origin=Origin(url),
        max_size=_MAX_MESSAGE,
    )


async def run_page(socket: ClientConnection, page: str, subject_id: str) -> str | None:
    """Asks for a page and waits until its script has run; what went wrong, or None."""
    ask = BackMsg()
    ask.rerun_script.query_string = f"subject={subject_id}"
    ask.rerun_script.page_name = page
    await socket.send(ask.SerializeToString())
    problem = None
    async with asyncio.timeout(ANSWER_S):
        while True:
            said = ForwardMsg.FromString(bytes(await socket.recv(decode=False)))
            if said.HasField("delta") and said.delta.new_element.HasField("exception"):
                problem = said.delta.new_element.exception.message
            if said.HasField("script_finished"):
                return problem


async def visit(
    url: str, times: defaultdict[str, list[float]], errors: list[str], *, number: int, end: float
) -> None:
    """One visitor: another page after each second of thought."""
    chance = random.Random(number)
    subject_id = chance.choice(SUBJECTS)
    await asyncio.sleep(chance.uniform(0, THINK_S))
    async with visitor(url) as socket:
        while time.monotonic() < end:
            page = chance.choice(PAGES)
            started = time.perf_counter()
            try:
                problem = await run_page(socket, page, subject_id)
            except TimeoutError:
                problem = f"no answer within {ANSWER_S:.0f} s"
            times[page or "overview"].append((time.perf_counter() - started) * 1000)
            if problem:
                errors.append(problem)
            await asyncio.sleep(THINK_S)


async def warm_up(url: str) -> None:
    """One look at every page: the first start seeds the demo subjects and imports the rest."""
    for page in PAGES:
        async with visitor(url) as socket:
            await run_page(socket, page, SUBJECTS[0])


async def load_app(url: str, *, visitors: int, seconds: float) -> None:
    """So many visitors at once."""
    times: defaultdict[str, list[float]] = defaultdict(list)
    errors: list[str] = []
    end = time.monotonic() + seconds
    async with asyncio.TaskGroup() as group:
        for number in range(visitors):
            group.create_task(visit(url, times, errors, number=number, end=end))
    title = f"App, {visitors} visitors, {THINK_S:.0f} s think time, {seconds:.0f} s"
    print_times(title, times, errors=errors)


if __name__ == "__main__":
    duration = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    with tempfile.TemporaryDirectory() as scratch:
        load_engine(Path(scratch), processes=1, threads=16, seconds=duration)
        load_engine(Path(scratch), processes=2, threads=8, seconds=duration)
        with dashboard(Path(scratch) / "data") as address:
            asyncio.run(warm_up(address))
            for count in (20, 50):
                asyncio.run(load_app(address, visitors=count, seconds=duration))
