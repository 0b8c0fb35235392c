"""The Message Batches API through the official SDK: make a batch, look after it, fetch its results.

Source: "Batch processing" of the service's documentation: at most 100,000 requests and 256 MB a batch (its reference
says 10,000), results within 24 hours and in any order, known by `custom_id`; half the price of live calls.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from dspy import lm15

from hopstop.eval.batch_journal import Reply
from hopstop.program.claude_clients import Clients
from hopstop.program.claude_errors import FAILURES, canonical, is_transient

MOST_REQUESTS, MOST_BYTES = 10_000, 100_000_000  # of one batch
SHARE = 0.5  # of the listed price
SKEW_SECONDS = 3600.0  # that the clocks of the service and of this machine may differ
PAGE = 100
GROWTH = 1.5  # ratio of two pauses
T = TypeVar("T")


class BatchStopped(BaseException):
    """Batches cannot go on; the message says why, and what to do.

    No `Exception`: it ends the whole job, and what lies between (optimisers, callbacks) must not take it for a reply.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long to wait.

    Attributes:
        quiet: Seconds without a new request after which those at hand are sent, > 0.
        first: Seconds before the first look at a batch, > 0; each pause is longer than the one before.
        longest: Seconds between two looks, at most.
        tries: Of a request to the service that fails for the moment, >= 1.
    """

    quiet: float = 2.0
    first: float = 5.0
    longest: float = 60.0
    tries: int = 10

    def pause(self, number: int) -> float:
        """Seconds before look `number`, from 0."""
        return float(min(self.first * GROWTH ** min(number, 50), self.longest))


class BatchService:
    """The batches of one workspace.

    Args:
        clients: Where the SDK's client comes from.
        pace: How long to wait.
    """

    def __init__(self, clients: Clients, pace: Pace) -> None:
        self._clients = clients
        self._pace = pace

    async def create(self, requests: Mapping[str, Mapping[str, Any]]) -> str:
        """Make a batch of bodies by id, in one try.

        Returns:
            Its id.

        Raises:
            LM15Error: DSPy's own. If it is a transient one, the batch may have been made all the same.
        """
        items = [{"custom_id": name, "params": params_of(body)} for name, body in requests.items()]
        try:
            made = await self._batches.create(requests=items)
        except FAILURES as error:
            raise canonical(error) from error
        return str(made.id)

    async def has_ended(self, batch: str) -> bool:
        """Whether all results of a batch are there."""
        return bool((await self.patiently(lambda: self._batches.retrieve(batch))).processing_status == "ended")

    async def results(self, batch: str) -> list[tuple[str, Reply]]:
        """The results of a batch that has ended, by request."""

        async def fetch() -> list[tuple[str, Reply]]:
            async with self._batches.with_streaming_response.results(batch) as response:
                return [_result(json.loads(line)) async for line in response.iter_lines() if line.strip()]

        try:
            return await self.patiently(fetch)
        except (ValueError, KeyError, TypeError) as error:
            raise BatchStopped(f"the results of batch {batch} cannot be read ({type(error).__name__})") from error

    async def made_since(self, at: float) -> AsyncIterator[tuple[str, int]]:
        """Id and number of requests of each batch that was made since a Unix time, the newest first."""
        page = await self.patiently(lambda: self._batches.list(limit=PAGE))
        async for batch in page:
            if batch.created_at.timestamp() < at - SKEW_SECONDS:
                return
            yield batch.id, sum(batch.request_counts.to_dict().values())

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        await self._clients.aclose()

    async def patiently(self, call: Callable[[], Awaitable[T]]) -> T:
        """Call, again after failures of the moment.

        Raises:
            UnsupportedModelError: DSPy's own, for what the service does not know.
            BatchStopped: It fails for good.
        """
        for number in range(self._pace.tries):
            try:
                return await call()
            except FAILURES as error:
                failure = canonical(error)
                if isinstance(failure, lm15.UnsupportedModelError):
                    raise failure from error
                await self.after(failure, number)
        raise AssertionError("the last try returns or raises")

    async def after(self, failure: lm15.LM15Error, number: int) -> None:
        """Wait for another try.

        Raises:
            BatchStopped: There is none.
        """
        if not is_transient(failure) or number + 1 >= self._pace.tries:
            said = str(failure).partition("\n")[0]  # the rest is advice for others
            raise BatchStopped(f"the service takes no batches ({said}); the same command goes on") from failure
        await asyncio.sleep(self._pace.pause(number) if failure.retry_after is None else failure.retry_after)

    @property
    def _batches(self) -> Any:  # noqa: ANN401 - of an untyped client
        return self._clients.awaiting().messages.batches


def params_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a live request as the parameters of one in a batch."""
    return {**{name: value for name, value in body.items() if name != "extra_body"}, **body.get("extra_body", {})}


def parts_of(requests: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Mapping[str, Any]]]:
    """Requests in as few parts as fit into a batch each."""
    parts: list[dict[str, Mapping[str, Any]]] = []
    size = 0
    for name, body in requests.items():
        own = len(json.dumps(body))
        if not parts or len(parts[-1]) >= MOST_REQUESTS or size + own > MOST_BYTES:
            parts.append({})
            size = 0
        parts[-1][name] = body
        size += own
    return parts


def _result(line: Mapping[str, Any]) -> tuple[str, Reply]:
    result = line["result"]
    if result["type"] == "succeeded":
        return line["custom_id"], Reply(result["message"], SHARE)
    return line["custom_id"], Reply(why=str(result["type"]))
