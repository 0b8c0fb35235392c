"""How many questions at once: `python -m hopstop.eval.throughput`.

The service is a stand-in in a process of its own that takes a fixed time for each call; retrieval and everything else
is real. What is ideal is bound twice: no run is faster than the latency of its calls allows, nor faster than one core
can do the work of the same questions when nothing has to be waited for (Python runs on one core).
"""

from __future__ import annotations

import asyncio
import gc
import json
import math
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import dspy

from hopstop.eval import stand_in
from hopstop.program.claude import claude
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA
from hopstop.program.records import StopReason

CALLS_IN_TURN = 3  # of a question: Decide; Prune and Rewrite side by side; Decide
WARM_UP = 8  # questions asked before, which open connections and what is loaded lazily
LIMITS = replace(stand_in.LIMITS, max_seconds=600.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What is to be done.

    Attributes:
        questions: How many, >= 1.
        in_flight: How many at once, >= 1.
        latency: Seconds that the service takes for a call, >= 0.
        asynchronous: Whether on one event loop, not in threads.
    """

    questions: int
    in_flight: int
    latency: float
    asynchronous: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Throughput:
    """What it took.

    Attributes:
        work: See Work.
        seconds: Wall clock.
        cpu_seconds: Of this process, all threads.
        latency_bound: Seconds that the waiting alone takes.
        cpu_bound: Seconds of one core for the same questions, one at a time, without latency.
        share_of_ideal: The larger bound / seconds, in (0, 1]; higher is better.
    """

    work: Work
    seconds: float
    cpu_seconds: float
    latency_bound: float
    cpu_bound: float
    share_of_ideal: float


@dataclass(frozen=True, slots=True)
class Memory:
    """What a process holds.

    Attributes:
        questions: Asked so far.
        bytes: In memory; at its highest where the system does not say what is held now.
    """

    questions: int
    bytes: int


def measure(work: Work) -> Throughput:
    """Do the work, and the same one at a time without latency."""
    alone = replace(work, in_flight=1, latency=0.0)
    _, cpu_bound = _timed(alone)
    seconds, cpu = _timed(work)
    latency_bound = math.ceil(work.questions / work.in_flight) * CALLS_IN_TURN * work.latency
    return Throughput(
        work=work,
        seconds=seconds,
        cpu_seconds=cpu,
        latency_bound=latency_bound,
        cpu_bound=cpu_bound,
        share_of_ideal=max(latency_bound, cpu_bound) / seconds,
    )


def memory(questions: int, every: int) -> Iterator[Memory]:
    """Memory of this process while many questions are asked in threads.

    Args:
        questions: In all, >= `every`.
        every: Questions between two looks, >= 1.
    """
    with stand_in.service(0.0) as url, _lm(url) as lm, ThreadPoolExecutor(8) as pool:
        program = _program(lm)
        for asked in range(every, questions + 1, every):
            list(pool.map(lambda _: _ask(program), range(every)))
            gc.collect()
            yield Memory(asked, _resident())


def _timed(work: Work) -> tuple[float, float]:
    with stand_in.service(work.latency) as url:
        return asyncio.run(_atimed(work, url)) if work.asynchronous else _threads(work, url)


def _threads(work: Work, url: str) -> tuple[float, float]:
    with _lm(url) as lm, ThreadPoolExecutor(work.in_flight) as pool:
        program = _program(lm)
        list(pool.map(lambda _: _ask(program), range(max(WARM_UP, work.in_flight))))
        start, cpu = time.perf_counter(), time.process_time()
        list(pool.map(lambda _: _ask(program), range(work.questions)))
        return time.perf_counter() - start, time.process_time() - cpu


async def _atimed(work: Work, url: str) -> tuple[float, float]:
    gate = asyncio.Semaphore(work.in_flight)
    with _lm(url) as lm:
        program = _program(lm)

        async def one() -> None:
            async with gate:
                _check(await program.acall(stand_in.QUESTION))

        await asyncio.gather(*(one() for _ in range(max(WARM_UP, work.in_flight))))
        start, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(one() for _ in range(work.questions)))
        took = time.perf_counter() - start, time.process_time() - cpu
        await lm.aclose()
    return took


@contextmanager
def _lm(url: str) -> Iterator[Any]:
    with _environment(ANTHROPIC_API_KEY="made-up", ANTHROPIC_BASE_URL=url), dspy.context(disable_history=True):
        lm = claude("claude-stand-in", schema=True, cache=False)  # with the clients that it makes itself
        yield lm
        lm.close()


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def _program(lm: Any) -> IterativeQA:  # noqa: ANN401
    return IterativeQA(stand_in.index(), LMPolicy(lm), LIMITS)


def _ask(program: IterativeQA) -> None:
    with dspy.context(disable_history=True):  # a pool's threads do not have the caller's context
        _check(program(stand_in.QUESTION))


def _check(outcome: Any) -> None:  # noqa: ANN401
    if outcome.reason is not StopReason.ANSWERED:
        raise RuntimeError(f"a question that the stand-in knows ended with {outcome.reason}: {outcome.note}")


def _resident() -> int:
    """Bytes of this process in memory now; at its highest where the system does not say."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * 4096
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


@click.command()
@click.option("--questions", type=click.IntRange(min=1), default=200, show_default=True)
@click.option("--in-flight", type=click.IntRange(min=1), default=64, show_default=True)
@click.option("--latency", type=click.FloatRange(min=0), default=0.05, show_default=True, help="Seconds of a call.")
@click.option("--memory", "asked", type=click.IntRange(min=1), help="Ask so many questions for memory instead.")
@click.option(
    "--every", type=click.IntRange(min=1), default=500, show_default=True, help="Questions between two looks."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(questions: int, in_flight: int, latency: float, asked: int | None, every: int, as_json: bool) -> None:
    """Measure throughput with threads and on an event loop, or memory over many questions."""
    told: Iterator[Throughput | Memory]
    if asked is not None:
        told = memory(asked, min(every, asked))
    else:
        half = partial(Work, questions=questions, in_flight=in_flight, latency=latency)
        told = (measure(half(asynchronous=kind)) for kind in (False, True))
    if as_json:
        name = "throughput" if asked is None else "memory"
        click.echo(json.dumps({name: [asdict(item) for item in told]}, indent=2))
        return
    for item in told:
        click.echo(_line(item))


def _line(told: Throughput | Memory) -> str:
    if isinstance(told, Memory):
        return f"{told.questions:>6} questions {told.bytes / 2**20:8.1f} MiB"
    work = told.work
    return (
        f"{'event loop' if work.asynchronous else 'threads':<10} {work.in_flight:>4} in flight: {told.seconds:6.2f} s, "
        f"{told.share_of_ideal:4.2f} of the ideal ({told.latency_bound:.2f} s waiting, {told.cpu_bound:.2f} s CPU of "
        f"one question at a time; {told.cpu_seconds:.2f} s CPU used)"
    )


if __name__ == "__main__":
    main()
