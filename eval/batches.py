"""Requests of many questions that wait for replies at the same time go out as one batch."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Mapping
from hashlib import sha256
from json import dumps
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from dspy import lm15

from hopstop.eval.batch_journal import Journal, Reply, Sending
from hopstop.eval.batch_service import BatchService, BatchStopped, Pace, parts_of
from hopstop.eval.folder import BATCHES
from hopstop.program.claude_errors import is_transient

ID_CHARACTERS = 48  # of a digest; an id may have 64
DEFAULT_PACE = Pace()
GONE = "the service does not know the batch any more"


class Batches:
    """Collects requests, sends them in batches and hands out what comes back. Belongs to one event loop.

    A round of many questions advances together: when no new request has come in for a moment, every question is
    waiting. Batches that an earlier run has left are looked after as well, so that nothing is paid twice.

    Args:
        service: Where they are sent.
        pace: How long to wait.

    Attributes:
        listener: Called when something has changed; `str` of this says what.
    """

    _journal: Journal

    def __init__(self, service: BatchService, pace: Pace = DEFAULT_PACE) -> None:
        self.listener: Callable[[], None] = lambda: None
        self._service = service
        self._pace = pace
        self._queue: set[str] = set()
        self._bodies: dict[str, Mapping[str, Any]] = {}
        self._waiting: dict[str, asyncio.Future[Reply]] = {}
        self._asked: Counter[str] = Counter()
        self._arrived = asyncio.Event()
        self._last = 0.0
        self._tasks: set[asyncio.Task[None]] = set()
        self._failure: BatchStopped | None = None
        self._live = 0

    def keep_in(self, folder: Path) -> Self:
        """Keep the journal in a folder that exists; to be called before anything is sent.

        Raises:
            BadInput: A journal that is there is damaged.
        """
        self._journal = Journal(folder / BATCHES)
        return self

    async def __aenter__(self) -> Self:
        self._spawn(self._run())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._fail(BatchStopped("stopped; batches under way go on at the service, and the same command fetches them"))
        await self._service.aclose()

    def __str__(self) -> str:
        """How far it is, for a progress bar."""
        counts = {
            "batches": len(self._journal.batches),
            "replies": len(self._journal.replies),
            "waiting": len(self._waiting),
            **({"live": self._live} if self._live else {}),
        }
        return ", ".join(f"{name}: {count:,}" for name, count in counts.items())

    def name(self, body: Mapping[str, Any], rollout: object) -> str:
        """The id of a request; the same one asked for again, by another question, gets another."""
        digest = sha256(dumps([body, str(rollout)], sort_keys=True).encode()).hexdigest()[:ID_CHARACTERS]
        self._asked[digest] += 1
        return f"{digest}-{self._asked[digest]}"

    async def reply(self, name: str, body: Mapping[str, Any]) -> Reply:
        """What comes of a request; of one of an earlier run, what has come.

        Raises:
            BatchStopped: The service cannot be used.
        """
        if (found := self._journal.replies.get(name)) is not None:
            return found
        if self._failure is not None:
            raise self._failure
        self._waiting[name] = asyncio.get_running_loop().create_future()
        self._bodies[name] = body
        self._want([name])
        self.listener()
        try:
            return await self._waiting[name]
        finally:
            self._queue.discard(name)
            del self._bodies[name], self._waiting[name]

    def _want(self, names: Iterable[str]) -> None:
        """Send these in the next batch, if anybody waits for them."""
        self._queue.update(name for name in names if name in self._waiting)
        self._last = time.monotonic()
        self._arrived.set()

    def keep(self, name: str, message: object) -> Reply:
        """Keep what a live call has brought that was made in place of a batch."""
        self._live += 1
        reply = Reply(message)
        self._journal.reply(name, reply)
        self.listener()
        return reply

    async def _run(self) -> None:
        for batch in self._journal.open:
            self._spawn(self._follow(batch))
        for sending in self._journal.unsure:
            await self._recover(sending)
        while True:
            await self._arrived.wait()
            while (left := self._last + self._pace.quiet - time.monotonic()) > 0:
                await asyncio.sleep(left)
            self._arrived.clear()
            ready = {name: self._bodies[name] for name in sorted(self._queue - self._journal.under_way)}
            self._queue.clear()
            for part in parts_of(ready):
                self._spawn(self._send(part))

    async def _send(self, requests: Mapping[str, Mapping[str, Any]]) -> None:
        sending, number = self._journal.sending(list(requests)), 0
        while True:
            try:
                batch, found = await self._service.create(requests), False
                break
            except lm15.LM15Error as failure:
                if not is_transient(failure):
                    self._journal.unsent(sending)
                await self._service.after(failure, number)
                if (earlier := await self._find(sending)) is not None:
                    batch, found = earlier, True
                    break
                number += 1
        self._journal.made(batch, sending, found=found)
        await self._follow(batch)

    async def _recover(self, sending: Sending) -> None:
        """Find the batch of a sending that was cut short; if there is none, its requests are sent when asked again."""
        batch = await self._find(sending)
        if batch is None:
            self._journal.unsent(sending)
            self._want(sending.ids)
        else:
            self._journal.made(batch, sending, found=True)
            self._spawn(self._follow(batch))

    async def _find(self, sending: Sending) -> str | None:
        known = {*self._journal.batches, *self._journal.foreign}
        try:
            async for batch, requests in self._service.made_since(sending.at):
                if requests == len(sending.ids) and batch not in known:
                    return batch
        except lm15.UnsupportedModelError:
            return None  # a service that lists no batches
        return None

    async def _follow(self, batch: str) -> None:
        """Wait for a batch and hand out its results."""
        self.listener()
        missing = self._journal.missing(batch)
        try:
            await self._ended(batch)
            results = await self._service.results(batch)
        except lm15.UnsupportedModelError:
            results = [(name, Reply(why=GONE)) for name in missing]
        ours = [(name, reply) for name, reply in results if name in missing]
        if missing and not ours and batch in self._journal.found:
            sending = self._journal.batches[batch]
            self._journal.not_ours(batch)
            await self._recover(sending)
            return
        for name, reply in ours:
            self._hand_out(name, reply)
        for name in self._journal.missing(batch):
            self._hand_out(name, Reply(why="missing in the results"))
        self._journal.ended(batch)
        self.listener()

    async def _ended(self, batch: str) -> None:
        number = 0
        while not await self._service.has_ended(batch):
            await asyncio.sleep(self._pace.pause(number))
            number += 1

    def _hand_out(self, name: str, reply: Reply) -> None:
        self._journal.reply(name, reply)
        future = self._waiting.get(name)
        if future is not None and not future.done():
            future.set_result(reply)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, BatchStopped):
            self._fail(error)
        elif error is not None:
            self._fail(BatchStopped(f"batches failed ({type(error).__name__}); the same command goes on"))

    def _fail(self, error: BatchStopped) -> None:
        self._failure = error
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(error)
