"""The engines: one call of DSPy as one or more requests of the official SDK, within the seconds of the call."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import dspy
from dspy import lm15

from hopstop.program import resend
from hopstop.program.claude_clients import Clients
from hopstop.program.claude_deadline import Deadline, Line, too_late, within
from hopstop.program.claude_errors import FAILURES, canonical, is_transient
from hopstop.program.claude_wire import PREFIX, Answer, answer_of, body_of, response_of

MAX_CONTINUATIONS = 4  # of a turn that the service has paused
FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0  # seconds between tries where the server names none; the SDK's own figures
LONGEST_HINT = 60.0  # seconds; a server that asks for more is given up unless the call may take that long
SHORTEST = 0.001  # seconds; the SDK takes 0 for no bound
_CONTEXT_FULL = "model_context_window_exceeded"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the engines of one LM have in common. Holds no key.

    Attributes:
        model: Without prefix.
        schema: Whether the model takes a JSON schema; None asks DSPy's table of models.
        mark: Whether to set breakpoints of the prompt cache.
        retries: Further tries of a request that failed for the moment, >= 0.
        seconds: Of one call with all its tries; None for no bound of its own.
        own: Whether the clients were handed over, so that a copy in another process has to be given them again.
    """

    model: str
    schema: bool | None = None
    mark: bool = True
    retries: int = 3
    seconds: float | None = None
    own: bool = False


class Exchange:
    """The course of one call, the same for both engines: what to send next, and what a reply or a failure means."""

    def __init__(self, request: lm15.Request, settings: Settings) -> None:
        self._request = request
        self._settings = settings
        self._answers: list[Answer] = []
        self._failures = 0
        self.body = body_of(request, mark=settings.mark)
        self.deadline = Deadline(settings.seconds)

    def taken(self, reply: object) -> lm15.Response | None:
        """The response that a reply completes, or None if the turn goes on with another request.

        Raises:
            ProviderError: The reply is not a message, or pauses for ever.
            ContextLengthError: The context of the model is full.
        """
        answer = answer_of(reply)
        self._answers.append(answer)
        if answer.stop == _CONTEXT_FULL:
            raise self.told(lm15.ContextLengthError("the context of the model is full", provider="anthropic"))
        if answer.stop != "pause_turn":
            return response_of(self._answers, self._request)
        if len(self._answers) > MAX_CONTINUATIONS:
            raise self.told(lm15.ProviderError("the turn was paused too often", provider="anthropic"))
        paused = {"role": "assistant", "content": list(answer.content)}
        self.body = {**self.body, "messages": [*self.body["messages"], paused]}
        return None

    def wait(self, error: Exception) -> float:
        """Seconds to wait before the request is sent again.

        Raises:
            LM15Error: It is not worth it, or there is no time for it.
        """
        failure = canonical(error)
        if self.deadline.over:
            raise self.told(too_late()) from error
        seconds = _backoff(self._failures) if failure.retry_after is None else failure.retry_after
        self._failures += 1
        hopeless = not is_transient(failure) or self._failures > self._settings.retries
        left = self.deadline.remaining
        late = seconds >= (LONGEST_HINT if left is None else left)
        if late and not hopeless:
            failure.retry_after = seconds  # so that whoever knows the deadline can say that there is no time
        if hopeless or late or not _may_send_again(failure, error):
            raise self.told(failure) from (None if failure is error else error)
        return seconds

    def told(self, error: lm15.LM15Error) -> lm15.LM15Error:
        """The error, with what the replies before it have used."""
        if self._answers:
            error.partial = response_of(self._answers, self._request)  # DSPy hands this attribute on
        return error


class _Engine:
    """What both engines share. Copies share it; a pickle of it holds the settings alone."""

    def __init__(self, settings: Settings, clients: Clients) -> None:
        self.settings = settings
        self.clients = clients

    @property
    def supports_response_schema(self) -> bool:
        """Whether replies can be had under a JSON schema; DSPy asks this."""
        if self.settings.schema is None:
            known = dspy.LM(PREFIX + self.settings.model, engine="lm15").supports_response_schema
            self.settings = replace(self.settings, schema=bool(known))
        return bool(self.settings.schema)

    def dump_state(self) -> dict[str, Any]:
        """What DSPy saves: no key and no address."""
        return {name: getattr(self.settings, name) for name in ("model", "schema", "mark", "retries", "own")}

    @classmethod
    def load_state(cls, state: dict[str, Any]) -> Self:
        """The engine of a saved state; its client comes from the environment."""
        settings = Settings(**state)
        return cls(settings, Clients(lost=settings.own))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).load_state, (self.dump_state(),)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class ClaudeEngine(_Engine):
    """For threads: `dspy.LM(..., engine=...)`."""

    @property
    def ends_in_time(self) -> bool:
        """See Gate.ends_in_time; an engine that sends otherwise may wait for something else."""
        return type(self).send is ClaudeEngine.send

    def complete(self, request: lm15.Request) -> lm15.Response:
        """One call.

        Raises:
            LM15Error: DSPy's own, by what went wrong; with `partial` if replies had been billed before.
        """
        exchange = Exchange(request, self.settings)
        while True:
            try:
                response = exchange.taken(self.send(exchange.body, exchange.deadline))
            except FAILURES as error:
                time.sleep(exchange.wait(error))
            else:
                if response is not None:
                    self.clients.prefixes.look(exchange.body, response.usage)
                    return response

    def send(self, body: dict[str, Any], end: Deadline) -> object:
        """Send one request and return its reply as JSON; an engine that sends otherwise overrides this."""
        return within(partial(_send, self.clients.blocking(), body, end), end)

    def count_tokens(self, body: dict[str, Any]) -> int:
        """Tokens of a prompt, as the service counts them.

        Raises:
            LM15Error: DSPy's own, by what went wrong.
        """
        end, client = Deadline(self.settings.seconds), self.clients.blocking()
        try:
            return within(partial(_count, client, body, end), end)
        except FAILURES as error:
            failure = canonical(error)
            raise failure from (None if failure is error else error)

    def stream(self, request: lm15.Request) -> Iterator[lm15.StreamEvent]:
        """The same call, its response as the events of a stream."""
        yield from _events(self.complete(request))

    def close(self) -> None:
        """Close the connections of the client, if it was made here."""
        self.clients.close()


class AsyncClaudeEngine(_Engine):
    """For event loops: `dspy.LM(..., async_engine=...)`."""

    async def complete(self, request: lm15.Request) -> lm15.Response:
        """See ClaudeEngine.complete."""
        exchange = Exchange(request, self.settings)
        while True:
            try:
                response = exchange.taken(await self.send(exchange.body, exchange.deadline))
            except FAILURES as error:
                await asyncio.sleep(exchange.wait(error))
            else:
                if response is not None:
                    self.clients.prefixes.look(exchange.body, response.usage)
                    return response

    async def send(self, body: dict[str, Any], end: Deadline) -> object:
        """See ClaudeEngine.send."""
        return await _asend(self.clients.awaiting(), body, end)

    async def stream(self, request: lm15.Request) -> AsyncIterator[lm15.StreamEvent]:
        """See ClaudeEngine.stream."""
        for event in _events(await self.complete(request)):
            yield event

    async def aclose(self) -> None:
        """See ClaudeEngine.close."""
        await self.clients.aclose()


def _send(client: Any, body: dict[str, Any], deadline: Deadline, line: Line) -> object:  # noqa: ANN401
    with client.messages.with_streaming_response.create(**body, **_timeout(client, deadline)) as response:
        line.hold(response.http_response)
        return _json(response.read())


def _count(client: Any, body: dict[str, Any], deadline: Deadline, line: Line) -> int:  # noqa: ANN401
    with client.messages.with_streaming_response.count_tokens(**body, **_timeout(client, deadline)) as response:
        line.hold(response.http_response)
        counted = _json(response.read())
    tokens = counted.get("input_tokens") if isinstance(counted, dict) else None
    if not isinstance(tokens, int):
        raise lm15.ProviderError("the reply to a count holds no number", provider="anthropic")
    return tokens


async def _asend(client: Any, body: dict[str, Any], deadline: Deadline) -> object:  # noqa: ANN401
    try:
        async with asyncio.timeout(deadline.remaining):
            response = await client.messages.with_raw_response.create(**body, **_timeout(client, deadline))
            return _json(await response.read())
    except TimeoutError as error:
        if isinstance(error, lm15.LM15Error):
            raise
        raise too_late() from None


def _may_send_again(failure: lm15.LM15Error, error: Exception) -> bool:
    """See resend; a request that the service has declined is not billed."""
    declined = not isinstance(failure, lm15.TransportError | lm15.TimeoutError)
    return declined or resend.never_sent(error) or resend.may_send_again()


def _timeout(client: Any, deadline: Deadline) -> dict[str, Any]:  # noqa: ANN401
    """The seconds that are left, else the client's own timeout: told none, the SDK refuses to ask for long replies."""
    remaining = deadline.remaining
    return {"timeout": client.timeout if remaining is None else max(remaining, SHORTEST)}


def _json(data: bytes) -> object:
    try:
        reply: object = json.loads(data)
    except ValueError:
        raise lm15.ProviderError("the reply is no JSON, or was cut off", provider="anthropic") from None
    return reply


def _backoff(failures: int) -> float:
    """Seconds before the next try, spread so that many callers do not come back at once."""
    return float(min(FIRST_WAIT * 2**failures, LONGEST_WAIT)) * (1 - 0.25 * random.random())


def _events(response: lm15.Response) -> Iterator[lm15.StreamEvent]:
    yield lm15.StreamStartEvent(id=response.id, model=response.model)
    yield lm15.StreamDeltaEvent(delta=lm15.TextDelta(text=response.text or ""))
    yield lm15.StreamEndEvent(finish_reason=response.finish_reason, usage=response.usage)
