"""Evaluate on one event loop, with all questions under way at once, so that their requests can share batches."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import dspy

from hopstop.eval.batch_service import BatchStopped
from hopstop.eval.batched import live_time
from hopstop.eval.batches import Batches
from hopstop.eval.folder import held
from hopstop.eval.outcomes import Row
from hopstop.eval.questions import Dataset, Question
from hopstop.eval.run import Interrupted, Ledger, Listener, open_ledger, row_of, writing
from hopstop.eval.score import Crash, Score, score
from hopstop.eval.system import System
from hopstop.program.errors import BadInput
from hopstop.program.records import Outcome

AT_ONCE = 1000  # questions; each holds its evidence in memory
WAITING_SECONDS = 30 * 86_400.0  # of a question whose every call waits for a batch, which takes a day at most
INTERRUPTED = (
    "stopped with {} questions left; batches under way go on at the service, and the same command fetches them"
)


class Awaited(Protocol):
    """Answers one question on an event loop, e.g. `IterativeQA.acall`."""

    async def __call__(self, question: str, *, groups: frozenset[str]) -> Outcome:
        """Answer for a user of these groups."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class InBatches:
    """How a system is evaluated through batches.

    Attributes:
        answers: The system, awaited. Its own limit of seconds has to leave room for batches; see `WAITING_SECONDS`.
        batches: That its LMs go through.
        live_seconds: Of a question in live calls, > 0.
        at_once: Questions under way, >= 1.
    """

    answers: Awaited
    batches: Batches
    live_seconds: float
    at_once: int = AT_ONCE


def evaluate_in_batches(
    system: System, data: Dataset, out: str | Path, how: InBatches, *, progress: Listener | None = None
) -> list[Score | Crash]:
    """Run a system like `evaluate`; times are not measured, since what they hold is waiting.

    Args:
        system: What is evaluated; `how.answers` is called in place of its own.
        data: See `evaluate`.
        out: See `evaluate`; batches and replies are kept there too, so that the same call after a kill goes on with
            the batches that are under way and sends nothing twice.
        how: See InBatches.
        progress: See `evaluate`.

    Raises:
        BadInput: See `evaluate`; or the service takes no batches.
        Interrupted: Ctrl-C. Batches under way go on at the service.
    """
    with held(Path(out)):
        ledger = open_ledger(system, data, out, progress)
        if todo := ledger.todo(data):
            with _told(ledger, data), writing(out):
                how.batches.keep_in(Path(out))
                asyncio.run(_all(todo, how, ledger))
    return [ledger.rows[question.id].result for question in data.questions]


@contextmanager
def _told(ledger: Ledger, data: Dataset) -> Iterator[None]:
    try:
        yield
    except BatchStopped as error:
        raise BadInput(str(error)) from error
    except KeyboardInterrupt:
        raise Interrupted(INTERRUPTED.format(len(ledger.todo(data)))) from None


async def _all(todo: list[Question], how: InBatches, ledger: Ledger) -> None:
    places = asyncio.Semaphore(how.at_once)
    ended: asyncio.Queue[asyncio.Task[Row]] = asyncio.Queue()

    async def one(question: Question) -> Row:
        async with places:
            return await _answer(question, how)

    async with how.batches as batches:
        batches.listener = lambda: ledger.tell(note=str(batches))
        tasks = {asyncio.create_task(one(question)): question for question in todo}
        for task in tasks:
            task.add_done_callback(ended.put_nowait)
        try:
            for _ in todo:
                task = await ended.get()
                ledger.add(row_of(tasks[task], task))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _answer(question: Question, how: InBatches) -> Row:
    # With DSPy's trace, which is on by default, the loop would prune and rewrite in turn: one batch more a round.
    with live_time(how.live_seconds), dspy.context(trace=None):
        outcome = await how.answers(question.question, groups=question.groups)
    return Row.of(question, replace(score(question, outcome), ms=None), outcome)
