"""The served contract over a real socket: envelope, request ids, key, our additions."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from lib.embedded.runtime import EmbeddedRuntime
from lib.embedded.server import create_app
from lib.errors import StatewaveError, StoreError, UnsupportedError
from lib.models import SubjectSummary
from tests.support.plain_compiler import PlainCompiler
from tests.support.serving import serving

KEY = "server-key"


class FailingRuntime(EmbeddedRuntime):
    """Raises what it was told to wherever subjects are listed."""

    failure: Exception | None = None

    def list_subjects(self) -> list[SubjectSummary]:
        if self.failure is not None:
            raise self.failure
        return super().list_subjects()


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FailingRuntime]:
    path: Path = tmp_path_factory.mktemp("server") / "memory.db"
    runtime = FailingRuntime(path, compiler=PlainCompiler())
    yield runtime
    runtime.close()


@pytest.fixture(scope="module")
def http(runtime: FailingRuntime) -> Iterator[httpx.Client]:
    """A plain client with the key."""
    with (
        serving(create_app(runtime, api_key=KEY)) as url,
        httpx.Client(base_url=url, headers={"X-API-Key": KEY}, trust_env=False) as client,
    ):
        yield client


def episode(subject_id: str, payload: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "subject_id": subject_id,
        "source": "chat",
        "type": "conversation",
        "payload": payload,
    } | fields


def said(*contents: object) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": content} for content in contents]}


def error(response: httpx.Response) -> dict[str, Any]:
    found: dict[str, Any] = response.json()["error"]
    return found


def test_health_needs_no_key(http: httpx.Client) -> None:
    assert httpx.get(f"{http.base_url}/healthz").json() == {"status": "ok"}
    ready = httpx.get(f"{http.base_url}/readyz").json()
    assert ready["status"] == "ready"
    assert ready["checks"][0]["status"] == "ok"


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({}, 401, "missing_api_key"),
        ({"X-API-Key": ""}, 401, "missing_api_key"),
        ({"Authorization": f"Bearer {KEY}"}, 401, "missing_api_key"),
        ({"X-API-Key": "nope"}, 403, "invalid_api_key"),
    ],
)
def test_everything_else_needs_the_key(
    http: httpx.Client, headers: dict[str, str], status: int, code: str
) -> None:
    for path in ("/v1/subjects", "/v1/version", "/v1/nope", "/openapi.json"):
        response = httpx.get(f"{http.base_url}{path}", headers=headers)
        assert (response.status_code, error(response)["code"]) == (status, code)
        assert KEY not in response.text


OWN = ["127.0.0.1:8100", "localhost", "localhost:1", "[::1]:8100"]
FOREIGN = ["evil.example", "127.0.0.1.evil.example:8100", "10.0.0.1:8100", "", "[", "localhost@x"]


@pytest.fixture(scope="module")
def open_http(runtime: FailingRuntime) -> Iterator[httpx.Client]:
    """A plain client of a server without a key."""
    with (
        serving(create_app(runtime)) as url,
        httpx.Client(base_url=url, trust_env=False) as client,
    ):
        yield client


@pytest.mark.parametrize("host", OWN)
def test_without_a_key_it_answers_under_its_own_names(open_http: httpx.Client, host: str) -> None:
    assert open_http.get("/v1/subjects", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", FOREIGN)
def test_without_a_key_a_name_that_only_leads_here_is_refused(
    open_http: httpx.Client, host: str
) -> None:
    # A page of evil.example may have its name resolve to this machine (DNS rebinding).
    response = open_http.get("/v1/subjects", headers={"Host": host})
    assert response.status_code == 421
    assert error(response)["code"] == "foreign_host"


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1.evil.example"]
)
def test_without_a_key_pages_of_other_hosts_are_refused(
    open_http: httpx.Client, origin: str
) -> None:
    body = episode("origin", said("planted"))
    response = open_http.post("/v1/episodes", json=body, headers={"Origin": origin})
    assert (response.status_code, error(response)["code"]) == (403, "foreign_origin")
    timeline = open_http.get("/v1/timeline", params={"subject_id": "origin"}).json()
    assert timeline["episodes"] == []


def test_no_web_page_may_read_an_answer(http: httpx.Client, open_http: httpx.Client) -> None:
    for client in (http, open_http):
        response = client.get("/v1/subjects", headers={"Origin": "http://localhost:8501"})
        assert not [name for name in response.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/receipts?subject_id=a"),
        ("GET", "/v1/receipts/01ARZ3NDEKTSV4RRFFQ69G5FAV/verify"),
        ("POST", "/v1/receipts/01ARZ3NDEKTSV4RRFFQ69G5FAV/replay"),
        ("PATCH", "/v1/memories/m/labels"),
        ("GET", "/v1/memory-templates"),
        ("GET", "/v1/resolutions?subject_id=a"),
        ("POST", "/v1/handoff"),
        ("GET", "/v1/subjects/a/health"),
        ("GET", "/v1/subjects/a/sla"),
        ("GET", "/v1/webhooks"),
        ("GET", "/admin/subjects"),
        ("POST", "/admin/import"),
        ("POST", "/v1/llm/complete"),
    ],
)
def test_what_is_not_offered_is_404_and_not_declared(
    http: httpx.Client, method: str, path: str
) -> None:
    response = http.request(method, path, json={} if method == "POST" else None)
    assert response.status_code == 404
    assert error(response)["code"] == "http_error"
    declared = http.get("/v1/version").json()["capabilities"]
    assert not {"receipts", "labels"} & set(declared)


def test_a_request_id_is_echoed_or_made(http: httpx.Client) -> None:
    response = http.get("/v1/nope", headers={"X-Request-ID": "abc-123"})
    assert response.headers["x-request-id"] == "abc-123"
    assert error(response) == {
        "code": "http_error",
        "message": "Not Found",
        "request_id": "abc-123",
    }
    assert len(http.get("/healthz").headers["x-request-id"]) == 16


def test_a_validation_error_names_the_field_and_echoes_nothing(http: httpx.Client) -> None:
    private = "private words " * 1000
    response = http.post("/v1/context", json={"subject_id": "ada", "task": private})
    assert response.status_code == 422
    found = error(response)
    assert found["code"] == "validation_error"
    assert found["details"][0]["loc"] == ["body", "task"]
    assert "private" not in response.text


@pytest.mark.parametrize(
    ("failure", "status", "code", "message"),
    [
        (StoreError("The disk is full."), 503, "store_error", "The disk is full."),
        (UnsupportedError("Not here."), 501, "unsupported", "Not here."),
        (StatewaveError("Odd."), 500, "internal_error", "Odd."),
        (RuntimeError("secret path"), 500, "internal_error", "An unexpected error occurred"),
    ],
)
def test_every_failure_has_the_envelope(
    http: httpx.Client,
    runtime: FailingRuntime,
    failure: Exception,
    status: int,
    code: str,
    message: str,
) -> None:
    runtime.failure = failure
    try:
        response = http.get("/v1/subjects", headers={"X-Request-ID": "r-1"})
    finally:
        runtime.failure = None
    assert response.status_code == status
    assert error(response) == {"code": code, "message": message, "request_id": "r-1"}
    assert response.headers["x-request-id"] == "r-1"


def test_the_version_declares_what_the_runtime_can_do(
    http: httpx.Client, runtime: FailingRuntime
) -> None:
    answer = http.get("/v1/version").json()
    assert answer["capabilities"] == sorted(runtime.capabilities())
    assert answer["version"] == runtime.info().version


PAYLOADS = [
    {"text": "I live in Porto."},
    {"content": "I live in Porto."},
    {"messages": "I live in Porto."},
    {"messages": ["I live in Porto."]},
    {"messages": [{"content": "I live in Porto."}]},
    {"messages": [{"role": "user", "content": [{"type": "text", "text": "I live in Porto."}]}]},
    {"messages": [{"role": "user", "name": "Ada", "content": "I live in Porto."}], "celsius": 21.5},
]


@pytest.mark.parametrize("payload", PAYLOADS, ids=str)
def test_every_payload_comes_back_as_sent_and_is_understood(
    http: httpx.Client, payload: dict[str, Any]
) -> None:
    subject = f"payload-{PAYLOADS.index(payload)}"
    body = episode(subject, payload, metadata={"channel": "demo"}, provenance={"import": "x"})
    response = http.post("/v1/episodes", json=body)
    assert response.status_code == 201
    (stored,) = http.get("/v1/timeline", params={"subject_id": subject}).json()["episodes"]
    assert stored == response.json()
    assert stored["payload"] == payload
    assert stored["metadata"] == {"channel": "demo"}
    assert stored["provenance"] == {"import": "x"}
    asked = {"subject_id": subject, "task": "Where do I live?"}
    assert "I live in Porto." in http.post("/v1/context", json=asked).json()["assembled_context"]


@pytest.mark.parametrize(
    "payload",
    [{}, {"celsius": 21.5}, {"messages": None}, {"messages": [{"content": None}]}],
    ids=str,
)
def test_a_payload_without_text_is_kept_and_compiles_to_nothing(
    http: httpx.Client, payload: dict[str, Any]
) -> None:
    subject = f"silent-{payload}"
    response = http.post("/v1/episodes", json=episode(subject, payload))
    assert response.status_code == 201
    assert response.json()["payload"] == payload
    report = http.post("/v1/memories/compile", json={"subject_id": subject}).json()
    assert (report["memories_created"], report["episodes_compiled"]) == (0, 1)
    asked = {"subject_id": subject, "task": "What is known?"}
    assert http.post("/v1/context", json=asked).json()["facts"] == []


def test_a_batch_may_name_several_subjects(http: httpx.Client) -> None:
    names = ["batch-b", "batch-a", "batch-b"]
    bodies = [episode(name, said(f"Line {number}.")) for number, name in enumerate(names)]
    answer = http.post("/v1/episodes/batch", json={"episodes": bodies}).json()
    assert answer["episodes_created"] == 3
    assert [each["subject_id"] for each in answer["episodes"]] == names
    assert [each["payload"]["messages"][0]["content"] for each in answer["episodes"]] == [
        "Line 0.",
        "Line 1.",
        "Line 2.",
    ]


@pytest.mark.parametrize("count", [0, 101])
def test_a_batch_holds_1_to_100_episodes(http: httpx.Client, count: int) -> None:
    bodies = [episode("too-many", said("hello"))] * count
    response = http.post("/v1/episodes/batch", json={"episodes": bodies})
    assert response.status_code == 422
    assert http.get("/v1/timeline", params={"subject_id": "too-many"}).json()["episodes"] == []


def ids(rows: Sequence[dict[str, Any]]) -> list[str]:
    return [row["id"] for row in rows]


def test_a_timeline_pages_as_the_sdk_expects(http: httpx.Client) -> None:
    bodies = [episode("pages", said(f"Line {number}.")) for number in range(5)]
    stored = ids(http.post("/v1/episodes/batch", json={"episodes": bodies}).json()["episodes"])

    def page(**params: Any) -> tuple[list[str], bool]:
        answer = http.get("/v1/timeline", params={"subject_id": "pages", **params}).json()
        return ids(answer["episodes"]), answer["episodes_has_more"]

    assert page() == (stored, False)
    assert page(limit=2) == (stored[:2], True)
    assert page(limit=2, offset=4) == (stored[4:], False)
    assert page(limit=2, newest_first="true") == (stored[3:], True)


def test_search_pages_and_stops(http: httpx.Client) -> None:
    lines = " ".join(f"Number {number} is kept." for number in range(30))
    http.post("/v1/episodes", json=episode("search", said(lines)))
    http.post("/v1/memories/compile", json={"subject_id": "search"})

    def page(**params: Any) -> tuple[int, bool]:
        answer = http.get("/v1/memories/search", params={"subject_id": "search", **params}).json()
        return len(answer["memories"]), answer["has_more"]

    assert page() == (20, True)
    assert page(limit=100) == (30, False)
    assert page(limit=10, offset=20) == (10, False)
    assert page(q="number", limit=10) == (10, True)
    assert page(q="number", limit=100) == (30, False)
    assert page(q="kept", limit=0) == (0, True)


def test_context_has_the_contracts_fields_and_ours(http: httpx.Client) -> None:
    http.post("/v1/episodes", json=episode("context", said("I live in Porto.")))
    http.post("/v1/memories/compile", json={"subject_id": "context"})
    body = {"subject_id": "context", "task": "Where do I live?", "max_tokens": None}
    bundle = http.post("/v1/context", json=body).json()
    (fact,) = bundle["facts"]
    assert bundle["provenance"]["fact_ids"] == [fact["id"]]
    assert bundle["items"][0]["id"] == fact["id"]
    assert {"assembled_context", "token_estimate", "sessions", "cut_counts"} <= bundle.keys()


def test_a_compile_in_the_background_tells_how_it_ends(http: httpx.Client) -> None:
    http.post("/v1/episodes", json=episode("job", said("I live in Porto.")))
    started = http.post("/v1/memories/compile", json={"subject_id": "job", "async": True})
    assert started.status_code == 202
    job = started.json()
    assert (job["status"], job["subject_id"]) == ("pending", "job")
    until = time.monotonic() + 10
    while job["status"] in ("pending", "running") and time.monotonic() < until:
        job = http.get(f"/v1/memories/compile/{job['job_id']}").json()
    assert (job["status"], job["memories_created"]) == ("completed", 1)
    assert [memory["content"] for memory in job["memories"]] == ["I live in Porto."]


def test_a_job_nobody_knows_is_not_found(http: httpx.Client) -> None:
    response = http.get("/v1/memories/compile/ffffffff")
    assert response.status_code == 404
    assert error(response)["message"] == "Job not found or expired"
