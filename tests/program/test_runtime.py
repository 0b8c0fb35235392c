from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable

import dspy
import pytest

from hopstop.program.runtime import Awaiting, Blocking, Runtime, run_blocking

NAME: contextvars.ContextVar[str] = contextvars.ContextVar("NAME", default="unset")


async def value(result: object, log: list[object] | None = None) -> object:
    if log is not None:
        log.append(result)
    return result


async def failing(message: str) -> object:
    raise ValueError(message)


def finish(runtime: Runtime, left: object, right: object) -> object:
    both = runtime.both(left, right)  # type: ignore[arg-type]
    return asyncio.run(both) if isinstance(runtime, Awaiting) else run_blocking(both)


ALL = [Blocking(), Blocking(parallel=False), Awaiting(), Awaiting(parallel=False)]
NAMES = ["blocking", "blocking in turn", "awaiting", "awaiting in turn"]


@pytest.mark.parametrize("runtime", ALL, ids=NAMES)
def test_both_gives_both_results_in_their_places(runtime: Runtime) -> None:
    assert finish(runtime, value("left"), value("right")) == ("left", "right")


@pytest.mark.parametrize("runtime", ALL, ids=NAMES)
@pytest.mark.filterwarnings("error")
def test_an_error_of_one_side_is_raised_and_of_two_the_left_one(runtime: Runtime) -> None:
    with pytest.raises(ValueError, match="left"):
        finish(runtime, failing("left"), value("right"))
    with pytest.raises(ValueError, match="right"):
        finish(runtime, value("left"), failing("right"))
    with pytest.raises(ValueError, match="left"):
        finish(runtime, failing("left"), failing("right"))


@pytest.mark.parametrize("runtime", [Blocking(), Awaiting()], ids=["blocking", "awaiting"])
def test_side_by_side_an_error_waits_for_the_other_side(runtime: Runtime) -> None:
    log: list[object] = []
    with pytest.raises(ValueError, match="left"):
        finish(runtime, failing("left"), value("right", log))
    with pytest.raises(ValueError, match="right"):
        finish(runtime, value("left", log), failing("right"))
    assert log == ["right", "left"]


@pytest.mark.parametrize("runtime", [Blocking(parallel=False), Awaiting(parallel=False)], ids=["blocking", "awaiting"])
def test_in_turn_the_left_one_ends_first_and_its_error_keeps_the_right_one_from_starting(runtime: Runtime) -> None:
    log: list[object] = []
    finish(runtime, value("left", log), value("right", log))
    assert log == ["left", "right"]
    with pytest.raises(ValueError, match="left"):
        finish(runtime, failing("left"), value("never", log))
    assert log == ["left", "right"]


@pytest.mark.parametrize("runtime", [Blocking(), Awaiting()], ids=["blocking", "awaiting"])
def test_steps_in_a_trace_stand_left_first_whichever_ends_first_and_however(runtime: Runtime) -> None:
    left_may_go = threading.Event()

    async def late() -> None:
        await runtime.run(lambda: left_may_go.wait(5))
        dspy.settings.trace.append("left")

    async def early() -> None:
        dspy.settings.trace.append("right")
        left_may_go.set()
        raise ValueError("right")

    with dspy.context(trace=["before"], max_trace_size=3):
        with pytest.raises(ValueError, match="right"):
            finish(runtime, late(), early())
        assert dspy.settings.trace == ["before", "left", "right"]
        with pytest.raises(ValueError, match="right"):
            finish(runtime, late(), early())
        assert dspy.settings.trace == ["right", "left", "right"]
    with dspy.context(trace=None):
        assert finish(runtime, value("left"), value("right")) == ("left", "right")


def test_blocking_runs_both_at_the_same_time() -> None:
    meeting = threading.Barrier(2, timeout=5)

    async def arrive() -> int:
        return meeting.wait()

    assert sorted(finish(Blocking(), arrive(), arrive())) == [0, 1]  # type: ignore[call-overload]


def test_awaiting_runs_both_at_the_same_time() -> None:
    async def run() -> object:
        first, second = asyncio.Event(), asyncio.Event()

        async def arrive(mine: asyncio.Event, other: asyncio.Event) -> bool:
            mine.set()
            return await asyncio.wait_for(other.wait(), 5)

        return await Awaiting().both(arrive(first, second), arrive(second, first))

    assert asyncio.run(run()) == (True, True)


@pytest.mark.parametrize("runtime", ALL, ids=NAMES)
def test_both_sides_see_the_context_of_the_caller(runtime: Runtime) -> None:
    async def look() -> str:
        return NAME.get()

    token = NAME.set("set by the caller")
    try:
        assert finish(runtime, look(), look()) == ("set by the caller", "set by the caller")
    finally:
        NAME.reset(token)


async def sleep_shortly() -> None:
    await asyncio.sleep(0.001)


async def yield_once() -> None:
    await asyncio.sleep(0)


async def ask_a_thread() -> None:
    await asyncio.to_thread(int)


@pytest.mark.parametrize("waits", [sleep_shortly, yield_once, ask_a_thread])
def test_a_coroutine_that_needs_an_event_loop_is_told_the_next_step(waits: Callable[[], object]) -> None:
    with pytest.raises(RuntimeError, match=r"await program\.acall"):
        run_blocking(waits())  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match=r"await program\.acall"):
        finish(Blocking(), waits(), value("right"))
    with pytest.raises(RuntimeError, match=r"await program\.acall"):
        finish(Blocking(), value("left"), waits())


def test_it_is_told_so_inside_a_running_loop_as_well() -> None:
    async def inside() -> None:
        run_blocking(sleep_shortly())

    with pytest.raises(RuntimeError, match=r"await program\.acall"):
        asyncio.run(inside())


def test_other_runtime_errors_pass_unchanged() -> None:
    async def fails() -> None:
        raise RuntimeError("disk full")

    with pytest.raises(RuntimeError, match="disk full"):
        run_blocking(fails())


def test_cancelling_ends_both_sides_before_it_is_passed_on() -> None:
    ended: list[str] = []

    async def long(name: str) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(name)

    async def run() -> None:
        task = asyncio.create_task(Awaiting().both(long("left"), long("right")))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert sorted(ended) == ["left", "right"]


class Module:
    def __call__(self, **inputs: object) -> object:
        return ("called", inputs)

    async def acall(self, **inputs: object) -> object:
        return ("awaited", inputs)


def test_modules_are_called_or_awaited() -> None:
    assert run_blocking(Blocking().call(Module(), a=1)) == ("called", {"a": 1})
    assert asyncio.run(Awaiting().call(Module(), a=1)) == ("awaited", {"a": 1})


def test_blocking_functions_run_here_or_off_the_event_loop() -> None:
    here = threading.get_ident()
    assert run_blocking(Blocking().run(threading.get_ident)) == here
    assert asyncio.run(Awaiting().run(threading.get_ident)) != here
