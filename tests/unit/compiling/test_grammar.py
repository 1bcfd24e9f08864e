"""Voice: first person to third, with verbs that agree."""

import pytest

from lib.compiling.grammar import Voice, conjugate, sentence_case, uncapitalised


@pytest.mark.parametrize(
    ("verb", "third"),
    [
        ("use", "uses"),
        ("try", "tries"),
        ("push", "pushes"),
        ("have", "has"),
        ("am", "is"),
        ("need", "needs"),
        ("moved", "moved"),
        ("went", "went"),
        ("can", "can"),
    ],
)
def test_verbs_agree(verb: str, third: str) -> None:
    assert conjugate(verb) == third


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I'm on Linux", "Sam is on Linux"),
        ("My build fails when I push", "Sam's build fails when Sam pushes"),
        ("we don't use it", "Sam's team does not use it"),
        ("it helps me with my code", "it helps them with their code"),
        ("I can't do it myself", "Sam cannot do it themselves"),
    ],
)
def test_statements_are_told_by_name(said: str, told: str) -> None:
    assert Voice("Sam").tell(said) == told


def test_after_reported_that_the_person_is_they() -> None:
    assert (
        Voice("Sam").relate("I am stuck and my code fails") == "they are stuck and their code fails"
    )


def test_without_a_name_it_is_the_user() -> None:
    assert Voice().state("I", "use", "my editor") == "The user uses their editor."


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("The build fails", "the build fails"),
        ("Moved it", "moved it"),
        ("Postgres fails", "Postgres fails"),
        ("Marta insists", "Marta insists"),
        ("HTTP 429 comes back", "HTTP 429 comes back"),
        ("I fail", "I fail"),
    ],
)
def test_names_keep_their_capital_inside_a_sentence(text: str, inside: str) -> None:
    assert uncapitalised(text) == inside


def test_a_sentence_has_one_capital_and_one_stop() -> None:
    assert sentence_case("the user waits ...") == "The user waits."
