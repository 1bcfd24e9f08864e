"""Every recorded request, sent to our server: status, shape and what is deterministic."""

import re
import time
from collections.abc import Iterator
from typing import Any, Self

import httpx
import pytest

from lib.compiling.offline import OfflineCompiler
from lib.embedded.runtime import EmbeddedRuntime
from lib.embedded.server import create_app
from tests.replay.differences import DIFFERENCES, FREE, Difference
from tests.replay.records import API_KEY, Json, records, request_body, whole
from tests.support.serving import serving

JOB_DEADLINE_S = 10.0
# 20 MiB of text would take as long as all other records together; a hundredth shows the same.
SHORTENED = {"episodes/payload-20mib": 100}

NAMES = [name for name, _ in records()]


class Replay:
    """Sends records in order to one store, with and without a key."""

    def __init__(self, open_url: str, closed_url: str) -> None:
        # Redirects name the host that was asked, so it must be the recorded one.
        named = {"Host": "127.0.0.1:8100"}
        self._open = httpx.Client(base_url=open_url, headers=named, trust_env=False)
        self._closed = httpx.Client(base_url=closed_url, headers=named, trust_env=False)
        self._jobs: dict[str, str] = {}
        self._episodes: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()
        self._closed.close()

    def mismatches(self, name: str, record: Json) -> dict[str, str]:
        """Where our answer differs: place → recorded and ours."""
        answer = self.send(name, record)
        found = compared(record, answer)
        if record["request"]["path"] == "/v1/episodes" and answer.status_code == 201:
            first = self._episodes.setdefault(answer.json()["id"], name)
            if first != name:
                found["id"] = f"a new episode → the one of {first}"
        return found

    def send(self, name: str, record: Json) -> httpx.Response:
        """Our answer to the recorded request; jobs go by our own ids."""
        request = record["request"]
        client = self._closed if record["server"] == "auth" else self._open
        path = request["path"]
        for recorded_id, our_id in self._jobs.items():
            path = path.replace(recorded_id, our_id)
        headers = dict(request.get("headers", {}))
        if "json" in request:
            headers["Content-Type"] = "application/json"
        body = request_body(record)
        if name in SHORTENED and body is not None:
            record["request"]["json"] = shortened(request["json"], SHORTENED[name])
            record["response"]["json"] = shortened(record["response"]["json"], SHORTENED[name])
            body = request_body(record)
        answer = client.request(
            request["method"], path, params=request.get("params"), headers=headers, content=body
        )
        if answer.status_code == 202:
            self._jobs[record["response"]["json"]["job_id"]] = answer.json()["job_id"]
        if name.startswith("compile/") and answer.is_success and "poll" in name:
            answer = self._finished(client, path, answer, headers)
        return answer

    def _finished(
        self, client: httpx.Client, path: str, answer: httpx.Response, headers: dict[str, str]
    ) -> httpx.Response:
        until = time.monotonic() + JOB_DEADLINE_S
        while answer.json()["status"] in ("pending", "running") and time.monotonic() < until:
            time.sleep(0.01)
            answer = client.get(path, headers=headers)
        return answer


def shortened(value: Any, divisor: int) -> Any:
    """`value` with long texts at a part of their length."""
    if isinstance(value, list):
        return [shortened(item, divisor) for item in value]
    if not isinstance(value, dict):
        return value
    if "$length" in value:
        return value | {"$length": value["$length"] // divisor}
    return {name: shortened(item, divisor) for name, item in value.items()}


@pytest.fixture(scope="module")
def mismatches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, dict[str, str]]]:
    """What differs, record by record: place → recorded and ours."""
    runtime = EmbeddedRuntime(
        tmp_path_factory.mktemp("replay") / "memory.db", compiler=OfflineCompiler()
    )
    with (
        serving(create_app(runtime)) as open_url,
        serving(create_app(runtime, api_key=API_KEY)) as closed_url,
        Replay(open_url, closed_url) as replay,
    ):
        yield {name: replay.mismatches(name, record) for name, record in records()}
    runtime.close()


def compared(record: Json, ours: httpx.Response) -> dict[str, str]:
    recorded = record["response"]
    if ours.status_code != recorded["status"]:
        return {"status": f"{recorded['status']} → {ours.status_code} {ours.text[:200]}"}
    found: dict[str, str] = {}
    for header in ("location", "x-request-id"):
        value = recorded["headers"].get(header)
        made_by_server = value is None or value.startswith("srvreqid")
        if not made_by_server and ours.headers.get(header) != value:
            found[header] = f"{value} → {ours.headers.get(header)}"
    if "json" in recorded:
        kind = "@" + record["request"]["path"].rsplit("/", 1)[-1]
        compare(whole(recorded["json"]), ours.json(), "", kind, found)
    return found


def compare(recorded: Any, ours: Any, place: str, kind: str, found: dict[str, str]) -> None:
    """Notes in `found` where `ours` lacks or changes something of `recorded`."""
    free = any(
        re.fullmatch(pattern, f"{place}{kind}") or re.fullmatch(pattern, place)
        for pattern, _ in FREE
    )
    if type(recorded) is not type(ours) and not (free and None in (recorded, ours)):
        found[place] = f"{recorded!r:.80} → {ours!r:.80}"
    elif isinstance(recorded, dict):
        for name, value in recorded.items():
            inner = f"{place}.{name}" if place else name
            if name not in ours:
                found[inner] = f"{value!r:.80} → missing"
            else:
                compare(value, ours[name], inner, kind, found)
    elif isinstance(recorded, list):
        # Whether a search finds anything at all depends on no ranking.
        search = kind == "@search" and place == "memories"
        may_differ = free and (not search or bool(recorded) == bool(ours))
        if len(recorded) != len(ours) and not may_differ:
            found[place] = f"{len(recorded)} → {len(ours)} items"
        for position, (value, our_value) in enumerate(zip(recorded, ours, strict=False)):
            compare(value, our_value, f"{place}.{position}", kind, found)
    elif recorded != ours and not free:
        found[place] = f"{recorded!r:.80} → {ours!r:.80}"


@pytest.mark.parametrize("name", NAMES)
def test_every_difference_to_a_recorded_answer_is_meant(
    mismatches: dict[str, dict[str, str]], name: str
) -> None:
    unmeant = {
        place: what
        for place, what in mismatches[name].items()
        if not any(difference.covers(name, place) for difference in DIFFERENCES)
    }
    assert unmeant == {}


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda each: f"{each.of} at {each.at}")
def test_the_table_of_differences_has_no_idle_line(
    mismatches: dict[str, dict[str, str]], difference: Difference
) -> None:
    assert any(difference.covers(name, place) for name in mismatches for place in mismatches[name])
