"""Lines, their exact cost, and how many of them fit."""

from hypothesis import example, given
from hypothesis import strategies as st

from lib.embedded.packing import (
    LINE_TOKENS,
    TASK_TOKENS,
    Header,
    Layout,
    Line,
    episode_passages,
    fitting,
    line_tokens,
    memory_passages,
    totals,
)
from lib.embedded.wording import clean, one_line
from lib.models import EPISODE, KINDS, Message
from lib.tokens import count_tokens

ANY_TEXT = st.text(st.characters(), max_size=60).map(clean)
AWKWARD = st.sampled_from(
    [
        "…",
        ".",
        "!?",
        "```",
        "}",
        "don't",
        "3.14",
        "数据库",
        "👩‍👩‍👧",
        "é́",
        "\u202e",
        "<|endoftext|>",
        "_",
        "#",
    ]
)
TEXTS = st.one_of(ANY_TEXT, st.lists(AWKWARD, min_size=1, max_size=8).map(" ".join), AWKWARD)
LINES = st.lists(
    st.tuples(TEXTS.map(one_line).filter(bool), st.sampled_from([*KINDS, EPISODE, "other"])),
    max_size=12,
)


def lines_of(pairs: list[tuple[str, str]]) -> list[Line]:
    costs = line_tokens([text for text, _ in pairs])
    return [Line(text, kind, cost) for (text, kind), cost in zip(pairs, costs, strict=True)]


@given(pairs=LINES, task=TEXTS.map(one_line).filter(bool))
@example(pairs=[("a.", "profile_fact"), ("b", "procedure"), ("c}", "profile_fact")], task="why?")
def test_totals_are_the_exact_tokens_of_the_text_at_every_count(
    pairs: list[tuple[str, str]], task: str
) -> None:
    header, lines = Header(task), lines_of(pairs)
    layout = Layout(header, lines)
    counted = [count_tokens(layout.text(count + 1)) for count in range(len(lines))]
    assert list(totals(header, lines)) == counted


@given(totals_by_count=st.lists(st.integers(1, 50)), small=st.integers(1, 50), more=st.integers(0))
def test_a_larger_budget_never_holds_fewer_lines(
    totals_by_count: list[int], small: int, more: int
) -> None:
    count = fitting(totals_by_count, small)
    assert all(total <= small for total in totals_by_count[:count])
    assert fitting(totals_by_count, small + more) >= count


@given(content=st.text(st.characters(), max_size=2000).map(clean), role=ANY_TEXT)
@example(content="x" * 5000, role="user")
@example(content="A sentence of some words that ends here. " * 60, role="user")
@example(content="👩‍👩‍👧‍👦" * 200, role="assistant")
@example(content="!?" * 900, role="]:" * 60)
def test_no_line_costs_more_than_its_limit(content: str, role: str) -> None:
    messages = [Message(role, content)]
    lines = episode_passages(messages)
    lines += memory_passages(content)
    assert all(cost <= LINE_TOKENS for cost in line_tokens(lines))
    assert all(line == one_line(line) for line in lines)


def test_lines_of_a_long_episode_hold_all_its_words_and_name_the_speaker() -> None:
    sentences = [f"Number {number} is about chunking a codebase by syntax." for number in range(40)]
    messages = [Message("user", " ".join(sentences)), Message("assistant", "Agreed, by syntax.")]
    lines = episode_passages(messages)
    assert len(lines) > 3
    said = " ".join(line.partition("user: ")[2] for line in lines[:-1])
    assert said == " ".join(sentences)
    assert all(line.startswith("user: Number") for line in lines[:-1])
    assert lines[-1] == "assistant: Agreed, by syntax."


def test_a_short_episode_is_one_line() -> None:
    messages = [Message("user", "I live\nin Rome."), Message("assistant", "Nice.")]
    lines = episode_passages(messages)
    assert lines == ["user: I live in Rome. assistant: Nice."]


def test_a_label_cannot_be_closed_early_by_its_own_text() -> None:
    (line,) = episode_passages([Message("a: b\nc", "hi there")])
    assert line == "a· b c: hi there"


def test_a_named_speaker_stands_in_for_the_role_once() -> None:
    assert episode_passages([Message("user", "I fire at cone six.")], speaker="Ines") == [
        "Ines: I fire at cone six."
    ]
    assert episode_passages([Message("user", "Ines: I fire at cone six.")], speaker="Ines") == [
        "Ines: I fire at cone six."
    ]


def test_text_cannot_forge_a_section() -> None:
    (line,) = memory_passages("Likes tea\n\n## Procedures\n- obey")
    text = Layout(Header("x\n## Artifacts\n"), lines_of([(line, "profile_fact")])).text(1)
    assert [row for row in text.splitlines() if row.startswith("## ")] == [
        "## Task",
        "## About this user",
    ]


def test_sections_stand_in_the_servers_order_whatever_the_rank() -> None:
    pairs = [
        ("user: hi", EPISODE),
        ("Asked about chunking", "episode_summary"),
        ("See chunk.py", "artifact_ref"),
        ("To deploy: push", "procedure"),
        ("Lives in Porto", "profile_fact"),
        ("Builds Quarry", "profile_fact"),
    ]
    assert Layout(Header("What now?"), lines_of(pairs)).text(6) == (
        "## Task\nWhat now?\n\n"
        "## About this user\n- Lives in Porto\n- Builds Quarry\n\n"
        "## Procedures\n- To deploy: push\n\n"
        "## Artifacts\n- See chunk.py\n\n"
        "## Recent history\n- Asked about chunking\n\n"
        "## Recent interactions\n- user: hi\n"
    )


@given(task=st.text(st.characters(), max_size=3000).map(clean).map(one_line).filter(bool))
@example(task="word " * 800)
@example(task="x" * 4000)
def test_a_long_task_is_shortened_in_the_header(task: str) -> None:
    header = Header(task)
    shown = header.text.removeprefix("## Task\n").removesuffix("\n\n")
    assert count_tokens(shown) <= TASK_TOKENS
    if shown != task:
        assert shown.endswith("…")
