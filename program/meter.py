"""What one LM call used, counted where it cannot be missed: on a private copy of the LM."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import dspy

from hopstop.program.prices import NO_PRICES, Price, Prices, price_of, price_source
from hopstop.program.records import Usage

# What providers call a reply that was cut off, and one that was declined.
_CUT = frozenset({"length", "max_tokens", "model_context_window_exceeded"})
_REFUSED = frozenset({"refusal", "content_filter", "safety"})


@dataclass(slots=True)
class Meter:
    """Sums up the calls of one metered LM. One call at a time.

    Attributes:
        price: Of the model, if known.
        overrides: Whether it is the app's own, so that what DSPy says does not count.
        usage: What was used so far.
        cut: Whether a reply was cut off.
        refused: Whether the model declined to reply.
        lm: The copy that it counts, while there is one.
    """

    price: Price | None = None
    overrides: bool = False
    usage: Usage = field(default_factory=Usage)
    cut: bool = False
    refused: bool = False
    lm: Any = None

    def record(self, entry: dict[str, Any]) -> None:
        """Take in one entry of DSPy's call history.

        DSPy reports {} as the usage of a reply from its cache; the tokens of that reply stand in the response itself.
        """
        response = entry.get("response")
        billed = _Tokens.of(entry.get("usage"))
        cached = not (billed.prompt or billed.reply)
        tokens = _Tokens.of(_response_usage(response)) if cached else billed
        self.usage += Usage(
            calls=1,
            cached_calls=int(cached),
            input_tokens=tokens.prompt,
            output_tokens=tokens.reply,
            billed_tokens=billed.prompt + billed.reply,
            cache_read_tokens=billed.read,
            cache_write_tokens=billed.written,
            cost_usd=0.0 if cached else self._cost(entry.get("cost"), billed),
        )
        reasons = _finish_reasons(response)
        self.cut = self.cut or bool(reasons & _CUT)
        self.refused = self.refused or bool(reasons & _REFUSED)

    @property
    def priced_by(self) -> str:
        """Where the prices come from; empty if nothing was billed or no price is known."""
        if not self.usage.billed_tokens or self.usage.cost_usd is None:
            return ""
        return "given" if self.overrides else price_source()

    def partial(self, response: Any) -> None:  # noqa: ANN401
        """Take in what a call was billed for before it failed; None: nothing that is known."""
        if response is not None:
            self.record({"response": response, "usage": _response_usage(response)})

    def _cost(self, told: float | None, tokens: _Tokens) -> float | None:
        """Dollars: of a price of the app's, else as DSPy says, else (engines of one's own) of DSPy's price map."""
        share = getattr(self.lm, "price_share", 1.0)
        if told is not None and not (self.price and self.overrides):
            return share * told
        if self.price is None:
            return None
        return share * self.price.cost(tokens.prompt, tokens.reply, read=tokens.read, written=tokens.written)


@contextmanager
def metered(lm: Any, prices: Prices = NO_PRICES) -> Iterator[tuple[Any, Meter]]:  # noqa: ANN401 - a DSPy LM is untyped
    """A copy of an LM for one call, and the meter that counts it.

    The copy shares the LM's connections and cache and nothing else, so that calls in many threads never meet. DSPy's
    own history gets the entry as well unless the app has turned it off. An LM whose calls may be cheaper than listed
    has an attribute `price_share`, which holds for the last call of a copy.
    """
    meter = Meter(price_of(lm, prices), overrides=lm.model in prices)
    private = lm.copy()
    to_history = None if dspy.settings.disable_history else lm.update_history

    def record(entry: dict[str, Any]) -> None:
        meter.record(entry)
        if to_history is not None:
            to_history(entry)

    private.update_history = record
    meter.lm = private
    try:
        with dspy.context(disable_history=False):
            yield private, meter
    finally:
        meter.lm = None  # a cycle would keep every reply until it is collected


@dataclass(frozen=True, slots=True)
class _Tokens:
    """Tokens of one call; those of the prompt include what the provider read from its prompt cache and wrote to it."""

    prompt: int = 0
    reply: int = 0
    read: int = 0
    written: int = 0

    @classmethod
    def of(cls, usage: Any) -> _Tokens:  # noqa: ANN401
        """Of a usage record, whatever its provider calls them; all 0 if it has none."""
        if not isinstance(usage, Mapping):
            return cls()
        prompt = usage.get("prompt_tokens") or usage.get("input_tokens") or 0
        reply = usage.get("completion_tokens") or usage.get("output_tokens") or 0
        details = usage.get("prompt_tokens_details") or {}
        read = _number(details, "cached_tokens") or usage.get("cache_read_tokens") or 0
        written = _number(details, "cache_creation_tokens") or usage.get("cache_write_tokens") or 0
        # Anthropic counts these apart from its input tokens, the others within them. DSPy adds them up for the
        # providers that it knows, and cannot do so for an engine of one's own.
        total = usage.get("total_tokens") or 0
        apart = read + written > prompt or (read + written > 0 and total >= prompt + reply + read + written)
        return cls(int(prompt) + (int(read + written) if apart else 0), int(reply), int(read), int(written))


def _response_usage(response: Any) -> dict[str, Any]:  # noqa: ANN401
    usage = getattr(response, "usage", None)
    if isinstance(usage, dict):
        return usage
    names = (
        "input_tokens", "prompt_tokens", "output_tokens", "completion_tokens", "cache_read_tokens",
        "cache_write_tokens", "total_tokens",
    )  # fmt: skip
    return {name: getattr(usage, name, None) for name in names}


def _number(details: Any, name: str) -> int:  # noqa: ANN401 - a mapping, or an object of an SDK
    found = details.get(name) if isinstance(details, Mapping) else getattr(details, name, None)
    return int(found or 0)


def _finish_reasons(response: Any) -> frozenset[str]:  # noqa: ANN401
    single = getattr(response, "finish_reason", None)
    choices = getattr(response, "choices", None) or []
    found = [single, *(getattr(choice, "finish_reason", None) for choice in choices)]
    return frozenset(str(reason) for reason in found if reason)
