"""What enters a context, in which order, and why the rest does not."""

from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lib.embedded import EmbeddedRuntime
from lib.errors import InputError
from lib.models import ContextBundle, Message
from lib.tokens import count_tokens
from tests.support.plain_compiler import PlainCompiler
from tests.unit.embedded.conftest import START, Clock, OpenRuntime

WORDS = (
    *(
        "Porto",
        "glaze",
        "kiln",
        "database",
        "queue",
        "retry",
        "数据库",
        "naïve",
        "👩\u200d👩\u200d👧",
    ),
    *("C++", "chunk_size", "429s", "!?", ".", "…", "}", "```"),
)
SENTENCES = st.lists(st.sampled_from([*WORDS, "I live in", "the", "\n", "##"]), max_size=30).map(
    " ".join
)
CONVERSATION = st.lists(
    st.one_of(SENTENCES, st.text(st.characters(), max_size=80)).filter(
        lambda text: bool(text.replace("\x00", "").strip())
    ),
    min_size=1,
    max_size=12,
)
TASKS = st.one_of(SENTENCES, st.text(st.characters(), max_size=120), st.sampled_from(["hello"]))


def test_an_unknown_subject_has_an_empty_context(runtime: EmbeddedRuntime) -> None:
    bundle = runtime.get_context("nobody", "Where do I live?")
    assert (bundle.assembled_context, bundle.token_estimate) == ("", 0)
    assert not bundle.context_used


def test_the_fact_asked_for_comes_first(runtime: EmbeddedRuntime) -> None:
    runtime.record_episode("ada", "I live in Porto. I ship on Fridays. I like matte glazes.")
    runtime.compile_memories("ada")
    bundle = runtime.get_context("ada", "When do I ship?")
    assert bundle.items[0].content == "I ship on Fridays."
    assert bundle.context_used


def test_an_episode_is_found_before_it_is_compiled(runtime: EmbeddedRuntime) -> None:
    episode = runtime.record_episode("ada", "The kiln supplier is called Brandt.")
    bundle = runtime.get_context("ada", "Who supplies the kiln?")
    assert [each.id for each in bundle.episodes] == [episode.id]
    assert "- user: The kiln supplier is called Brandt.\n" in (bundle.assembled_context)


def test_words_are_matched_by_their_stem_and_identifiers_as_they_are(
    runtime: EmbeddedRuntime,
) -> None:
    runtime.record_episode("ada", "We batched embeddings with chunk_size of 512.")
    runtime.record_episode("ada", "The kiln is red.")
    runtime.record_episode("ada", "A 429 came back from the gateway.")
    found = runtime.get_context("ada", "embedding batches").items[0]
    assert "chunk_size" in found.content
    assert "chunk_size" in runtime.get_context("ada", "what is chunk_size?").items[0].content
    assert "429" in runtime.get_context("ada", "why the 429s?").items[0].content


def test_a_rare_word_outweighs_common_ones(runtime: EmbeddedRuntime) -> None:
    for number in range(20):
        runtime.record_episode("ada", f"Is the kiln glaze of batch {number} dry?")
    runtime.record_episode("ada", "Does anybody at Brandt pick up the phone?", occurred_at=START)
    bundle = runtime.get_context("ada", "Which kiln glaze did Brandt send?")
    assert "Brandt" in bundle.items[0].content


def test_scripts_without_spaces_are_searched_too(runtime: EmbeddedRuntime) -> None:
    runtime.record_episode("ada", "我们把数据库迁移到了上海")
    runtime.record_episode("ada", "今天天气很好")
    runtime.compile_memories("ada")
    assert "数据库" in runtime.get_context("ada", "数据库在哪里").items[0].content
    assert [memory.content for memory in runtime.search_memories("ada", "上海").memories] == [
        "我们把数据库迁移到了上海"
    ]


@pytest.mark.parametrize("task", ["hello", "Hi there!", "thanks", "What is the weather in Oslo?"])
def test_a_task_about_nothing_known_gets_at_most_two_memories(
    runtime: EmbeddedRuntime, task: str
) -> None:
    for number in range(30):
        runtime.record_episode("ada", f"I keep glaze number {number} in drawer {number + 100}.")
    runtime.compile_memories("ada")
    bundle = runtime.get_context("ada", task, max_tokens=100_000)
    assert len(bundle.memories) <= 2
    assert not bundle.episodes
    assert bundle.cut_counts["floor"] >= 28


@pytest.mark.parametrize(
    "task",
    [
        "What do you know about me?",
        "summarise where we left off",
        "Who am I?",
        "",
        "Recap our last session",
    ],
)
def test_a_broad_task_gets_a_broad_bundle(runtime: EmbeddedRuntime, task: str) -> None:
    facts = ["I live in Porto.", "I like matte glazes.", "We fixed the kiln.", "To fire: wait."]
    for fact in facts:
        runtime.record_episode("ada", fact)
    runtime.compile_memories("ada")
    assert {each.content for each in runtime.get_context("ada", task).memories} == set(facts)


def test_a_broad_task_without_memories_gets_the_newest_lines(runtime: EmbeddedRuntime) -> None:
    for number in range(10):
        runtime.record_episode("ada", f"What about glaze {number}?")
    bundle = runtime.get_context("ada", "What do you know about me?")
    assert [episode.text for episode in bundle.episodes] == [
        f"user: What about glaze {number}?" for number in range(9, 3, -1)
    ]


def test_a_superseded_fact_is_cut_and_so_is_what_stated_it(runtime: EmbeddedRuntime) -> None:
    runtime.record_episode("ada", "I live in Rome.")
    runtime.compile_memories("ada")
    runtime.record_episode("ada", "I live in Porto.")
    runtime.compile_memories("ada")
    bundle = runtime.get_context("ada", "Where do I live?")
    assert "Rome" not in bundle.assembled_context
    assert "Porto" in bundle.assembled_context
    assert bundle.cut_counts["superseded"] == 2
    (porto,) = bundle.memories
    cut = [item for item in bundle.items if item.reason == "superseded"]
    assert {item.related_id for item in cut} == {porto.id}


def test_what_else_a_stale_line_says_is_still_found(runtime: EmbeddedRuntime) -> None:
    runtime.record_episode("ada", "I live in Rome. Is the bakery open on Sunday?")
    runtime.compile_memories("ada")
    runtime.record_episode("ada", "I live in Porto.")
    runtime.compile_memories("ada")
    text = runtime.get_context("ada", "When is the bakery open?").assembled_context
    assert "- user: … Is the bakery open on Sunday?\n" in text
    assert "Rome" not in text


def test_a_task_about_the_past_gets_the_superseded_fact_with_its_date(
    runtime: EmbeddedRuntime,
) -> None:
    runtime.record_episode("ada", "I live in Rome.", occurred_at=START)
    runtime.record_episode("ada", "I live in Porto.", occurred_at=START + timedelta(days=29))
    runtime.compile_memories("ada")
    text = runtime.get_context("ada", "Where did I live before?").assembled_context
    assert "- I live in Porto.\n- I live in Rome. (until 2026-02-03)\n" in text


def test_an_episode_that_tells_of_the_change_is_not_stale(runtime: EmbeddedRuntime) -> None:
    runtime.record_episode("ada", "I live in Rome. I live in Porto. The move from Rome was hard?")
    runtime.compile_memories("ada")
    bundle = runtime.get_context("ada", "How hard was the move?")
    assert "The move from Rome was hard?" in bundle.assembled_context


def test_a_memory_suppresses_the_episode_whose_words_it_has(runtime: EmbeddedRuntime) -> None:
    runtime.record_episode("ada", "I live in Porto.")
    runtime.compile_memories("ada")
    bundle = runtime.get_context("ada", "Where do I live?")
    (cut,) = [item for item in bundle.items if not item.included]
    assert (cut.reason, cut.kind, cut.related_id) == ("suppressed", "episode", bundle.items[0].id)


def test_an_episode_that_says_more_than_its_memory_is_kept(runtime: EmbeddedRuntime) -> None:
    runtime.record_episode("ada", "I live in Porto. Which Porto bakery opens on Sunday?")
    runtime.compile_memories("ada")
    bundle = runtime.get_context("ada", "bakery in Porto")
    assert bundle.items[0].kind == "episode"
    assert bundle.items[0].included
    assert "Sunday" in bundle.assembled_context


def test_a_replaced_episode_and_what_was_made_of_it_stay_out(runtime: EmbeddedRuntime) -> None:
    question = Message("user", "I fire at cone six.")
    first = runtime.record_episode("ada", [question, Message("assistant", "Try cone four.")])
    runtime.compile_memories("ada")
    answer = Message("assistant", "Cone six it is.")
    runtime.record_episode("ada", [question, answer], metadata={"replaces": first.id})
    text = runtime.get_context("ada", "Which cone do I fire at?").assembled_context
    assert "four" not in text
    assert "Cone six it is." in text
    assert runtime.list_memories("ada").memories == ()
    assert runtime.pending_episodes("ada") == 1
    report = runtime.compile_memories("ada")
    assert [memory.content for memory in report.created] == ["I fire at cone six."]
    assert len(runtime.timeline("ada").episodes) == 2


def test_a_long_episode_enters_line_by_line(runtime: EmbeddedRuntime) -> None:
    filler = " ".join(f"Glaze {number} needs a slow cool down." for number in range(60))
    runtime.record_episode("ada", f"{filler} The bakery is shut on Mondays?")
    bundle = runtime.get_context("ada", "When is the bakery shut?", max_tokens=120)
    assert "The bakery is shut on Mondays?" in bundle.assembled_context
    assert len({item.id for item in bundle.items}) == len(bundle.items)


def test_a_long_memory_enters_line_by_line_and_counts_once(runtime: EmbeddedRuntime) -> None:
    runtime.record_episode("ada", "I live in Rome.")
    (short,) = runtime.compile_memories("ada").created
    text = " ".join(f"The kiln of house {number} is red." for number in range(30))
    long = runtime.correct_memory("ada", short.id, text)
    bundle = runtime.get_context("ada", "Which kiln is red?", max_tokens=200)
    assert bundle.facts == (long,)
    assert bundle.items[0].included
    assert all(item.id.startswith(long.id) for item in bundle.items if item.included)
    whole = runtime.get_context("ada", "Which kiln is red?", max_tokens=2000)
    assert all(f"house {number} is" in whole.assembled_context for number in range(30))
    assert whole.facts == (long,)


def test_a_sweep_of_no_budgets_is_empty(runtime: EmbeddedRuntime) -> None:
    runtime.record_episode("ada", "I live in Porto.")
    assert list(runtime.sweep_context("ada", "Porto", [])) == []


def test_other_subjects_change_nothing(runtime: EmbeddedRuntime) -> None:
    runtime.record_episode("ada", "I ship on Fridays. I use a queue.")
    runtime.compile_memories("ada")
    before = runtime.get_context("ada", "When do I ship?")
    for number in range(20):
        runtime.record_episode("bob", f"I ship on Mondays with queue {number}.")
    runtime.compile_memories("bob")
    assert runtime.get_context("ada", "When do I ship?") == before


def test_the_callers_session_ranks_higher(runtime: EmbeddedRuntime) -> None:
    for session in ("a", "b"):
        runtime.record_episode("ada", "What about the kiln?", session_id=session, occurred_at=START)
    bundle = runtime.get_context("ada", "kiln", session_id="a")
    assert [item.session_id for item in bundle.items] == ["a", "b"]
    assert bundle.items[0].parts is not None
    assert bundle.items[0].parts.session > 0
    assert {summary.session_id for summary in bundle.sessions} == {"a", "b"}


def test_a_long_task_is_cut_and_an_empty_one_asks_for_the_subject(
    runtime: EmbeddedRuntime,
) -> None:
    assert len(runtime.get_context("ada", "kiln " * 2000).task) <= 4000
    assert runtime.get_context("ada", " \n").task == "What should I know about this subject?"


def test_any_larger_budget_will_do(runtime: EmbeddedRuntime) -> None:
    runtime.record_episode("ada", "I live in Porto.")
    assert runtime.get_context("ada", "Porto", max_tokens=10**40).context_used


def test_columns_read_piece_by_piece_equal_those_read_at_once(
    open_runtime: OpenRuntime, path: Path
) -> None:
    runtime = open_runtime(path)
    for number in range(12):
        runtime.record_episode("ada", f"I live in town {number}. Why {number}?", session_id="s")
        if number % 3 == 2:
            runtime.compile_memories("ada")
        if number == 7:
            runtime.forget_memory("ada", runtime.list_memories("ada").memories[0].id)
        piecewise = runtime.get_context("ada", "Why do I live in this town?", max_tokens=300)
        fresh = open_runtime(path)
        assert fresh.get_context("ada", piecewise.task, max_tokens=300) == piecewise
        fresh.close()


@pytest.mark.parametrize("max_tokens", [0, -5])
def test_a_budget_below_one_token_is_refused(runtime: EmbeddedRuntime, max_tokens: int) -> None:
    with pytest.raises(InputError, match="at least 1"):
        runtime.get_context("ada", "hello", max_tokens=max_tokens)
    with pytest.raises(InputError, match="at least 1"):
        runtime.sweep_context("ada", "hello", [100, max_tokens])


def test_user_text_never_becomes_search_syntax(runtime: EmbeddedRuntime) -> None:
    runtime.record_episode("ada", "I live in Porto.")
    runtime.compile_memories("ada")
    for task in ['"', 'Porto" OR "', "Porto AND NOT", "text: x", "NEAR(a b)", "* ^ - ( )", "s1"]:
        runtime.get_context("ada", task)
        runtime.search_memories("ada", task)


def test_explain_answers_for_any_memory(runtime: EmbeddedRuntime) -> None:
    runtime.record_episode("ada", "I live in Porto. I ship on Fridays.")
    runtime.compile_memories("ada")
    ship, live = runtime.list_memories("ada").memories
    bundle = runtime.get_context("ada", "When do I ship?")
    listed = {item.id: item for item in bundle.items}
    assert runtime.explain("ada", "When do I ship?", live.id) == listed[live.id]
    assert runtime.explain("ada", "When do I ship?", ship.id) == listed[ship.id]
    with pytest.raises(InputError, match="no such memory"):
        runtime.explain("ada", "When do I ship?", "unknown")


def test_the_next_200_cut_are_listed_and_all_are_counted(runtime: EmbeddedRuntime) -> None:
    for number in range(250):
        runtime.record_episode("ada", f"What about glaze {number}?")
    bundle = runtime.get_context("ada", "glaze", max_tokens=60)
    kept = [item for item in bundle.items if item.included]
    assert len(bundle.items) == len(kept) + 200
    assert bundle.cut_counts == {"budget": 250 - len(kept)}


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(said=CONVERSATION, task=TASKS, budgets=st.lists(st.integers(1, 400), min_size=2, max_size=6))
def test_every_bundle_keeps_its_promises(
    tmp_path_factory: pytest.TempPathFactory, said: list[str], task: str, budgets: list[int]
) -> None:
    path: Path = tmp_path_factory.mktemp("engine") / "memory.db"
    runtime = EmbeddedRuntime(path, compiler=PlainCompiler(), clock=Clock())
    for number, text in enumerate(said):
        runtime.record_episode("ada", text, session_id=f"s{number % 2}")
        if number % 3 == 1:
            runtime.compile_memories("ada")
    budgets = sorted(budgets)
    bundles = list(runtime.sweep_context("ada", task, budgets))
    for budget, bundle in zip(budgets, bundles, strict=True):
        _check_bundle(bundle, budget)
    for small, large in pairwise(bundles):
        assert small.memory_ids <= large.memory_ids
        assert _kept(small) <= _kept(large)
    assert runtime.get_context("ada", task, max_tokens=budgets[-1]) == bundles[-1]
    runtime.close()


def _kept(bundle: ContextBundle) -> set[str]:
    return {item.id for item in bundle.items if item.included}


def _check_bundle(bundle: ContextBundle, budget: int) -> None:
    assert bundle.token_estimate == count_tokens(bundle.assembled_context) <= budget
    kept = [item for item in bundle.items if item.included]
    assert bool(kept) == bool(bundle.assembled_context) == bundle.context_used
    lines = bundle.assembled_context.splitlines()
    for item in bundle.items:
        assert item.parts is not None
        assert item.score == item.parts.total
        assert item.included == (not item.reason)
        if item.included:
            assert f"- {item.content}" in bundle.assembled_context.split("\n")
    assert [item.rank for item in kept] == sorted(item.rank for item in kept)
    assert sum(line.startswith("- ") for line in lines) >= len(kept)
