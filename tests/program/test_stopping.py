from __future__ import annotations

import pytest

from hopstop.program.records import Limits, StopReason, Usage
from hopstop.program.stopping import why_stop

LIMITS = Limits(max_rounds=3, max_read=10, max_tokens=100, max_seconds=5.0, max_cost_usd=0.5)


@pytest.mark.parametrize(
    ("rounds", "passages", "usage", "seconds", "reason"),
    [
        (2, 9, Usage(input_tokens=99, cost_usd=0.49), 4.99, None),
        (3, 9, Usage(), 0.0, StopReason.ROUND_LIMIT),
        (2, 10, Usage(), 0.0, StopReason.PASSAGE_LIMIT),
        (2, 9, Usage(), 5.0, StopReason.TIME_LIMIT),
        (2, 9, Usage(input_tokens=60, output_tokens=40), 0.0, StopReason.TOKEN_LIMIT),
        (2, 9, Usage(cost_usd=0.5), 0.0, StopReason.COST_LIMIT),
        (0, 0, Usage(), 0.0, None),
        (9, 99, Usage(input_tokens=999, cost_usd=9.0), 99.0, StopReason.COST_LIMIT),
        (9, 99, Usage(input_tokens=999), 99.0, StopReason.TOKEN_LIMIT),
        (9, 99, Usage(), 99.0, StopReason.TIME_LIMIT),
        (9, 99, Usage(), 0.0, StopReason.PASSAGE_LIMIT),
    ],
)
def test_a_limit_ends_the_run_exactly_when_it_is_reached(
    rounds: int, passages: int, usage: Usage, seconds: float, reason: StopReason | None
) -> None:
    assert why_stop(rounds, passages, usage, seconds, LIMITS) is reason


def test_bounds_that_are_not_set_end_nothing() -> None:
    spent = Usage(cost_usd=1e9)
    assert why_stop(0, 10**9, spent, 0.0, Limits()) is None


def test_an_unknown_price_reaches_no_bound() -> None:
    assert why_stop(0, 0, Usage(cost_usd=None), 0.0, Limits(max_cost_usd=0.01)) is None


def test_tokens_of_cached_calls_count() -> None:
    usage = Usage(calls=1, cached_calls=1, input_tokens=100, billed_tokens=0)
    assert why_stop(0, 0, usage, 0.0, LIMITS) is StopReason.TOKEN_LIMIT
