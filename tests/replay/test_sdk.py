"""The official SDK, sync and async, against our server: every method of its endpoints."""

import asyncio
import inspect
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

import pytest
import statewave

from lib.compiling.offline import OfflineCompiler
from lib.embedded.runtime import EmbeddedRuntime
from lib.embedded.server import create_app
from tests.replay.records import API_KEY, Json, lines
from tests.support.serving import serving

Sdk = Any
"""Either client of the SDK, with methods that return values, not awaitables."""

RECORDED: dict[str, Json] = {record["call"]: record for record in lines("sdk_1_5_0")}
SAID = {"messages": [{"role": "user", "content": "I'm Nell Abara. I live in Tartu."}]}


class Waiting:
    """An async client whose methods wait for their result."""

    def __init__(self, client: statewave.AsyncStatewaveClient) -> None:
        self._client = client
        self._loop = asyncio.new_event_loop()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._client, name)
        return lambda *args, **options: self._loop.run_until_complete(method(*args, **options))

    def close(self) -> None:
        self._loop.run_until_complete(self._client.close())
        self._loop.close()


@pytest.fixture(scope="module")
def urls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Our server without and with a key, over one store."""
    path = tmp_path_factory.mktemp("sdk") / "memory.db"
    runtime = EmbeddedRuntime(path, compiler=OfflineCompiler())
    with (
        serving(create_app(runtime)) as open_url,
        serving(create_app(runtime, api_key=API_KEY)) as closed_url,
    ):
        yield open_url, closed_url
    runtime.close()


@pytest.fixture(params=["sync", "async"])
def connect(request: pytest.FixtureRequest) -> Iterator[Callable[..., Sdk]]:
    """Makes SDK clients that are closed after the test."""
    clients: list[Sdk] = []

    def connect(url: str, **options: Any) -> Sdk:
        if request.param == "sync":
            clients.append(statewave.StatewaveClient(url, **options))
        else:
            clients.append(Waiting(statewave.AsyncStatewaveClient(url, **options)))
        return clients[-1]

    yield connect
    for client in clients:
        client.close()


_subject = count()


@pytest.fixture
def subject() -> str:
    return f"sdk:nell-{next(_subject)}"


@pytest.fixture
def sdk(connect: Callable[..., Sdk], urls: tuple[str, str], subject: str) -> Sdk:
    """A client, and a subject who said where she lives."""
    client = connect(urls[0])
    client.create_episode(subject, "chat", "conversation", SAID, session_id="n1")
    client.compile_memories(subject)
    return client


def note(text: str) -> Json:
    return {"text": text}


CALLS: Mapping[str, Callable[[Sdk, str], Any]] = {
    "create_episode(session_id)": lambda sdk, who: sdk.create_episode(
        who, "chat", "conversation", SAID, session_id="n1"
    ),
    "create_episode(idempotency_key) 1": lambda sdk, who: sdk.create_episode(
        who, "chat", "note", note("I prefer rye bread."), idempotency_key="k"
    ),
    "create_episodes_batch": lambda sdk, who: sdk.create_episodes_batch(
        [{"subject_id": who, "source": "chat", "type": "note", "payload": note("Batch line.")}]
    ),
    "compile_memories": lambda sdk, who: sdk.compile_memories(who),
    "compile_memories_async": lambda sdk, who: sdk.compile_memories_async(who),
    "compile_memories_wait": lambda sdk, who: sdk.compile_memories_wait(who, poll_interval=0.01),
    "get_compile_status(unknown)": lambda sdk, _: sdk.get_compile_status("ffffffff"),
    "search_memories": lambda sdk, who: sdk.search_memories(who),
    "get_context": lambda sdk, who: sdk.get_context(who, "Where does Nell live?"),
    "get_context(emit_receipt)": lambda sdk, who: sdk.get_context(
        who, "Where does Nell live?", emit_receipt=True
    ),
    "get_context(task='')": lambda sdk, who: sdk.get_context(who, ""),
    "get_context(max_tokens=0)": lambda sdk, who: sdk.get_context(who, "x", max_tokens=0),
    "get_context_string": lambda sdk, who: sdk.get_context_string(who, "Where does Nell live?"),
    "get_timeline(limit, newest_first)": lambda sdk, who: sdk.get_timeline(
        who, limit=1, newest_first=True
    ),
    "list_subjects": lambda sdk, _: sdk.list_subjects(limit=2),
    "list_subjects(limit=500)": lambda sdk, _: sdk.list_subjects(limit=500),
    "get_receipt": lambda sdk, _: sdk.get_receipt("01ARZ3NDEKTSV4RRFFQ69G5FAV"),
    "list_receipts": lambda sdk, who: sdk.list_receipts(who),
    "verify_receipt": lambda sdk, _: sdk.verify_receipt("01ARZ3NDEKTSV4RRFFQ69G5FAV"),
    "replay_receipt": lambda sdk, _: sdk.replay_receipt("01ARZ3NDEKTSV4RRFFQ69G5FAV"),
    "set_memory_labels": lambda sdk, _: sdk.set_memory_labels("m", ["pii"]),
    "list_suggested_labels": lambda sdk, _: sdk.list_suggested_labels(),
    "promote_suggested_labels": lambda sdk, _: sdk.promote_suggested_labels("m", ["pii.email"]),
    "delete_subject": lambda sdk, who: sdk.delete_subject(who),
    "delete_subject('a b')": lambda sdk, _: sdk.delete_subject("a b"),
    "delete_subject('sdk:path/y')": lambda sdk, who: sdk.delete_subject(f"{who}/y"),
    "delete_subject('..')": lambda sdk, _: sdk.delete_subject(".."),
    "delete_subject('')": lambda sdk, _: sdk.delete_subject(""),
}

ELSEWHERE = {
    "create_episode(idempotency_key) 2": "ours honours the key: a test of its own below",
    "search_memories(limit=101)": "ours takes up to 1,000: a test of its own below",
    "search_memories(limit=-1)": "ours answers 422, not 500: a test of its own below",
    "search_memories(kind, query, semantic)": "the recorded connection broke: a test below",
    "get_health": "support desk: 404, a test below",
    "get_health('a#b')": "support desk",
    "get_sla": "support desk: 404, a test below",
    "create_resolution(open)": "support desk: 404, a test below",
    "create_resolution(update, NO_RETRY)": "support desk",
    "list_resolutions": "support desk: 404, a test below",
    "create_handoff": "support desk: 404, a test below",
    "delete_subject('sdk:path?x')": "the SDK deletes somebody else; no server can tell",
    "delete_subject('sdk:path#frag')": "the SDK deletes somebody else; no server can tell",
    "delete_subject('sdk%3Apath')": "the SDK deletes somebody else; no server can tell",
    "auth: no key": "a test of its own below",
    "auth: wrong key": "a test of its own below",
    "auth: right key": "a test of its own below",
    **dict.fromkeys(
        [
            "unreachable: list_subjects",
            "unreachable: compile_memories_async",
            "unreachable, default retry",
            "timeout",
            "base_url with trailing slash",
            "base_url without scheme",
            "base_url ftp",
            "base_url '' at construction",
            "auth: key with newline",
            "auth: non-ascii key",
            "lone surrogate text",
            "NaN in payload",
            "datetime in payload",
        ],
        "never reaches a server",
    ),
    **dict.fromkeys([f"rate limit call {n}" for n in (1, 2, 3, 4)], "ours limits nobody"),
    "500 with default retry": "nothing makes ours answer 500",
}
"""Recorded calls of the SDK that `CALLS` does not make, and why."""


def test_every_recorded_call_of_the_sdk_is_made_or_explained() -> None:
    assert RECORDED.keys() == CALLS.keys() | ELSEWHERE.keys()
    assert not CALLS.keys() & ELSEWHERE.keys()


def outcome(sdk: Sdk, subject: str, call: str) -> Json:
    """What a call gives, in the words of the recording."""
    try:
        value = CALLS[call](sdk, subject)
    except statewave.StatewaveAPIError as error:
        return {
            "raised": f"{type(error).__module__}.{type(error).__name__}",
            "status_code": error.status_code,
            "code": error.code,
        }
    return {"returned": type(value).__name__, "value": dump(value)}


def dump(value: Any) -> Any:
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value


@pytest.mark.parametrize("call", CALLS)
def test_the_sdk_gets_what_it_got_from_the_original(sdk: Sdk, subject: str, call: str) -> None:
    recorded = RECORDED[call]
    ours = outcome(sdk, subject, call)
    if "raised" in recorded:
        attrs = recorded["attrs"]
        # A string for an error has no code; ours has the envelope everywhere.
        code = "http_error" if call == "get_compile_status(unknown)" else attrs["code"]
        expected = {"raised": recorded["raised"], "status_code": attrs["status_code"]}
        assert ours == {**expected, "code": code}
        return
    assert ours["returned"] == recorded["returned"]
    if isinstance(recorded["value"], dict):
        assert ours["value"].keys() == recorded["value"].keys()


@pytest.mark.parametrize("name", ["StatewaveClient", "AsyncStatewaveClient"])
def test_no_method_of_the_sdk_is_left_out(name: str) -> None:
    source = inspect.getsource(inspect.getmodule(outcome))  # type: ignore[arg-type]
    methods = [each for each in vars(getattr(statewave, name)) if not each.startswith("_")]
    assert len(methods) >= 24
    for method in methods:
        assert f".{method}(" in source, f"{method} is never called"


def test_what_was_said_is_remembered_and_found(sdk: Sdk, subject: str) -> None:
    assert "Tartu" in sdk.get_context_string(subject, "Where does Nell live?", max_tokens=200)
    assert (
        "Tartu"
        in sdk.get_context(subject, "Where does Nell live?", session_id="n1").assembled_context
    )
    found = sdk.search_memories(subject, query="Tartu", semantic=True, kind="profile_fact").memories
    assert ["Tartu" in memory.content for memory in found] == [True]
    assert len(sdk.search_memories(subject, limit=101).memories) >= 1
    with pytest.raises(statewave.StatewaveAPIError) as caught:
        sdk.search_memories(subject, limit=-1)
    assert (caught.value.status_code, caught.value.code) == (422, "validation_error")


def test_a_key_is_honoured(sdk: Sdk, subject: str) -> None:
    first, second = (
        sdk.create_episode(subject, "chat", "note", note("Rye bread."), idempotency_key="k")
        for _ in range(2)
    )
    assert first == second
    assert len(sdk.get_timeline(subject).episodes) == 2


def test_a_timeline_is_paged_from_either_end(sdk: Sdk, subject: str) -> None:
    sdk.create_episodes_batch(
        [
            {"subject_id": subject, "source": "chat", "type": "note", "payload": note(f"Line {n}")}
            for n in range(4)
        ]
    )
    whole = sdk.get_timeline(subject)
    assert (len(whole.episodes), whole.episodes_has_more) == (5, False)
    newest = sdk.get_timeline(subject, limit=2, newest_first=True)
    assert newest.episodes == whole.episodes[3:]
    assert newest.episodes_has_more is True
    last = sdk.get_timeline(subject, limit=2, offset=4)
    assert (last.episodes, last.episodes_has_more) == (whole.episodes[4:], False)


def test_a_compile_can_be_waited_for(sdk: Sdk, subject: str) -> None:
    sdk.create_episode(subject, "chat", "note", note("I prefer rye bread."))
    job = sdk.compile_memories_async(subject)
    assert job.status == "pending"
    done = sdk.compile_memories_wait(subject, poll_interval=0.01)
    assert (done.status, done.error) == ("completed", None)
    assert sdk.get_compile_status(job.job_id).subject_id == subject
    assert any("rye" in memory.content for memory in sdk.search_memories(subject).memories)


def test_a_deleted_subject_is_gone(sdk: Sdk, subject: str) -> None:
    deleted = sdk.delete_subject(subject)
    assert deleted.episodes_deleted == 1
    assert deleted.memories_deleted >= 1
    assert sdk.get_timeline(subject).episodes == []
    assert sdk.delete_subject(subject).episodes_deleted == 0


@pytest.mark.parametrize(
    "ask",
    [
        lambda sdk, who: sdk.get_health(who),
        lambda sdk, who: sdk.get_sla(who),
        lambda sdk, who: sdk.create_resolution(who, "n1"),
        lambda sdk, who: sdk.list_resolutions(who),
        lambda sdk, who: sdk.create_handoff(who, "n1"),
    ],
    ids=["health", "sla", "create resolution", "list resolutions", "handoff"],
)
def test_the_support_desk_is_not_here(
    sdk: Sdk, subject: str, ask: Callable[[Sdk, str], Any]
) -> None:
    with pytest.raises(statewave.StatewaveAPIError) as caught:
        ask(sdk, subject)
    assert (caught.value.status_code, caught.value.code) == (404, "http_error")
    assert caught.value.request_id


@pytest.mark.parametrize(
    ("key", "status", "code"),
    [(None, 401, "missing_api_key"), ("nope", 403, "invalid_api_key"), (API_KEY, 200, "")],
)
def test_the_key_is_asked_for(
    connect: Callable[..., Sdk], urls: tuple[str, str], key: str | None, status: int, code: str
) -> None:
    client = connect(urls[1], api_key=key)
    if status == 200:
        assert client.list_subjects().total >= 0
        return
    with pytest.raises(statewave.StatewaveAPIError) as caught:
        client.list_subjects()
    assert (caught.value.status_code, caught.value.code) == (status, code)
