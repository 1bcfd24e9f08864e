"""How good and how fast the offline compiler is: `python -m tests.benchmarks.bench_compiling`.

Prints precision and recall of profile facts on the labelled messages, by group, with 95 % Wilson
intervals, for the part the rules were tuned on; `--held-out` adds the part kept for the final
figure, `--show` what was wrong or missed in the tuned part.
"""

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from lib.compiling.offline import OfflineCompiler
from lib.demo.profiles import demo_subjects
from lib.embedded.runtime import EmbeddedRuntime
from lib.models import Episode
from tests.evaluation.compiling import LabelledMessage, load_messages, score_messages, wilson


def _share(hits: int, total: int) -> str:
    low, high = wilson(hits, total)
    share = f"{hits / total:5.1%}" if total else "    –"
    return f"{share:>6} [{low:4.0%}–{high:4.0%}] {hits:>3}/{total:<3}"


def _row(runtime: EmbeddedRuntime, name: str, chosen: Sequence[LabelledMessage]) -> list[str]:
    score = score_messages(runtime, chosen)
    print(
        f"  {name:16}{len(chosen):>4}  {_share(score.right, score.memories)}  "
        f"{_share(score.found, score.facts)}  "
        f"{score.procedures_found:>3}/{score.procedures:<3}{score.leaks:>6}"
    )
    return [*(f"    wrong  {line}" for line in score.wrong),
            *(f"    missed {line}" for line in score.missed)]  # fmt: skip


def _part(scratch: Path, title: str, messages: Sequence[LabelledMessage], *, show: bool) -> None:
    print(f"{title}\n  {'group':16}{'n':>4}  {'precision':27}  {'recall':27}  procedures  leaks")
    lines: list[str] = []
    groups = sorted({message.group for message in messages})
    for number, group in enumerate([*groups, ""]):
        runtime = EmbeddedRuntime(scratch / f"{title}-{number}.db", compiler=OfflineCompiler())
        chosen = [message for message in messages if group in {message.group, ""}]
        found = _row(runtime, group or "all", chosen)
        lines.extend(found if group else [])
        runtime.close()
    if show:
        print("\n".join(lines))


def _speed() -> None:
    turns = [
        (subject, session, episode)
        for subject in demo_subjects()
        for session in subject.sessions
        for episode in subject.episodes(session)
    ]
    episodes = [
        Episode(
            f"{subject.subject_id}/{session.id}/{number}",
            subject.subject_id,
            {"messages": [{"role": m.role, "content": m.content} for m in new.messages]},
            new.occurred_at or session.at,
            session_id=f"{subject.subject_id}/{session.id}",
        )
        for number, (subject, session, new) in enumerate(turns)
    ]
    best = 0.0
    for _ in range(5):
        # Processor time, as other programs on the machine are not what is measured.
        start = time.process_time()
        OfflineCompiler().draft(episodes)
        best = max(best, len(episodes) / (time.process_time() - start))
    print(
        f"{len(episodes)} demo episodes drafted at {best:,.0f} episodes/s of one core (best of 5)"
    )


def main(arguments: Sequence[str]) -> None:
    """Prints the figures."""
    messages = load_messages()
    with tempfile.TemporaryDirectory() as scratch:
        tuned = [message for message in messages if not message.held_out]
        _part(Path(scratch), "tuned", tuned, show="--show" in arguments)
        if "--held-out" in arguments:
            held_out = [message for message in messages if message.held_out]
            _part(Path(scratch), "held out", held_out, show=False)
    _speed()


if __name__ == "__main__":
    main(sys.argv[1:])
