"""HTTP clients for many calls at once.

The pool of the SDK's own client looks at each of its connections twice a request, under one lock, and asks the system
of each idle one whether it is still open: with a hundred of them that costs more than the request. Here every
connection has a pool of its own, and the one used last is used first.
"""

from __future__ import annotations

import socket
import threading
import time
import urllib.request
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Generic, TypeVar

import anthropic
import httpx2

IDLE_SECONDS = 5.0  # as the SDK has it (httpx's default)
MOST_IDLE = 100  # likewise
_ONE = httpx2.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=IDLE_SECONDS)
_KEEP_ALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 60, "TCP_KEEPCNT": 5}  # seconds, seconds, probes: the SDK's figures
T = TypeVar("T", httpx2.HTTPTransport, httpx2.AsyncHTTPTransport)


def blocking_http() -> httpx2.Client | None:
    """For `http_client=` of a client of the SDK, in threads; None where a proxy is set: the SDK's own knows proxies."""
    return None if urllib.request.getproxies() else anthropic.DefaultHttpxClient(transport=Connections())


def awaiting_http() -> httpx2.AsyncClient | None:
    """See blocking_http; for one event loop."""
    return None if urllib.request.getproxies() else anthropic.DefaultAsyncHttpxClient(transport=AsyncConnections())


class _Idle(Generic[T]):
    """Transports of one connection each that wait for the next request. Safe in threads."""

    def __init__(self, kind: Callable[..., T]) -> None:
        self._kind: Callable[..., T] = kind
        self._settings = {"verify": httpx2.create_ssl_context(), "limits": _ONE, "socket_options": _socket_options()}
        self._waiting: deque[tuple[float, T]] = deque()  # since when; the one used last is last
        self._lock = threading.Lock()
        self._closed = False

    def take(self) -> T:
        with self._lock:
            if self._waiting:
                return self._waiting.pop()[1]
        return self._kind(**self._settings)

    def give(self, transport: T) -> list[T]:
        """Take one back; returns those that are to be closed."""
        now = time.monotonic()
        with self._lock:
            self._waiting.append((now, transport))
            most = 0 if self._closed else MOST_IDLE
            over = []
            while self._waiting and (len(self._waiting) > most or self._waiting[0][0] < now - IDLE_SECONDS):
                over.append(self._waiting.popleft()[1])
            return over

    def close(self) -> list[T]:
        """Take none back from now on; returns those that are to be closed."""
        with self._lock:
            self._closed = True
            waiting = [transport for _, transport in self._waiting]
            self._waiting.clear()
            return waiting


class Connections(httpx2.BaseTransport):
    """For threads."""

    def __init__(self) -> None:
        self._idle = _Idle(httpx2.HTTPTransport)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """See httpx2.BaseTransport."""
        transport = self._idle.take()
        try:
            response = transport.handle_request(request)
        except BaseException:
            transport.close()
            raise
        response.stream = _Stream(response.stream, lambda: self._give(transport))
        return response

    def close(self) -> None:
        """Close the connections that are idle; the others once their responses are read."""
        for transport in self._idle.close():
            transport.close()

    def _give(self, transport: httpx2.HTTPTransport) -> None:
        for over in self._idle.give(transport):
            over.close()


class AsyncConnections(httpx2.AsyncBaseTransport):
    """For one event loop."""

    def __init__(self) -> None:
        self._idle = _Idle(httpx2.AsyncHTTPTransport)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """See httpx2.AsyncBaseTransport."""
        transport = self._idle.take()
        try:
            response = await transport.handle_async_request(request)
        except BaseException:
            await transport.aclose()
            raise
        response.stream = _AsyncStream(response.stream, self._idle, transport)
        return response

    async def aclose(self) -> None:
        """See Connections.close."""
        for transport in self._idle.close():
            await transport.aclose()


class _Stream(httpx2.SyncByteStream):
    """The body of a response; once it is closed, its connection is free for the next request."""

    def __init__(self, stream: Any, release: Callable[[], None]) -> None:  # noqa: ANN401 - httpx types it too widely
        self._stream = stream
        self._release: Callable[[], None] | None = release

    def __iter__(self) -> Iterator[bytes]:
        yield from self._stream

    def close(self) -> None:
        release, self._release = self._release, None
        if release is not None:
            self._stream.close()
            release()


class _AsyncStream(httpx2.AsyncByteStream):
    """See _Stream."""

    def __init__(
        self,
        stream: Any,  # noqa: ANN401
        idle: _Idle[httpx2.AsyncHTTPTransport],
        transport: httpx2.AsyncHTTPTransport,
    ) -> None:
        self._stream = stream
        self._idle = idle
        self._transport: httpx2.AsyncHTTPTransport | None = transport

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            yield part

    async def aclose(self) -> None:
        transport, self._transport = self._transport, None
        if transport is not None:
            await self._stream.aclose()
            for over in self._idle.give(transport):
                await over.aclose()


def _socket_options() -> list[tuple[int, int, int]]:
    """Probes of idle connections, as the SDK sets them: a long silence of the service is no reason to hang up."""
    known = [(getattr(socket, name, None), value) for name, value in _KEEP_ALIVE.items()]
    probes = [(socket.IPPROTO_TCP, option, value) for option, value in known if option is not None]
    return [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1), *probes]
