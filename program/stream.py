"""A run as an iterator: each round as it is closed, then the outcome. Leaving the iterator ends the run."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

from hopstop.program.records import Outcome, Round
from hopstop.program.watch import Watch

Event = Round | Outcome


def blocking_events(ask: Callable[[Watch], Outcome]) -> Iterator[Event]:
    """Run in a thread of its own, under a copy of this context; hand out what happens.

    When the iterator is left, the run ends before its next search or LM call; a call that is under way is not waited
    for.
    """
    events: SimpleQueue[Round | None] = SimpleQueue()
    watch = Watch(threading.Event(), events.put)
    pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hopstop-stream")
    try:
        future = pool.submit(contextvars.copy_context().run, ask, watch)
        future.add_done_callback(lambda _: events.put(None))
        while (event := events.get()) is not None:
            yield event
        yield future.result()
    finally:
        _set(watch.cancel)
        pool.shutdown(wait=False)


async def awaited_events(ask: Callable[[Watch], Coroutine[Any, Any, Outcome]]) -> AsyncIterator[Event]:
    """Run as a task; hand out what happens. When the iterator is left, the task is cancelled and waited for."""
    events: asyncio.Queue[Round | None] = asyncio.Queue()
    watch = Watch(threading.Event(), events.put_nowait)
    task = asyncio.create_task(ask(watch))
    task.add_done_callback(lambda _: events.put_nowait(None))
    try:
        while (event := await events.get()) is not None:
            yield event
        yield task.result()
    finally:
        _set(watch.cancel)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _set(cancel: threading.Event | None) -> None:
    if cancel is not None:
        cancel.set()
