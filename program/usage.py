"""What LM calls have used."""

from __future__ import annotations

from dataclasses import dataclass, fields


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
        costs = [cost for cost in (self.cost_usd, other.cost_usd) if cost is not None]
        counts = {
            item.name: getattr(self, item.name) + getattr(other, item.name)
            for item in fields(self)
            if item.name != "cost_usd"
        }
        return Usage(**counts, cost_usd=sum(costs) if costs else None)

    def minus(self, earlier: Usage) -> Usage:
        """What was used since `earlier`, a total taken before this one."""
        counts = {
            item.name: getattr(self, item.name) - getattr(earlier, item.name)
            for item in fields(self)
            if item.name != "cost_usd"
        }
        cost = None if self.cost_usd is None else self.cost_usd - (earlier.cost_usd or 0.0)
        return Usage(**counts, cost_usd=cost)
