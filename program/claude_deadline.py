"""A bound on the seconds of a whole call, and an end of the connection of a call that is given up.

The SDK's timeouts are per read: a server that sends a byte now and then is never late. And each phase of a call
(connect, send, read) gets the whole time again.
"""

from __future__ import annotations

import math
import socket
import time
from collections.abc import Callable
from typing import Any, TypeVar

from dspy import lm15

from hopstop.program import deadline

T = TypeVar("T")


class Deadline:
    """The end of a call: that of its question, or an earlier one.

    Args:
        seconds: From now, > 0; None: as long as the question has.
    """

    def __init__(self, seconds: float | None) -> None:
        bounds = [bound for bound in (seconds, deadline.remaining()) if bound is not None]
        self.at = time.monotonic() + min(bounds) if bounds else math.inf

    @property
    def remaining(self) -> float | None:
        """Seconds left, >= 0; None for no end."""
        return None if self.at == math.inf else max(0.0, self.at - time.monotonic())

    @property
    def over(self) -> bool:
        """Whether no time is left."""
        return time.monotonic() >= self.at


class Line:
    """The connection of a call under way, which another thread may cut."""

    def __init__(self) -> None:
        self._socket: Any = None
        self._cut = False

    def hold(self, response: Any) -> None:  # noqa: ANN401 - of the SDK's HTTP client
        """Say which connection it is, as soon as the head of the response is there."""
        stream = response.extensions.get("network_stream")
        self._socket = None if stream is None else stream.get_extra_info("socket")
        if self._cut:
            self.cut()

    def cut(self) -> None:
        """End a read under way; closing alone would leave it waiting."""
        self._cut = True
        if self._socket is not None:
            try:
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)  # not the method of TLS, which answers first
            except OSError:
                return  # it has ended by itself


def within(send: Callable[[Line], T], end: Deadline) -> T:
    """Make a blocking call that ends in time, and its connection with it.

    Raises:
        TimeoutError: DSPy's own, when the time is over.
    """
    line = Line()
    if end.over:
        raise too_late()
    try:
        return deadline.within(lambda: send(line), end.at - deadline.GRACE_SECONDS)
    except deadline.DeadlinePassed:
        line.cut()
        raise too_late() from None


def too_late() -> lm15.TimeoutError:
    """The error of a call whose time is over."""
    return lm15.TimeoutError("the time for this call is over", provider="anthropic")
