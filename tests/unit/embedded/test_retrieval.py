"""What a task is taken to ask for."""

import pytest

from lib.embedded.retrieval import DEFAULT_TASK, read_task, search_expression


@pytest.mark.parametrize(
    "task",
    ["What do you know about me?", "who am I?", "Tell me what you remember", DEFAULT_TASK, ""],
)
def test_tasks_about_the_person_are_broad(task: str) -> None:
    assert read_task(task).profile


@pytest.mark.parametrize(
    "task", ["summarise where we left off", "Recap, please", "What did we discuss last time?"]
)
def test_tasks_about_earlier_sessions_are_broad(task: str) -> None:
    assert read_task(task).recap


@pytest.mark.parametrize(
    "task",
    [
        "What do you know about chunking?",
        "Which database do I use?",
        "hello",
        "Do you remember which framework I picked?",
        "Write a function that parses a CSV file",
    ],
)
def test_other_tasks_are_not(task: str) -> None:
    assert not read_task(task).broad


@pytest.mark.parametrize(
    ("task", "terms"),
    [
        ("Why do I get 429s?", ('"429s" OR "429"',)),
        ("hello, how are you?", ()),
        ("Which DB?", ('"db" OR "database"',)),
        ('the "kiln" AND kiln', ('"kiln"',)),
        ("what is chunk_size", ('"chunk_size"', '"chunk"', '"size"')),
        ("数据库", ('"数 据"', '"据 库"')),
    ],
)
def test_a_task_is_searched_by_its_content_words(task: str, terms: tuple[str, ...]) -> None:
    assert read_task(task).terms == terms


@pytest.mark.parametrize(
    ("task", "past"), [("What did I use before?", True), ("What do I use?", False)]
)
def test_a_task_says_whether_it_is_about_the_past(task: str, past: bool) -> None:
    assert read_task(task).past == past


@pytest.mark.parametrize(
    ("query", "expression"),
    [("the kil", '"kil" *'), ("a kiln pos", '"kiln" OR "pos" *'), ("++", None), (" ", None)],
)
def test_a_search_completes_its_last_word(query: str, expression: str | None) -> None:
    assert search_expression(query) == expression
