"""An LM whose calls wait for batches, at half the price; what a batch does not bring is asked for live."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from json import dumps
from typing import Any

from hopstop.eval.batch_journal import Reply
from hopstop.eval.batch_threads import loop_of_together
from hopstop.eval.batches import Batches
from hopstop.program.allowance import NotSent
from hopstop.program.claude import ClaudeLM
from hopstop.program.claude_clients import Clients
from hopstop.program.claude_deadline import Deadline
from hopstop.program.claude_engine import AsyncClaudeEngine, ClaudeEngine, Settings
from hopstop.program.records import StopReason


class BatchedLM(ClaudeLM):
    """An LM whose awaited calls go in batches, and those in threads that are made `together`; make it with `batched`.

    Attributes:
        price_share: Of the listed price, in [0, 1], that the last call has cost.
    """

    price_share: float = 1.0

    def __call__(self, *given: Any, **options: Any) -> Any:  # noqa: ANN401 - as DSPy declares it
        """See dspy.LM; a `rollout_id` asks for another reply to the same request."""
        with self._calling(options):
            return super().__call__(*given, **options)

    async def acall(self, *given: Any, **options: Any) -> Any:  # noqa: ANN401
        """See __call__."""
        with self._calling(options):
            return await super().acall(*given, **options)

    @contextmanager
    def _calling(self, options: dict[str, Any]) -> Iterator[None]:
        self.price_share = 0.0
        token = _CALL.set(_Call(self, options.get("rollout_id", self.kwargs.get("rollout_id"))))
        try:
            yield
        finally:
            _CALL.reset(token)


def batched(lm: ClaudeLM, batches: Batches) -> BatchedLM:
    """A batched LM in place of another. DSPy's cache is off: the journal keeps the replies, and what they cost."""
    engine = lm.engine
    awaited = _AsyncEngine(engine.settings, engine.clients, batches)
    return BatchedLM(
        lm.model,
        engine=_Engine(engine.settings, engine.clients, awaited),
        async_engine=awaited,
        num_retries=0,
        cache=False,
        **lm.kwargs,
    )


@contextmanager
def live_time(seconds: float) -> Iterator[None]:
    """Bound the seconds of live calls that are made inside for one question; waiting for batches is not counted."""
    token = _LIVE.set(_LiveTime(seconds))
    try:
        yield
    finally:
        _LIVE.reset(token)


@dataclass(slots=True, eq=False)
class _Call:
    """One call of an LM. Its requests keep their names when they are sent again."""

    lm: BatchedLM
    rollout: object
    names: dict[str, str] = field(default_factory=dict)

    def name(self, body: dict[str, Any], batches: Batches) -> str:
        key = dumps(body, sort_keys=True)
        if key not in self.names:
            self.names[key] = batches.name(body, self.rollout)
        return self.names[key]

    def message(self, reply: Reply) -> object:
        self.lm.price_share = max(self.lm.price_share, reply.share)
        return reply.message


class _LiveTime:
    def __init__(self, seconds: float) -> None:
        self._left = seconds

    @contextmanager
    def spent(self) -> Iterator[float]:
        if self._left <= 0:
            raise NotSent(StopReason.TIME_LIMIT)
        start = time.monotonic()
        try:
            yield self._left
        finally:
            self._left -= time.monotonic() - start


_CALL: ContextVar[_Call] = ContextVar("hopstop_batched_call")
_LIVE: ContextVar[_LiveTime | None] = ContextVar("hopstop_live_time", default=None)


class _AsyncEngine(AsyncClaudeEngine):
    def __init__(self, settings: Settings, clients: Clients, batches: Batches) -> None:
        super().__init__(settings, clients)
        self._batches = batches

    async def send(self, body: dict[str, Any], end: Deadline) -> object:
        """The reply of a batch, or of a live call where a batch has brought none."""
        call = _CALL.get()
        name = call.name(body, self._batches)
        reply = await self._batches.reply(name, body)
        if reply.message is None:
            reply = self._batches.keep(name, await self._live(body, end))
        return call.message(reply)

    async def _live(self, body: dict[str, Any], end: Deadline) -> object:
        time_of_question = _LIVE.get()
        if time_of_question is None:
            return await super().send(body, end)
        with time_of_question.spent() as seconds:
            return await super().send(body, Deadline(seconds))

    def __reduce__(self) -> tuple[Any, ...]:
        return AsyncClaudeEngine.load_state, (self.dump_state(),)  # elsewhere there are no batches


class _Engine(ClaudeEngine):
    def __init__(self, settings: Settings, clients: Clients, awaited: _AsyncEngine) -> None:
        super().__init__(settings, clients)
        self._awaited = awaited

    def send(self, body: dict[str, Any], end: Deadline) -> object:
        """A live call; where calls are made together, the reply of a batch."""
        loop = loop_of_together()
        if loop is None:
            return _CALL.get().message(Reply(super().send(body, end)))
        return asyncio.run_coroutine_threadsafe(self._awaited.send(body, end), loop).result()  # in this context

    def __reduce__(self) -> tuple[Any, ...]:
        return ClaudeEngine.load_state, (self.dump_state(),)
