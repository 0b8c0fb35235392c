"""What many questions together may spend: tokens or dollars, in a minute and in all."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hopstop.program.errors import BadLimits
from hopstop.program.records import StopReason

MINUTE = 60.0
POLL_SECONDS = 0.05  # between two looks at what calls under way give back


class BudgetUsedUp(Exception):
    """No call of this size can ever be made from the budget; the message says why.

    Attributes:
        reason: TOKEN_LIMIT or COST_LIMIT.
    """

    def __init__(self, reason: StopReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Wait:
    """There is no room yet.

    Attributes:
        seconds: After which it is worth to try again, > 0.
        reason: How a run ends that has no time to wait: TOKEN_LIMIT or COST_LIMIT; TIME_LIMIT for a call of its own.
        note: What its user should know; may be empty.
    """

    seconds: float
    reason: StopReason
    note: str = "The shared budget had no room in time."


@dataclass(slots=True, eq=False)
class Taken:
    """What one call has taken from a budget: at first the most that it may use, once settled what it has used.

    Attributes:
        tokens: Input and output.
        usd: Dollars.
        at: When it was taken, in seconds of the clock.
        open: Whether the call is under way.
        recent: Whether it counts for the last minute.
    """

    tokens: int
    usd: float
    at: float
    open: bool = True
    recent: bool = True


class Budget:
    """Bounds what all questions of an app spend together. Give one to every program that shares it.

    A call is sent once the most that it may use fits; what it did not use is given back. Safe in many threads and
    event loops. Replies from DSPy's response cache cost nothing.

    Args:
        max_tokens: Input and output tokens in all, >= 1.
        max_usd: Dollars in all, > 0.
        tokens_per_minute: Tokens in any 60 seconds, >= 1. A question waits for them as long as its own time lasts.
        usd_per_minute: Dollars in any 60 seconds, > 0.
        clock: Seconds that only grow.

    Raises:
        BadLimits: A bound lies outside its range.
    """

    def __init__(
        self,
        *,
        max_tokens: int | None = None,
        max_usd: float | None = None,
        tokens_per_minute: int | None = None,
        usd_per_minute: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        bounds = {
            "max_tokens": max_tokens, "max_usd": max_usd, "tokens_per_minute": tokens_per_minute,
            "usd_per_minute": usd_per_minute,
        }  # fmt: skip
        for name, value in bounds.items():
            if value is not None and not value > 0:
                raise BadLimits(f"budget {name} must be above 0 or None, not {value!r}")
        self._tokens = _Account(max_tokens, tokens_per_minute, StopReason.TOKEN_LIMIT)
        self._usd = _Account(max_usd, usd_per_minute, StopReason.COST_LIMIT)
        self._minute: deque[Taken] = deque()
        self._clock = clock
        self._lock = threading.Lock()

    def __deepcopy__(self, memo: dict[int, Any]) -> Budget:
        """Itself: copies of a program share it."""
        return self

    @property
    def in_dollars(self) -> bool:
        """Whether it has a bound in dollars, so that calls of a model without a price cannot be made from it."""
        return self._usd.bounded

    @property
    def tokens(self) -> int:
        """Tokens used so far; calls under way count with the most that they may use."""
        with self._lock:
            return int(self._tokens.used + self._tokens.held)

    @property
    def usd(self) -> float:
        """Dollars used so far; calls under way count with the most that they may use."""
        with self._lock:
            return self._usd.used + self._usd.held

    def take(self, tokens: int, usd: float) -> Taken | Wait:
        """Take what a call may use at most.

        Returns:
            What was taken, or how long to wait.

        Raises:
            BudgetUsedUp: It will never fit.
        """
        with self._lock:
            now = self._clock()
            self._forget(now - MINUTE)
            for account, amount in ((self._tokens, tokens), (self._usd, usd)):
                if not account.fits(amount):
                    return Wait(POLL_SECONDS, account.reason)
            for account, amount in ((self._tokens, tokens), (self._usd, usd)):
                if not account.fits_in_minute(amount):
                    return Wait(self._until_free(tokens, usd, now), account.reason)
            taken = Taken(tokens, usd, now)
            self._minute.append(taken)
            self._count(taken, 1)
            self._tokens.held += tokens
            self._usd.held += usd
            return taken

    def settle(self, taken: Taken, tokens: int, usd: float) -> None:
        """Book what a call has used, and give back the rest."""
        with self._lock:
            self._tokens.settle(taken.tokens, tokens)
            self._usd.settle(taken.usd, usd)
            if taken.recent:
                self._count(taken, -1)
            taken.tokens, taken.usd, taken.open = tokens, usd, False
            if taken.recent:
                self._count(taken, 1)

    def _forget(self, before: float) -> None:
        while self._minute and self._minute[0].at <= before:
            taken = self._minute.popleft()
            taken.recent = False
            self._count(taken, -1)
        if not self._minute:
            self._tokens.in_minute = self._usd.in_minute = 0.0  # no rounding error stays for ever

    def _count(self, taken: Taken, sign: int) -> None:
        self._tokens.in_minute += sign * taken.tokens
        self._usd.in_minute += sign * taken.usd

    def _until_free(self, tokens: int, usd: float, now: float) -> float:
        """Seconds until calls of the last minute that fill it are a minute old, if none under way gives back before."""
        freed_tokens, freed_usd = 0, 0.0
        for taken in self._minute:
            if taken.open:
                return POLL_SECONDS
            freed_tokens, freed_usd = freed_tokens + taken.tokens, freed_usd + taken.usd
            if self._tokens.fits_in_minute(tokens, freed_tokens) and self._usd.fits_in_minute(usd, freed_usd):
                return max(taken.at + MINUTE - now, 0.001)
        return POLL_SECONDS


class _Account:
    """One of the two currencies."""

    def __init__(self, most: float | None, per_minute: float | None, reason: StopReason) -> None:
        self._most = float("inf") if most is None else most
        self._per_minute = float("inf") if per_minute is None else per_minute
        self.reason = reason
        self.used = 0.0
        self.held = 0.0
        self.in_minute = 0.0

    @property
    def bounded(self) -> bool:
        return min(self._most, self._per_minute) < float("inf")

    def fits(self, amount: float) -> bool:
        """Whether there is room in all, were the calls under way to use all that they may.

        Raises:
            BudgetUsedUp: There is none, were they to use nothing.
        """
        if self.used + amount > self._most:
            raise BudgetUsedUp(self.reason, "The shared budget is used up.")
        if amount > self._per_minute:
            raise BudgetUsedUp(self.reason, "The shared budget allows less in a minute than one call may use.")
        return self.used + self.held + amount <= self._most

    def fits_in_minute(self, amount: float, freed: float = 0.0) -> bool:
        return self.in_minute - freed + amount <= self._per_minute

    def settle(self, held: float, used: float) -> None:
        self.held -= held
        self.used += used
