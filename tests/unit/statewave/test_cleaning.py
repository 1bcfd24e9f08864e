"""What is sent: nothing that harms a server, nothing changed without being told, no id changed."""

import json
import re
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.errors import InputError
from lib.models import Message, NewEpisode
from lib.statewave import StatewaveClient
from lib.statewave.cleaning import Cleaner

Json = dict[str, Any]

SPECIAL = "Special tokens such as <| endoftext|> were written with a space."
UNSTORABLE = "Characters that no server can store were replaced by \ufffd."
NO_JSON = "Values that JSON cannot hold were written as text."
NO_TEXT = "Message content that was not text was written as text."
CUT = "The task was cut to its first 4,000 characters."

POISON = re.compile("[\x00\ud800-\udfff]|<\\|\\w+\\|>")
AWKWARD_IDS = (
    "<|endoftext|>",
    "a?x=1",
    "a#b",
    "a%2Fb",
    "a b",
    " lead and trail ",
    "é🦊\u202ea",
    "a..b",
    "a;b,c",
    "a+b&c",
    "a\\b",
    "a\tb\nc",
    "'; DROP TABLE episodes; --",
    "{{7*7}}",
    "team:alpha@example.org",
    "x" * 256,
)


class Echo:
    """A server that stores what it is sent, and remembers the raw requests."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []

    def client(self) -> StatewaveClient:
        transport = httpx.MockTransport(self.answer)
        return StatewaveClient("http://statewave.test", transport=transport)

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        path = request.url.path
        if path == "/v1/version":
            return httpx.Response(404, json={})
        if request.method == "DELETE":
            subject = path.removeprefix("/v1/subjects/")
            counts = {"episodes_deleted": 1, "memories_deleted": 0}
            return httpx.Response(200, json={"subject_id": subject, **counts})
        if request.method == "GET":
            subject = request.url.params.get("subject_id", "")
            lists: Json = {"episodes": [], "memories": []}
            return httpx.Response(200, json={"subject_id": subject, **lists})
        body = self.body
        if path == "/v1/context":
            more: Json = {"assembled_context": "", "token_estimate": 0}
            return httpx.Response(200, json={**body, **more})
        if path == "/v1/episodes/batch":
            return httpx.Response(
                201, json={"episodes": [_stored(each) for each in body["episodes"]]}
            )
        return httpx.Response(201, json=_stored(body))

    @property
    def body(self) -> Json:
        found: Json = json.loads(self.requests[-1].content)
        return found


def _stored(body: Json) -> Json:
    return {**body, "id": "e1", "created_at": "2026-01-05T09:00:00.000000Z"}


def content(server: Echo) -> object:
    return server.body["payload"]["messages"][0]["content"]


CHANGED = {
    "special token": ("a <|endoftext|> b", "a <| endoftext|> b", [SPECIAL]),
    "special token in a special token": ("<|<|im_end|>", "<|<| im_end|>", [SPECIAL]),
    "NUL": ("a\x00b", "a\ufffdb", [UNSTORABLE]),
    "lone surrogate": ("half a smile \ud83d", "half a smile \ufffd", [UNSTORABLE]),
    "both": ("<|im_start|>\x00", "<| im_start|>\ufffd", [SPECIAL, UNSTORABLE]),
    "parts": ([{"text": "hi"}], '[{"text": "hi"}]', [NO_TEXT]),
    "number": (7, "7", [NO_TEXT]),
    "parts with poison": (["<|im_end|>"], '["<| im_end|>"]', [NO_TEXT, SPECIAL]),
}
KEPT = {
    "long": "y" * 50_000,
    "unicode": "Zürich 🏔️ مرحبا \u202eabc\u202c 你好 e\u0301 👩\u200d💻",
    "no token": "a <| b |> c <|two words|> | < >",
    "html": "<script>alert(1)</script> [x](javascript:alert(2)) $x^2$ `code`",
    "white space": "tab\tand\r\n  new line  ",
    "controls": "\x01\x07\x1b[31m\x7f\u2028",
}


@pytest.mark.parametrize(("said", "sent", "notes"), CHANGED.values(), ids=CHANGED)
def test_what_is_changed_is_told(said: Any, sent: str, notes: list[str]) -> None:
    server = Echo()
    messages = [Message("user", said), Message("assistant", "ok")]
    episode = server.client().record_episode("ada", messages, metadata={"model": "m"})
    assert content(server) == sent
    assert episode.notes == tuple(notes)
    assert episode.metadata["model"] == "m"
    (stored,) = server.client().record_episodes("ada", [NewEpisode((Message("user", said),))])
    assert stored.notes == tuple(notes)


@pytest.mark.parametrize("said", KEPT.values(), ids=KEPT)
def test_what_is_not_changed_is_not_spoken_of(said: str) -> None:
    server = Echo()
    episode = server.client().record_episode("ada", said)
    assert content(server) == said
    assert episode.notes == ()
    assert "recording_notes" not in episode.metadata


@pytest.mark.parametrize(
    ("value", "sent"),
    [(float("nan"), "nan"), (float("inf"), "inf"), (float("-inf"), "-inf"), (b"raw", "b'raw'")],
)
def test_metadata_that_json_cannot_hold_is_text(value: object, sent: str) -> None:
    server = Echo()
    episode = server.client().record_episode("ada", "hello", metadata={"deep": [{"x": value}]})
    assert server.body["metadata"]["deep"] == [{"x": sent}]
    assert episode.notes == (NO_JSON,)


TASKS = {
    "empty": ("", "What should I know about this subject?", "No task was given"),
    "long": ("x" * 5000, "x" * 4000, CUT),
    "token": ("What is <|endoftext|>?", "What is <| endoftext|>?", SPECIAL),
    "a token that makes it too long": (
        "x" * 3990 + "<|a|><|b|>",
        "x" * 3990 + "<| a|><| b",
        SPECIAL,
    ),
    "NUL": ("a\x00b", "a\ufffdb", UNSTORABLE),
}


@pytest.mark.parametrize(("task", "sent", "told"), TASKS.values(), ids=TASKS)
def test_a_task_is_always_acceptable_and_its_change_told(task: str, sent: str, told: str) -> None:
    server = Echo()
    bundle = server.client().get_context("ada", task)
    assert server.body["task"] == sent
    assert told in " ".join(bundle.notes)


def test_an_ordinary_task_needs_no_note() -> None:
    assert Echo().client().get_context("ada", "x" * 4000).notes == ()


@pytest.mark.parametrize("subject_id", AWKWARD_IDS)
def test_an_id_arrives_as_it_is_everywhere(subject_id: str) -> None:
    server = Echo()
    client = server.client()
    assert (
        client.record_episode(subject_id, "hello", session_id=subject_id).subject_id == subject_id
    )
    assert server.body["session_id"] == subject_id
    assert client.get_context(subject_id, "t", session_id=subject_id).subject_id == subject_id
    assert server.body["session_id"] == subject_id
    client.timeline(subject_id)
    assert server.requests[-1].url.params["subject_id"] == subject_id
    client.search_memories(subject_id, "x")
    assert server.requests[-1].url.params["subject_id"] == subject_id
    assert client.delete_subject(subject_id).subject_id == subject_id


@pytest.mark.parametrize("bad", ["", " ", "x" * 257, "a\x00b", "a\ud83d"])
def test_an_id_no_server_can_keep_is_refused_and_never_sent(bad: str) -> None:
    server = Echo()
    client = server.client()
    for ask in (
        lambda: client.record_episode(bad, "hello"),
        lambda: client.record_episodes(bad, [NewEpisode((Message("user", "x"),))]),
        lambda: client.record_episode("ada", "hello", idempotency_key=bad or " "),
        lambda: client.record_episode("ada", "hello", session_id=bad or " "),
        lambda: client.get_context(bad, "t"),
        lambda: client.compile_memories(bad),
        lambda: client.delete_subject(bad),
        lambda: client.search_memories(bad, "x"),
    ):
        with pytest.raises(InputError):
            ask()
    assert server.requests == []


pieces = st.text(max_size=5) | st.sampled_from(["\x00", "\ud83d", "<|", "|>", "<|endoftext|>"])
texts = st.lists(pieces, max_size=4).map("".join)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60)
@given(role=values, said=values, metadata=st.dictionaries(texts, values, max_size=3))
def test_no_episode_can_poison_a_subject(role: Any, said: Any, metadata: Json) -> None:
    server = Echo()
    messages = [Message(role, said), Message("assistant", "ok")]
    server.client().record_episode("ada", messages, metadata=metadata)
    body = server.body
    assert server.requests[-1].content.isascii()
    assert not POISON.search(json.dumps(body, ensure_ascii=False))
    for message in body["payload"]["messages"]:
        assert set(message) == {"role", "content"}
        assert all(isinstance(each, str) for each in message.values())
    json.dumps(body, allow_nan=False)


@given(texts)
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    once = Cleaner().text(text)
    again = Cleaner()
    assert again.text(once) == once
    assert again.notes == ()
