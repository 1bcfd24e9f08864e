"""Unanswered: why a server gave no answer, in one sentence."""

import ssl

import httpx


class TooLargeError(httpx.RequestError):
    """An answer of more than `limit` bytes, which nobody could want to have in memory."""

    def __init__(self, limit: int, *, request: httpx.Request) -> None:
        super().__init__("the answer is too large", request=request)
        self.limit = limit


def why_unanswered(error: httpx.RequestError, location: str, *, patience_s: float) -> str:
    """What a visitor reads; `patience_s` is how long the answer was waited for."""
    server = f"the Statewave server at {location}"
    if isinstance(_root(error), ssl.SSLCertVerificationError):
        return (
            f"The certificate of {server} is not trusted. "
            "Set SSL_CERT_FILE to the certificate of its authority."
        )
    if isinstance(error, TooLargeError):
        megabytes = error.limit // 1_000_000
        return f"The answer of {server} is larger than {megabytes} MB, so it was not read."
    if isinstance(_root(error), ssl.SSLError):
        return f"No secure connection to {server}: it does not speak HTTPS, so use http://."
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return f"Could not connect to {server}. Is it running, and is the address right?"
    if isinstance(error, httpx.TimeoutException):
        # What a list has left for its last page is no round number.
        return f"T{server[1:]} did not answer within {round(patience_s, 1):g} s."
    return f"T{server[1:]} broke the connection off. Try again."


def _root(error: BaseException) -> BaseException:
    while error.__cause__ is not None or error.__context__ is not None:
        error = error.__cause__ or error.__context__ or error
    return error
