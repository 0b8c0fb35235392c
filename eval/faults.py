"""Faults of a service: each is put into the course of one real question, and what becomes of the run is recorded."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import anthropic

from hopstop.eval import stand_in
from hopstop.eval.fault_server import FaultServer, Reply
from hopstop.program.bm25 import BM25Index
from hopstop.program.claude import claude
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA
from hopstop.program.records import Outcome, StopReason

Break = Callable[[dict[str, Any], Reply], Reply]
"""What a fault makes of a healthy reply to a request."""

ALWAYS = 1_000_000
LEFT_BEHIND_SECONDS = 2.0  # that threads and connections of an ended run get to be gone
MODEL = "claude-stand-in"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One way in which a service fails.

    Attributes:
        name: In words, for a table.
        breaks: See Break.
        ends: With which a run has to end.
        note: Words that the note of the outcome has to hold.
        times: How many calls are hit, from the second decision on; then the service is in good health again.
        seconds: Limit of the run.
    """

    name: str
    breaks: Break
    ends: StopReason
    note: str = ""
    times: int = ALWAYS
    seconds: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What became of a run.

    Attributes:
        fault: That was put in.
        asynchronous: Whether it ran on an event loop.
        outcome: Of the run.
        seconds: That it took, wall clock.
        requests: That reached the server.
        threads: Left behind, by name.
        connections: Left open at the server after the LM was closed.
    """

    fault: Fault
    asynchronous: bool
    outcome: Outcome
    seconds: float
    requests: int
    threads: tuple[str, ...]
    connections: int

    @property
    def kept(self) -> bool:
        """Whether what was found before the fault is in the outcome: its passage, and its fact with the quote."""
        quotes = {fact.quote.text for fact in self.outcome.facts if fact.quote is not None}
        read = {passage.text for passage in self.outcome.evidence}
        return stand_in.FIRST in quotes and stand_in.FIRST in read


def run(fault: Fault, *, asynchronous: bool = False) -> Course:
    """Ask the story's question of a service that fails in the second round."""
    index = stand_in.index()
    before = {thread.ident for thread in threading.enumerate()}
    server = FaultServer(_Sick(fault))
    with server:
        start = time.monotonic()
        outcome = asyncio.run(_aask(server, index, fault)) if asynchronous else _ask(server, index, fault)
        seconds = time.monotonic() - start
        _wait(lambda: not server.connections and not _since(before | {_ident(server)}))
        threads, connections = _since(before | {_ident(server)}), server.connections
    return Course(
        fault=fault,
        asynchronous=asynchronous,
        outcome=outcome,
        seconds=seconds,
        requests=len(server.requests),
        threads=tuple(threads),
        connections=connections,
    )


class _Sick:
    """Answers in good health for the first round, then with the fault."""

    def __init__(self, fault: Fault) -> None:
        self._fault = fault
        self._calls = 0

    def __call__(self, body: dict[str, Any], meter: Any) -> Reply:  # noqa: ANN401
        self._calls += 1
        healthy = stand_in.reply(body, meter)
        hit = 0 < self._calls - stand_in.HEALTHY_CALLS <= self._fault.times
        return self._fault.breaks(body, healthy) if hit else healthy


def _ask(server: FaultServer, index: BM25Index, fault: Fault) -> Outcome:
    client = anthropic.Anthropic(api_key="made-up", base_url=server.url)
    lm = claude(MODEL, client=client, schema=True, cache=False)
    outcome: Outcome = _program(lm, index, fault)(stand_in.QUESTION)
    client.close()
    return outcome


async def _aask(server: FaultServer, index: BM25Index, fault: Fault) -> Outcome:
    async with anthropic.AsyncAnthropic(api_key="made-up", base_url=server.url) as client:
        lm = claude(MODEL, client=client, schema=True, cache=False)
        outcome: Outcome = await _program(lm, index, fault).acall(stand_in.QUESTION)
    return outcome


def _program(lm: Any, index: BM25Index, fault: Fault) -> IterativeQA:  # noqa: ANN401
    return IterativeQA(index, LMPolicy(lm), replace(stand_in.LIMITS, max_seconds=fault.seconds))


def _since(before: set[int | None]) -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.ident not in before]


def _ident(server: FaultServer) -> int | None:
    return server.thread.ident


def _wait(done: Callable[[], bool]) -> None:
    end = time.monotonic() + LEFT_BEHIND_SECONDS
    while not done() and time.monotonic() < end:
        time.sleep(0.01)


def status(code: int, kind: str, said: str, **headers: str) -> Break:
    """An error status of the API."""
    body = json.dumps({"type": "error", "error": {"type": kind, "message": said}}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda request, healthy: Reply(status=code, headers=named, body=body)


def said(text: str, stop: str = "end_turn") -> Break:
    """A message with these words."""

    def broken(request: dict[str, Any], healthy: Reply) -> Reply:
        return _changed(healthy, {"content": [{"type": "text", "text": text}], "stop_reason": stop})

    return broken


def stopped(stop: str, *, share: float = 1.0) -> Break:
    """The right words up to a share of them, with this stop reason."""

    def broken(request: dict[str, Any], healthy: Reply) -> Reply:
        text = json.loads(healthy.body)["content"][0]["text"]
        return said(text[: int(len(text) * share)], stop)(request, healthy)

    return broken


def with_fields(**fields: object) -> Break:
    """The right message, but for some fields."""
    return lambda request, healthy: _changed(healthy, fields)


def _changed(healthy: Reply, fields: Mapping[str, object]) -> Reply:
    return replace(healthy, body=json.dumps({**json.loads(healthy.body), **fields}).encode())


_RATE, _OVERLOADED = ("rate_limit_error", "slow down"), ("overloaded_error", "overloaded")
_TOO_LONG = ("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")
_ERROR, _ANSWERED, _TIME = StopReason.LM_ERROR, StopReason.ANSWERED, StopReason.TIME_LIMIT
_UNREADABLE = StopReason.ROUND_LIMIT  # what cannot be read shows nothing, and the search goes on in plain words


def silence(silent: float, seconds: float) -> Fault:
    """A service that says nothing for longer than the run may last."""
    return Fault(
        name=f"{silent:g} s of silence, {seconds:g} s left",
        breaks=lambda body, healthy: replace(healthy, silence=silent),
        ends=StopReason.TIME_LIMIT,
        seconds=seconds,
    )


FAULTS = (
    Fault(name="429 once, retry-after 0.3 s", breaks=status(429, *_RATE, retry_after="0.3"), ends=_ANSWERED, times=1),
    Fault(name="429 once, no retry-after", breaks=status(429, *_RATE), ends=_ANSWERED, times=1),
    Fault(
        name="429 for ever, retry-after 30 s of 5 s left",
        breaks=status(429, *_RATE, retry_after="30"),
        ends=_TIME,
        note="LMRateLimitError",
    ),
    Fault(
        name="429 for ever, no retry-after, 1.5 s left",
        breaks=status(429, *_RATE),
        ends=_TIME,
        seconds=1.5,
    ),
    Fault(
        name="529 once, retry-after 0.3 s", breaks=status(529, *_OVERLOADED, retry_after="0.3"), ends=_ANSWERED, times=1
    ),
    Fault(
        name="529 for ever, no retry-after, 1.5 s left",
        breaks=status(529, *_OVERLOADED),
        ends=_TIME,
        seconds=1.5,
    ),
    Fault(name="500 once", breaks=status(500, "api_error", "it broke"), ends=_ANSWERED, times=1),
    Fault(
        name="500 for ever, told not to retry",
        breaks=status(500, "api_error", "it broke", x_should_retry="false"),
        ends=_ERROR,
        note="LMServerError",
    ),
    Fault(name="401", breaks=status(401, "authentication_error", "invalid key"), ends=_ERROR, note="LMAuthError"),
    Fault(name="connection reset once", breaks=lambda body, healthy: Reply(reset=True), ends=_ANSWERED, times=1),
    Fault(
        name="connection reset for ever, 1.5 s left",
        breaks=lambda body, healthy: Reply(reset=True),
        ends=_TIME,
        seconds=1.5,
    ),
    Fault(
        name="a byte every 0.05 s, 1 s left",
        breaks=lambda body, healthy: replace(healthy, pace=0.05),
        ends=_TIME,
        seconds=1.0,
    ),
    silence(3, 1),
    Fault(
        name="body of the response cut off",
        breaks=lambda body, healthy: replace(healthy, body=healthy.body[:-40]),
        ends=_ERROR,
        note="LMProviderError",
    ),
    Fault(name="message without content", breaks=with_fields(content=[]), ends=_UNREADABLE),
    Fault(name="JSON of the reply cut off", breaks=stopped("end_turn", share=0.4), ends=_UNREADABLE),
    Fault(name="reply cut off at max_tokens once", breaks=stopped("max_tokens", share=0.4), ends=_ANSWERED, times=1),
    Fault(name="reply cut off at max_tokens for ever", breaks=stopped("max_tokens", share=0.4), ends=_UNREADABLE),
    Fault(name="refusal", breaks=said("", "refusal"), ends=StopReason.LM_REFUSED, note="refused"),
    Fault(name="turn paused once", breaks=said("", "pause_turn"), ends=_ANSWERED, times=1),
    Fault(
        name="prompt too long (400)",
        breaks=status(400, *_TOO_LONG),
        ends=_ERROR,
        note="ContextWindowExceededError",
    ),
    Fault(
        name="context of the model full",
        breaks=stopped("model_context_window_exceeded", share=0.4),
        ends=_ERROR,
        note="ContextWindowExceededError",
    ),
    Fault(name="content of the wrong type", breaks=with_fields(content="hello"), ends=_ERROR, note="LMProviderError"),
    Fault(
        name="token counts of the wrong type",
        breaks=with_fields(usage={"input_tokens": "many", "output_tokens": None}),
        ends=_ERROR,
        note="LMProviderError",
    ),
    Fault(
        name="reply in another language, without the form",
        breaks=said("Я не знаю, кто проверил это исправление."),
        ends=_UNREADABLE,
    ),
)
"""Every fault of the table."""
