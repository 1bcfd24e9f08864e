"""Kills processes that write one memory store: `python -m tests.support.crash_engine DIR`.

Two children at a time, with two writing threads and one reading thread each, are killed at a random
point. They are forks of this process, which has imported the engine once. Prints what was wrong,
then `kills N` and how many writes were acknowledged.
"""

import json
import os
import random
import signal
import sqlite3
import sys
import threading
import time
from pathlib import Path

from lib.embedded import EmbeddedRuntime
from lib.models import Message, NewEpisode
from lib.tokens import count_tokens
from tests.support.plain_compiler import PlainCompiler

ROUNDS = 100
"""With two children each: 200 kills."""
ROUNDS_PER_FOLDER = 10
"""A fresh file now and then, so that making it is interrupted as well."""
LONGEST_S = 0.1
BATCH = 3
SUBJECTS = ("ada", "bob")


def write(runtime: EmbeddedRuntime, acknowledged: int, *, name: str) -> None:
    """Records alone and in batches, and compiles now and then; says so after each."""
    subject_id = SUBJECTS[int(name[-1])]
    for number in range(10_000):
        said = f"I keep note {number} of {name}."
        runtime.record_episode(subject_id, said, idempotency_key=said)
        os.write(acknowledged, json.dumps([subject_id, said]).encode() + b"\n")
        if number % 3 == 0:
            batch = [f"To file {name}-{number}, use drawer {part}." for part in range(BATCH)]
            runtime.record_episodes(
                subject_id, [NewEpisode((Message("user", text),)) for text in batch]
            )
            lines = [json.dumps([subject_id, text]).encode() + b"\n" for text in batch]
            os.write(acknowledged, b"".join(lines))
        if number % 4 == 0:
            runtime.compile_memories(subject_id)


def read(runtime: EmbeddedRuntime) -> None:
    """Looks at everything, again and again."""
    while True:
        for subject_id in SUBJECTS:
            runtime.get_context(subject_id, "Which notes do I keep?")
            runtime.timeline(subject_id)


def work(folder: Path, *, number: int, child: int, ready: int) -> None:
    """Writes and reads from threads of its own until it is killed."""
    runtime = EmbeddedRuntime(folder / "memory.db", compiler=PlainCompiler())
    os.write(ready, b".")
    acknowledged = os.open(folder / "acknowledged", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    threads = [threading.Thread(target=read, args=(runtime,), daemon=True)]
    for writer in range(2):
        name = f"{number}-{child}-{writer}"
        threads.append(
            threading.Thread(
                target=write, args=(runtime, acknowledged), kwargs={"name": name}, daemon=True
            )
        )
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def fork(folder: Path, *, number: int, child: int, ready: int) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            work(folder, number=number, child=child, ready=ready)
        finally:
            os._exit(1)
    return pid


def kill_two(folder: Path, *, number: int) -> None:
    """Two writing processes at once, both killed at a random point."""
    opened, ready = os.pipe()
    children = [fork(folder, number=number, child=child, ready=ready) for child in range(2)]
    os.close(ready)
    if number % 2:
        # Half of them are sure to be killed at work; the others may not even have the file open.
        os.read(opened, 2)
    time.sleep(random.Random(number).uniform(0, LONGEST_S))
    for pid in children:
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        if not os.WIFSIGNALED(status):
            print(f"round {number}: a child ended by itself", flush=True)
    os.close(opened)


def check(folder: Path, *, number: int) -> None:
    """Says what an engine that opens the file afterwards finds wrong."""
    path = folder / "memory.db"
    runtime = EmbeddedRuntime(path, compiler=PlainCompiler())
    said = {
        subject_id: [each.messages[0].content for each in runtime.timeline(subject_id).episodes]
        for subject_id in SUBJECTS
    }
    kept = folder / "acknowledged"
    for line in kept.read_text().splitlines() if kept.exists() else []:
        subject_id, text = json.loads(line)
        if said[subject_id].count(text) != 1:
            print(f"round {number}: {text!r} is there {said[subject_id].count(text)} times")
    for subject_id in SUBJECTS:
        batches = [text.partition(",")[0] for text in said[subject_id] if text.startswith("To ")]
        if odd := {each for each in batches if batches.count(each) != BATCH}:
            print(f"round {number}: half a batch: {odd}")
        runtime.get_context(subject_id, "Which notes do I keep?")
    runtime.close()
    for fault in faults_of_file(path):
        print(f"round {number}: {fault}")


def faults_of_file(path: Path) -> list[str]:
    """What SQLite finds wrong, and compiles that were kept by half."""
    connection = sqlite3.connect(path, isolation_level=None)
    found = {
        "integrity": connection.execute("PRAGMA integrity_check").fetchall(),
        "foreign keys": connection.execute("PRAGMA foreign_key_check").fetchall(),
        "compiled by half": connection.execute(
            "SELECT e.id FROM episodes e WHERE e.compiled <>"
            " EXISTS (SELECT 1 FROM sources s WHERE s.episode = e.seq)"
        ).fetchall(),
        "memories without text or source": connection.execute(
            "SELECT m.id FROM memories m WHERE NOT EXISTS"
            " (SELECT 1 FROM passages p WHERE p.memory = m.seq)"
            " OR NOT EXISTS (SELECT 1 FROM sources s WHERE s.memory = m.seq)"
        ).fetchall(),
    }
    # Raises where the word index and the passages disagree.
    connection.execute("INSERT INTO words (words) VALUES ('integrity-check')")
    connection.close()
    return [f"{what}: {rows[:3]}" for what, rows in found.items() if rows not in ([], [("ok",)])]


def checked_in_a_fork(folder: Path, *, number: int) -> None:
    # The engine may start threads, and a process with threads must not fork.
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            check(folder, number=number)
            code = 0
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    if status != 0:
        print(f"round {number}: the store could not be checked", flush=True)


def main() -> None:
    base = Path(sys.argv[1])
    # Read once here: for each child it would take longer than the child lives.
    count_tokens("ranks")
    acknowledged = 0
    for first in range(0, ROUNDS, ROUNDS_PER_FOLDER):
        folder = base / f"from-{first:03}"
        folder.mkdir()
        for number in range(first, first + ROUNDS_PER_FOLDER):
            kill_two(folder, number=number)
            checked_in_a_fork(folder, number=number)
        kept = folder / "acknowledged"
        acknowledged += len(kept.read_text().splitlines()) if kept.exists() else 0
    print(f"kills {2 * ROUNDS}, acknowledged {acknowledged}")


if __name__ == "__main__":
    main()
