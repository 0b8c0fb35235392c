"""When a question has to end, told to whatever waits on its behalf.

An LM client has to give up when the question it works for is out of time. The deadline travels in a context variable,
which follows calls into threads and tasks: an engine of one's own asks `remaining()`; DSPy's engines are given a
timeout.
"""

from __future__ import annotations

import atexit
import math
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar

T = TypeVar("T")

GRACE_SECONDS = 0.2  # more than a client needs to end by itself at the deadline, less than the half second promised
RUNG = 1.25  # ratio of two neighbouring timeouts
SHORTEST_SECONDS = 0.05  # of a timeout
_THREAD = "hopstop-call"
_LAST_SECONDS = 5.0  # at the end of the process

_AT: ContextVar[float] = ContextVar("hopstop_deadline", default=math.inf)


class DeadlinePassed(Exception):
    """The question is out of time; what was called may still be running."""


def remaining() -> float | None:
    """Seconds left for the question that this thread or task works for, <= 0 if none; None if there is no bound."""
    at = _AT.get()
    return None if at == math.inf else at - time.monotonic()


@contextmanager
def until(at: float) -> Iterator[None]:
    """Set the deadline, in seconds of `time.monotonic`, for what is called inside; an earlier one stays."""
    token = _AT.set(min(at, _AT.get()))
    try:
        yield
    finally:
        _AT.reset(token)


class Timeout(float):
    """Seconds that a client may wait, which DSPy's response cache does not tell from any others.

    The cache makes its key of all that a call is given. Of something that can be called it takes the name and not the
    value: without this, no reply would be found again, since no two calls have the same time left.
    """

    def __call__(self) -> float:
        """The seconds."""
        return float(self)


def timeout(seconds: float) -> Timeout:
    """The longest timeout of a fixed ladder that is no longer than this.

    Clients keep one pool of connections for each timeout they are given; a ladder keeps the pools few. At most a fifth
    of the time is lost to it.

    >>> [round(timeout(seconds), 2) for seconds in (60, 58, 10, 1, 0)]
    [55.51, 55.51, 9.31, 1.0, 0.05]
    """
    if seconds <= SHORTEST_SECONDS:
        return Timeout(SHORTEST_SECONDS)
    steps = math.floor(math.log(seconds, RUNG) + 1e-9)
    return Timeout(max(RUNG**steps, SHORTEST_SECONDS))


def within(function: Callable[[], T], at: float) -> T:
    """Call a blocking function and wait for it until the deadline, and a moment longer for it to end by itself.

    It runs in a thread of its own, under a copy of this context. No thread can be stopped from outside: one that is
    still waiting then, e.g. for a server that sends a byte now and then, ends when its client gives up, and holds up
    nothing meanwhile; the end of the process for five seconds at most.

    Raises:
        DeadlinePassed: It did not end in time.
    """
    if at == math.inf:
        return function()
    result: Future[T] = Future()
    context = copy_context()

    def run() -> None:
        with _Errors(result):
            result.set_result(context.run(function))

    threading.Thread(target=run, name=_THREAD, daemon=True).start()
    try:
        return result.result(max(0.0, at - time.monotonic()) + GRACE_SECONDS)
    except TimeoutError:
        if result.done():  # it is the function's own error
            raise
        raise DeadlinePassed from None


def _let_end() -> None:
    """Give threads that were left a moment at the end of the process.

    One that is killed while it imports something never lets go of that module, and whoever imports it later waits for
    ever: some clients do so in their last breath.
    """
    end = time.monotonic() + _LAST_SECONDS
    for thread in threading.enumerate():
        if thread.name == _THREAD:
            thread.join(max(0.0, end - time.monotonic()))


atexit.register(_let_end)


class _Errors:
    """Hands an error to whoever waits for the result, as a pool of threads does."""

    def __init__(self, result: Future[Any]) -> None:
        self._result = result

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if error is not None:
            self._result.set_exception(error)
        return True
