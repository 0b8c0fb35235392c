"""DSPy's trace of two coroutines that run side by side, kept in a fixed order."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, Generic, TypeVar

import dspy
from dspy.dsp.utils.settings import main_thread_config

_OF_THE_PROCESS = main_thread_config.get("trace")  # where DSPy keeps the last 10,000 calls that nobody has asked for
T = TypeVar("T")
U = TypeVar("U")


def trace() -> list[Any] | None:
    """DSPy's trace, if an optimiser or an app has set one; None instead of the one of the whole process."""
    found: list[Any] | None = dspy.settings.trace
    return None if found is _OF_THE_PROCESS else found


class Pair(Generic[T, U]):
    """Two coroutines that each write in a trace of their own.

    Optimisers read which predictor was called with what from DSPy's trace, where calls side by side would stand in the
    order in which they happened to end.

    Args:
        left: Its steps come first.
        right: Its steps come second.
    """

    def __init__(self, left: Coroutine[Any, Any, T], right: Coroutine[Any, Any, U]) -> None:
        self._outer = trace()
        self._traces: tuple[list[Any], list[Any]] = ([], [])
        self.left: Coroutine[Any, Any, T] = _apart(left, self._trace(0))
        self.right: Coroutine[Any, Any, U] = _apart(right, self._trace(1))

    def join(self) -> None:
        """Hand the steps of both on to the trace in which the pair was made, once both have ended."""
        if self._outer is None:
            return
        most = dspy.settings.max_trace_size
        self._outer.extend(step for trace in self._traces for step in trace)
        del self._outer[: max(0, len(self._outer) - most)]

    def _trace(self, side: int) -> list[Any] | None:
        return None if self._outer is None else self._traces[side]


async def _apart(coroutine: Coroutine[Any, Any, T], trace: list[Any] | None) -> T:
    with dspy.context(trace=trace):
        return await coroutine
