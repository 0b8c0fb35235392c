"""Batches for code that calls from threads: they run on an event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from hopstop.eval.batches import Batches

AT_ONCE = 128  # threads that wait for one batch

_RUNNING: ContextVar[asyncio.AbstractEventLoop | None] = ContextVar("hopstop_batches_run", default=None)
_TOGETHER: ContextVar[asyncio.AbstractEventLoop | None] = ContextVar("hopstop_together", default=None)


@contextmanager
def in_thread(batches: Batches) -> Iterator[None]:
    """Run batches in a thread; calls that are made `together` inside go through them."""
    loop, ready, end = asyncio.new_event_loop(), threading.Event(), asyncio.Event()

    async def run() -> None:
        async with batches:
            ready.set()
            await end.wait()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*others, return_exceptions=True)  # of threads that still wait for a reply

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),), name="hopstop-batches", daemon=True)
    thread.start()
    ready.wait()
    token = _RUNNING.set(loop)
    try:
        yield
    finally:
        _RUNNING.reset(token)
        loop.call_soon_threadsafe(end.set)
        thread.join()
        loop.close()


@contextmanager
def together(calls: int, threads: int) -> Iterator[int]:
    """Make independent calls that may wait for one batch; gives the number of threads to make them in.

    Args:
        calls: How many.
        threads: At once where no batches run, >= 1.
    """
    loop = _RUNNING.get()
    token = _TOGETHER.set(loop)
    try:
        yield threads if loop is None else max(threads, min(calls, AT_ONCE))
    finally:
        _TOGETHER.reset(token)


def loop_of_together() -> asyncio.AbstractEventLoop | None:
    """The loop of the batches that calls of this context go through; None: they are live."""
    return _TOGETHER.get()
