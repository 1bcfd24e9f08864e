"""Answers of any shape: a value, or an error that can be explained; never anything else."""

import copy
import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from lib.errors import StatewaveAPIError, StatewaveError
from lib.statewave.answers import Answer, read_answer
from lib.wire import (
    parse_bundle,
    parse_compile,
    parse_deletion,
    parse_episode,
    parse_item,
    parse_memories,
    parse_subjects,
    parse_timeline,
)
from tests.replay.records import lines, whole

Json = dict[str, Any]
Parse = Callable[[object], object]

ITEM = {
    "id": "m1",
    "kind": "profile_fact",
    "content": "Ada likes tea",
    "tokens": 3,
    "rank": 1,
    "included": True,
    "reason": "",
    "score": 9.5,
    "parts": {"kind": 1.0, "recency": 1.0, "relevance": 7.5, "validity": 0.0, "session": 0.0},
    "session_id": None,
    "source_episode_ids": ["e1"],
    "related_id": None,
}


def recorded(file: str, record_id: str) -> Json:
    (found,) = [each for each in lines(file) if each["id"] == record_id]
    body: Json = whole(found["response"]["json"])
    return body


CASES: dict[str, tuple[Parse, Json]] = {
    "episode": (parse_episode, recorded("episodes", "create-mira-1")),
    "compile": (parse_compile, recorded("compile", "compile-jonas")),
    "memories": (parse_memories, recorded("search", "limit-1")),
    "bundle": (parse_bundle, recorded("context", "with-session-episodes")),
    "timeline": (parse_timeline, recorded("compile", "conflict-2-timeline")),
    "subjects": (parse_subjects, recorded("subjects", "list-limit-2")),
    "deletion": (parse_deletion, recorded("subjects", "delete-ok")),
    "item": (parse_item, ITEM),
}
WRONG: tuple[object, ...] = (
    None,
    True,
    7,
    -1.5,
    10**400,
    "x",
    "",
    [],
    [1],
    {},
    {"a": 1},
    float("nan"),
)


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place inside `value`; of long lists only the first."""
    steps = value.items() if isinstance(value, dict) else enumerate(value[:1])
    for step, inner in steps:
        yield (*at, step)
        if isinstance(inner, dict | list):
            yield from places(inner, (*at, step))


def changed(value: Json, place: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Json:
    copied = copy.deepcopy(value)
    inner: Any = copied
    for step in place[:-1]:
        inner = inner[step]
    change(inner, place[-1])
    return copied


def put(value: object, inner: Any, step: Any) -> None:
    inner[step] = value


def read(parse: Parse, body: Json) -> object:
    return read_answer(Answer(200, {}, json.dumps(body).encode(), "r-1"), parse)


def explained(parse: Parse, body: Json, what: str) -> None:
    sentence = ""
    try:
        read(parse, body)
    except StatewaveAPIError as error:
        sentence = str(error)
    start = "The server's answer was not understood: "
    assert sentence.startswith(start if sentence else ""), what
    assert sentence.endswith("." if sentence else ""), what


@pytest.mark.parametrize(("parse", "body"), CASES.values(), ids=CASES)
def test_a_wrong_type_anywhere_is_read_or_explained(parse: Parse, body: Json) -> None:
    for place in places(body):
        for wrong in WRONG:
            broken = changed(body, place, partial(put, wrong))
            explained(parse, broken, f"{place} = {wrong!r:.20}")


@pytest.mark.parametrize(("parse", "body"), CASES.values(), ids=CASES)
def test_a_missing_field_anywhere_is_read_or_explained(parse: Parse, body: Json) -> None:
    for place in places(body):
        explained(parse, changed(body, place, lambda inner, step: inner.pop(step)), str(place))


@pytest.mark.parametrize(("parse", "body"), CASES.values(), ids=CASES)
def test_unknown_fields_anywhere_change_nothing(parse: Parse, body: Json) -> None:
    expected = read(parse, body)
    more = copy.deepcopy(body) | {"new_field": {"a": [1]}, "another": None}
    assert read(parse, more) == expected


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:00:00-14:00", "x"])
def test_a_time_that_no_clock_shows_is_explained(time: str) -> None:
    parse, body = CASES["episode"]
    with pytest.raises(StatewaveAPIError, match="`created_at` of an episode must be an ISO 8601"):
        read(parse, body | {"created_at": time})


def test_a_lone_surrogate_in_an_answer_can_be_shown() -> None:
    parse, body = CASES["episode"]
    payload = {"messages": [{"role": "user", "content": "half \ud83d, whole \U0001f600"}]}
    episode = read(parse, body | {"payload": payload, "metadata": {"\udc00": 1}})
    assert "half \ufffd, whole \U0001f600" in str(episode)
    str(episode).encode()


ERRORS = (
    b"",
    b"null",
    b'"text"',
    b"[]",
    b'{"error": null}',
    b'{"error": 7}',
    b'{"error": []}',
    b'{"error": [1, null]}',
    b'{"error": {}}',
    b'{"error": {"code": 1, "message": [], "details": {}, "request_id": {}}}',
    b'{"error": {"details": [null, 1, {"loc": 3, "msg": null}, {"loc": [], "msg": {}}]}}',
    b'{"detail": {"loc": 1}}',
    b'{"detail": "text"}',
    b"\xff\xfe",
    b"<html>",
    b"[" * 100_000,
)


@pytest.mark.parametrize(
    "status", [300, 307, 400, 401, 403, 404, 405, 409, 422, 429, 500, 502, 599]
)
@pytest.mark.parametrize("body", ERRORS, ids=lambda body: repr(body[:40]))
def test_an_error_of_any_shape_is_one_sentence(status: int, body: bytes) -> None:
    with pytest.raises(StatewaveError) as caught:
        read_answer(Answer(status, {}, body, "r-1"), parse_bundle)
    assert isinstance(caught.value, StatewaveAPIError)
    assert caught.value.status == status
    assert caught.value.request_id == "r-1"
    assert str(caught.value)[0].isupper()
    assert str(caught.value).endswith((".", "”"))
    assert len(str(caught.value)) < 900
