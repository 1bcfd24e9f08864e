"""How much of the evidence a context holds: `python -m tests.benchmarks.bench_retrieval`.

Prints the share of questions with all their evidence turns, word for word, in the context at 100 to
1,600 tokens, with 95 % Wilson intervals: for the last turns, the full history from its start, BM25
alone, embeddings alone, and the engine. `--final` adds the held-out questions, which nothing may be
tuned on.
"""

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import numpy as np

from lib.compiling.offline import OfflineCompiler
from lib.demo.profiles import demo_subjects
from lib.demo.seeding import seed_demo
from lib.embedded import EmbeddedRuntime
from lib.embedded.packing import Header
from lib.embedding import Embedder, MiniLmEmbedder
from lib.tokens import count_many
from tests.evaluation.retrieval import Conversation, Question, all_there, conversations, wilson

_BUDGETS = (100, 200, 400, 800, 1600)
_AT = 800
_INDEXED_WITHIN_S = 900.0

Contexts = Callable[[str], Sequence[str]]
"""A question → the context at each budget."""


def _engine(conversation: Conversation, folder: Path, embedder: Embedder | None) -> EmbeddedRuntime:
    name = "fused" if embedder else "words"
    runtime = EmbeddedRuntime(
        folder / f"{conversation.name}-{name}.db", compiler=OfflineCompiler(), embedder=embedder
    )
    runtime.record_episodes("pair", conversation.episodes())
    runtime.compile_memories("pair")
    if embedder and not runtime.wait_until_indexed(_INDEXED_WITHIN_S):
        raise SystemExit(f"The index was not ready within {_INDEXED_WITHIN_S:.0f} s.")
    return runtime


def _contexts_of(runtime: EmbeddedRuntime) -> Contexts:
    return lambda question: [
        bundle.assembled_context for bundle in runtime.sweep_context("pair", question, _BUDGETS)
    ]


def _packed(conversation: Conversation, scores: Callable[[str], Sequence[float]]) -> Contexts:
    """Turns as lines, best score first, until one does not fit, below the engine's header."""
    lines = [f"- {turn.speaker}: {turn.text}\n" for turn in conversation.turns]
    costs = count_many(lines)

    def contexts(question: str) -> list[str]:
        order = np.argsort(-np.asarray(scores(question)), kind="stable")
        spent = Header(question).tokens + np.cumsum(np.asarray(costs)[order])
        return [
            "".join(lines[row] for row in order[: int(np.searchsorted(spent, budget, "right"))])
            for budget in _BUDGETS
        ]

    return contexts


def _strategies(
    conversation: Conversation, folder: Path, embedder: Embedder
) -> tuple[dict[str, Contexts], list[EmbeddedRuntime]]:
    words, fused = _engine(conversation, folder, None), _engine(conversation, folder, embedder)
    vectors = embedder.embed([f"{turn.speaker}: {turn.text}" for turn in conversation.turns])
    newest = list(range(len(conversation.turns)))
    return {
        "last turns": _packed(conversation, lambda _: newest),
        "full history": _packed(conversation, lambda _: newest[::-1]),
        "BM25 (engine, words)": _contexts_of(words),
        "embeddings": _packed(
            conversation, lambda question: (vectors @ embedder.embed([question])[0]).tolist()
        ),
        "fused (engine)": _contexts_of(fused),
    }, [words, fused]


def _print_conversations(folder: Path, embedder: Embedder, *, final: bool) -> None:
    hits: dict[tuple[str, str], dict[int, list[bool]]] = defaultdict(lambda: defaultdict(list))
    noise: list[int] = []
    for conversation in conversations():
        strategies, engines = _strategies(conversation, folder, embedder)
        asked: list[Question] = [
            question for question in conversation.questions if final or not question.held_out
        ]
        for question in asked:
            if not question.evidence:
                noise.append(
                    engines[-1].get_context("pair", question.text, max_tokens=1600).token_estimate
                )
                continue
            part = "held out" if question.held_out else "open"
            for name, contexts in strategies.items():
                for budget, context in zip(_BUDGETS, contexts(question.text), strict=True):
                    found = all_there(context, question.evidence)
                    hits[name, part][budget].append(found)
                    if budget == _AT:
                        hits[name, f"{part}, {question.kind}"][budget].append(found)
        for engine in engines:
            engine.close()
    for part in dict.fromkeys(part for _, part in hits):
        names = [name for name, each in hits if each == part]
        print(f"\n{part}: {len(hits[names[0], part][_AT])} questions")
        for name in names:
            shares = [wilson(found) for found in hits[name, part].values()]
            cells = "  ".join(f"{share:.2f} ({low:.2f}–{high:.2f})" for share, low, high in shares)
            print(f"  {name:22}{cells}")
    print(f"\nunanswerable: {median(noise):.0f} tokens of 1,600 used (median of {len(noise)})")


def _print_demo(folder: Path, embedder: Embedder) -> None:
    """The demo subjects' own questions: is the expected answer in the context?"""
    runtime = EmbeddedRuntime(folder / "demo.db", compiler=OfflineCompiler(), embedder=embedder)
    for _ in seed_demo(runtime, demo_subjects(), marker=folder / "seeded"):
        pass
    runtime.wait_until_indexed(_INDEXED_WITHIN_S)
    print("\ndemo subjects: the expected answer stands in the context")
    for subject in demo_subjects():
        found: dict[int, list[bool]] = {budget: [] for budget in _BUDGETS}
        for item in subject.questions:
            for budget, bundle in zip(
                _BUDGETS,
                runtime.sweep_context(subject.subject_id, item.question, _BUDGETS),
                strict=True,
            ):
                found[budget].append(item.is_answered_by(bundle.assembled_context))
        cells = "  ".join(f"{wilson(each)[0]:.2f}" for each in found.values())
        print(f"  {subject.subject_id:22}{cells}  ({len(subject.questions)} questions)")
    runtime.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--final", action="store_true", help="also the held-out questions")
    arguments = parser.parse_args()
    print("All evidence turns in the context, at " + ", ".join(map(str, _BUDGETS)) + " tokens")
    with tempfile.TemporaryDirectory() as scratch:
        model = MiniLmEmbedder()
        _print_conversations(Path(scratch), model, final=arguments.final)
        _print_demo(Path(scratch), model)
