"""Values survive the wire, and what does not fit is named without being quoted."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.errors import InputError
from lib.models import (
    CompileReport,
    ContextBundle,
    ContextItem,
    DeleteReport,
    Episode,
    Memory,
    MemoryList,
    ScoreParts,
    SessionSummary,
    Skipped,
    SubjectSummary,
    Timeline,
)
from lib.wire import (
    encode_bundle,
    encode_compile,
    encode_deletion,
    encode_episode,
    encode_memories,
    encode_memory,
    encode_subjects,
    encode_time,
    encode_timeline,
    parse_bundle,
    parse_compile,
    parse_deletion,
    parse_episode,
    parse_memories,
    parse_memory,
    parse_subjects,
    parse_timeline,
)

NOON = datetime(2026, 1, 5, 12, 0, 0, 123456, tzinfo=UTC)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
times = st.datetimes(timezones=st.just(UTC))
objects = st.dictionaries(
    texts, st.one_of(st.none(), st.booleans(), st.integers(), texts), max_size=3
)
numbers = st.floats(allow_nan=False, allow_infinity=False)
ids = st.tuples(texts, texts)

episodes = st.builds(
    Episode,
    id=texts,
    subject_id=texts,
    payload=objects,
    created_at=times,
    source=texts,
    type=texts,
    metadata=objects,
    provenance=objects,
    session_id=st.none() | texts,
    occurred_at=st.none() | times,
)
memories = st.builds(
    Memory,
    id=texts,
    subject_id=texts,
    kind=texts,
    content=texts,
    confidence=numbers,
    valid_from=times,
    created_at=times,
    updated_at=times,
    summary=texts,
    valid_to=st.none() | times,
    source_episode_ids=ids,
    status=st.sampled_from(["active", "superseded", "forgotten"]),
    metadata=objects,
    labels=ids,
)
items = st.builds(
    ContextItem,
    id=texts,
    kind=texts,
    content=texts,
    tokens=st.integers(0),
    rank=st.integers(1),
    included=st.booleans(),
    reason=st.sampled_from(["", "budget", "floor"]),
    score=st.none() | numbers,
    parts=st.none() | st.builds(ScoreParts, numbers, numbers, numbers, numbers, numbers),
    session_id=st.none() | texts,
    source_episode_ids=ids,
    related_id=st.none() | texts,
)
bundles = st.builds(
    ContextBundle,
    subject_id=texts,
    task=texts,
    assembled_context=texts,
    token_estimate=st.integers(0),
    facts=st.tuples(memories),
    procedures=st.tuples(memories),
    episodes=st.tuples(episodes),
    sessions=st.tuples(st.builds(SessionSummary, texts, st.integers(0), times, times)),
    items=st.tuples(items, items),
    cut_counts=st.dictionaries(st.sampled_from(["budget", "floor"]), st.integers(0)),
    receipt_id=st.none() | texts,
)


def sent(data: Any) -> Any:
    """`data` after a trip over the wire."""
    return json.loads(json.dumps(data))


@given(episodes)
def test_an_episode_survives(episode: Episode) -> None:
    assert parse_episode(sent(encode_episode(episode))) == episode


@given(bundles)
def test_a_bundle_survives(bundle: ContextBundle) -> None:
    assert parse_bundle(sent(encode_bundle(bundle))) == bundle


@given(memories, memories)
def test_lists_survive(first: Memory, second: Memory) -> None:
    for complete in (True, False):
        listed = MemoryList((first, second), complete=complete)
        assert parse_memories(sent(encode_memories(listed))) == listed
        timeline = Timeline("ada", (), (first, second), complete=complete)
        assert parse_timeline(sent(encode_timeline(timeline))) == timeline


@given(memories)
def test_reports_survive(memory: Memory) -> None:
    report = CompileReport(
        "ada",
        (memory,),
        ("m0",),
        1,
        2,
        3,
        "offline",
        merged_ids=("m9",),
        skipped=(Skipped("question", "Why?", "e1"), Skipped("ungrounded", "Ada flies.")),
        skipped_counts={"question": 4, "ungrounded": 1},
        notes=("One batch was compiled offline.",),
    )
    assert parse_compile(sent(encode_compile(report))) == report
    deleted = DeleteReport("ada", 3, 4)
    assert parse_deletion(sent(encode_deletion(deleted))) == deleted
    subjects = [SubjectSummary("ada", 1, 2), SubjectSummary("bob", 0, 0)]
    assert parse_subjects(sent(encode_subjects(subjects))) == subjects


def test_times_are_utc_with_microseconds() -> None:
    tokyo = NOON.astimezone(timezone(timedelta(hours=9)))
    assert encode_time(tokyo) == "2026-01-05T12:00:00.123456Z"
    assert encode_time(NOON.replace(tzinfo=None, microsecond=0)) == "2026-01-05T12:00:00.000000Z"


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-05T12:00:00.123456Z",
        "2026-01-05T13:00:00.123456+01:00",
        "2026-01-05T12:00:00.123456",
    ],
)
def test_a_time_without_a_zone_is_utc(text: str) -> None:
    assert parse_memory(MEMORY | {"created_at": text}).created_at == NOON


MEMORY: dict[str, Any] = {
    "id": "m1",
    "subject_id": "ada",
    "kind": "profile_fact",
    "content": "Ada likes tea",
    "created_at": "2026-01-05T12:00:00.123456Z",
}


def test_what_is_unknown_is_ignored_and_what_is_missing_is_filled() -> None:
    memory = parse_memory(MEMORY | {"tenant_id": "t", "metadata": None, "valid_to": None})
    assert memory.valid_from == memory.updated_at == memory.created_at == NOON
    assert (memory.status, memory.metadata, memory.source_episode_ids) == ("active", {}, ())


def test_an_old_compile_answer_is_counted_from_its_memories() -> None:
    old = MEMORY | {"status": "superseded", "source_episode_ids": ["e1"]}
    report = parse_compile({"subject_id": "ada", "memories": [old, MEMORY | {"id": "m2"}]})
    assert report.superseded_ids == ("m1",)
    assert report.episodes_compiled == 1
    assert (report.merged_ids, report.skipped, report.skipped_counts, report.notes) == (
        (),
        (),
        {},
        (),
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"id": None}, "a memory has no `id`."),
        ({"id": 7}, "`id` of a memory must be text, not a number."),
        ({"created_at": None}, "a memory has no `valid_from`."),
        ({"created_at": "yesterday"}, "`created_at` of a memory must be an ISO 8601 time."),
        ({"confidence": "high"}, "`confidence` of a memory must be a number, not text."),
        ({"confidence": True}, "`confidence` of a memory must be a number, not true or false."),
        ({"metadata": []}, "`metadata` of a memory must be an object, not a list."),
        (
            {"source_episode_ids": "e1"},
            "`source_episode_ids` of a memory must be a list, not text.",
        ),
        ({"source_episode_ids": [1]}, "`source_episode_ids` of a memory must be a list of texts."),
    ],
)
def test_a_wrong_type_is_named_and_not_quoted(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_memory(MEMORY | change)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("data", [None, [], "text", 7])
def test_what_is_not_an_object_is_refused(data: object) -> None:
    with pytest.raises(InputError, match="must be an object"):
        parse_bundle(data)


def test_a_timeline_pages_from_either_end() -> None:
    memory = parse_memory(MEMORY)
    rows = tuple(replace(memory, id=str(number)) for number in range(5))
    timeline = Timeline("ada", (), rows)

    def page(**window: Any) -> tuple[list[str], bool]:
        data = encode_timeline(timeline, **window)
        return [row["id"] for row in data["memories"]], data["memories_has_more"]

    assert page(limit=2) == (["0", "1"], True)
    assert page(limit=2, offset=4) == (["4"], False)
    assert page(limit=2, newest_first=True) == (["3", "4"], True)
    assert page(limit=2, offset=4, newest_first=True) == (["0"], False)
    assert page(limit=2, offset=9, newest_first=True) == ([], False)
    assert encode_memory(memory)["id"] == "m1"
