"""What calls of a model cost: from the price map that DSPy ships, or as the app says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from dspy.clients import model_metadata

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens of a model.

    Attributes:
        input: Prompt tokens that no prompt cache holds, >= 0.
        output: Reply tokens, >= 0.
        cache_read: Prompt tokens that the provider reads from its prompt cache; None: as `input`.
        cache_write: Prompt tokens that it writes to it; None: as `input`.
    """

    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None

    def cost(self, prompt: int, reply: int, *, read: int = 0, written: int = 0) -> float:
        """Dollars of one call.

        >>> Price(3.0, 15.0, cache_read=0.3).cost(1000, 100, read=800)
        0.00234

        Args:
            prompt: All prompt tokens, cached and written ones included.
            reply: Reply tokens.
            read: Prompt tokens read from the prompt cache.
            written: Prompt tokens written to it.
        """
        plain = max(0, prompt - read - written) * self.input
        cached = read * self._or_input(self.cache_read) + written * self._or_input(self.cache_write)
        return (plain + cached + reply * self.output) / _MILLION

    def most(self, prompt: int, reply: int) -> float:
        """Dollars of one call at most, however much of its prompt goes into the prompt cache."""
        return (
            self.cost(prompt, reply, written=prompt)
            if self._or_input(self.cache_write) > self.input
            else self.cost(prompt, reply)
        )

    def _or_input(self, value: float | None) -> float:
        return self.input if value is None else value


Prices = Mapping[str, Price]
"""Name of a model, as in `dspy.LM(name)` -> its price."""

NO_PRICES: Prices = MappingProxyType({})


def price_of(lm: Any, given: Prices = NO_PRICES) -> Price | None:  # noqa: ANN401 - a DSPy LM is untyped
    """The price of a model: as given, else from DSPy's map; None if neither knows it."""
    return given.get(lm.model) or _from_map(lm.model)


def price_source() -> str:
    """Which price map DSPy has loaded, e.g. "litellm 1.105.0"."""
    info = model_metadata.source_info()
    loaded = "" if info.get("source") == "local" else ", refreshed from the network"
    return f"litellm {info.get('snapshot_version')}{loaded}"


@lru_cache(maxsize=256)
def _from_map(model: str) -> Price | None:
    provider, _, name = model.rpartition("/") if "/" not in model else model.partition("/")
    info = model_metadata.model_info(provider or "openai", name)
    rates = [model_metadata.rate(info, key) for key in ("input_cost_per_token", "output_cost_per_token")]
    if rates[0] is None or rates[1] is None:
        return None
    cached = [
        None if (value := model_metadata.rate(info, key)) is None else value * _MILLION
        for key in ("cache_read_input_token_cost", "cache_creation_input_token_cost")
    ]
    return Price(rates[0] * _MILLION, rates[1] * _MILLION, *cached)
