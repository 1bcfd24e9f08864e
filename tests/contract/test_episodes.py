"""Recording: what every runtime keeps of an episode, and what it refuses."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from lib.errors import InputError
from lib.models import Message, NewEpisode
from lib.protocol import MemoryRuntime
from tests.support.capabilities import requires

TURN = [
    Message("user", "I live in Porto."),
    Message("assistant", "Good to know."),
]


def new(text: str, **fields: object) -> NewEpisode:
    return NewEpisode((Message("user", text),), **fields)  # type: ignore[arg-type]


def test_a_recorded_episode_comes_back_whole(runtime: MemoryRuntime) -> None:
    metadata = {"model": "gpt-4o-mini", "stopped": True, "tokens": 12, "nested": {"a": [1, None]}}
    stored = runtime.record_episode("ada", TURN, source="cli", type="note", metadata=metadata)
    (read,) = runtime.timeline("ada").episodes
    assert read == stored
    assert stored.subject_id == "ada"
    assert stored.messages == tuple(TURN)
    assert (stored.source, stored.type) == ("cli", "note")
    assert stored.metadata == metadata
    assert stored.created_at.tzinfo is not None


def test_a_text_alone_is_said_by_the_user(runtime: MemoryRuntime) -> None:
    stored = runtime.record_episode("ada", "I live in Porto.")
    assert stored.messages == (Message("user", "I live in Porto."),)


@pytest.mark.parametrize("messages", ["", "  \n", [], [Message("user", "")]])
def test_an_episode_without_text_is_refused(
    runtime: MemoryRuntime, messages: list[Message] | str
) -> None:
    with pytest.raises(InputError):
        runtime.record_episode("ada", messages)
    assert runtime.timeline("ada").episodes == ()


@pytest.mark.parametrize("subject_id", ["", "   ", "x" * 257, "a\x00b", "a\ud83d"])
def test_a_subject_id_that_cannot_be_kept_is_refused(
    runtime: MemoryRuntime, subject_id: str
) -> None:
    with pytest.raises(InputError):
        runtime.record_episode(subject_id, "hello")
    assert runtime.list_subjects() == []


@pytest.mark.parametrize(
    "text",
    [
        "Zürich 🏔️ مرحبا \u202eabc\u202c 你好 e\u0301 👩\u200d💻",
        "<script>alert(1)</script> & <b>bold</b> [x](javascript:alert(2)) $x^2$ `code`",
        "tab\tand\nnew line\r\n  and spaces  ",
        "y" * 50_000,
        "y" * 200_000,
    ],
    ids=["unicode", "html", "white space", "50,000 characters", "200 kB"],
)
def test_text_is_kept_to_the_letter(runtime: MemoryRuntime, text: str) -> None:
    runtime.record_episode("ada", text)
    assert runtime.timeline("ada").episodes[0].messages[0].content == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The marker is <|endoftext|> here.", ["The marker is", "endoftext", "here."]),
        ("before\x00after", ["before", "after"]),
        ("half a smile \ud83d done", ["half a smile", "done"]),
    ],
    ids=["special token", "NUL", "lone surrogate"],
)
def test_text_that_is_hard_to_store_keeps_its_words_and_spoils_nothing(
    runtime: MemoryRuntime, text: str, words: list[str]
) -> None:
    runtime.record_episode("ada", text)
    runtime.compile_memories("ada")
    bundle = runtime.get_context("ada", f"What about {text}")
    (episode,) = runtime.timeline("ada").episodes
    kept = episode.messages[0].content
    assert all(word in kept for word in words)
    assert bundle.context_used
    assert bool(episode.notes) == (kept != text), "what is changed is told, and only that"
    assert all(note.endswith(".") for note in episode.notes)


def test_metadata_that_is_not_a_number_spoils_nothing(runtime: MemoryRuntime) -> None:
    runtime.record_episode("ada", "I live in Porto.", metadata={"score": float("nan")})
    (episode,) = runtime.timeline("ada").episodes
    assert "score" in episode.metadata
    assert episode.notes


def test_content_that_is_not_text_is_kept_as_text(runtime: MemoryRuntime) -> None:
    parts: Any = [{"type": "text", "text": "I live in Porto."}]
    runtime.record_episode("ada", [Message("user", parts), Message("assistant", "ok")])
    runtime.compile_memories("ada")
    (episode,) = runtime.timeline("ada").episodes
    assert "I live in Porto." in episode.messages[0].content
    assert runtime.get_context("ada", "Where do I live?").context_used


AWKWARD_IDS = ("<|endoftext|>", "a?x#y%2F", " a ", "é🦊", "a;b,c+d&e", "'; DROP TABLE subjects; --")


def test_awkward_ids_stay_apart_and_whole(runtime: MemoryRuntime) -> None:
    for subject_id in AWKWARD_IDS:
        runtime.record_episode(subject_id, f"I live in {subject_id}.", session_id=subject_id)
    assert {row.subject_id for row in runtime.list_subjects()} == set(AWKWARD_IDS)
    for subject_id in AWKWARD_IDS:
        (episode,) = runtime.timeline(subject_id).episodes
        assert (episode.subject_id, episode.session_id) == (subject_id, subject_id)
        assert runtime.delete_subject(subject_id).episodes_deleted == 1
    assert runtime.list_subjects() == []


@requires("sessions")
def test_sessions_are_kept_and_reported(runtime: MemoryRuntime) -> None:
    runtime.record_episode("ada", "We painted the old shelf green.", session_id="old")
    runtime.record_episode("ada", "We paint the new shelf ochre.", session_id="now")
    assert [each.session_id for each in runtime.timeline("ada").episodes] == ["old", "now"]
    bundle = runtime.get_context(
        "ada", "Shall we paint the new shelf like the old shelf?", session_id="now"
    )
    counts = {session.session_id: session.episode_count for session in bundle.sessions}
    assert counts == {"old": 1, "now": 1}


@requires("occurred_at")
def test_when_it_happened_is_kept_and_orders_the_timeline(runtime: MemoryRuntime) -> None:
    early = datetime(2024, 5, 1, 8, 30, 0, 123456, tzinfo=UTC)
    runtime.record_episode("ada", "I live in Lisbon.")
    runtime.record_episode(
        "ada",
        "I live in Porto.",
        occurred_at=early.astimezone(timezone(timedelta(hours=9))),
    )
    first, second = runtime.timeline("ada").episodes
    assert first.text == "user: I live in Porto."
    assert first.occurred_at == first.when == early
    assert second.occurred_at is None


@requires("idempotency")
def test_a_repeated_key_returns_the_first_episode(runtime: MemoryRuntime) -> None:
    first = runtime.record_episode("ada", "I live in Porto.", idempotency_key="k1")
    again = runtime.record_episode("ada", "I live in Rome.", idempotency_key="k1")
    other = runtime.record_episode("ada", "I live in Porto.", idempotency_key="k2")
    bob = runtime.record_episode("bob", "I live in Porto.", idempotency_key="k1")
    assert again == first
    assert len({first.id, other.id, bob.id}) == 3
    assert len(runtime.timeline("ada").episodes) == 2


def test_without_a_key_every_episode_is_new(runtime: MemoryRuntime) -> None:
    ids = {runtime.record_episode("ada", "I live in Porto.").id for _ in range(2)}
    assert len(ids) == 2


def test_a_batch_is_stored_in_order(runtime: MemoryRuntime) -> None:
    batch = [new(f"Line {number}.", session_id=f"s{number % 2}") for number in range(120)]
    stored = runtime.record_episodes("ada", batch)
    assert [each.text for each in stored] == [f"user: Line {number}." for number in range(120)]
    assert [each.session_id for each in stored[:2]] == ["s0", "s1"]
    assert runtime.timeline("ada").episodes == tuple(stored)


def test_a_batch_with_one_bad_episode_stores_nothing(runtime: MemoryRuntime) -> None:
    with pytest.raises(InputError):
        runtime.record_episodes("ada", [new("fine"), new(" ")])
    assert runtime.timeline("ada").episodes == ()


def test_threads_share_a_runtime(runtime: MemoryRuntime) -> None:
    def work(number: int) -> str:
        episode = runtime.record_episode("ada", f"Number {number} lives on Baker Street.")
        assert runtime.get_context("ada", "Who lives on Baker Street?").context_used
        return episode.id

    with ThreadPoolExecutor(8) as pool:
        ids = set(pool.map(work, range(40)))
    assert {each.id for each in runtime.timeline("ada").episodes} == ids
    assert len(ids) == 40


def test_an_empty_batch_is_nothing(runtime: MemoryRuntime) -> None:
    assert runtime.record_episodes("ada", []) == []
