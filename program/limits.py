"""The bounds of one question."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import StrEnum

from hopstop.program.errors import BadLimits


class StopBy(StrEnum):
    """Who may end a run with an answer."""

    BOTH = "both"
    EVIDENCE = "evidence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one question. Part of the artifact.

    Attributes:
        max_rounds: Rounds, >= 1.
        first_k: Passages asked for in round 1, >= 1.
        next_k: Passages asked for by each later query, >= 1.
        carry_k: Passages of each earlier round that Decide reads again, >= 0.
        max_passages: Passages that Decide reads at once, >= 1.
        max_read: Passages read in the whole run, >= 1; None means no bound of its own.
        max_tokens: Input and output tokens of all LM calls, >= 1. A call that would go beyond is not sent.
        max_seconds: Wall clock seconds, > 0. LM calls end by then; a search under way is waited for.
        max_cost_usd: Dollars, > 0; None means no bound. A call that might go beyond is not sent.
        width: Queries of one round, >= 1.
        patience: Rounds in a row that may bring nothing new, >= 0.
        rewrite_tries: Rewrites of one query before the plain query runs, >= 1.
        blend: Weight, by rank, of a search with the question itself beside each follow-up query that is written
            freely; 0 means none. In [0, 1].
        min_coverage: Share of facts that must be proven, in [0, 1].
        min_sufficiency: Share of answer sentences that must stand in the quotes, in [0, 1].
        min_rounds: Rounds before a STOP counts, in [1, max_rounds].
        stop_by: "both": policy and code agree; "evidence": code alone.

    Raises:
        BadLimits: A value lies outside its range.
    """

    max_rounds: int = 4
    first_k: int = 5
    next_k: int = 3
    carry_k: int = 2
    max_passages: int = 18
    max_read: int | None = None
    max_tokens: int = 20_000
    max_seconds: float = 60.0
    max_cost_usd: float | None = None
    width: int = 2
    patience: int = 1
    rewrite_tries: int = 2
    blend: float = 0.0
    min_coverage: float = 1.0
    min_sufficiency: float = 0.6
    min_rounds: int = 1
    stop_by: StopBy = StopBy.BOTH

    def __post_init__(self) -> None:
        self._check_whole_numbers()
        self._check_numbers()
        if self.min_rounds > self.max_rounds:
            raise BadLimits(f"limit min_rounds ({self.min_rounds}) is above max_rounds ({self.max_rounds})")
        object.__setattr__(self, "stop_by", _stop_by(self.stop_by))

    def _check_whole_numbers(self) -> None:
        at_least = {
            "max_rounds": 1, "first_k": 1, "next_k": 1, "carry_k": 0, "max_passages": 1, "max_tokens": 1,
            "width": 1, "patience": 0, "rewrite_tries": 1, "min_rounds": 1,
        }  # fmt: skip
        if self.max_read is not None:
            at_least["max_read"] = 1
        for name, low in at_least.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise BadLimits(f"limit {name} must be a whole number >= {low}, not {value!r}")

    def _check_numbers(self) -> None:
        if not is_number(self.max_seconds) or not self.max_seconds > 0:
            raise BadLimits(f"limit max_seconds must be a number > 0, not {self.max_seconds!r}")
        if self.max_cost_usd is not None and (not is_number(self.max_cost_usd) or not self.max_cost_usd > 0):
            raise BadLimits(f"limit max_cost_usd must be a number > 0 or None, not {self.max_cost_usd!r}")
        for name in ("min_coverage", "min_sufficiency", "blend"):
            value = getattr(self, name)
            if not is_number(value) or not 0 <= value <= 1:
                raise BadLimits(f"limit {name} must be a number in [0, 1], not {value!r}")


def is_number(value: object) -> bool:
    """Whether a value is a finite number, and no whole one beyond all floats."""
    # Infinity has no form in JSON, in which limits are kept; a bound of a million says the same.
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _stop_by(value: str) -> StopBy:
    try:
        return StopBy(value)
    except ValueError:
        raise BadLimits(f"limit stop_by must be one of {[str(item) for item in StopBy]}, not {value!r}") from None
