from __future__ import annotations

import copy
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopstop.program.budget import Budget, BudgetUsedUp, Taken, Wait
from hopstop.program.errors import BadLimits
from hopstop.program.records import StopReason


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def taken(budget: Budget, tokens: int, usd: float = 0.0) -> Taken:
    got = budget.take(tokens, usd)
    assert isinstance(got, Taken)
    return got


def wait(budget: Budget, tokens: int, usd: float = 0.0) -> Wait:
    got = budget.take(tokens, usd)
    assert isinstance(got, Wait)
    return got


@pytest.mark.parametrize("name", ["max_tokens", "max_usd", "tokens_per_minute", "usd_per_minute"])
def test_a_bound_of_nothing_is_refused_by_name(name: str) -> None:
    with pytest.raises(BadLimits, match=name):
        Budget(**{name: 0})  # type: ignore[arg-type]


def test_what_a_call_did_not_use_is_given_back() -> None:
    budget = Budget(max_tokens=100)
    first = taken(budget, 90)
    assert wait(budget, 20).reason is StopReason.TOKEN_LIMIT
    budget.settle(first, 30, 0.0)
    assert budget.tokens == 30
    taken(budget, 70)


def test_what_can_never_fit_is_used_up_and_not_waited_for() -> None:
    budget = Budget(max_tokens=100)
    budget.settle(taken(budget, 90), 90, 0.0)
    with pytest.raises(BudgetUsedUp) as caught:
        budget.take(11, 0.0)
    assert caught.value.reason is StopReason.TOKEN_LIMIT
    with pytest.raises(BudgetUsedUp):
        Budget(tokens_per_minute=100).take(101, 0.0)


def test_dollars_are_bounded_like_tokens() -> None:
    budget = Budget(max_usd=1.0)
    budget.settle(taken(budget, 10, 0.8), 10, 0.6)
    assert budget.usd == pytest.approx(0.6)
    with pytest.raises(BudgetUsedUp) as caught:
        budget.take(10, 0.5)
    assert caught.value.reason is StopReason.COST_LIMIT
    assert budget.in_dollars
    assert not Budget(max_tokens=1).in_dollars


def test_a_full_minute_says_when_it_has_room_again() -> None:
    clock = Clock()
    budget = Budget(tokens_per_minute=100, clock=clock)
    budget.settle(taken(budget, 60), 60, 0.0)
    clock.now = 10.0
    budget.settle(taken(budget, 40), 40, 0.0)
    assert wait(budget, 50).seconds == pytest.approx(50.0)
    assert wait(budget, 70).seconds == pytest.approx(60.0)
    clock.now = 60.0
    taken(budget, 60)


def test_a_call_under_way_may_give_back_before_the_minute_is_over() -> None:
    clock = Clock()
    budget = Budget(tokens_per_minute=100, clock=clock)
    first = taken(budget, 90)
    assert wait(budget, 50).seconds < 1
    budget.settle(first, 10, 0.0)
    taken(budget, 50)


def test_copies_of_a_program_share_it() -> None:
    budget = Budget(max_tokens=1)
    assert copy.deepcopy(budget) is budget


CALLS = st.lists(st.tuples(st.integers(1, 60), st.floats(0, 1), st.floats(0, 40)), min_size=1, max_size=40)


@settings(max_examples=200, deadline=None)
@given(CALLS, st.integers(20, 100), st.integers(50, 500))
def test_no_minute_and_no_total_is_ever_exceeded(
    calls: list[tuple[int, float, float]], per_minute: int, most: int
) -> None:
    clock = Clock()
    budget = Budget(max_tokens=most, tokens_per_minute=per_minute, clock=clock)
    spent: list[tuple[float, int]] = []
    for tokens, share, later in calls:
        clock.now += later
        try:
            got = budget.take(tokens, 0.0)
        except BudgetUsedUp:
            continue
        if isinstance(got, Wait):
            assert got.seconds > 0
            continue
        used = round(tokens * share)
        budget.settle(got, used, 0.0)
        spent.append((clock.now, used))
        assert sum(amount for at, amount in spent if at > clock.now - 60) <= per_minute
        assert sum(amount for _, amount in spent) == budget.tokens <= most


def test_a_spike_of_threads_takes_no_more_than_there_is() -> None:
    budget = Budget(max_tokens=1000, max_usd=1.0)
    start = threading.Barrier(64)

    def spend() -> int:
        start.wait(10)
        got = 0
        for _ in range(50):
            try:
                room = budget.take(7, 0.003)
            except BudgetUsedUp:
                break
            if isinstance(room, Taken):
                budget.settle(room, 5, 0.002)
                got += 5
        return got

    with ThreadPoolExecutor(64) as pool:
        spent = sum(pool.map(lambda _: spend(), range(64)))
    assert spent == budget.tokens <= 1000
    assert budget.usd <= 1.0
