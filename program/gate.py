"""What every call of an LM passes: room in its budget, the deadline, and another try after a transient error."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache, partial
from typing import Any, Protocol, runtime_checkable

import dspy
from dspy.utils.exceptions import (
    LMAuthError,
    LMBillingError,
    LMConfigurationError,
    LMError,
    LMInvalidRequestError,
    LMLockTimeoutError,
    LMRateLimitError,
    LMServerError,
    LMTimeoutError,
    LMUnsupportedFeatureError,
    is_retryable_lm_error,
)

from hopstop.program import deadline, resend
from hopstop.program.allowance import Allowance, NotSent, Reservation
from hopstop.program.deadline import DeadlinePassed
from hopstop.program.meter import Meter
from hopstop.program.records import StopReason, Usage
from hopstop.program.runtime import Runtime, run_blocking

SLICE_SECONDS = 0.25  # of a wait, after which it looks whether the app has ended the run
LONGEST_WAIT_SECONDS = 60.0  # before another try, as DSPy has it; a server may ask for more
LAST_SECONDS = 0.05  # a client whose time runs out gives up a little before the deadline or after it
PER_MESSAGE = 8  # bytes that stand for what a provider puts around a message
NO_TIME = "The LM call failed: {}. There was no time for another try."
LONGEST_REPLY = {"max_tokens": 4096, "max_completion_tokens": 16_000}
"""Option that bounds a reply -> tokens, for an LM that is given none; the second is the least that DSPy takes."""

_NOT_BILLED = (
    LMAuthError, LMBillingError, LMConfigurationError, LMInvalidRequestError, LMLockTimeoutError, LMRateLimitError,
    LMServerError, LMUnsupportedFeatureError,
)  # fmt: skip

Send = Callable[[dict[str, Any], "Settle"], Awaitable[Any]]
Settle = Callable[[], Any]  # makes the context manager in which the call is made


@runtime_checkable
class Counts(Protocol):
    """An LM that counts the tokens of a prompt exactly. It is asked only near a limit."""

    def count_tokens(self, messages: Sequence[Mapping[str, Any]]) -> int:
        """Prompt tokens of these messages. May ask the provider, for at most `deadline.remaining()` seconds."""
        ...


class Gate:
    """The gate of one metered LM. One call at a time.

    Args:
        lm: The LM as the app made it, which says how often to try and how long a reply may be.
        meter: Counts what is used.
        runtime: Of the run.

    Attributes:
        ends_in_time: Whether the engine of the LM keeps to `deadline.remaining()` by itself, whatever the server does,
            and says so by an attribute of this name; the calls of any other one are waited for in a thread.
    """

    def __init__(self, lm: Any, meter: Meter, runtime: Runtime) -> None:  # noqa: ANN401 - a DSPy LM is untyped
        self._lm = lm
        self._meter = meter
        self._runtime = runtime
        self._tries = 1 + lm.num_retries if isinstance(lm, dspy.LM) else 1
        self._connects = isinstance(lm, dspy.LM) and isinstance(lm.engine, str)  # other engines refuse a timeout
        self.ends_in_time = bool(getattr(getattr(lm, "engine", None), "ends_in_time", False))
        self._reply_key = reply_key(lm)

    @property
    def allowance(self) -> Allowance:
        """Of the question."""
        return self._runtime.allowance

    async def through(self, send: Send, messages: Any, options: Mapping[str, Any]) -> Any:  # noqa: ANN401
        """Make a call once there is room for it, again after a transient error.

        Raises:
            NotSent: A limit, the budget or the deadline forbids it, or the app has ended the run.
            LMError: It failed for good.
        """
        size = prompt_bytes(messages, options)
        for attempt in range(self._tries):
            room = await self._room(size, messages, options)
            bounds = self._bounds(room)
            try:
                with deadline.until(self.allowance.at):
                    return await send({**options, **bounds}, partial(self._settled, room, size))
            except DeadlinePassed:
                raise NotSent(StopReason.TIME_LIMIT) from None
            except LMError as error:
                ours = isinstance(error, LMTimeoutError) and "timeout" in bounds
                await self._wait(self._seconds_before_next(error, attempt, out_of_time=ours))
        raise AssertionError("the last try returns or raises")

    @contextmanager
    def _settled(self, room: Reservation, size: int) -> Iterator[None]:
        """Books the call that is made inside, in the thread in which it is made: that may outlast the run."""
        before, unknown, rooms = self._meter.usage, True, [room]
        try:
            with resend.asking(partial(self._again, rooms)):
                yield
            unknown = False
        except LMError as error:
            unknown = may_be_billed(error)
            self._meter.partial(getattr(error, "partial", None))
            raise
        finally:
            used = self._meter.usage.minus(before)
            self.allowance.settle(rooms[-1], used, unknown=unknown and not used.calls)
            self.allowance.learn(size, used.input_tokens)
            self.allowance.priced_by = self._meter.priced_by or self.allowance.priced_by

    def _again(self, rooms: list[Reservation]) -> bool:
        """See resend.may_send_again; the last of the rooms is that of the request under way."""
        lost = rooms[-1]
        try:
            room = self.allowance.reserve(lost.tokens - lost.reply, lost.reply, self._meter.price)
        except NotSent:
            return False
        if not isinstance(room, Reservation):
            return False
        self.allowance.settle(lost, Usage(), unknown=True)
        rooms.append(room)
        return True

    async def _room(self, size: int, messages: Any, options: Mapping[str, Any]) -> Reservation:  # noqa: ANN401
        prompt, reply = await self._prompt(size, messages, options), longest_reply(self._lm, options)
        late = NotSent(StopReason.TIME_LIMIT)
        while self.allowance.remaining > 0:
            got = self.allowance.reserve(prompt, reply, self._meter.price)
            if isinstance(got, Reservation):
                return got
            late = NotSent(got.reason, got.note)
            if got.seconds >= self.allowance.remaining:
                break
            await self._wait(got.seconds)
        raise late

    async def _prompt(self, size: int, messages: Any, options: Mapping[str, Any]) -> int:  # noqa: ANN401
        estimate = self.allowance.estimate(size)
        if not isinstance(self._lm, Counts) or not self.allowance.near(size, longest_reply(self._lm, options)):
            return estimate
        asked = messages if isinstance(messages, list) else [{"role": "user", "content": messages}]
        beside = self.allowance.estimate(schema_bytes(options))
        try:
            with deadline.until(self.allowance.at):
                return beside + await self._runtime.run(partial(self._lm.count_tokens, asked))
        except LMError:
            return estimate

    def _bounds(self, room: Reservation) -> dict[str, Any]:
        """Options of the call that its room and the deadline set."""
        bounds: dict[str, Any] = {self._reply_key: room.reply}
        own = self._lm.kwargs.get("timeout")
        left = self.allowance.remaining
        if self._connects and left != float("inf") and not (isinstance(own, int | float) and own <= left):
            bounds["timeout"] = deadline.timeout(left)
        return bounds

    def _seconds_before_next(self, error: LMError, attempt: int, *, out_of_time: bool) -> float:
        """How long to wait for another try; by default as DSPy does, 1 s and each time twice as long."""
        left = self.allowance.remaining
        if out_of_time or left <= LAST_SECONDS:
            raise NotSent(StopReason.TIME_LIMIT) from error
        asked = getattr(error, "retry_after", None)
        seconds = max(0.0, float(asked)) if asked is not None else min(2.0**attempt, LONGEST_WAIT_SECONDS)
        tries_left = attempt + 1 < self._tries or asked is not None  # an engine may have made the others itself
        if is_retryable_lm_error(error) and tries_left and not seconds < left:
            raise NotSent(StopReason.TIME_LIMIT, NO_TIME.format(type(error).__name__)) from error
        if attempt + 1 >= self._tries or not is_retryable_lm_error(error):
            raise error
        return seconds

    async def _wait(self, seconds: float) -> None:
        while True:
            if self._runtime.cancelled:
                raise NotSent(StopReason.CANCELLED)
            if seconds <= 0:
                return
            await self._runtime.pause(min(seconds, SLICE_SECONDS))
            seconds -= SLICE_SECONDS


def may_be_billed(error: LMError) -> bool:
    """Whether a failed call may be billed: it was sent, and the service has not declined it."""
    return not isinstance(error, _NOT_BILLED) and not resend.never_sent(error)


def reply_key(lm: Any) -> str:  # noqa: ANN401
    """The option that bounds the replies of an LM; DSPy gives OpenAI's reasoning models another one."""
    return "max_completion_tokens" if "max_completion_tokens" in lm.kwargs else "max_tokens"


def longest_reply(lm: Any, options: Mapping[str, Any]) -> int:  # noqa: ANN401
    """The longest reply of a call, in tokens; an LM without a bound gets one, or no limit would hold."""
    key = reply_key(lm)
    return int(options.get(key) or lm.kwargs.get(key) or LONGEST_REPLY[key])


def prompt_bytes(messages: Any, options: Mapping[str, Any]) -> int:  # noqa: ANN401
    """UTF-8 bytes of a prompt and of the schema that is sent with it."""
    if not isinstance(messages, list):
        return len(str(messages).encode()) + PER_MESSAGE + schema_bytes(options)
    texts = (item.get("content") for item in messages)
    sizes = (len((text if isinstance(text, str) else repr(text)).encode()) for text in texts)
    return sum(sizes) + PER_MESSAGE * len(messages) + schema_bytes(options)


def schema_bytes(options: Mapping[str, Any]) -> int:
    """Bytes of the schema of the reply; 0 if none is asked for."""
    asked = options.get("response_format")
    if asked is None:
        return 0
    return _model_bytes(asked) if hasattr(asked, "model_json_schema") else len(json.dumps(asked, default=str))


@lru_cache(maxsize=64)
def _model_bytes(model: Any) -> int:  # noqa: ANN401 - a class of pydantic
    return len(json.dumps(model.model_json_schema(), default=str))


def gated(private: Any, gate: Gate) -> Any:  # noqa: ANN401
    """Put a private copy of an LM behind its gate, which takes over the tries of DSPy."""
    private.num_retries = 0
    private.hopstop_gate = gate
    private.__class__ = _gated_class(type(private))  # type: ignore[arg-type]  # mypy takes no type for hashable
    return private


class _Gated:
    """What is put before the class of an LM."""

    hopstop_gate: Gate

    def __call__(self, prompt: Any = None, *, messages: Any = None, **options: Any) -> Any:  # noqa: ANN401
        gate, call = self.hopstop_gate, partial(super().__call__, prompt, messages=messages)  # type: ignore[misc]

        async def send(bounded: dict[str, Any], settled: Settle) -> Any:  # noqa: ANN401
            def one() -> Any:  # noqa: ANN401
                with settled():
                    return call(**bounded)

            return one() if gate.ends_in_time else deadline.within(one, gate.allowance.at)

        return run_blocking(gate.through(send, messages or prompt, options))

    async def acall(self, prompt: Any = None, *, messages: Any = None, **options: Any) -> Any:  # noqa: ANN401
        gate, call = self.hopstop_gate, partial(super().acall, prompt, messages=messages)  # type: ignore[misc]

        async def send(bounded: dict[str, Any], settled: Settle) -> Any:  # noqa: ANN401
            left = gate.allowance.remaining
            try:
                with settled():
                    async with asyncio.timeout(None if left == float("inf") else left) as bound:
                        return await call(**bounded)
            except TimeoutError:
                if bound.expired():
                    raise DeadlinePassed from None
                raise

        return await gate.through(send, messages or prompt, options)


@cache
def _gated_class(kind: type) -> type:
    return type(kind.__name__, (_Gated, kind), {"__module__": kind.__module__, "__doc__": kind.__doc__})
