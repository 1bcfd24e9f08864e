"""Kills senders on one outbox at random points: `python -m tests.support.crash_outbox DIR MODE`.

A process of its own, because its children are forks: they start in a millisecond, and only what
the outbox needs is imported. Prints what was wrong, then `kills N` and how many were acknowledged.
"""

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lib.errors import StatewaveError
from lib.models import Message, NewEpisode
from lib.outbox import Outbox, Recording
from tests.support.ledger import LedgerRuntime, away

ROUNDS = 100
"""With two children each: 200 kills."""
ROUNDS_PER_FOLDER = 10
"""A fresh folder now and then, so that making the file is interrupted as well."""
LONGEST_S = 0.04


def outbox_of(folder: Path, runtime: Any, *, mode: str, number: int) -> Outbox:
    return Outbox(
        folder / "outbox.db",
        runtime,
        destination="ledger",
        keeps_first=mode != "direct",
        first_pause_s=0.001,
        # An hour a round: the lease of whoever was killed is over in the next.
        clock=lambda: time.time() + 3600 * number,
    )


def work(folder: Path, *, mode: str, number: int, child: int) -> None:
    """Records turn after turn on a runtime that fails every other time, until it is killed."""
    chance = random.Random(f"{number}-{child}")

    def sometimes(*, reached: bool) -> Callable[[], StatewaveError | None]:
        return lambda: away(reached=reached) if chance.random() < 0.25 else None

    runtime = LedgerRuntime(
        folder / "ledger.jsonl",
        honours_keys=mode != "no keys",
        before=sometimes(reached=False),
        after=sometimes(reached=True),
    )
    outbox = outbox_of(folder, runtime, mode=mode, number=number)
    acknowledged = os.open(folder / "acknowledged", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    before: tuple[str, Recording] | None = None
    for turn in range(10_000):
        turn_id = f"{number:03}-{child}-{turn:05}"
        # A subject shared with the other child, and one of its own.
        shared = turn % 2 == 0
        replaced = before if shared and chance.random() < 0.3 else None
        known = replaced[1].episode_id if replaced else None
        made = outbox.record(
            "shared" if shared else f"subject-{child}",
            NewEpisode(
                (Message("user", turn_id),),
                metadata={"replaces": known} if known else {},
                idempotency_key=turn_id,
            ),
            replaces_turn=replaced[0] if replaced else None,
        )
        if made.state in ("recorded", "waiting"):
            row = {"turn": turn_id, "replaces": replaced[0] if replaced else None}
            os.write(acknowledged, json.dumps(row).encode() + b"\n")
        before = (turn_id, made) if shared else before


def kill_two(folder: Path, *, mode: str, number: int) -> None:
    """Two senders at once, both killed at a random point."""
    children = []
    for child in range(2):
        pid = os.fork()
        if pid == 0:
            try:
                work(folder, mode=mode, number=number, child=child)
            finally:
                os._exit(1)
        children.append(pid)
    time.sleep(random.Random(number).uniform(0, LONGEST_S))
    for pid in children:
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        if not os.WIFSIGNALED(status):
            print(f"round {number}: a child ended by itself")


def check(folder: Path, *, mode: str) -> int:
    """Sends what is left and says what is missing, doubled, out of order or unlinked."""
    runtime = LedgerRuntime(folder / "ledger.jsonl", honours_keys=mode != "no keys")
    outbox = outbox_of(folder, runtime, mode=mode, number=10_000)
    outbox.send_now()
    if (backlog := outbox.backlog()) and (backlog.waiting or backlog.refused or backlog.error):
        print(f"{folder.name}: left over: {backlog}")
    outbox.close()
    rows = runtime.rows()
    sent = [row["key"] for row in rows]
    if len(sent) != len(set(sent)):
        print(f"{folder.name}: sent twice: {sorted({key for key in sent if sent.count(key) > 1})}")
    path = folder / "acknowledged"
    kept = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    if lost := {each["turn"] for each in kept} - set(sent):
        print(f"{folder.name}: lost: {sorted(lost)}")
    for subject in {row["subject_id"] for row in rows}:
        ours = [row["key"] for row in rows if row["subject_id"] == subject]
        for sender in {key[:5] for key in ours}:
            one = [key for key in ours if key.startswith(sender)]
            if one != sorted(one):
                print(f"{folder.name}: out of order: {one}")
    links = {row["key"]: row["metadata"].get("replaces") for row in rows}
    for each in kept:
        expected = f"episode-of-{each['replaces']}" if each["replaces"] else None
        if links.get(each["turn"]) != expected:
            print(f"{folder.name}: {each['turn']} replaces {links.get(each['turn'])}")
    return len(kept)


def main() -> None:
    base, mode = Path(sys.argv[1]), sys.argv[2]
    acknowledged = 0
    for first in range(0, ROUNDS, ROUNDS_PER_FOLDER):
        folder = base / f"from-{first:03}"
        folder.mkdir()
        for number in range(first, first + ROUNDS_PER_FOLDER):
            kill_two(folder, mode=mode, number=number)
        acknowledged += check(folder, mode=mode)
    print(f"kills {2 * ROUNDS}, acknowledged {acknowledged}")


if __name__ == "__main__":
    main()
