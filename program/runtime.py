"""How the one loop runs in two worlds: plain calls in a thread, or awaited calls on an event loop.

The loop and the policies are written once, as coroutines that wait for nothing but their Runtime. The blocking runtime
never really waits, so `run_blocking` can finish such a coroutine without an event loop.
"""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, Protocol, TypeVar

from hopstop.program.allowance import Allowance
from hopstop.program.side_by_side import Pair

_NEEDS_LOOP = "this policy waits for an event loop: call the program with `await program.acall(...)`"
T = TypeVar("T")
U = TypeVar("U")


def never() -> bool:
    """An app that does not end the run."""
    return False


class Runtime(Protocol):
    """What a coroutine of this package may wait for."""

    @property
    def cancelled(self) -> bool:
        """Whether the app has asked to end the run: make no further call then."""
        ...

    @property
    def allowance(self) -> Allowance:
        """What the LM calls of the question may still use."""
        ...

    async def pause(self, seconds: float) -> None:
        """Wait."""
        ...

    async def call(self, module: Any, **inputs: Any) -> Any:  # noqa: ANN401 - DSPy modules are untyped
        """Call a DSPy module."""
        ...

    async def run(self, function: Callable[[], T]) -> T:
        """Run a blocking function."""
        ...

    async def both(self, left: Coroutine[Any, Any, T], right: Coroutine[Any, Any, U]) -> tuple[T, U]:
        """Run two coroutines side by side; an error is raised once both have ended, the left one's if both fail.

        In turn, an error of the left one is raised at once, and the right one never starts.
        """
        ...


class Blocking:
    """Runtime for a thread. With `parallel=False` two coroutines run in turn, for those that wait for nothing."""

    def __init__(
        self, *, parallel: bool = True, cancelled: Callable[[], bool] = never, allowance: Allowance | None = None
    ) -> None:
        self._parallel = parallel
        self._cancelled = cancelled
        self._allowance = allowance or Allowance()

    @property
    def cancelled(self) -> bool:
        """See Runtime.cancelled."""
        return self._cancelled()

    @property
    def allowance(self) -> Allowance:
        """See Runtime.allowance."""
        return self._allowance

    async def pause(self, seconds: float) -> None:
        """See Runtime.pause."""
        time.sleep(seconds)

    async def call(self, module: Any, **inputs: Any) -> Any:  # noqa: ANN401
        """See Runtime.call."""
        return module(**inputs)

    async def run(self, function: Callable[[], T]) -> T:
        """See Runtime.run."""
        return function()

    async def both(self, left: Coroutine[Any, Any, T], right: Coroutine[Any, Any, U]) -> tuple[T, U]:
        """See Runtime.both. The left one runs in a thread of its own, under a copy of this context."""
        if not self._parallel:
            return await _in_turn(left, right)
        pair = Pair(left, right)
        context = contextvars.copy_context()
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="hopstop") as pool:
            future = pool.submit(context.run, run_blocking, pair.left)
            try:
                mine = await pair.right
            finally:
                wait([future])
                pair.join()
                theirs = future.result()
        return theirs, mine


class Awaiting:
    """Runtime for an event loop; blocking functions go to a thread. `parallel` as in Blocking."""

    def __init__(
        self, *, parallel: bool = True, cancelled: Callable[[], bool] = never, allowance: Allowance | None = None
    ) -> None:
        self._parallel = parallel
        self._cancelled = cancelled
        self._allowance = allowance or Allowance()

    @property
    def cancelled(self) -> bool:
        """See Runtime.cancelled."""
        return self._cancelled()

    @property
    def allowance(self) -> Allowance:
        """See Runtime.allowance."""
        return self._allowance

    async def pause(self, seconds: float) -> None:
        """See Runtime.pause."""
        await asyncio.sleep(seconds)

    async def call(self, module: Any, **inputs: Any) -> Any:  # noqa: ANN401
        """See Runtime.call."""
        return await module.acall(**inputs)

    async def run(self, function: Callable[[], T]) -> T:
        """See Runtime.run."""
        return await asyncio.to_thread(function)

    async def both(self, left: Coroutine[Any, Any, T], right: Coroutine[Any, Any, U]) -> tuple[T, U]:
        """See Runtime.both."""
        if not self._parallel:
            return await _in_turn(left, right)
        pair = Pair(left, right)
        theirs, mine = await asyncio.gather(pair.left, pair.right, return_exceptions=True)
        pair.join()
        if isinstance(theirs, BaseException):
            raise theirs
        if isinstance(mine, BaseException):
            raise mine
        return theirs, mine


async def _in_turn(left: Coroutine[Any, Any, T], right: Coroutine[Any, Any, U]) -> tuple[T, U]:
    try:
        theirs = await left
    except BaseException:
        right.close()  # or Python warns that it was never awaited
        raise
    return theirs, await right


def run_blocking(coroutine: Coroutine[Any, Any, T]) -> T:
    """Finish a coroutine that waits for nothing but a Blocking runtime.

    Raises:
        RuntimeError: It waits for something else, e.g. a policy that uses an event loop; use `acall` for that.
    """
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    except RuntimeError as error:
        if "no running event loop" not in str(error):
            raise
        raise RuntimeError(_NEEDS_LOOP) from error
    coroutine.close()
    raise RuntimeError(_NEEDS_LOOP)
