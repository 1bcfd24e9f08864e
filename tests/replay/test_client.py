"""Every recorded answer of a Statewave server, read by the client."""

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import httpx
import pytest

from lib.errors import (
    StatewaveAPIError,
    StatewaveAuthError,
    StatewaveNotFoundError,
    StatewaveRateLimitError,
    UnsupportedError,
)
from lib.models import Message, NewEpisode
from lib.statewave import StatewaveClient
from lib.statewave.calls import Call, Caller
from lib.wire import (
    encode_bundle,
    encode_compile,
    encode_deletion,
    encode_episode,
    encode_memories,
    encode_subjects,
    encode_timeline,
)
from tests.replay.records import API_KEY, Json, answer_body, records, whole

SUBJECT = "pilot:mira"
SUBJECT_PATH = re.compile(r"/v1/subjects/[^/]+")
JOB_PATH = re.compile(r"/v1/memories/compile/[^/]+")
NOTHING_LEFT = {"subject_id": SUBJECT, "memories_created": 0, "memories": []}


@dataclass(frozen=True, slots=True)
class Unused:
    """Recorded requests that the product never sends.

    Their answers are read by the transport all the same: a success comes back as it is, an error
    as the class and sentence that it would be anywhere else.
    """

    path: str
    why: str
    method: str = ".*"


UNUSED = (
    Unused("/readyz?|/health", "`/healthz` says what Status needs, and nothing of a database"),
    Unused("/ops/.*", "how a server migrates is its operator's business"),
    Unused("/v1/nope", "no such route; recorded for its envelope"),
    Unused(
        "/v1/context", "what a browser asks before it calls; the app calls from Python", "OPTIONS"
    ),
    Unused("/admin/.*", "backups and operators' figures; the app reads what any client may read"),
    Unused("/v1/resolutions", "support desk: not about what an assistant remembers"),
    Unused("/v1/handoff", "support desk"),
    Unused("/v1/subjects/.*/(health|sla)", "support desk"),
    Unused("/v1/llm/complete", "the app talks to models itself, so that it can stream"),
    Unused("/v1/receipts.*", "later servers only"),
    Unused("/v1/memories/[^/]*/labels", "later servers only"),
    Unused("/v1/memory-templates.*", "later servers only"),
    Unused("/v1/subjects/\\.\\.%2Fepisodes", "the client refuses such an id itself"),
    Unused("/v1/subjects/team%2Falpha", "the client refuses such an id itself"),
)


def unused(record: Json) -> bool:
    request = record["request"]
    return any(
        re.fullmatch(entry.path, request["path"]) and re.fullmatch(entry.method, request["method"])
        for entry in UNUSED
    )


def compiling(record: Json) -> bool:
    path = record["request"]["path"]
    return path == "/v1/memories/compile" or bool(JOB_PATH.fullmatch(path))


def script(record: Json) -> list[httpx.Response]:
    """The recorded answer, with what else the server would say around it."""
    answer = record["response"]
    recorded = httpx.Response(
        answer["status"], headers=answer["headers"], content=answer_body(record)
    )
    if not compiling(record):
        return [recorded]
    started = httpx.Response(202, json={"job_id": "0b000001", "status": "pending"})
    nothing_left = httpx.Response(200, json=NOTHING_LEFT)
    if answer["status"] == 202:
        return [recorded, nothing_left]
    if not JOB_PATH.fullmatch(record["request"]["path"]):
        return [recorded, nothing_left] if answer["status"] == 200 else [recorded]
    failed = answer.get("json", {}).get("status") == "failed"
    return [started, recorded, started, recorded] if failed else [started, recorded, nothing_left]


def ask(record: Json) -> Any:
    """What the client makes of the recorded answer to the call that `record` is about."""
    replies = script(record)
    path = record["request"]["path"]

    def reply(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/version" != path:
            return httpx.Response(404, json={"error": {"code": "http_error"}})
        next_reply = replies.pop(0) if len(replies) > 1 else replies[0]
        return httpx.Response(
            next_reply.status_code, headers=next_reply.headers, content=next_reply.content
        )

    transport = httpx.MockTransport(reply)
    if unused(record):
        return transport_call(record, transport)
    client = StatewaveClient(
        "http://statewave.test", api_key=API_KEY, transport=transport, sleep=lambda _: None
    )
    if compiling(record):
        wants_job = path != "/v1/memories/compile" or record["response"]["status"] == 202
        return compile_as_recorded(client, wants_job)
    if SUBJECT_PATH.fullmatch(path):
        return encode_deletion(client.delete_subject(SUBJECT))
    return CALLS[path.rstrip("/")](client)


def transport_call(record: Json, transport: httpx.BaseTransport) -> Any:
    request = record["request"]
    caller = Caller(
        "http://statewave.test",
        api_key=API_KEY,
        tenant_id=None,
        transport=transport,
        clock=time.monotonic,
        sleep=lambda _: None,
        new_id=lambda: "r-1",
    )
    call = Call(request["method"], request["path"], params=request.get("params"))
    return caller.call(call, lambda data: data)


def compile_as_recorded(client: StatewaveClient, wants_job: bool) -> Json:
    report = client.compile_memories(SUBJECT, on_progress=(lambda *_: None) if wants_job else None)
    told = " ".join(report.notes)
    unlisted = int(match[1]) if (match := re.search(r"More was made .*\((\d+)\)", told)) else 0
    encoded = encode_compile(report)
    return encoded | {"memories_created": encoded["memories_created"] + unlisted}


def record_batch(client: StatewaveClient) -> Json:
    new = [NewEpisode((Message("user", "hello"),))]
    return {"episodes": [encode_episode(each) for each in client.record_episodes(SUBJECT, new)]}


CALLS: Mapping[str, Callable[[StatewaveClient], Any]] = {
    "/healthz": lambda client: {"status": "ok"} if client.ping() >= 0 else {},
    "/v1/version": lambda client: client.explain(SUBJECT, "task", "memory"),
    "/v1/episodes": lambda client: encode_episode(client.record_episode(SUBJECT, "hello")),
    "/v1/episodes/batch": record_batch,
    "/v1/memories/search": lambda client: encode_memories(client.search_memories(SUBJECT, "x")),
    "/v1/context": lambda client: encode_bundle(client.get_context(SUBJECT, "task")),
    "/v1/timeline": lambda client: encode_timeline(client.timeline(SUBJECT)),
    "/v1/subjects": lambda client: encode_subjects(client.list_subjects()),
}


def has_body(record: Json) -> bool:
    """False for the preflight, which is no JSON, and for two lists that were not kept."""
    return "json" in record["response"]


def failed_job(record: Json) -> bool:
    body = record["response"].get("json")
    return isinstance(body, dict) and "job_id" in body and body.get("status") == "failed"


ALL = list(records())


def chosen(wanted: Callable[[Json], bool]) -> list[Any]:
    return [pytest.param(record, id=name) for name, record in ALL if wanted(record)]


def is_success(record: Json) -> bool:
    return record["response"]["status"] < 300 and has_body(record) and not failed_job(record)


def test_every_recorded_pair_is_replayed() -> None:
    assert len(ALL) == 364


@pytest.mark.parametrize("entry", UNUSED, ids=lambda entry: entry.path)
def test_the_table_of_unused_endpoints_has_no_idle_line(entry: Unused) -> None:
    seen = [
        record["request"]
        for _, record in ALL
        if re.fullmatch(entry.path, record["request"]["path"])
    ]
    assert any(re.fullmatch(entry.method, request["method"]) for request in seen)


@pytest.mark.parametrize("record", chosen(is_success))
def test_a_successful_answer_is_read_without_loss(record: Json) -> None:
    recorded = whole(record["response"]["json"])
    ours = ask(record)
    if not unused(record):
        # A batch answer counts what it lists; a job says how it ran.
        for name in ("episodes_created", "job_id", "status"):
            if record["request"]["path"] != "/healthz":
                recorded.pop(name, None)
        if "subject_id" in recorded and record["request"]["path"] != "/v1/context":
            recorded["subject_id"] = ours["subject_id"]
    assert_kept(recorded, ours)


def assert_kept(recorded: Any, ours: Any, where: str = "") -> None:
    """Everything in `recorded` is in `ours`; times may be written differently."""
    if isinstance(recorded, dict):
        assert isinstance(ours, dict), where
        for name, value in recorded.items():
            assert name in ours, f"{where}.{name} was lost"
            assert_kept(value, ours[name], f"{where}.{name}")
    elif isinstance(recorded, list):
        assert len(recorded) == len(ours), where
        for position, (value, our_value) in enumerate(zip(recorded, ours, strict=True)):
            assert_kept(value, our_value, f"{where}[{position}]")
    elif where.endswith(("_at", ".valid_from", ".valid_to")) and recorded is not None:
        assert datetime.fromisoformat(recorded) == datetime.fromisoformat(ours), where
    else:
        assert recorded == ours, where


# What a person reads, by status.
SENTENCES = {
    200: "it was not JSON|failed while compiling",
    307: "redirects to http://127.0.0.1:8100, which is not followed",
    400: "set STATEWAVE_TENANT_ID|did not accept the request",
    401: "asks for an API key: set STATEWAVE_API_KEY",
    403: "does not accept this API key: check STATEWAVE_API_KEY",
    404: "does not know what was asked for",
    405: "did not accept the request",
    422: "did not accept the request: ",
    429: r"slow down; try again in 60 s",
    500: "failed on this request .an error of its own.; its log says why",
    502: "not available right now .502.",
    503: "not available right now .503.",
}
CLASSES = {
    401: StatewaveAuthError,
    403: StatewaveAuthError,
    404: StatewaveNotFoundError,
    429: StatewaveRateLimitError,
}
JARGON = re.compile(r"[{}]|_error\b|http_error|Traceback|NoneType|object has no|\bnull\b")


@pytest.mark.parametrize("record", chosen(lambda record: not is_success(record)))
def test_an_error_becomes_the_right_class_and_a_sentence(record: Json) -> None:
    status = record["response"]["status"]
    if record["request"]["path"] == "/v1/version" and status == 404:
        with pytest.raises(UnsupportedError, match="does not tell"):
            ask(record)
        return
    with pytest.raises(StatewaveAPIError) as caught:
        ask(record)
    error = caught.value
    assert type(error) is CLASSES.get(status, StatewaveAPIError)
    assert error.status == (500 if failed_job(record) else status)
    assert re.search(SENTENCES[status], str(error))
    assert re.fullmatch(r"[A-Z].*[.”]\.?", str(error)), "a sentence"
    assert not JARGON.search(str(error))
    assert error.request_id or failed_job(record)
    shown = f"{error} {vars(error)} {error.__cause__!r} {error.__context__!r}"
    assert API_KEY not in shown
    for text in echoed(record["response"].get("json")):
        assert text not in shown
    if isinstance(error, StatewaveRateLimitError):
        assert error.retry_after_s == 60


def echoed(data: Any) -> list[str]:
    """The texts a 422 echoes, as long as they cannot be there by chance."""
    details = data.get("error", {}) if isinstance(data, dict) else {}
    rows = details.get("details", []) if isinstance(details, dict) else []
    return [json.dumps(row["input"]) for row in rows if len(json.dumps(row.get("input"))) > 6]


def test_every_recorded_status_has_a_sentence() -> None:
    statuses = {record["response"]["status"] for _, record in ALL}
    assert statuses <= SENTENCES.keys() | {201, 202}
