"""Whether a request that may have been billed may be sent once more, asked by an engine that makes its own tries.

A connection that breaks does not say whether the service went on to reply. Whoever counts what a question uses has to
know of every such request, and the engine knows nothing of questions: the way between them is a context variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_NO_CONNECTION = frozenset({"ConnectError", "ConnectTimeout", "ConnectionRefusedError", "gaierror"})
Ask = Callable[[], bool]


def _yes() -> bool:
    return True


_ASK: ContextVar[Ask] = ContextVar("hopstop_resend", default=_yes)


def may_send_again() -> bool:
    """Book the request that has failed and make room for another; False if there is none. True where nobody counts."""
    return _ASK.get()()


def never_sent(error: BaseException) -> bool:
    """Whether a request failed before there was a connection, as the causes of its error tell, in any HTTP client."""
    cause: BaseException | None = error
    while cause is not None and type(cause).__name__ not in _NO_CONNECTION:
        cause = cause.__cause__
    return cause is not None


@contextmanager
def asking(ask: Ask) -> Iterator[None]:
    """Set who is asked by the calls made inside."""
    token = _ASK.set(ask)
    try:
        yield
    finally:
        _ASK.reset(token)
