"""What went wrong with a model call, as a sentence for the visitor.

Nothing a server says is repeated: its words may hold part of the key or of the prompt.
"""

import httpx
import openai

from lib.errors import ModelError

FAILURES = (openai.OpenAIError, httpx.HTTPError, httpx.StreamError, OSError, ValueError)
"""Everything a call may raise, a connection cut by `close` included."""

_ADDRESS_HINT = "Check LLM_BASE_URL: it usually ends in /v1."
_TOO_LONG = ("context length", "context window", "context size", "too many tokens", "too long")


def explain(error: Exception, *, model: str, partial: bool) -> ModelError:
    """The ModelError for `error`; `partial` when some text had already arrived."""
    if isinstance(error, openai.APIStatusError):
        return _status(error, model)
    if isinstance(error, openai.APITimeoutError | httpx.TimeoutException):
        return _timeout(error, partial)
    if isinstance(error, openai.APIConnectionError | httpx.TransportError | OSError):
        return _connection(partial)
    if isinstance(error, openai.APIError) and not isinstance(
        error, openai.APIResponseValidationError
    ):
        return ModelError(
            "The model server reported an error in the middle of the reply. Try again.",
            reason="other",
            retryable=True,
        )
    return unusable()


def unusable() -> ModelError:
    """The server answered, but not as a model does."""
    return ModelError(
        f"The model server answered with something that is not a model reply. {_ADDRESS_HINT}",
        reason="other",
    )


def web_page() -> ModelError:
    """The address belongs to a web site, a proxy or a sign-in page."""
    return ModelError(
        f"The model address answered with a web page, not a model reply. {_ADDRESS_HINT}",
        reason="other",
    )


def empty_reply(model: str, finish_reason: str) -> ModelError:
    """The model finished without a word."""
    if finish_reason == "length":
        return ModelError(
            f"{model} used up the reply limit before writing anything, as models that reason first "
            "can. Choose another model or ask for less.",
            reason="other",
        )
    if finish_reason == "content_filter":
        return ModelError(
            f"The provider's content filter held back the whole reply of {model}.", reason="other"
        )
    return ModelError(f"{model} sent an empty reply. Try again.", reason="other", retryable=True)


def cut_short() -> ModelError:
    """The stream ended as if whole, but without saying that it was."""
    return _connection(partial=True)


def is_transient(error: Exception) -> bool:
    """True when the same request may well succeed in a moment."""
    if isinstance(error, openai.APITimeoutError | httpx.TimeoutException):
        return False  # the visitor has waited long enough
    if isinstance(error, openai.RateLimitError):
        return error.code != "insufficient_quota"
    if isinstance(error, openai.APIStatusError):
        return error.status_code in (408, 409) or error.status_code >= 500
    return isinstance(error, openai.APIConnectionError | httpx.TransportError)


def _status(error: openai.APIStatusError, model: str) -> ModelError:
    status = error.status_code
    said = f"{error.code or ''} {error.message}".lower()
    if status in (401, 403):
        return _denied(status, model)
    if status in (400, 404, 422) and "model" in said and _is_model_unknown(said, status):
        return ModelError(
            f"The server has no model named {model}, or this key may not use it. "
            "Check OPENAI_MODEL.",
            reason="no_such_model",
        )
    if status == 404:
        return ModelError(
            f"The model address has no chat completions (404). {_ADDRESS_HINT}", reason="other"
        )
    if status == 429:
        return _rate_limit(error)
    if status == 413 or "context_length" in said or any(words in said for words in _TOO_LONG):
        return ModelError(
            f"The prompt is too long for {model}. Lower the token budget or start a new session.",
            reason="context_too_long",
        )
    if status >= 500:
        return ModelError(
            f"The model server has a problem of its own ({status}). Try again in a moment.",
            reason="other",
            retryable=True,
        )
    return ModelError(f"The model server refused the request ({status}).", reason="other")


def _is_model_unknown(said: str, status: int) -> bool:
    if "model_not_found" in said or status == 404:
        return True
    return any(words in said for words in ("invalid model", "unknown model", "does not exist"))


def _denied(status: int, model: str) -> ModelError:
    if status == 401:
        text = "The model server does not accept the API key. Check LLM_API_KEY."
    else:
        text = f"The API key may not use {model} (403). Check LLM_API_KEY and OPENAI_MODEL."
    return ModelError(text, reason="auth")


def _rate_limit(error: openai.APIStatusError) -> ModelError:
    if error.code == "insufficient_quota":
        return ModelError("The account behind the API key has no credit left.", reason="rate_limit")
    return ModelError(
        "The model server asks to slow down (rate limit). Try again in a moment.",
        reason="rate_limit",
        retryable=True,
    )


def _timeout(error: Exception, partial: bool) -> ModelError:
    causes = (type(error).__name__, type(error.__cause__).__name__)
    if "ConnectTimeout" in causes:
        return _connection(partial)
    text = (
        "The model stopped in the middle of the reply and did not go on. Try again."
        if partial
        else "The model did not begin to answer in time. Try again."
    )
    return ModelError(text, reason="timeout", retryable=True)


def _connection(partial: bool) -> ModelError:
    text = (
        "The connection to the model broke off in the middle of the reply. Try again."
        if partial
        else "The model server cannot be reached. Check the network and LLM_BASE_URL."
    )
    return ModelError(text, reason="network", retryable=True)
