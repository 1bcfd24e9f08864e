"""The demo's promise: what the subjects were told is answered, what they were not is refused.

Run with `-s` to see the score and every answer.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lib.compiling.offline import OfflineCompiler
from lib.demo.profiles import DemoSubject, demo_subject, demo_subjects
from lib.demo.seeding import seed_demo
from lib.embedded.runtime import EmbeddedRuntime
from lib.embedding import MiniLmEmbedder
from lib.offline import OfflineReader
from lib.prompt import DEFAULT_SYSTEM_PROMPT, build_messages
from lib.protocol import MemoryRuntime

TOKEN_BUDGET = 800
SUBJECT_IDS = [subject.subject_id for subject in demo_subjects()]
RIGHT = {"team_atlas": 0.45}
"""Share of questions that must be answered rightly where it is not nine of ten: most questions of
the large subject put together what several people said in several sessions."""
READER = OfflineReader(pricing_model="gpt-4o-mini")

# Not the wording of the data files, so that nobody tunes the reader to those alone.
# Alternatives are separated by "|".
PARAPHRASES: dict[str, tuple[tuple[str, str], ...]] = {
    "dev_alice": (
        ("Tell me what you know about me", "indie developer"),
        ("who am I?", "Alice"),
        ("What's my name?", "Alice"),
        ("what am I building?", "Quarry"),
        ("Which DB stores my vectors?", "Postgres"),
        ("What model do I use for embeddings?", "text-embedding-3-small"),
        ("what similarity metric am I using at the moment?", "cosine"),
        ("why did I get 429 errors?", "burst"),
        ("How did we solve the 429s in the embedding job?", "backoff"),
        ("How many workers does the embedding job run with now?", "8"),
        ("Should I use WebSockets or server-sent events?", "server-sent events|SSE"),
        ("what fixed the nginx buffering?", "X-Accel-Buffering|header"),
        ("how do you chunk a codebase again?", "tree-sitter|per function"),
        ("How should answers to me be formatted?", "short|code first"),
        ("Which file embeds the whole repo?", "scripts/embed_batch.py"),
        ("What does recall@10 stand at now?", "0.82"),
        ("How should I shorten my vectors?", "norm|dimensions"),
        ("What do you know about my vectors?", "Postgres"),
        ("Why did retrieval get worse?", "inner product|unit|length|norm"),
        ("recap our last session", "cosine"),
    ),
    "dev_bob": (
        ("What's my name?", "Bob"),
        ("what company do I work for?", "Fernhill"),
        ("What model are we using to summarise threads?", "gpt-4o-mini"),
        ("How much can I spend on the model per month?", "$15"),
        ("who is my lead?", "Marta"),
        ("What did Marta insist on?", "confirm button"),
        ("why did Slack send the event twice?", "3 seconds|acknowledg|200"),
        ("How can I get more prompt cache hits?", "prefix|first|last message"),
        ("Which Jira project do we use?", "OPS"),
        ("How do I prefer my summaries?", "bullet"),
        ("When do we roll out to the whole company?", "7 December"),
        ("Which tool do we send logs to these days?", "Loki"),
        ("how do I deal with a thread that is too long?", "8,000|pieces|piece"),
        ("how big is my team?", "nine"),
        ("How do we stop the model from inventing a project key?", "enum|strict"),
        ("What do we do about openai.APITimeoutError?", "timeout=20"),
        ("How many threads failed with context_length_exceeded?", "900 messages|no record"),
        ("What did I prefer, bullets or paragraphs?", "bullet"),
        ("Which file counts the tokens?", "bot/budget.py"),
    ),
    "dev_priya": (
        ("Where am I living these days?", "Bengaluru"),
        ("Where did I live before?", "Pune"),
        ("Which city do I live in?", "Bengaluru"),
        ("What database are we on now?", "CockroachDB"),
        ("Which database did we use before?", "Postgres"),
        ("what's the deadline for the audit?", "11 December"),
        ("Who do I work for?", "Lendora"),
        ("What's my job title?", "lead"),
        ("Which web framework do I use?", "FastAPI"),
        ("what language do I write my apps in?", "Python"),
        ("What causes the off-by-a-cent amounts?", "float"),
        ("How do I handle SQLSTATE 40001?", "retry|run_transaction|try again"),
        ("Which package gives me run_transaction?", "sqlalchemy-cockroachdb"),
        ("do we still use Celery?", "Celery"),
        ("Which testing style do I prefer?", "plain functions|plain pytest"),
        ("How do I stop webhooks from being booked twice?", "event id|CONFLICT|transaction"),
        ("what was PAY-381 about?", "double|twice|webhook"),
        ("Summarise where we left off", "PAY-381|worker|double"),
    ),
    "team_atlas": (
        ("What is our database these days?", "PostgreSQL 17"),
        ("Who is the owner of route-solver at the moment?", "Hana"),
        ("When do we have stand-up?", "10:15"),
        ("On which weekday do our releases go out?", "Tuesday"),
        ("In which region does everything run?", "eu-north-1"),
        ("Where can I find the spare label printer?", "locker 17"),
        ("Where will the offsite be?", "Ghent"),
        ("When is Atlas 3.2 due?", "10 February 2027"),
        ("Which Python does the solver run on?", "3.13"),
        ("Where does Carla Pinto live?", "Seville"),
    ),
}
UNANSWERABLE: dict[str, tuple[str, ...]] = {
    "dev_alice": (
        "What is Alice's salary?",
        "What's my sister's name?",
        "Where do I live?",
        "How many users does Quarry have?",
        "Which CI system do I use?",
        "When is my birthday?",
        "How do I deploy Quarry to Kubernetes?",
        "What is the capital of France?",
        "Who is my co-founder?",
        "Which licence does Quarry have?",
        "What is my favourite colour?",
        "How old am I?",
        "Which reranker model do I use?",
        "What is my AWS account number?",
    ),
    "dev_bob": (
        "What is Marta's phone number?",
        "Where does Marta live?",
        "Which city do I live in?",
        "What is my salary?",
        "Which database does the bot use for its users?",
        "When does my vacation start?",
        "How many children do I have?",
        "What is the name of my bot?",
        "Which university did I go to?",
        "Which Kubernetes version do we run?",
        "What did the CEO say about the bot?",
    ),
    "dev_priya": (
        "What is my sister doing in Pune?",
        "What is Priya's salary?",
        "When is the tax return due?",
        "Which payment provider do we use?",
        "How many people are on my team?",
        "What is the name of the auditor?",
        "Which cloud do we run on?",
        "What is my home address?",
        "When did I get married?",
        "Which message queue replaced Redis?",
        "How do I configure Terraform?",
        "What is my favourite restaurant in Bengaluru?",
    ),
    "team_atlas": (
        "What is Carla's phone number?",
        "Which hotel does the team like best?",
        "How old is Tomasz?",
        "What is Devika's favourite colour?",
        "Which licence does Atlas have?",
        "Where did Samuel go to school?",
        "What does Norrpost pay for its lawyers?",
        "Which airline flies to Ghent?",
        "What was INC-77 about?",
        "Who is Hana's dentist?",
    ),
}


@pytest.fixture(scope="module", params=["by words", "by meaning"])
def runtime(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MemoryRuntime]:
    folder: Path = tmp_path_factory.mktemp("demo")
    embedder = MiniLmEmbedder() if request.param == "by meaning" else None
    engine = EmbeddedRuntime(folder / "statewave.db", compiler=OfflineCompiler(), embedder=embedder)
    for _ in seed_demo(engine, demo_subjects(), marker=folder / "seeded"):
        pass
    assert engine.wait_until_indexed(300) == (embedder is not None)
    yield engine
    engine.close()


def subject_of(subject_id: str) -> DemoSubject:
    subject = demo_subject(subject_id)
    assert subject is not None
    return subject


def answer(runtime: MemoryRuntime, subject_id: str, question: str) -> str:
    """What a visitor sees when they ask, as the Chat page asks it."""
    bundle = runtime.get_context(subject_id, question, max_tokens=TOKEN_BUDGET)
    messages = build_messages(DEFAULT_SYSTEM_PROMPT, question, bundle=bundle)
    # Bold marks the answer on the screen; what it says is the same without.
    return "".join(READER.stream(messages)).replace("**", "")


def is_refusal(text: str) -> bool:
    return text.startswith("I have no record of")


def report(title: str, right: int, total: int, wrong: list[str]) -> str:
    lines = [f"{title}: {right} of {total} right ({right / total:.0%})", *wrong]
    text = "\n".join(lines)
    print(f"\n{text}")
    return text


@pytest.mark.parametrize("subject_id", SUBJECT_IDS)
def test_at_least_nine_of_ten_questions_are_answered_rightly(
    runtime: MemoryRuntime, subject_id: str
) -> None:
    questions = subject_of(subject_id).questions
    wrong = []
    for item in questions:
        said = answer(runtime, subject_id, item.question)
        print(f"\n{item.question}\n  {said}")
        if not item.is_answered_by(said):
            wrong.append(f"  {item.question} → {said}")
    right = len(questions) - len(wrong)
    text = report(subject_id, right, len(questions), wrong)
    assert right >= RIGHT.get(subject_id, 0.9) * len(questions), text


@pytest.mark.parametrize("subject_id", SUBJECT_IDS)
def test_every_hint_prompt_is_answered_rightly(runtime: MemoryRuntime, subject_id: str) -> None:
    for item in subject_of(subject_id).questions:
        if item.show_in:
            said = answer(runtime, subject_id, item.question)
            assert item.is_answered_by(said), f"{item.question} → {said}"


@pytest.mark.parametrize("subject_id", SUBJECT_IDS)
def test_every_unanswerable_question_is_refused(runtime: MemoryRuntime, subject_id: str) -> None:
    asked = (*subject_of(subject_id).unanswerable, *UNANSWERABLE[subject_id])
    answered = []
    for question in asked:
        said = answer(runtime, subject_id, question)
        if not is_refusal(said):
            answered.append(f"  {question} → {said}")
    text = report(f"{subject_id}, refused", len(asked) - len(answered), len(asked), answered)
    assert not answered, text


@pytest.mark.parametrize("subject_id", SUBJECT_IDS)
def test_other_wordings_are_answered_as_well(runtime: MemoryRuntime, subject_id: str) -> None:
    wrong = []
    for question, expected in PARAPHRASES[subject_id]:
        said = answer(runtime, subject_id, question)
        print(f"\n{question}\n  {said}")
        if not any(option.casefold() in said.casefold() for option in expected.split("|")):
            wrong.append(f"  {question} → {said}")
    total = len(PARAPHRASES[subject_id])
    text = report(f"{subject_id}, other wordings", total - len(wrong), total, wrong)
    assert total - len(wrong) >= 0.9 * total, text


@pytest.mark.parametrize("subject_id", SUBJECT_IDS)
def test_without_memory_every_question_is_refused(subject_id: str) -> None:
    for item in subject_of(subject_id).questions:
        said = "".join(READER.stream(build_messages(DEFAULT_SYSTEM_PROMPT, item.question)))
        assert is_refusal(said), f"{item.question} → {said}"
