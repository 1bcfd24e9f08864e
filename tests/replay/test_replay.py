"""Every recorded answer of a Statewave server, read by the client."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
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
from lib.wire import (
    encode_bundle,
    encode_compile,
    encode_deletion,
    encode_episode,
    encode_memories,
    encode_subjects,
    encode_timeline,
)

Json = dict[str, Any]
DATA = Path(__file__).with_name("data")
SUBJECT = "pilot:mira"


def recordings() -> list[Any]:
    return [
        pytest.param(record, id=f"{path.stem}/{record['id']}")
        for path in sorted(DATA.glob("*.jsonl"))
        for record in map(json.loads, path.read_text(encoding="utf-8").splitlines())
    ]


RECORDS = recordings()
SUCCESSES = [param for param in RECORDS if param.values[0]["response"]["status"] < 300]
FAILURES = [param for param in RECORDS if param.values[0]["response"]["status"] >= 300]


def whole(value: Any) -> Any:
    """`value` with shortened texts at their recorded length."""
    if isinstance(value, list):
        return [whole(item) for item in value]
    if not isinstance(value, dict):
        return value
    start = value.get("$repeat", value.get("$shortened"))
    if start is not None:
        length = value["$length"]
        return (start * (length // len(start) + 1))[:length]
    return {name: whole(item) for name, item in value.items()}


def ask(record: Json) -> Any:
    """What the client makes of the recorded answer to the call that `record` is about."""
    answer = record["response"]
    content = (
        json.dumps(whole(answer["json"])) if "json" in answer else answer.get("text", "")
    ).encode()

    def reply(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/version" and record["request"]["path"] != "/v1/version":
            return httpx.Response(404, json={"error": {"code": "http_error"}})
        return httpx.Response(answer["status"], headers=answer["headers"], content=content)

    client = StatewaveClient(
        "http://statewave.test", transport=httpx.MockTransport(reply), sleep=lambda _: None
    )
    return CALLS.get(record["request"]["path"], delete)(client)


def delete(client: StatewaveClient) -> Json:
    return encode_deletion(client.delete_subject(SUBJECT))


def record_batch(client: StatewaveClient) -> Json:
    new = [NewEpisode((Message("user", "hello"),))]
    return {"episodes": [encode_episode(each) for each in client.record_episodes(SUBJECT, new)]}


def ask_version(client: StatewaveClient) -> None:
    client.explain(SUBJECT, "task", "memory")


CALLS: Mapping[str, Callable[[StatewaveClient], Any]] = {
    "/healthz": lambda client: {"status": "ok"} if client.ping() >= 0 else {},
    "/v1/version": ask_version,
    "/v1/episodes": lambda client: encode_episode(client.record_episode(SUBJECT, "hello")),
    "/v1/episodes/batch": record_batch,
    "/v1/memories/compile": lambda client: encode_compile(client.compile_memories(SUBJECT)),
    "/v1/memories/search": lambda client: encode_memories(client.search_memories(SUBJECT, "x")),
    "/v1/context": lambda client: encode_bundle(client.get_context(SUBJECT, "task")),
    "/v1/timeline": lambda client: encode_timeline(client.timeline(SUBJECT)),
    "/v1/subjects": lambda client: encode_subjects(client.list_subjects()),
}


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


@pytest.mark.parametrize("record", SUCCESSES)
def test_a_successful_answer_is_read_without_loss(record: Json) -> None:
    recorded = whole(record["response"]["json"])
    # A batch answer counts what it lists.
    recorded.pop("episodes_created", None)
    ours = ask(record)
    if record["request"]["path"] == "/v1/timeline":
        recorded["subject_id"] = SUBJECT
    assert_kept(recorded, ours)


@pytest.mark.parametrize("record", FAILURES)
def test_an_error_becomes_the_right_class_without_echoing_the_request(record: Json) -> None:
    status = record["response"]["status"]
    if record["request"]["path"] == "/v1/version" and status == 404:
        with pytest.raises(UnsupportedError, match="does not tell"):
            ask(record)
        return
    with pytest.raises(StatewaveAPIError) as caught:
        ask(record)
    error = caught.value
    expected = {
        401: StatewaveAuthError,
        403: StatewaveAuthError,
        404: StatewaveNotFoundError,
        429: StatewaveRateLimitError,
    }.get(status, StatewaveAPIError)
    assert type(error) is expected
    assert error.status == status
    assert error.request_id
    assert str(error).endswith("."), "a sentence"
    shown = f"{error} {vars(error)}"
    for text in echoed(record["response"].get("json")):
        assert text not in shown
    if status == 429:
        assert isinstance(error, StatewaveRateLimitError)
        assert error.retry_after_s == 60


def echoed(data: Any) -> list[str]:
    """The texts a 422 echoes, as long as they cannot be there by chance."""
    details = data.get("error", {}) if isinstance(data, dict) else {}
    rows = details.get("details", []) if isinstance(details, dict) else []
    return [json.dumps(row["input"]) for row in rows if len(json.dumps(row.get("input"))) > 6]
