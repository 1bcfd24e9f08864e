"""OpenAIModel: requests, retries and what each server refuses."""

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import httpx

from lib.errors import ModelError
from lib.llm.reply import OpenAIReply
from lib.models import Message

if TYPE_CHECKING:
    import openai

OPENAI_URL = "https://api.openai.com/v1"
_CONNECT_TIMEOUT_S = 4.0
_LONGEST_PAUSE_S = 5.0

_Body = dict[str, Any]
# What a server may refuse, and how the same request is put without it.
_WITHOUT: dict[str, Callable[[_Body], object]] = {
    "stream_options": lambda body: body.pop("stream_options", None),
    "max_tokens": lambda body: body.update(max_completion_tokens=body.pop("max_tokens")),
    "temperature": lambda body: body.pop("temperature", None),
    "json_schema": lambda body: (
        body.update(response_format={"type": "json_object"}) if "response_format" in body else None
    ),
    "json_object": lambda body: body.pop("response_format", None),
}
_JSON_STEPS = ("json_schema", "json_object")
"""How JSON is asked for, strictest first; after the last refusal only the prompt asks for it."""
_ABOUT_JSON = re.compile(r"response[_ ]format|json[_ ](?:schema|object)", re.IGNORECASE)
_REFUSAL = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed"
    r"|extra inputs|extra fields|extra_forbidden|invalid param",
    re.IGNORECASE,
)


class OpenAIModel:
    """A ChatModel that streams from OpenAI or from any server with the same API.

    A key is not needed where `base_url` names a local server (Ollama, vLLM, LM Studio).
    `timeout_s` bounds each silence: before the first piece and between pieces.
    """

    def __init__(
        self,
        *,
        api_key: str | None,
        base_url: str | None,
        model: str,
        http_client: httpx.Client | None = None,
        timeout_s: float = 60.0,
        retry_pause_s: float = 0.5,
    ) -> None:
        self._api_key = (api_key or "").strip()
        self._base_url = base_url
        self._model = model
        self._timeout = httpx.Timeout(timeout_s, connect=min(_CONNECT_TIMEOUT_S, timeout_s))
        self._retry_pause_s = retry_pause_s
        self._given_http = http_client
        self._client: openai.OpenAI | None = None
        self._building = threading.Lock()
        self._calling = threading.local()
        # Per model: asked for once, then left out.
        self._refused: dict[str, frozenset[str]] = {}

    def __repr__(self) -> str:
        return f"OpenAIModel(model={self._model!r}, base_url={self._base_url or OPENAI_URL!r})"

    @property
    def name(self) -> str:
        """The model's name, as its server knows it."""
        return self._model

    @property
    def is_language_model(self) -> bool:
        """True."""
        return True

    @property
    def pricing_model(self) -> str:
        """The model's name: it is priced as itself."""
        return self._model

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 600,
        temperature: float = 0.2,
        model: str | None = None,
        json_schema: Mapping[str, Any] | None = None,
    ) -> OpenAIReply:
        """A reply whose request is sent when its first piece is asked for.

        A server that refuses `json_schema` is asked for any JSON object, then for plain text;
        what it refused is remembered for the model.
        """
        self._check_key()
        body: _Body = {
            "model": model or self._model,
            "messages": [
                {"role": item.role, "content": _sendable(item.content)} for item in messages
            ],
            "max_tokens": max_tokens,
            "temperature": temperature,
            "stream_options": {"include_usage": True},
        }
        if json_schema is not None:
            named = {"name": "answer", "strict": True, "schema": dict(json_schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        return OpenAIReply(
            lambda reply: self._open(reply, body), tuple(messages), model=body["model"]
        )

    def close(self) -> None:
        """Release connections; replies still running break off."""
        with self._building:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _check_key(self) -> None:
        if not self._api_key and self._base_url is None:
            raise ModelError(
                "No API key is set. Set LLM_API_KEY, or LLM_BASE_URL for a local model.",
                reason="auth",
            )
        # HTTP libraries quote a header they cannot send in their error, so it never gets there.
        if not all("!" <= character <= "~" for character in self._api_key):
            raise ModelError(
                "LLM_API_KEY holds a character that no key has, such as a space or a line break.",
                reason="auth",
            )

    def _open(self, reply: OpenAIReply, body: _Body) -> Any:
        """The upstream stream; one retry where the failure may pass."""
        import openai

        from lib.llm.failure import is_transient

        self._calling.reply = reply
        try:
            return self._request(body)
        except openai.APIError as error:
            if not is_transient(error) or reply.wait(_pause(error, self._retry_pause_s)):
                raise
        return self._request(body)

    def _request(self, body: _Body) -> Any:
        import openai

        client = self._connected()
        while True:
            sent = dict(body)
            refused = self._refused.get(body["model"], frozenset())
            # In the order of the table: without a schema first, then without any format.
            for name in (name for name in _WITHOUT if name in refused):
                _WITHOUT[name](sent)
            try:
                return client.chat.completions.create(stream=True, **sent)
            except openai.APIStatusError as error:
                if error.status_code not in (400, 422) or not self._learn(sent, error):
                    raise

    def _learn(self, sent: _Body, error: "openai.APIStatusError") -> bool:
        """True when `error` names a parameter that can be put differently."""
        model = sent["model"]
        known = self._refused.get(model, frozenset())
        told = f"{error.param or ''} {error.message}"
        if "response_format" in sent and _ABOUT_JSON.search(told):
            self._refused[model] = known | {sent["response_format"]["type"]}
            return True
        # Other refusals name a parameter too: "maximum context length … max_tokens".
        refusal = _REFUSAL.search(told) is not None
        named = {name for name in _WITHOUT if refusal and name in told} - known - {*_JSON_STEPS}
        self._refused[model] = known | named
        return bool(named)

    def _connected(self) -> "openai.OpenAI":
        # Imported here: half a second of CPU that a start without a model need not pay.
        import openai

        with self._building:
            if self._client is None:
                http: Any = self._given_http or self._http()
                timeout: Any = self._timeout
                client = openai.OpenAI(
                    api_key=self._api_key or "none",  # the package insists on one
                    base_url=self._base_url or OPENAI_URL,
                    http_client=http,
                    timeout=timeout,
                    max_retries=0,
                )
                # Only `lib.settings` reads the environment; the package has read these from it.
                client.organization = client.project = None
                self._client = client
            return self._client

    def _http(self) -> httpx.Client:
        return httpx.Client(
            timeout=self._timeout,
            follow_redirects=True,
            # One connection a reply, so that a reply knows which one to cut. Nothing is lost:
            # people pause longer than the five seconds an idle connection is kept.
            limits=httpx.Limits(max_keepalive_connections=0),
            event_hooks={"request": [self._watch]},
        )

    def _watch(self, request: httpx.Request) -> None:
        # This runs in the thread that asked, so the reply is that thread's.
        reply: OpenAIReply = self._calling.reply
        request.extensions = {**request.extensions, "trace": reply.trace}


def _pause(error: "openai.APIError", default_s: float) -> float:
    """Seconds before the retry: what the server asks for, within reason."""
    response = getattr(error, "response", None)
    asked = response.headers.get("retry-after", "") if response is not None else ""
    try:
        return min(float(asked), _LONGEST_PAUSE_S)
    except ValueError:
        return default_s


def _sendable(text: str) -> str:
    # A lone surrogate, as a broken import may hold, cannot be encoded.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
