"""A server of the Messages API that costs next to nothing: what was asked before is answered from memory.

It shares the machine with what is measured against it, so that each of its instructions is taken from the figure.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

_HEAD_END = b"\r\n\r\n"
_LENGTH = b"content-length:"
Answer = Callable[[bytes], bytes]
"""Body of a reply to the body of a request; the same for the same request."""


class QuickServer(asyncio.Protocol):
    """One connection: HTTP/1.1 with keep-alive, one request after the other.

    Args:
        known: Replies by request, head included, shared by all connections.
        answer: Asked for what is not known yet.
        latency: Seconds before each reply, >= 0.
    """

    def __init__(self, known: dict[bytes, bytes], answer: Answer, latency: float) -> None:
        self._known = known
        self._answer = answer
        self._latency = latency
        self._data = b""
        self._transport: asyncio.Transport | None = None
        self._due: deque[bytes] = deque()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See asyncio.Protocol."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """See asyncio.Protocol."""
        self._data += data
        while (body := self._next()) is not None:
            reply = self._known.get(body)
            if reply is None:
                reply = self._known[body] = _response(self._answer(body))
            self._due.append(reply)
            asyncio.get_running_loop().call_later(self._latency, self._send)

    def _next(self) -> bytes | None:
        """The body of the next request that has arrived as a whole."""
        end = self._data.find(_HEAD_END)
        if end < 0:
            return None
        start = end + len(_HEAD_END)
        stop = start + _length(self._data[:end])
        if len(self._data) < stop:
            return None
        body, self._data = self._data[start:stop], self._data[stop:]
        return body

    def _send(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(self._due.popleft())


def _length(head: bytes) -> int:
    lower = head.lower()
    place = lower.find(_LENGTH)
    if place < 0:
        return 0
    return int(lower[place + len(_LENGTH) :].split(b"\r\n", 1)[0])


def _response(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)


def serve(answer: Answer, latency: float, ready: Callable[[str], None], wait: Callable[[], object]) -> None:
    """Serve on this machine until `wait` returns.

    Args:
        answer: See Answer.
        latency: Seconds before each reply, >= 0.
        ready: Told the address once it listens.
        wait: Called in a thread; serving ends when it returns.
    """
    asyncio.run(_serve(answer, latency, ready, wait))


async def _serve(answer: Answer, latency: float, ready: Callable[[str], None], wait: Callable[[], object]) -> None:
    known: dict[bytes, bytes] = {}
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: QuickServer(known, answer, latency), "127.0.0.1", 0)
    ready(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    await asyncio.to_thread(wait)
    server.close()
