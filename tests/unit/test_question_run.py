"""A question list asked of every side: what counts, and what is never judged."""

from lib.assistant import ReplyOptions
from lib.comparison import Comparison, QuestionRun, SideReply, new_comparison, new_question_run
from lib.demo.profiles import DemoQuestion
from tests.support.canned import CannedModel

QUESTIONS = (
    DemoQuestion("Where do I live?", (("Porto", "Oporto"),), ()),
    DemoQuestion("What do I use?", (("FastAPI",), ("Postgres",)), ()),
)


def compare(message: str) -> Comparison:
    return new_comparison(
        "ada", message, options=ReplyOptions(), model=CannedModel(), comparison_id=message
    )


def asked(**replies: str) -> QuestionRun:
    """A run in which both questions got the same reply on each side; "" is a failure."""
    run = new_question_run(QUESTIONS, compare)
    while (step := run.next_side()) is not None:
        _, side = step
        text = replies[side.name]
        side.reply = SideReply("whole" if text else "failed", text)
    return run


def test_sides_are_asked_question_by_question() -> None:
    run = new_question_run(QUESTIONS, compare)
    step = run.next_side()
    assert step is not None
    assert (step[0].message, step[1].name) == ("Where do I live?", "stateless")
    step[1].reply = SideReply("whole", "No idea.")
    step = run.next_side()
    assert step is not None
    assert step[1].name == "memory"
    assert run.done == 0


def test_a_side_is_right_when_it_names_every_expected_fact() -> None:
    run = asked(stateless="I do not know.", memory="You live in OPORTO and use fastapi.")
    first, second = run.results()
    assert [side.right for side in first.sides] == [False, True]
    assert second.sides[1].facts == (True, False)
    assert [(score.name, score.right, score.judged) for score in run.scores()] == [
        ("stateless", 0, 2),
        ("memory", 1, 2),
    ]


def test_a_question_with_a_failed_side_counts_for_no_side() -> None:
    run = asked(stateless="", memory="Porto")
    assert [result.judged for result in run.results()] == [False, False]
    assert [(score.right, score.judged) for score in run.scores()] == [(0, 0), (0, 0)]
    assert run.failed
    run.go_on()
    step = run.next_side()
    assert step is not None
    assert step[1].name == "stateless"


def test_cancelling_keeps_what_is_there_and_going_on_asks_the_rest() -> None:
    run = new_question_run(QUESTIONS, compare)
    first = run.next_side()
    assert first is not None
    first[1].reply = SideReply("stopped", "half")
    run.cancel()
    assert run.next_side() is None
    assert run.scores()[0].judged == 0
    run.go_on()
    # What was interrupted is asked again from its beginning.
    assert run.next_side() == first
