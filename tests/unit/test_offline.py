"""The offline reader quotes what it is given, and nothing else."""

from collections.abc import Sequence

import pytest

from lib.models import Message
from lib.offline import OfflineReader
from lib.prompt import DEFAULT_SYSTEM_PROMPT
from lib.tokens import count_prompt_tokens, count_tokens

BLOCK = """## Task
Which cloud do we use? We use Azure.

## About this user
- Priya lives in Bengaluru.
- Priya uses CockroachDB as the database.
- Priya works at Lendora as a backend engineer.
- Priya prefers pytest with plain functions over test classes.
- The audit deadline is 11 December.

## Procedures
- SQLSTATE 40001 "restart transaction": wrap each transaction in a retry loop.

## Artifacts
- Ticket PAY-381: webhooks delivered twice, 14 payments booked double.

## Recent history
- How do I make the endpoint idempotent? → Insert the event id in the same transaction.

## Recent interactions
- [chat/conversation] user: We moved from Postgres to CockroachDB two weeks ago.
- [chat/conversation] user: By the way, I moved from Pune to Bengaluru last weekend.
- [chat/conversation] user: Which queue should I use? We have 14 workers. assistant: Perhaps Kafka.
"""
READER = OfflineReader(pricing_model="gpt-4o-mini")


def prompt(
    question: str, *, block: str | None = BLOCK, said: Sequence[str] = ()
) -> tuple[Message, ...]:
    """What a model would get, with `said` earlier in the conversation."""
    memory = f"\n\n<memory>\n{block}</memory>" if block else ""
    history = [
        message
        for text in said
        for message in (Message("user", text), Message("assistant", "All right."))
    ]
    system = Message("system", DEFAULT_SYSTEM_PROMPT + memory)
    return (system, *history, Message("user", question))


def ask(question: str, *, block: str | None = BLOCK, said: Sequence[str] = ()) -> str:
    """The reader's answer."""
    return "".join(READER.stream(prompt(question, block=block, said=said)))


def is_refusal(answer: str) -> bool:
    return answer.startswith("I have no record of")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where do I live now?", "From your profile: Priya lives in **Bengaluru**."),
        (
            "When is the audit deadline?",
            "From your profile: The audit deadline is **11 December**.",
        ),
        ("Which company do I work at?", "**Lendora**"),
        ("What is my name?", "**Priya**"),
        ("How do I like my tests written?", "plain functions"),
        ("Which ticket is about the double payments?", "From your references: Ticket **PAY-381**"),
        ("How did we fix SQLSTATE 40001?", "From earlier advice: "),
        ("How do I make the endpoint idempotent?", "same transaction"),
        ("How many workers do we have?", "**14 workers**"),
    ],
)
def test_quotes_the_line_that_answers_and_says_where_it_is_from(question: str, answer: str) -> None:
    assert answer in ask(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is Priya's salary?",
        "What is her sister's name?",
        "Which editor do I use?",
        "Where does Marta live?",
        "When is the tax deadline?",
        "Which payment provider do I use?",
        "How did we fix SQLSTATE 23505?",
        "How many customers do we have?",
        "What is the capital of France?",
    ],
)
def test_refuses_what_no_line_says_although_others_come_close(question: str) -> None:
    assert is_refusal(ask(question))


def test_the_task_in_the_block_is_no_source() -> None:
    assert is_refusal(ask("Which cloud do we use?"))


def test_what_the_assistant_guessed_is_not_taken_from_a_question() -> None:
    answer = ask("Which queue do we use?")
    assert is_refusal(answer)


@pytest.mark.parametrize(
    ("question", "now", "before"),
    [("Where did I live before?", "Bengaluru**", "**Pune**"),
     ("Which database did we use before?", "CockroachDB**", "**Postgres**")],
)  # fmt: skip
def test_a_replaced_value_is_given_only_when_asked_for(
    question: str, now: str, before: str
) -> None:
    assert before in ask(question)
    current = ask(question.replace("did I live before", "do I live").replace("before", "now"))
    assert now in current
    assert before not in current


def test_the_newer_of_two_stated_values_wins_wherever_it_stands() -> None:
    told = ["user: I live in Pune.", "user: I moved from Pune to Bengaluru last weekend."]
    for lines in (told, told[::-1]):
        block = "## Recent interactions\n" + "".join(f"- [chat/conversation] {x}\n" for x in lines)
        assert "**Bengaluru**" in ask("Where do I live?", block=block)


def test_a_memory_in_the_first_person_is_quoted_as_such() -> None:
    block = "## About this user\n- I live in Porto\n- I live in Lisbon now\n"
    assert ask("Where do I live?", block=block) == "From your profile: “I live in **Lisbon** now”"


def test_what_was_said_in_this_conversation_counts_and_comes_first() -> None:
    said = ("I moved to Porto last week.",)
    assert ask("Where do I live?", said=said) == (
        "You said in this conversation: “I moved to **Porto** last week.”"
    )
    assert "**Porto**" in ask("Where do I live?", block=None, said=said)


def test_a_question_that_refers_back_takes_its_words_from_the_one_before() -> None:
    answer = ask("And how did we fix it?", said=("What was wrong with SQLSTATE 40001?",))
    assert "retry loop" in answer


def test_two_questions_in_one_message_get_two_answers() -> None:
    answer = ask("Where do I live, and when is the audit deadline?")
    assert "**Bengaluru**" in answer
    assert "**11 December**" in answer


@pytest.mark.parametrize("question", ["Where do I live?", "What do you know about me?", "Recap"])
def test_without_memory_it_has_no_record_and_mentions_no_memory(question: str) -> None:
    answer = ask(question, block=None)
    assert is_refusal(answer)
    assert "memor" not in answer.casefold()


def test_a_refusal_says_what_would_answer() -> None:
    assert ask("Where do I live?", block=None).endswith(
        "It would take a message that names the place."
    )


@pytest.mark.parametrize("greeting", ["Hello", "hi there!", "Good morning", "hey, how are you?"])
def test_greets_by_name_without_quoting(greeting: str) -> None:
    answer = ask(greeting)
    assert answer.startswith("Hello Priya!")
    assert "Bengaluru" not in answer


@pytest.mark.parametrize("thanks", ["Thanks!", "great, thank you so much", "ok bye"])
def test_thanks_are_answered_in_kind(thanks: str) -> None:
    assert ask(thanks) == "You are welcome."


def test_says_what_it_is() -> None:
    assert "not a language model" in ask("Who are you?")


@pytest.mark.parametrize(
    "question", ["What do you know about me?", "who am I?", "Tell me about me"]
)
def test_lists_the_profile_when_asked_about_the_person(question: str) -> None:
    answer = ask(question)
    assert answer.count("\n- ") == 5
    assert "Lendora" in answer
    assert "PAY-381" not in answer


def test_a_question_about_something_of_mine_is_not_a_question_about_me() -> None:
    assert is_refusal(ask("What do you know about my dog?"))


@pytest.mark.parametrize(
    "question", ["Where did we leave off?", "Summarise our last session", "recap please"]
)
def test_recaps_the_recent_history(question: str) -> None:
    assert "Insert the event id in the same transaction." in ask(question)


@pytest.mark.parametrize("statement", ["I moved to Porto", "We use Redis for our queue now."])
def test_a_statement_is_acknowledged_and_nothing_added(statement: str) -> None:
    assert ask(statement) == f"Noted, as part of this conversation: “{statement}”"


def test_writing_is_declined_with_what_matters_for_it() -> None:
    answer = ask("Write a retry loop for a transaction in Python")
    assert "needs a language model" in answer
    assert "SQLSTATE 40001" in answer
    assert "Bengaluru" not in answer


def test_writing_without_memory_says_so() -> None:
    answer = ask("write code for a webhook", block=None)
    assert "needs a language model" in answer
    assert "no record" in answer


@pytest.mark.parametrize("question", ["", "   ", "?", "🙂", "…", "\n\n", "<script>", "a" * 5000])
def test_odd_messages_get_an_answer(question: str) -> None:
    assert ask(question)


def test_same_prompt_same_answer() -> None:
    assert len({ask("Which database do we use?") for _ in range(3)}) == 1


def test_markdown_in_a_quote_is_left_alone() -> None:
    block = "## About this user\n- Uses `CockroachDB` with *.sql files as the database.\n"
    answer = ask("Which database do I use?", block=block)
    assert answer == "From your profile: Uses `CockroachDB` with *.sql files as the database."


def test_reply_comes_in_pieces_with_counted_usage_and_no_first_token() -> None:
    messages = prompt("Where do I live now?")
    reply = READER.stream(messages)
    pieces = list(reply)
    end = reply.end
    assert len(pieces) > 1
    assert end.prompt_tokens == count_prompt_tokens(messages, model="gpt-4o-mini").tokens
    assert end.completion_tokens == count_tokens("".join(pieces), encoding_name="o200k_base")
    assert not end.measured
    assert end.first_token_ms is None
    assert end.finish_reason == "stop"
    assert end.model == READER.name


def test_closing_ends_the_reply_where_it_is() -> None:
    reply = READER.stream(prompt("What do you know about me?"))
    pieces = iter(reply)
    next(pieces)
    reply.close()
    reply.close()
    assert list(pieces) == []
    assert reply.end.finish_reason == "stopped"


def test_end_is_not_there_while_the_reply_runs() -> None:
    reply = READER.stream(prompt("What do you know about me?"))
    with pytest.raises(RuntimeError, match="still running"):
        _ = reply.end


@pytest.mark.parametrize("max_tokens", [0, 1, 12, 40])
def test_a_reply_limit_cuts_at_a_sentence_or_word(max_tokens: int) -> None:
    whole = ask("What do you know about me?")
    reply = READER.stream(prompt("What do you know about me?"), max_tokens=max_tokens)
    text = "".join(reply)
    assert count_tokens(text, encoding_name="o200k_base") <= max_tokens
    assert whole.startswith(text)
    assert reply.end.finish_reason == "length"


@pytest.mark.parametrize(
    ("line", "question", "answer"),
    [
        ("Bob prefers bullets.", "Do I prefer bullets or paragraphs?", "Bob prefers bullets."),
        ("Bob's lead Marta insists on tests.", "Who is my lead?", "**Marta**"),
        ("Bob is building a bot for a team of nine.", "How big is my team?", "**nine**"),
        ("Bob is building a bot for a team of nine.", "What am I working on?", "a bot"),
        ("Bob builds apps in Python.", "Which language do I use?", "**Python**"),
        ("Bob set timeout=20 for the model.", "Which timeout did I set?", "timeout=**20**"),
        ("Bob no longer uses Sentry.", "Do I still use Sentry?", "no longer uses Sentry"),
        ("Bob's rollout is planned for 7 December.", "When do we roll out?", "**7 December**"),
    ],
)
def test_understands_the_common_forms_of_a_question(line: str, question: str, answer: str) -> None:
    assert answer in ask(question, block=f"## About this user\n- {line}\n")


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("Bob's lead Marta insists on tests.", "What is my job?"),
        ("Bob moved to CockroachDB.", "Where do I live?"),
        ("Bob no longer uses Sentry.", "Which tool do I use?"),
        ("Bob has 400 threads a week.", "How many people are on my team?"),
        ("Bob builds a tool for TypeScript repos.", "Which language do I write?"),
        ("The audit is on 11 December.", "How many auditors are there?"),
    ],
)
def test_a_value_of_the_right_kind_is_not_enough(line: str, question: str) -> None:
    assert is_refusal(ask(question, block=f"## About this user\n- {line}\n"))


def test_an_answer_to_how_leaves_out_niceties_and_repetition() -> None:
    block = (
        "## Procedures\n- To chunk a codebase: one chunk per function.\n\n"
        "## Recent interactions\n"
        "- [chat/conversation] user: How do I chunk a codebase? "
        "assistant: Good. To chunk a codebase, make one chunk per function.\n"
    )
    assert ask("How do I chunk my codebase?", block=block) == (
        "From earlier advice: To chunk a codebase: one chunk per function."
    )


def test_an_injected_similarity_breaks_ties() -> None:
    block = "## Procedures\n- Webhooks: retry later.\n- Webhooks: book once.\n"

    def similarity(question: str, texts: Sequence[str]) -> list[float]:
        assert question
        return [float("book" in text) for text in texts]

    reader = OfflineReader(pricing_model="gpt-4o-mini", similarity=similarity)
    assert "book once" in "".join(reader.stream(prompt("How do I do webhooks?", block=block)))
    assert "retry later" in ask("How do I do webhooks?", block=block)


def test_describes_itself() -> None:
    assert READER.name == "Offline reader (no language model)"
    assert not READER.is_language_model
    assert READER.pricing_model == "gpt-4o-mini"
