"""The recorded requests and answers, as `data/README.md` describes them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Json = dict[str, Any]

DATA = Path(__file__).with_name("data")
FILES = (
    "ops",
    "episodes",
    "episodes_batch",
    "compile",
    "kinds",
    "search",
    "context",
    "timeline",
    "subjects",
    "support",
    "llm",
    "auth",
    "ratelimit",
    "tenant",
    "admin",
    "missing_in_0_7_1",
)
"""In the order of recording: later records see what earlier ones wrote."""

API_KEY = "fixture-key"
"""What the server recorded as `auth` asked for."""


def records() -> Iterator[tuple[str, Json]]:
    """`file/id` and the record, in the order of recording."""
    for name in FILES:
        for record in lines(name):
            yield f"{name}/{record['id']}", record


def lines(name: str) -> list[Json]:
    """The records of one file."""
    text = (DATA / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


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


def request_body(record: Json) -> bytes | None:
    """The bytes that were sent."""
    request = record["request"]
    if "json" in request:
        return json.dumps(whole(request["json"])).encode()
    if "body_hex" in request:
        return bytes.fromhex(request["body_hex"])
    if "body_text" in request:
        return bytes(whole(request["body_text"]).encode())
    return None


def answer_body(record: Json) -> bytes:
    """The bytes that came back."""
    answer = record["response"]
    if "json" in answer:
        return json.dumps(whole(answer["json"])).encode()
    return bytes(answer.get("text", "").encode())
