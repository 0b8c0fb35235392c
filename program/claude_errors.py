"""Errors of the official SDK as DSPy's own, and which of them are worth another try.

Messages keep the status and the words of the API, never the request, its address or its key.
"""

from __future__ import annotations

import email.utils
import time
from collections.abc import Mapping

import anthropic
import httpx2
from dspy import lm15

FAILURES: tuple[type[Exception], ...] = (anthropic.AnthropicError, httpx2.HTTPError, lm15.LM15Error)
"""All that a call can fail with."""

_PROVIDER = "anthropic"
_MESSAGE_CHARACTERS = 300
_BY_STATUS: dict[int, type[lm15.ProviderError]] = {
    401: lm15.AuthError,
    402: lm15.BillingError,
    403: lm15.AuthError,
    404: lm15.UnsupportedModelError,
    408: lm15.TimeoutError,
    413: lm15.ContextLengthError,
    429: lm15.RateLimitError,
    504: lm15.TimeoutError,
}
_TOO_LONG = ("prompt is too long", "context window", "context length", "context limit")
_TRANSIENT = (lm15.RateLimitError, lm15.ServerError, lm15.TransportError, lm15.TimeoutError)


def canonical(error: Exception) -> lm15.LM15Error:
    """The error that DSPy knows, for one of `FAILURES`.

    Source: https://docs.claude.com/en/api/errors (statuses, among them 529 for an overloaded service).
    """
    if isinstance(error, lm15.LM15Error):
        return error
    if isinstance(error, anthropic.APIStatusError):
        return _of_status(error)
    if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException):
        return lm15.TimeoutError("no reply in time", provider=_PROVIDER)
    if isinstance(error, anthropic.CredentialsError):
        return lm15.NotConfiguredError("no credentials for the API could be loaded", provider=_PROVIDER)
    if isinstance(error, anthropic.APIConnectionError | httpx2.TransportError):
        return lm15.TransportError(f"the connection failed ({type(error.__cause__ or error).__name__})")
    return lm15.ProviderError(f"the SDK failed ({type(error).__name__})", provider=_PROVIDER)


def is_transient(error: lm15.LM15Error) -> bool:
    """Whether the same request may succeed later; `x-should-retry` of the reply has the last word."""
    told = getattr(error, "should_retry", None)
    return isinstance(error, _TRANSIENT) if told is None else bool(told)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait, >= 0: `retry-after-ms`, else `retry-after` as seconds or as a date.

    Source: RFC 9110, section 10.2.3; the former is the service's own.
    """
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            return max(0.0, float(value) * scale)
        except ValueError:
            date = email.utils.parsedate_tz(value)
            if date is not None:
                return max(0.0, email.utils.mktime_tz(date) - time.time())
    return None


def _of_status(error: anthropic.APIStatusError) -> lm15.ProviderError:
    status, said = error.status_code, (error.api_message or "")[:_MESSAGE_CHARACTERS]
    kind = _BY_STATUS.get(status, lm15.ServerError if status >= 500 else lm15.InvalidRequestError)
    if status == 400 and any(words in said.lower() for words in _TOO_LONG):
        kind = lm15.ContextLengthError
    found = kind(
        f"HTTP {status}: {said}" if said else f"HTTP {status}",
        provider=_PROVIDER,
        provider_code=error.type,
        status=status,
        request_id=error.request_id,
        retry_after=retry_after(error.response.headers),
    )
    told = error.response.headers.get("x-should-retry")
    if told in ("true", "false"):
        found.should_retry = told == "true"
    return found
