"""What LM calls have used."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """What LM calls have used. Adds up with `+`.

    Attributes:
        calls: LM calls, those answered by the response cache included.
        cached_calls: Calls answered by the response cache; they cost nothing.
        input_tokens: Prompt tokens of all calls, cached calls included.
        output_tokens: Reply tokens of all calls, cached calls included.
        billed_tokens: Input and output tokens of the calls that were really sent.
        cost_usd: Price of the sent calls, as far as prices are known; None if none is.
        parse_failures: Replies that could not be read.
        cache_read_tokens: Of the prompt tokens billed, those that the provider read from its prompt cache.
        cache_write_tokens: Of the prompt tokens billed, those that it wrote to its prompt cache.
    """

    calls: int = 0
    cached_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    billed_tokens: int = 0
    cost_usd: float | None = None
    parse_failures: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Input and output tokens of all calls."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        if other is NO_USAGE:
            return self
        if self.cost_usd is None or other.cost_usd is None:
            cost = other.cost_usd if self.cost_usd is None else self.cost_usd
        else:
            cost = self.cost_usd + other.cost_usd
        return self._with(other, 1, cost)

    def minus(self, earlier: Usage) -> Usage:
        """What was used since `earlier`, a total taken before this one."""
        if earlier is NO_USAGE:
            return self
        cost = None if self.cost_usd is None else self.cost_usd - (earlier.cost_usd or 0.0)
        return self._with(earlier, -1, cost)

    def _with(self, other: Usage, sign: int, cost: float | None) -> Usage:
        return Usage(  # name by name: it is made several times in each call
            self.calls + sign * other.calls,
            self.cached_calls + sign * other.cached_calls,
            self.input_tokens + sign * other.input_tokens,
            self.output_tokens + sign * other.output_tokens,
            self.billed_tokens + sign * other.billed_tokens,
            cost,
            self.parse_failures + sign * other.parse_failures,
            self.cache_read_tokens + sign * other.cache_read_tokens,
            self.cache_write_tokens + sign * other.cache_write_tokens,
        )


NO_USAGE = Usage()
"""Of what needs no LM."""
