"""The one error tree; every message is a sentence that says what to do.

StatewaveError
├── SettingsError            a wrong environment variable stops start-up
├── InputError               what was asked cannot be done as asked (empty text, unknown id)
├── StatewaveConnectionError the runtime did not answer in time, or at all
├── StatewaveAPIError        the server answered with an error (status, code, request id)
│   ├── StatewaveAuthError        401, 403
│   ├── StatewaveNotFoundError    404
│   └── StatewaveRateLimitError   429 (retry_after_s)
├── StoreError               the embedded file cannot be used or written
├── UnsupportedError         this runtime declares that it cannot do this
└── ModelError               the language model failed (reason, retryable)
"""

from typing import Literal

ModelFailure = Literal[
    "auth", "no_such_model", "rate_limit", "context_too_long", "network", "timeout", "other"
]


class StatewaveError(Exception):
    """Anything that can be explained to the visitor; `str(error)` is that explanation."""


class SettingsError(StatewaveError):
    """A setting has a value the app cannot use; names the variable and the allowed range."""


class InputError(StatewaveError):
    """The request itself cannot be carried out as it stands; nothing was changed."""


class StatewaveConnectionError(StatewaveError):
    """The runtime refused the connection, broke it off, or missed the deadline.

    `reached` is False where it certainly saw nothing of the request.
    """

    def __init__(self, message: str, *, reached: bool = True) -> None:
        super().__init__(message)
        self.reached = reached


class StatewaveAPIError(StatewaveError):
    """The server answered with an error envelope."""

    def __init__(
        self, message: str, *, status: int, code: str = "", request_id: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.request_id = request_id


class StatewaveAuthError(StatewaveAPIError):
    """The API key is missing (401) or not accepted (403)."""


class StatewaveNotFoundError(StatewaveAPIError):
    """The server has no such route or object (404)."""


class StatewaveRateLimitError(StatewaveAPIError):
    """The server asks to slow down (429)."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 429,
        code: str = "rate_limited",
        request_id: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message, status=status, code=code, request_id=request_id)
        self.retry_after_s = retry_after_s


class StoreError(StatewaveError):
    """The embedded store's file is foreign, corrupt, newer, read-only, or the disk is full."""


class UnsupportedError(StatewaveError):
    """This runtime does not offer the operation; its `capabilities()` say so."""


class ModelError(StatewaveError):
    """The language model gave no usable reply."""

    def __init__(self, message: str, *, reason: ModelFailure, retryable: bool = False) -> None:
        super().__init__(message)
        self.reason: ModelFailure = reason
        self.retryable = retryable
