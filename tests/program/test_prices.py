from __future__ import annotations

import dspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopstop.program.prices import Price, price_of, price_source

TOKENS = st.integers(0, 100_000)
RATES = st.floats(0, 100)


def test_a_known_model_has_the_prices_of_the_map_and_the_app_may_say_otherwise() -> None:
    lm = dspy.LM("anthropic/claude-sonnet-4-5", max_tokens=10)
    price = price_of(lm)
    assert price is not None
    assert (price.input, price.output) == (pytest.approx(3.0), pytest.approx(15.0))
    assert (price.cache_read, price.cache_write) == (pytest.approx(0.3), pytest.approx(3.75))
    own = Price(1.0, 2.0)
    assert price_of(lm, {lm.model: own}) is own


def test_an_unknown_model_has_no_price() -> None:
    assert price_of(dspy.LM("openai/of-our-own")) is None


def test_the_map_is_named_with_its_version() -> None:
    name, version = price_source().split(",")[0].split()
    assert name == "litellm"
    assert version[0].isdigit()


def test_cached_tokens_cost_their_own_price() -> None:
    price = Price(10.0, 0.0, cache_read=1.0, cache_write=12.5)
    assert price.cost(1_000_000, 0, read=500_000, written=100_000) == pytest.approx(4.0 + 0.5 + 1.25)
    assert Price(10.0, 0.0).cost(1_000_000, 0, read=500_000) == pytest.approx(10.0)


@given(RATES, RATES, st.none() | RATES, st.none() | RATES, TOKENS, TOKENS, st.floats(0, 1), st.floats(0, 1))
def test_no_call_costs_more_than_its_bound(
    rate: float,
    output: float,
    read: float | None,
    write: float | None,
    prompt: int,
    reply: int,
    cached: float,
    new: float,
) -> None:
    price = Price(rate, output, min(rate, read) if read is not None else None, write)
    from_cache = int(prompt * cached)
    written = int((prompt - from_cache) * new)
    used = price.cost(prompt, reply, read=from_cache, written=written)
    assert used <= price.most(prompt, reply) * (1 + 1e-9) + 1e-12
