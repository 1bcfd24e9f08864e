"""The OpenAI-compatible model against a scripted HTTP server."""

import logging
import threading
import time
from collections.abc import Iterator

import httpx
import pytest

from lib.errors import ModelError
from lib.llm import OpenAIModel
from lib.models import Message
from lib.tokens import count_prompt_tokens, count_tokens
from tests.support.scripted_model import Script, ScriptedModel

KEY = "sk-unit-secret-0123456789"
SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}}
ASK = (Message("system", "Be brief."), Message("user", "Hello there"))


def model_for(
    server: ScriptedModel, *, timeout_s: float = 10, retry_pause_s: float = 0.01
) -> OpenAIModel:
    return OpenAIModel(
        api_key=KEY,
        base_url=server.url,
        model="gpt-4o-mini",
        timeout_s=timeout_s,
        retry_pause_s=retry_pause_s,
    )


@pytest.fixture
def server() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


def failure(script: Script, *, timeout_s: float = 10) -> ModelError:
    """The error that `script` leads to."""
    with ScriptedModel(script, silence_s=2) as server, pytest.raises(ModelError) as raised:
        list(model_for(server, timeout_s=timeout_s).stream(ASK))
    return raised.value


def test_streams_pieces_and_reports_measured_usage(server: ScriptedModel) -> None:
    reply = model_for(server).stream(ASK)
    pieces = list(reply)
    assert "".join(pieces) == "Scripted reply without memory to: Hello there"
    assert len(pieces) > 3
    end = reply.end
    assert (end.prompt_tokens, end.completion_tokens, end.measured) == (4, 7, True)
    assert end.finish_reason == "stop"
    assert end.model == "gpt-4o-mini"
    assert end.first_token_ms is not None
    assert 0 < end.first_token_ms <= end.total_ms


def test_sends_messages_limits_and_key_as_given(server: ScriptedModel) -> None:
    list(model_for(server).stream(ASK, max_tokens=50, temperature=0.7, model="other"))
    (request,) = server.requests
    assert request.messages == [{"role": item.role, "content": item.content} for item in ASK]
    assert request.body["max_tokens"] == 50
    assert request.body["temperature"] == 0.7
    assert request.body["model"] == "other"
    assert request.headers["authorization"] == f"Bearer {KEY}"


def test_model_override_is_what_the_end_names(server: ScriptedModel) -> None:
    reply = model_for(server).stream(ASK, model="gpt-4.1")
    list(reply)
    assert reply.end.model == "gpt-4.1"


def test_first_token_time_covers_the_silence_before_it() -> None:
    with ScriptedModel("silent", silence_s=0.3) as server:
        reply = model_for(server).stream(ASK)
        list(reply)
    assert reply.end.first_token_ms is not None
    assert reply.end.first_token_ms >= 290


@pytest.mark.parametrize("script", ["no_usage", "refuse_stream_options"])
def test_counts_tokens_itself_where_the_server_reports_none(script: Script) -> None:
    with ScriptedModel(script) as server:
        reply = model_for(server).stream(ASK)
        text = "".join(reply)
    end = reply.end
    assert not end.measured
    assert end.prompt_tokens == count_prompt_tokens(ASK, model="gpt-4o-mini").tokens
    assert end.completion_tokens == count_tokens(text, encoding_name="o200k_base")


def test_asks_once_with_a_refused_parameter_then_never_again() -> None:
    with ScriptedModel("reasoning") as server:
        model = model_for(server)
        assert "".join(model.stream(ASK, max_tokens=44))
        first = len(server.requests)
        assert "".join(model.stream(ASK))
    bodies = [request.body for request in server.requests]
    assert first == 3  # max_tokens refused, temperature refused, answered
    assert len(bodies) == first + 1
    assert bodies[2]["max_completion_tokens"] == 44
    assert not {"max_tokens", "temperature"} & bodies[3].keys()


def test_a_schema_is_asked_for_strictly(server: ScriptedModel) -> None:
    list(model_for(server).stream(ASK, json_schema=SCHEMA))
    list(model_for(server).stream(ASK))
    with_schema, without = server.requests
    assert with_schema.body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
    }
    assert "response_format" not in without.body


@pytest.mark.parametrize(
    ("script", "formats"),
    [
        ("refuse_json_schema", ["json_schema", "json_object", "json_object"]),
        ("refuse_json", ["json_schema", "json_object", None, None]),
    ],
)
def test_a_server_without_schemas_is_asked_less_and_remembered(
    script: Script, formats: list[str | None]
) -> None:
    with ScriptedModel(script) as server:
        model = model_for(server)
        assert "".join(model.stream(ASK, json_schema=SCHEMA))
        assert "".join(model.stream(ASK, json_schema=SCHEMA))
    sent = [request.body.get("response_format", {}).get("type") for request in server.requests]
    assert sent == formats


def test_a_server_that_cannot_stream_still_answers() -> None:
    with ScriptedModel("not_streaming", reply="All at once.") as server:
        reply = model_for(server).stream(ASK)
        assert list(reply) == ["All at once."]
    assert (reply.end.prompt_tokens, reply.end.finish_reason) == (7, "stop")


@pytest.mark.parametrize(
    ("script", "reason", "words"),
    [
        ("unauthorized", "auth", "LLM_API_KEY"),
        ("no_such_model", "no_such_model", "no model named gpt-4o-mini"),
        ("rate_limit", "rate_limit", "slow down"),
        ("no_quota", "rate_limit", "no credit"),
        ("context_too_long", "context_too_long", "too long for gpt-4o-mini"),
        ("server_error", "other", "problem of its own (500)"),
        ("html", "other", "web page"),
        ("garbage", "other", "not a model reply"),
        ("error_event", "other", "in the middle of the reply"),
        ("broken", "network", "broke off in the middle"),
        ("cut_short", "network", "broke off in the middle"),
        ("refuse_connection", "network", "cannot be reached"),
        ("empty", "other", "empty reply"),
        ("length_only", "other", "used up the reply limit"),
    ],
)
def test_failures_are_sentences_that_keep_key_and_prompt_to_themselves(
    script: Script, reason: str, words: str
) -> None:
    error = failure(script)
    assert error.reason == reason
    assert words in str(error)
    assert "sk-" not in str(error)
    assert "Hello there" not in str(error)


@pytest.mark.parametrize(
    ("script", "retryable"),
    [("rate_limit", True), ("server_error", True), ("unauthorized", False), ("no_quota", False)],
)
def test_says_whether_trying_again_can_help(script: Script, retryable: bool) -> None:
    assert failure(script).retryable is retryable


def test_a_passing_failure_is_retried_once() -> None:
    with ScriptedModel("flaky") as server:
        assert "".join(model_for(server).stream(ASK))
        assert len(server.requests) == 2


def test_a_lasting_failure_is_asked_twice_and_a_wrong_key_once() -> None:
    for script, times in (("server_error", 2), ("unauthorized", 1)):
        with ScriptedModel(script) as server:  # type: ignore[arg-type]
            with pytest.raises(ModelError):
                list(model_for(server).stream(ASK))
            assert len(server.requests) == times


@pytest.mark.parametrize("script", ["silent", "silent_start"])
def test_a_silence_longer_than_the_timeout_is_a_timeout(script: Script) -> None:
    started = time.monotonic()
    error = failure(script, timeout_s=0.2)
    assert error.reason == "timeout"
    assert time.monotonic() - started < 1.5


def test_nobody_listening_is_a_network_error() -> None:
    with ScriptedModel() as server:
        model = model_for(server)
    with pytest.raises(ModelError) as raised:
        list(model.stream(ASK))
    assert raised.value.reason == "network"


def test_text_before_a_break_is_kept_and_counted() -> None:
    with ScriptedModel("broken", reply="one two three four") as server:
        reply = model_for(server).stream(ASK)
        pieces: list[str] = []
        with pytest.raises(ModelError):
            pieces.extend(piece for piece in reply)
    assert reply.end.finish_reason == "error"
    assert reply.end.completion_tokens > 0


@pytest.mark.parametrize("script", ["silent", "silent_start", "slow"])
def test_close_from_another_thread_ends_a_waiting_reader_and_the_upstream(script: Script) -> None:
    with ScriptedModel(script, silence_s=10, delay_s=3) as server:
        reply = model_for(server).stream(ASK)
        pieces: list[str] = []
        reader = threading.Thread(target=lambda: pieces.extend(reply))
        reader.start()
        while not server.requests:
            time.sleep(0.005)
        time.sleep(0.05)
        started = time.monotonic()
        reply.close()
        reader.join(timeout=2)
        took = time.monotonic() - started
        assert not reader.is_alive()
        assert took < 0.4
        assert server.wait_for_disconnect()
    assert pieces == []
    assert reply.end.finish_reason == "stopped"


def test_close_stops_a_pending_retry() -> None:
    with ScriptedModel("server_error") as server:
        reply = model_for(server, retry_pause_s=30).stream(ASK)
        errors: list[BaseException] = []

        def read() -> None:
            try:
                list(reply)
            except ModelError as error:
                errors.append(error)

        reader = threading.Thread(target=read)
        reader.start()
        while not server.requests:
            time.sleep(0.005)
        time.sleep(0.1)
        reply.close()
        reader.join(timeout=2)
        assert not reader.is_alive()
        assert len(server.requests) == 1
    assert errors == []


def test_close_twice_and_after_the_end_changes_nothing(server: ScriptedModel) -> None:
    reply = model_for(server).stream(ASK)
    list(reply)
    before = reply.end
    reply.close()
    reply.close()
    assert reply.end == before


def test_leaving_the_loop_stops_the_upstream() -> None:
    with ScriptedModel("slow", delay_s=0.05, reply="word " * 200) as server:
        reply = model_for(server).stream(ASK)
        iterator = iter(reply)
        first = next(iterator)
        reply.close()
        assert list(iterator) == []
        assert server.wait_for_disconnect()
    end = reply.end
    assert end.finish_reason == "stopped"
    assert not end.measured
    assert end.completion_tokens == count_tokens(first, encoding_name="o200k_base")


def test_closed_before_it_began_sends_nothing(server: ScriptedModel) -> None:
    reply = model_for(server).stream(ASK)
    reply.close()
    assert list(reply) == []
    assert server.requests == []


def test_end_is_not_there_while_the_reply_runs(server: ScriptedModel) -> None:
    reply = model_for(server).stream(ASK)
    next(iter(reply))
    with pytest.raises(RuntimeError, match="still running"):
        _ = reply.end
    reply.close()


def test_two_replies_at_once_each_close_their_own() -> None:
    with ScriptedModel(silence_s=5) as server:
        model = model_for(server)
        silent = model.stream((Message("user", "[[script:silent]]"),))
        reader = threading.Thread(target=lambda: list(silent))
        reader.start()
        while not server.requests:
            time.sleep(0.005)
        assert "".join(model.stream(ASK)).endswith("Hello there")
        silent.close()
        reader.join(timeout=2)
        assert not reader.is_alive()
        assert "".join(model.stream(ASK)).endswith("Hello there")


def test_a_local_server_needs_no_key(server: ScriptedModel) -> None:
    model = OpenAIModel(api_key=None, base_url=server.url, model="llama3")
    assert "".join(model.stream(ASK))


def test_neither_key_nor_address_is_explained_at_once() -> None:
    model = OpenAIModel(api_key=None, base_url=None, model="gpt-4o-mini")
    with pytest.raises(ModelError, match="LLM_API_KEY") as raised:
        model.stream(ASK)
    assert raised.value.reason == "auth"


def test_a_key_with_a_line_break_never_reaches_an_error_message(server: ScriptedModel) -> None:
    model = OpenAIModel(api_key="sk-half\nother-half", base_url=server.url, model="m")
    with pytest.raises(ModelError) as raised:
        list(model.stream(ASK))
    assert raised.value.reason == "auth"
    assert "half" not in str(raised.value)


def test_key_is_in_no_repr_and_no_log(
    server: ScriptedModel, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    model = model_for(server)
    list(model.stream(ASK))
    assert KEY not in repr(model)
    assert KEY not in caplog.text


def test_lone_surrogates_are_made_sendable(server: ScriptedModel) -> None:
    list(model_for(server).stream((Message("user", "half \ud83d emoji"),)))
    assert server.requests[0].messages[0]["content"] == "half � emoji"


def test_organisation_headers_of_the_environment_are_not_sent(
    server: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-elsewhere")
    list(model_for(server).stream(ASK))
    assert "org-elsewhere" not in server.requests[0].headers.values()


def test_a_given_http_client_is_used() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url == "https://api.openai.com/v1/chat/completions"
        return httpx.Response(404, text="404 page not found")

    http = httpx.Client(transport=httpx.MockTransport(answer))
    model = OpenAIModel(api_key=KEY, base_url=None, model="gpt-4o-mini", http_client=http)
    with pytest.raises(ModelError, match="usually ends in /v1"):
        list(model.stream(ASK))


def test_close_releases_the_client_and_the_next_call_builds_a_new_one(
    server: ScriptedModel,
) -> None:
    model = model_for(server)
    list(model.stream(ASK))
    model.close()
    model.close()
    assert "".join(model.stream(ASK))


def test_says_what_it_is() -> None:
    model = OpenAIModel(api_key=KEY, base_url=None, model="gpt-4o-mini")
    assert (model.name, model.pricing_model) == ("gpt-4o-mini", "gpt-4o-mini")
    assert model.is_language_model
