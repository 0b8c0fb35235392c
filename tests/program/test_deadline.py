from __future__ import annotations

import contextvars
import threading
import time

import dspy
import pytest

from hopstop.program import deadline
from hopstop.program.deadline import DeadlinePassed, Timeout

NAME: contextvars.ContextVar[str] = contextvars.ContextVar("NAME", default="unset")


def test_no_deadline_is_no_bound() -> None:
    assert deadline.remaining() is None
    assert deadline.within(threading.get_ident, float("inf")) == threading.get_ident()


def test_the_earlier_of_two_deadlines_holds_and_ends_with_its_block() -> None:
    now = time.monotonic()
    with deadline.until(now + 10):
        with deadline.until(now + 99):
            assert (deadline.remaining() or 99) <= 10
        with deadline.until(now - 1):
            assert (deadline.remaining() or 0) < 0
        assert (deadline.remaining() or 0) > 8
    assert deadline.remaining() is None


def test_within_hands_on_result_error_and_context() -> None:
    end = time.monotonic() + 10
    NAME.set("set by the caller")
    assert deadline.within(NAME.get, end) == "set by the caller"
    with pytest.raises(TimeoutError, match="of its own"):
        deadline.within(lambda: fail(TimeoutError("of its own")), end)
    with pytest.raises(KeyboardInterrupt):
        deadline.within(lambda: fail(KeyboardInterrupt()), end)


def fail(error: BaseException) -> None:
    raise error


def test_what_does_not_end_is_left_in_time_and_holds_up_nothing() -> None:
    go = threading.Event()
    started = time.monotonic()
    with pytest.raises(DeadlinePassed):
        deadline.within(lambda: go.wait(30), started + 0.1)
    assert time.monotonic() - started < 0.1 + 0.5
    left = [thread for thread in threading.enumerate() if thread.name == "hopstop-call"]
    assert all(thread.daemon for thread in left)
    go.set()
    for thread in left:
        thread.join(5)
    assert not any(thread.is_alive() for thread in left)


@pytest.mark.parametrize("seconds", [0.07, 0.3, 1.0, 4.9, 59.9, 60.0, 3600.0])
def test_a_timeout_is_never_longer_and_seldom_much_shorter_than_what_is_left(seconds: float) -> None:
    assert seconds / deadline.RUNG - 0.05 <= deadline.timeout(seconds) <= seconds + 1e-6


def test_timeouts_are_few() -> None:
    assert len({float(deadline.timeout(left / 100)) for left in range(1, 6001)}) < 40


def test_the_response_cache_does_not_tell_timeouts_apart() -> None:
    keys = {dspy.cache.cache_key({"model": "m", "timeout": Timeout(value)}) for value in (1.0, 2.5)}
    assert len(keys) == 1
    assert (Timeout(2.5), Timeout(2.5)()) == (2.5, 2.5)
