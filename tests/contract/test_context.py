"""Context: what a bundle holds, within which limits, and why."""

from itertools import pairwise

import pytest

from lib.errors import InputError
from lib.models import EPISODE, PROCEDURE, ContextBundle, Message
from lib.protocol import MemoryRuntime
from lib.tokens import count_tokens
from tests.support.capabilities import requires

TASK = "How does Ada publish captions, and where does she live?"
BUDGETS = [1, 4, 10, 20, 30, 45, 60, 100, 200, 400, 4000]


@pytest.fixture
def runtime_of_ada(runtime: MemoryRuntime) -> MemoryRuntime:
    """Ada's compiled history, and one episode that is not compiled yet."""
    runtime.record_episode("ada", "I live in Porto. I design walking tours.", session_id="s1")
    runtime.record_episode(
        "ada",
        [
            Message("user", "To publish captions, export the text, then check the timing."),
            Message("assistant", "And tell the front desk when the captions are up."),
        ],
        session_id="s1",
    )
    runtime.record_episode("ada", "See captions.vtt for the harbour walk.", session_id="s2")
    runtime.record_episode("ada", "We published captions for stop three.", session_id="s2")
    runtime.compile_memories("ada")
    runtime.record_episode("ada", "I live in Lisbon since Monday.", session_id="s3")
    return runtime


def entries(bundle: ContextBundle) -> set[str]:
    return {item.id for item in bundle.items if item.included}


def test_a_bundle_carries_what_it_was_made_of(runtime_of_ada: MemoryRuntime) -> None:
    bundle = runtime_of_ada.get_context("ada", TASK, max_tokens=2000)
    assert bundle.subject_id == "ada"
    assert bundle.task == TASK
    assert bundle.context_used
    assert bundle.token_estimate == count_tokens(bundle.assembled_context)
    assert any(memory.kind == PROCEDURE for memory in bundle.procedures)
    assert all(memory.kind != PROCEDURE for memory in bundle.facts)
    assert "check the timing" in bundle.assembled_context
    assert "Lisbon" in bundle.assembled_context, "an episode counts before it is compiled"


def test_a_subject_without_memories_gets_an_empty_bundle(runtime: MemoryRuntime) -> None:
    bundle = runtime.get_context("nobody-here", TASK)
    assert not bundle.context_used
    assert bundle.items == ()
    assert runtime.list_subjects() == []


@requires("strict_budget")  # a real 0.7.1 server goes over; it does not declare this
@pytest.mark.parametrize("task", [TASK, "captions " * 400], ids=["short task", "long task"])
def test_context_stays_within_its_budget(runtime_of_ada: MemoryRuntime, task: str) -> None:
    for bundle, max_tokens in zip(
        runtime_of_ada.sweep_context("ada", task, BUDGETS), BUDGETS, strict=True
    ):
        assert bundle.token_estimate <= max_tokens
        assert count_tokens(bundle.assembled_context) == bundle.token_estimate


@requires("nested")
def test_a_larger_budget_only_ever_adds(runtime_of_ada: MemoryRuntime) -> None:
    bundles = [runtime_of_ada.get_context("ada", TASK, max_tokens=budget) for budget in BUDGETS]
    for smaller, larger in pairwise(bundles):
        assert entries(smaller) <= entries(larger)
    assert entries(bundles[0]) < entries(bundles[-1])


def test_a_sweep_gives_what_single_calls_give(runtime_of_ada: MemoryRuntime) -> None:
    swept = list(runtime_of_ada.sweep_context("ada", TASK, BUDGETS, session_id="s2"))
    single = [
        runtime_of_ada.get_context("ada", TASK, max_tokens=budget, session_id="s2")
        for budget in BUDGETS
    ]
    assert [bundle.assembled_context for bundle in swept] == [
        bundle.assembled_context for bundle in single
    ]
    assert [entries(bundle) for bundle in swept] == [entries(bundle) for bundle in single]


@pytest.mark.parametrize("max_tokens", [0, -5])
def test_a_budget_below_one_token_is_refused(
    runtime_of_ada: MemoryRuntime, max_tokens: int
) -> None:
    with pytest.raises(InputError):
        runtime_of_ada.get_context("ada", TASK, max_tokens=max_tokens)


@pytest.mark.parametrize("task", ["", "  \n "])
def test_an_empty_task_asks_for_the_subject(runtime_of_ada: MemoryRuntime, task: str) -> None:
    bundle = runtime_of_ada.get_context("ada", task)
    assert bundle.task.strip()
    assert bundle.context_used


@pytest.mark.parametrize(
    "task",
    [
        "captions " * 1000,
        "captions <|endoftext|>",
        "captions\x00",
        "captions \ud83d",
        "你好 🦊 captions",
    ],
    ids=["9000 characters", "special token", "NUL", "lone surrogate", "unicode"],
)
def test_any_task_is_answered(runtime_of_ada: MemoryRuntime, task: str) -> None:
    assert "captions" in runtime_of_ada.get_context("ada", task).assembled_context


def test_a_superseded_memory_is_not_in_a_bundle(runtime_of_ada: MemoryRuntime) -> None:
    report = runtime_of_ada.compile_memories("ada")
    assert report.superseded_ids
    bundle = runtime_of_ada.get_context("ada", "Where does Ada live?", max_tokens=2000)
    assert not bundle.memory_ids & set(report.superseded_ids)
    assert "Lisbon" in bundle.assembled_context


def test_a_bundle_is_read_only(runtime_of_ada: MemoryRuntime) -> None:
    before = runtime_of_ada.timeline("ada")
    runtime_of_ada.get_context("ada", TASK)
    list(runtime_of_ada.sweep_context("ada", TASK, BUDGETS))
    assert runtime_of_ada.timeline("ada") == before


def test_kept_items_are_the_memories_and_episodes_of_the_bundle(
    runtime_of_ada: MemoryRuntime,
) -> None:
    bundle = runtime_of_ada.get_context("ada", TASK, max_tokens=60)
    kept = [item for item in bundle.items if item.included]
    memories = {item.id for item in kept if item.kind != EPISODE}
    assert memories == bundle.memory_ids
    assert [item.rank for item in kept] == sorted(item.rank for item in kept)


@requires("explain")
def test_every_cut_has_a_reason_and_every_score_adds_up(runtime_of_ada: MemoryRuntime) -> None:
    bundle = runtime_of_ada.get_context("ada", TASK, max_tokens=45)
    cut = [item for item in bundle.items if not item.included]
    assert cut
    assert all(item.reason for item in cut)
    assert all(not item.reason for item in bundle.items if item.included)
    assert bundle.cut_counts["budget"] > 0
    for item in bundle.items:
        assert item.parts is not None
        assert item.score == pytest.approx(item.parts.total)
        assert item.tokens > 0


@requires("explain")
def test_explain_answers_for_any_memory(runtime_of_ada: MemoryRuntime) -> None:
    bundle = runtime_of_ada.get_context("ada", TASK)
    for memory in runtime_of_ada.list_memories("ada").memories:
        item = runtime_of_ada.explain("ada", TASK, memory.id)
        assert item.id == memory.id
        assert item.kind == memory.kind
        assert item.rank >= 1
        assert item.included == (memory.id in bundle.memory_ids)
        assert item.included or item.reason


@requires("explain")
def test_explaining_a_memory_nobody_has_is_refused(runtime_of_ada: MemoryRuntime) -> None:
    with pytest.raises(InputError):
        runtime_of_ada.explain("ada", TASK, "no-such-id")


def test_a_deadline_that_suffices_changes_nothing(runtime_of_ada: MemoryRuntime) -> None:
    usual = runtime_of_ada.get_context("ada", TASK)
    assert runtime_of_ada.get_context("ada", TASK, deadline_s=5.0).task == usual.task
