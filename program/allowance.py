"""What the LM calls of one question may still use: tokens, dollars and time."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass

from hopstop.program.budget import POLL_SECONDS, Budget, BudgetUsedUp, Taken, Wait
from hopstop.program.prices import NO_PRICES, Price, Prices
from hopstop.program.records import Limits, StopReason, Usage

SHORTEST_REPLY = 64  # tokens: the query of a Rewrite; a call with less room is not worth its prompt
TOKENS_PER_BYTE = 1 / 3  # of English and JSON, rounded up; that of the model is learned from its first reply
NEAR = 1.25  # times the estimate: what is within this of the limit is worth a count
MARGIN = 1.1  # prompts of one question differ in their mix of words and passages

LOST = "A call that broke off counts with all that it may have been billed."
UNDER_WAY = Wait(POLL_SECONDS, StopReason.TIME_LIMIT, note="")
"""Another call of the same question holds what this one asks for, and will give back most of it."""

UNPRICED = "No price of the model is known, so the cost limit could not be kept: name its price."


class NotSent(BaseException):
    """A call that its limits forbid, or do not wait for.

    No `Exception`, so that what lies between the call and its policy (adapters that try another form, callbacks) does
    not take it for a failed reply.

    Attributes:
        reason: How the run ends.
        note: What a user should know besides; may be empty.
    """

    def __init__(self, reason: StopReason, note: str = "") -> None:
        super().__init__(reason.value)
        self.reason = reason
        self.note = note


@dataclass(slots=True, eq=False)
class Reservation:
    """Room for one call.

    Attributes:
        tokens: Prompt, as estimated, and reply at most.
        usd: Their price; 0 if it is not known.
        reply: Tokens that the reply may have; fewer than asked for if no more are left.
        taken: From the shared budget.
    """

    tokens: int
    usd: float
    reply: int
    taken: Taken | None = None


class Allowance:
    """The ledger of one question: reserve before each call, settle after it. Safe in threads, for calls side by side.

    Args:
        limits: Bounds of the question; None: unlimited.
        budget: What it shares with other questions.
        prices: Of models, where they differ from DSPy's price map.

    Attributes:
        at: The deadline, in seconds of `time.monotonic`; infinite without limits.
        budget: See above.
        prices: See above.
        priced_by: Where the prices of what was billed come from; empty if none is known.
        note: What a user should know; empty if nothing.
    """

    def __init__(self, limits: Limits | None = None, budget: Budget | None = None, prices: Prices = NO_PRICES) -> None:
        self.at = math.inf if limits is None else time.monotonic() + limits.max_seconds
        self.budget = budget
        self.prices = prices
        self.priced_by = ""
        self.note = ""
        self._tokens = math.inf if limits is None else limits.max_tokens
        self._usd = math.inf if limits is None or limits.max_cost_usd is None else limits.max_cost_usd
        self._per_byte = TOKENS_PER_BYTE
        self._known = False
        self._under_way = 0
        self._lost = ""
        self._lock = threading.Lock()

    @property
    def remaining(self) -> float:
        """Seconds left; infinite without a bound."""
        return self.at - time.monotonic()

    def estimate(self, size: int) -> int:
        """Prompt tokens of this many bytes (UTF-8), from above: no token is shorter than a byte."""
        return min(size, math.ceil(size * self._per_byte * (MARGIN if self._known else 1.0)))

    def near(self, size: int, reply: int) -> bool:
        """Whether a call with a prompt of this many bytes may come so near to the limit that its tokens are counted."""
        most = min(size, NEAR * self.estimate(size)) if self._known else size
        return most + reply > self._tokens

    def learn(self, size: int, prompt: int) -> None:
        """Take in how many tokens a prompt of this many bytes had."""
        if size and prompt:
            with self._lock:
                seen = prompt / size
                self._per_byte = max(self._per_byte, seen) if self._known else seen
                self._known = True

    def reserve(self, prompt: int, reply: int, price: Price | None) -> Reservation | Wait:
        """Make room for a call. While another one is under way, all that it asks for or nothing.

        Args:
            prompt: Tokens of the prompt.
            reply: Tokens of the reply at most; fewer are granted if only they are left.
            price: Of the model; None: unknown.

        Returns:
            The room, or how long to wait for a call under way or for the shared budget.

        Raises:
            NotSent: A limit of the question or the shared budget forbids the call.
        """
        with self._lock:
            if self._under_way and not self._fits(prompt, reply, price):
                return UNDER_WAY
            granted = self._granted(prompt, reply, price)
            usd = price.most(prompt, granted) if price is not None else 0.0
            made = Reservation(prompt + granted, usd, granted)
            if self.budget is not None:
                taken = self._from_budget(self.budget, made, price)
                if isinstance(taken, Wait):
                    return taken
                made.taken = taken
            self._under_way += 1
            self._tokens -= made.tokens
            self._usd -= usd
            return made

    def settle(self, room: Reservation, used: Usage, *, unknown: bool = False) -> None:
        """Book what a call has used, and give back the rest of its room.

        Args:
            room: Of the call.
            used: What it has used; cached replies count for the question and not for the budget.
            unknown: Whether nobody said what it has used, so that all of its room may have been billed.
        """
        usd = room.usd if unknown else used.cost_usd or 0.0
        with self._lock:
            self._under_way -= 1
            self._lost = LOST if unknown else self._lost
            self._tokens += 0 if unknown else room.tokens - used.tokens
            self._usd += room.usd - usd
        if self.budget is not None and room.taken is not None:
            self.budget.settle(room.taken, room.tokens if unknown else used.billed_tokens, usd)

    def _fits(self, prompt: int, reply: int, price: Price | None) -> bool:
        usd = 0.0 if price is None else price.most(prompt, reply)
        return prompt + reply <= self._tokens and usd <= self._usd

    def _granted(self, prompt: int, reply: int, price: Price | None) -> int:
        shortest = min(SHORTEST_REPLY, reply)
        if self._tokens - prompt < shortest:
            raise NotSent(StopReason.TOKEN_LIMIT, self._lost)
        granted = int(min(reply, self._tokens - prompt))
        if price is None:
            self.note = UNPRICED if self._usd < math.inf else ""
            return granted
        if price.most(prompt, granted) <= self._usd:
            return granted
        for_reply = self._usd - price.most(prompt, 0)
        affordable = int(for_reply / price.most(0, 1)) if price.output else -1
        if for_reply < 0 or affordable < shortest:
            raise NotSent(StopReason.COST_LIMIT, self._lost)
        return min(granted, affordable)

    def _from_budget(self, budget: Budget, room: Reservation, price: Price | None) -> Taken | Wait:
        if price is None and budget.in_dollars:
            raise NotSent(StopReason.COST_LIMIT, "The budget is in dollars and no price of the model is known.")
        try:
            return budget.take(room.tokens, room.usd)
        except BudgetUsedUp as error:
            raise NotSent(error.reason, str(error)) from error
