"""The client against a scripted transport: what it sends, repeats, and says."""

import json
import logging
import ssl
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from lib.errors import (
    InputError,
    SettingsError,
    StatewaveAPIError,
    StatewaveAuthError,
    StatewaveConnectionError,
    StatewaveNotFoundError,
    StatewaveRateLimitError,
    UnsupportedError,
)
from lib.models import Message, NewEpisode
from lib.statewave import StatewaveClient

KEY = "sk-very-secret"
EPISODE = {
    "id": "e1",
    "subject_id": "ada",
    "payload": {"messages": [{"role": "user", "content": "hello"}]},
    "created_at": "2026-01-05T09:00:00.000000Z",
}
MEMORY = {
    "id": "m1",
    "subject_id": "ada",
    "kind": "profile_fact",
    "content": "Ada likes tea",
    "created_at": "2026-01-05T09:00:00.000000Z",
    "source_episode_ids": ["e1"],
}
BUNDLE = {"subject_id": "ada", "task": "t", "assembled_context": "", "token_estimate": 0}
OURS = {"version": "0.1.0", "capabilities": ["sessions", "idempotency", "forget", "explain"]}

Reply = httpx.Response | Exception


def ok(data: object) -> httpx.Response:
    return httpx.Response(200, json=data)


def refusal(status: int, code: str = "http_error", **headers: str) -> httpx.Response:
    body = {"error": {"code": code, "message": "No", "request_id": "r-1"}}
    return httpx.Response(status, json=body, headers=headers)


class Server:
    """Answers each path from its own script, the last reply for ever, and keeps the requests."""

    def __init__(self, scripts: Mapping[str, Sequence[Reply]]) -> None:
        self.scripts = {path: list(script) for path, script in scripts.items()}
        self.scripts.setdefault("/v1/version", [refusal(404)])
        self.requests: list[httpx.Request] = []
        self.slept: list[float] = []

    def client(self, **options: Any) -> StatewaveClient:
        return StatewaveClient(
            "http://statewave.test",
            transport=httpx.MockTransport(self.answer),
            sleep=self.slept.append,
            **options,
        )

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        script = self.scripts[request.url.path]
        reply = script.pop(0) if len(script) > 1 else script[0]
        if isinstance(reply, Exception):
            raise reply
        return httpx.Response(reply.status_code, headers=reply.headers, content=reply.content)

    def sent(self, path: str) -> list[httpx.Request]:
        return [request for request in self.requests if request.url.path == path]

    def body(self, path: str) -> Any:
        return json.loads(self.sent(path)[-1].content)


def test_an_episode_is_sent_as_the_contract_wants_it() -> None:
    server = Server({"/v1/episodes": [httpx.Response(201, json=EPISODE)]})
    server.client(api_key=KEY, tenant_id="team").record_episode(
        "ada",
        [Message("user", "hello"), Message("assistant", "hi")],
        session_id="s1",
        metadata={"model": "m", "score": 0.5, "nested": {"a": [1, None]}},
        occurred_at=datetime(2026, 1, 2, tzinfo=UTC),
    )
    body = server.body("/v1/episodes")
    assert body.pop("idempotency_key")
    assert body == {
        "subject_id": "ada",
        "source": "chat",
        "type": "conversation",
        "payload": {
            "messages": [
                {"role": "user", "content": "hello"},
                {"role": "assistant", "content": "hi"},
            ]
        },
        "metadata": {"model": "m", "score": 0.5, "nested": {"a": [1, None]}},
        "session_id": "s1",
        "occurred_at": "2026-01-02T00:00:00.000000Z",
    }
    headers = server.sent("/v1/episodes")[0].headers
    assert headers["x-api-key"] == KEY
    assert headers["x-tenant-id"] == "team"
    assert headers["content-type"] == "application/json"


def test_text_that_breaks_a_server_is_made_safe_and_stays_visible() -> None:
    server = Server({"/v1/episodes": [ok(EPISODE)]})
    server.client().record_episode("ada", "a <|endoftext|> b\x00c \ud83d d")
    (message,) = server.body("/v1/episodes")["payload"]["messages"]
    assert message["content"] == "a <| endoftext|> b\ufffdc \ufffd d"


def test_content_that_is_not_text_becomes_text() -> None:
    server = Server({"/v1/episodes": [ok(EPISODE)]})
    parts: Any = [{"type": "text", "text": "hi <|im_end|>"}]
    server.client().record_episode("ada", [Message("user", parts), Message("assistant", "ok")])
    first = server.body("/v1/episodes")["payload"]["messages"][0]["content"]
    assert first == '[{"type": "text", "text": "hi <| im_end|>"}]'


@pytest.mark.parametrize("subject_id", ["", "  ", "x" * 257, "a\x00b", "a\ud83d"])
def test_an_id_no_server_can_keep_is_refused_before_sending(subject_id: str) -> None:
    server = Server({})
    with pytest.raises(InputError, match="subject id"):
        server.client().record_episode(subject_id, "hello")
    assert server.requests == []


def test_nothing_to_record_is_refused_before_sending() -> None:
    server = Server({})
    for empty in ("", " \n", [], [Message("user", "")]):
        with pytest.raises(InputError, match="nothing to record"):
            server.client().record_episode("ada", empty)
    assert server.requests == []


@pytest.mark.parametrize(
    ("task", "sent"),
    [
        ("", "What should I know about this subject?"),
        (" \n", "What should I know about this subject?"),
        ("x" * 5000, "x" * 4000),
        ("What is <|endoftext|>?", "What is <| endoftext|>?"),
    ],
)
def test_a_task_is_always_sent_and_always_acceptable(task: str, sent: str) -> None:
    server = Server({"/v1/context": [ok(BUNDLE)]})
    server.client().get_context("ada", task, max_tokens=300)
    assert server.body("/v1/context") == {"subject_id": "ada", "task": sent, "max_tokens": 300}


def test_a_batch_is_sent_in_hundreds_each_episode_with_its_own_key() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        episodes = json.loads(request.content)["episodes"]
        keys.extend(episode["idempotency_key"] for episode in episodes)
        sizes.append(len(episodes))
        return httpx.Response(201, json={"episodes": [EPISODE] * len(episodes)})

    keys: list[str] = []
    sizes: list[int] = []
    client = StatewaveClient("http://statewave.test", transport=httpx.MockTransport(answer))
    new = [NewEpisode((Message("user", str(number)),)) for number in range(205)]
    new[7] = NewEpisode((Message("user", "7"),), idempotency_key="mine")
    assert len(client.record_episodes("ada", new)) == 205
    assert sizes == [100, 100, 5]
    assert len(set(keys)) == 205
    assert keys[7] == "mine"


def test_search_uses_q() -> None:
    server = Server({"/v1/memories/search": [ok({"memories": [MEMORY]})]})
    found = server.client().search_memories("a&b=c", "tea & <|im_end|>", kind="profile_fact")
    assert found.complete
    params = dict(server.sent("/v1/memories/search")[0].url.params)
    assert params == {
        "subject_id": "a&b=c",
        "q": "tea & <| im_end|>",
        "kind": "profile_fact",
        "limit": "100",
    }


@pytest.mark.parametrize("subject_id", ["team/alpha", "..", ".", "../episodes"])
def test_an_id_no_path_can_carry_is_refused_with_the_reason(subject_id: str) -> None:
    server = Server({})
    with pytest.raises(InputError, match="web address"):
        server.client().delete_subject(subject_id)
    assert server.requests == []


@pytest.mark.parametrize(
    "subject_id", ["a?x", "a#b", "a%2Fb", "a b", "é🦊", "a..b", "a;b", "a+b&c"]
)
def test_an_id_is_quoted_whole_in_a_path(subject_id: str) -> None:
    report = {"subject_id": subject_id, "episodes_deleted": 1, "memories_deleted": 2}
    server = Server({f"/v1/subjects/{subject_id}": [ok(report)]})
    assert server.client().delete_subject(subject_id).memories_deleted == 2


# Retries


def timeline(client: StatewaveClient) -> object:
    return client.timeline("ada")


def record(client: StatewaveClient) -> object:
    return client.record_episode("ada", "hello")


TIMELINE = {"subject_id": "ada", "episodes": [], "memories": []}
ONCE = {
    "refused": httpx.ConnectError("no"),
    "broken": httpx.ReadError("no"),
    "dropped": httpx.RemoteProtocolError("no"),
    "500": refusal(500),
    "502": refusal(502),
    "503": refusal(503),
    "504": refusal(504),
}


@pytest.mark.parametrize("failure", ONCE.values(), ids=ONCE)
def test_a_repeatable_call_is_tried_twice_and_no_more(failure: Reply) -> None:
    server = Server({"/v1/timeline": [failure, ok(TIMELINE)]})
    assert server.client().timeline("ada").episodes == ()
    server = Server({"/v1/timeline": [failure]})
    with pytest.raises((StatewaveAPIError, StatewaveConnectionError)):
        server.client().timeline("ada")
    assert len(server.sent("/v1/timeline")) == 2


@pytest.mark.parametrize("failure", ONCE.values(), ids=ONCE)
def test_an_episode_is_sent_once_where_keys_are_not_honoured(failure: Reply) -> None:
    server = Server({"/v1/episodes": [failure, ok(EPISODE)]})
    with pytest.raises((StatewaveAPIError, StatewaveConnectionError)):
        server.client().record_episode("ada", "hello")
    assert len(server.sent("/v1/episodes")) == 1


@pytest.mark.parametrize("failure", ONCE.values(), ids=ONCE)
def test_an_episode_is_sent_again_with_the_same_key_where_keys_are_honoured(
    failure: Reply,
) -> None:
    server = Server({"/v1/version": [ok(OURS)], "/v1/episodes": [failure, ok(EPISODE)]})
    assert server.client().record_episode("ada", "hello").id == "e1"
    first, second = (json.loads(request.content) for request in server.sent("/v1/episodes"))
    assert first["idempotency_key"] == second["idempotency_key"]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 422, 501])
def test_a_refusal_is_not_repeated(status: int) -> None:
    server = Server({"/v1/timeline": [refusal(status)]})
    with pytest.raises(StatewaveAPIError):
        server.client().timeline("ada")
    assert len(server.sent("/v1/timeline")) == 1


@pytest.mark.parametrize("ask", [timeline, record])
def test_a_short_retry_after_is_honoured(ask: Callable[[StatewaveClient], object]) -> None:
    limited = refusal(429, **{"Retry-After": "3"})
    server = Server(
        {"/v1/timeline": [limited, ok(TIMELINE)], "/v1/episodes": [limited, ok(EPISODE)]}
    )
    assert ask(server.client())
    assert server.slept == [3.0]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "60"}, 60.0),
        ({}, None),
        ({"Retry-After": "soon"}, None),
        (
            {
                "Date": "Mon, 05 Jan 2026 09:00:00 GMT",
                "Retry-After": "Mon, 05 Jan 2026 09:01:00 GMT",
            },
            60.0,
        ),
    ],
)
def test_a_longer_rate_limit_is_raised_at_once(
    headers: dict[str, str], seconds: float | None
) -> None:
    server = Server({"/v1/timeline": [refusal(429, **headers)]})
    with pytest.raises(StatewaveRateLimitError) as caught:
        server.client().timeline("ada")
    assert caught.value.retry_after_s == seconds
    assert server.slept == []


def test_waiting_never_passes_the_deadline() -> None:
    server = Server({"/v1/context": [refusal(429, **{"Retry-After": "3"})]})
    with pytest.raises(StatewaveRateLimitError):
        server.client().get_context("ada", "t", deadline_s=2)
    assert server.slept == []


def test_time_spent_in_the_first_try_is_gone_for_the_second() -> None:
    ticks = [0.0]

    def answer(request: httpx.Request) -> httpx.Response:
        timeouts.append(request.extensions["timeout"]["read"])
        ticks[0] += 4.0
        return refusal(503)

    timeouts: list[float] = []
    client = StatewaveClient(
        "http://statewave.test",
        transport=httpx.MockTransport(answer),
        clock=lambda: ticks[0],
        sleep=lambda seconds: ticks.__setitem__(0, ticks[0] + seconds),
    )
    with pytest.raises(StatewaveConnectionError, match="within 6 s"):
        client.get_context("ada", "t", deadline_s=6)
    assert timeouts == [6.0, pytest.approx(1.9)]


# Secrets and errors


def test_the_key_is_in_no_message_no_repr_no_log_and_no_record(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    echo = {"error": {"code": KEY, "message": f"bad key {KEY}", "request_id": KEY}}
    shown = []
    for status in (400, 401, 403, 404, 500):
        client = StatewaveClient(
            f"http://user:{KEY}@statewave.test/base?x=1",
            api_key=KEY,
            transport=httpx.MockTransport(lambda _, s=status: httpx.Response(s, json=echo)),
            sleep=lambda _: None,
        )
        with pytest.raises(StatewaveAPIError) as caught:
            client.timeline("ada")
        shown += [str(caught.value), repr(caught.value), str(vars(caught.value))]
        shown += [repr(client), str(client.info()), str(client.recent_calls())]
        shown += [str(caught.value.__cause__), str(caught.value.__context__)]
    assert KEY not in " ".join(shown)
    assert KEY not in caplog.text
    assert client.info().location == "http://statewave.test/base"


def test_a_user_name_in_the_address_is_sent_as_basic_authentication() -> None:
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers["authorization"])
        return ok({"status": "ok"})

    transport = httpx.MockTransport(answer)
    StatewaveClient("http://user:pass@statewave.test", transport=transport).ping()
    assert seen == ["Basic dXNlcjpwYXNz"]


@pytest.mark.parametrize("key", ["a\nb", "é"])
def test_a_key_no_header_can_carry_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(SettingsError, match="STATEWAVE_API_KEY") as caught:
        StatewaveClient("http://statewave.test", api_key=key)
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "base_url", ["", "statewave.test", "ftp://statewave.test", "http://", "http://host:port"]
)
def test_an_address_that_is_none_is_refused(base_url: str) -> None:
    with pytest.raises(SettingsError, match="STATEWAVE_BASE_URL"):
        StatewaveClient(base_url)


def test_a_path_in_the_address_is_kept() -> None:
    server = Server({"/memory/healthz": [ok({"status": "ok"})]})
    transport = httpx.MockTransport(server.answer)
    StatewaveClient("http://statewave.test/memory/", transport=transport).ping()
    assert len(server.sent("/memory/healthz")) == 1


def test_a_redirect_is_not_followed_and_names_the_host_only() -> None:
    away = httpx.Response(307, headers={"Location": "https://u:pw@other.test/v1/timeline?k=1"})
    server = Server({"/v1/timeline": [away]})
    with pytest.raises(StatewaveAPIError, match=r"https://other\.test,") as caught:
        server.client(api_key=KEY).timeline("ada")
    assert "pw" not in str(caught.value)
    assert [request.url.host for request in server.sent("/v1/timeline")] == ["statewave.test"]


@pytest.mark.parametrize(
    ("status", "body", "kind", "sentence"),
    [
        (401, {"error": {"code": "missing_api_key"}}, StatewaveAuthError, "set STATEWAVE_API_KEY"),
        (
            403,
            {"error": {"code": "invalid_api_key"}},
            StatewaveAuthError,
            "check STATEWAVE_API_KEY",
        ),
        (400, {"error": {"code": "missing_tenant"}}, StatewaveAPIError, "STATEWAVE_TENANT_ID"),
        (404, {"error": "Job not found or expired"}, StatewaveNotFoundError, "Job not found"),
        (404, {"detail": "Not Found"}, StatewaveNotFoundError, "does not know"),
        (
            422,
            {"detail": [{"loc": ["body", "q"], "msg": "Too long"}]},
            StatewaveAPIError,
            "`q`: Too",
        ),
        (503, {"error": {"message": "Draining\nnow"}}, StatewaveAPIError, "“Draining now”"),
        (500, ["odd"], StatewaveAPIError, "error of its own"),
        (
            422,
            {"error": {"code": "invalid_input", "message": "Say more."}},
            InputError,
            "^Say more",
        ),
        (501, {"error": {"code": "unsupported", "message": "Not here."}}, UnsupportedError, "^Not"),
    ],
)
def test_every_error_shape_becomes_one_sentence(
    status: int, body: object, kind: type[Exception], sentence: str
) -> None:
    server = Server({"/v1/timeline": [httpx.Response(status, json=body)]})
    with pytest.raises(kind, match=sentence) as caught:
        server.client().timeline("ada")
    assert type(caught.value) is kind


def test_a_validation_error_names_three_fields_and_counts_the_rest() -> None:
    details = [
        {"loc": ["body", f"f{number}"], "msg": "Field required", "input": "private words"}
        for number in range(5)
    ]
    body = {"error": {"code": "validation_error", "details": details, "request_id": "r-9"}}
    server = Server({"/v1/timeline": [httpx.Response(422, json=body)]})
    with pytest.raises(StatewaveAPIError) as caught:
        server.client().timeline("ada")
    assert "`f2`: Field required; and 2 more." in str(caught.value)
    assert "private" not in f"{caught.value} {vars(caught.value)}"
    assert caught.value.request_id == "r-9"


def test_a_certificate_that_is_not_trusted_is_named_as_the_reason() -> None:
    distrust = httpx.ConnectError("no")
    distrust.__cause__ = ssl.SSLCertVerificationError("self-signed certificate")
    with pytest.raises(StatewaveConnectionError, match="certificate"):
        Server({"/healthz": [distrust]}).client().ping()


# What a server can do


def test_an_old_server_declares_sessions_and_its_age() -> None:
    server = Server({})
    client = server.client()
    assert client.info().version == "unknown"
    assert server.requests == []
    assert client.capabilities() == {"sessions"}
    assert client.capabilities() == {"sessions"}
    assert client.info().version == "0.7.x or older"
    assert len(server.requests) == 1


def test_a_server_declares_what_it_can_and_unknown_words_are_left_out() -> None:
    declared = {"version": "0.1.0", "capabilities": ["forget", "time_travel"]}
    client = Server({"/v1/version": [ok(declared)]}).client()
    assert client.capabilities() == {"forget"}
    assert client.info().version == "0.1.0"


def test_a_server_that_comes_back_is_asked_again() -> None:
    now = [0.0]
    down = httpx.ConnectError("no")
    server = Server({"/v1/version": [down, down, ok(OURS)]})
    client = server.client(clock=lambda: now[0])
    assert client.capabilities() == {"sessions"}
    assert client.capabilities() == {"sessions"}
    assert len(server.requests) == 2, "one try and its retry; the second question waits"
    now[0] = 6.0
    assert "forget" in client.capabilities()


def test_an_old_server_refuses_what_it_cannot_do_in_one_sentence() -> None:
    client = Server({}).client()
    for ask in (
        lambda: client.forget_memory("ada", "m1"),
        lambda: client.restore_memory("ada", "m1"),
        lambda: client.correct_memory("ada", "m1", "x"),
        lambda: client.explain("ada", "t", "m1"),
    ):
        with pytest.raises(UnsupportedError, match=r"^This Statewave server .*\.$"):
            ask()


def test_a_server_that_is_down_is_not_called_unable() -> None:
    client = Server({"/v1/version": [httpx.ConnectError("no")]}).client()
    with pytest.raises(StatewaveConnectionError):
        client.forget_memory("ada", "m1")


def test_a_correction_is_sent_once() -> None:
    path = "/v1/memories/m1/correct"
    server = Server({"/v1/version": [ok(OURS)], path: [refusal(503), ok(MEMORY)]})
    with pytest.raises(StatewaveAPIError):
        server.client().correct_memory("ada", "m1", "Ada likes coffee")
    assert len(server.sent(path)) == 1
    assert server.body(path) == {"subject_id": "ada", "content": "Ada likes coffee"}


# Lists


@pytest.mark.parametrize(("rows", "complete"), [(99, True), (100, False)])
def test_a_list_of_exactly_a_hundred_is_never_called_complete(rows: int, complete: bool) -> None:
    page = {"memories": [MEMORY] * rows}
    server = Server(
        {
            "/v1/memories/search": [ok(page)],
            "/v1/timeline": [ok(TIMELINE | {"episodes": [EPISODE] * rows})],
        }
    )
    client = server.client()
    assert client.list_memories("ada").complete is complete
    assert client.search_memories("ada", "tea").complete is complete
    assert client.timeline("ada").complete is complete


def test_superseded_memories_come_from_the_timeline_newest_first() -> None:
    old = MEMORY | {"id": "m0", "status": "superseded"}
    other = MEMORY | {"id": "m2", "kind": "procedure"}
    server = Server({"/v1/timeline": [ok(TIMELINE | {"memories": [old, MEMORY, other]})]})
    listed = server.client().list_memories("ada", kind="profile_fact", include_superseded=True)
    assert [memory.id for memory in listed.memories] == ["m1", "m0"]


def test_pages_are_followed_where_a_server_has_them() -> None:
    first = TIMELINE | {"episodes": [EPISODE], "episodes_has_more": True}
    second = TIMELINE | {"episodes": [EPISODE | {"id": "e2"}], "episodes_has_more": False}
    server = Server({"/v1/timeline": [ok(first), ok(second)]})
    timeline = server.client().timeline("ada")
    assert [episode.id for episode in timeline.episodes] == ["e1", "e2"]
    assert timeline.complete
    assert server.sent("/v1/timeline")[1].url.params["offset"] == "200"


def test_all_subjects_are_listed_over_pages() -> None:
    def page(size: int) -> httpx.Response:
        row = {"subject_id": "ada", "episode_count": 1, "memory_count": 2}
        return ok({"subjects": [row] * size, "total": size})

    server = Server({"/v1/subjects": [page(200), page(3)]})
    assert len(server.client().list_subjects()) == 203
    assert server.sent("/v1/subjects")[1].url.params["offset"] == "200"


def test_episodes_without_a_memory_are_pending_on_an_old_server() -> None:
    episodes = [EPISODE, EPISODE | {"id": "e2"}]
    lists = TIMELINE | {"episodes": episodes, "memories": [MEMORY]}
    assert Server({"/v1/timeline": [ok(lists)]}).client().pending_episodes("ada") == 1


def test_items_are_derived_where_a_server_sends_none() -> None:
    bundle = BUNDLE | {
        "facts": [MEMORY],
        "procedures": [MEMORY | {"id": "m2", "kind": "procedure"}],
        "episodes": [EPISODE | {"session_id": "s1"}],
    }
    items = Server({"/v1/context": [ok(bundle)]}).client().get_context("ada", "t").items
    assert [(item.id, item.kind, item.rank) for item in items] == [
        ("m1", "profile_fact", 1),
        ("m2", "procedure", 2),
        ("e1", "episode", 3),
    ]
    assert all(item.included and item.score is None and item.tokens > 0 for item in items)
    assert items[2].session_id == "s1"


def test_a_sweep_asks_only_for_the_bundles_that_are_read() -> None:
    server = Server({"/v1/context": [ok(BUNDLE)]})
    sweep = server.client().sweep_context("ada", "t", [20, 40, 80])
    assert server.requests == []
    next(sweep)
    assert [server.body("/v1/context")["max_tokens"]] == [20]
    assert len(server.sent("/v1/context")) == 1


# Connections


def test_recent_calls_show_the_last_five_hundred_without_query_or_body() -> None:
    server = Server({"/v1/memories/search": [ok({"memories": []})], "/healthz": [ok({})]})
    client = server.client(new_id=lambda: "r-7")
    client.search_memories("ada", "private words")
    first = client.recent_calls()[0]
    assert (first.method, first.path, first.status) == ("GET", "/v1/memories/search", 200)
    assert first.request_id == "r-7"
    assert first.duration_ms >= 0
    assert "private" not in str(first)
    for _ in range(600):
        client.ping()
    assert len(client.recent_calls()) == 500
    assert first not in client.recent_calls()


def test_a_failed_call_is_recorded_without_a_status() -> None:
    client = Server({"/healthz": [httpx.ConnectError("no")]}).client()
    with pytest.raises(StatewaveConnectionError):
        client.ping()
    assert [call.status for call in client.recent_calls()] == [None, None]


def test_a_client_closed_under_a_pages_feet_opens_again() -> None:
    client = Server({"/healthz": [ok({})]}).client()
    client.ping()
    client.close()
    assert client.ping() >= 0


def test_threads_share_one_client_while_it_is_closed_again_and_again() -> None:
    client = Server({"/healthz": [ok({})]}).client()

    def work() -> None:
        for _ in range(50):
            client.ping()

    with ThreadPoolExecutor(6) as pool:
        jobs = [pool.submit(work) for _ in range(6)]
        for _ in range(50):
            client.close()
        for job in jobs:
            job.result()
