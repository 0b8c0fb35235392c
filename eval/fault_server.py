"""A server on this machine that speaks the Messages API over real sockets, and can do to a client what networks do.

It stands in for the service where time, faults and bytes are measured; what it says comes from a function.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from hopstop.eval.prompt_meter import PromptMeter, tokens_of

MESSAGES, COUNT = "/v1/messages", "/v1/messages/count_tokens"
_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the server does with one request.

    Attributes:
        body: Of the response.
        status: Of the response.
        headers: Besides the length and the type.
        silence: Seconds before its first byte, >= 0.
        pace: Seconds between two bytes of the body; None: all at once.
        reset: Whether the connection is reset instead.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    silence: float = 0.0
    pace: float | None = None
    reset: bool = False


Answer = Callable[[dict[str, Any], PromptMeter], Reply]
"""What the server says to the body of a request, with the meter of its tokens."""


class FaultServer:
    """Runs in a thread of its own between `with` and its end.

    Args:
        answer: See Answer. Called on the thread of the server.

    Attributes:
        requests: Bodies that were sent to `POST /v1/messages`, in order; see `keep`.
        connections: How many are open now.
        keep: Whether requests are kept.
        meter: Counts tokens as the service does, the prompt cache included.
        thread: That it runs in.
    """

    def __init__(self, answer: Answer, *, keep: bool = True) -> None:
        self.requests: list[dict[str, Any]] = []
        self.connections = 0
        self.keep = keep
        self.meter = PromptMeter()
        self._answer = answer
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self.thread = threading.Thread(target=self._run, name="fault-server", daemon=True)
        self._port = 0

    @property
    def url(self) -> str:
        """For `base_url` of a client."""
        return f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> Self:
        self.thread.start()
        self._ready.wait()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self.thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while request := await _read(reader):
                await _write(reader, writer, self._reply(*request))
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            return  # the client has left, or the server stops
        finally:
            self.connections -= 1
            writer.close()

    def _reply(self, path: str, body: dict[str, Any]) -> Reply:
        if path == COUNT:
            return Reply(body=json.dumps({"input_tokens": tokens_of(body)}).encode())
        if path != MESSAGES:
            return Reply(status=404, body=b"{}")
        if self.keep:
            self.requests.append(body)
        return self._answer(body, self.meter)


async def _read(reader: asyncio.StreamReader) -> tuple[str, dict[str, Any]] | None:
    """Path and body of the next request; None if the client has closed."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    data = await reader.readexactly(int(headers.get("content-length", "0")))
    return first.split(" ")[1], json.loads(data or b"{}")


async def _write(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, reply: Reply) -> None:
    await _pause(reader, reply.silence)
    if reply.reset:
        writer.transport.abort()
        raise ConnectionResetError
    head = f"HTTP/1.1 {reply.status} {_REASONS.get(reply.status, 'Error')}\r\n"
    headers = {"content-type": "application/json", "content-length": str(len(reply.body)), **reply.headers}
    writer.write((head + "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n").encode())
    if reply.pace is None:
        writer.write(reply.body)
    else:
        for place in range(len(reply.body)):
            writer.write(reply.body[place : place + 1])
            await _pause(reader, reply.pace)
    await writer.drain()


async def _pause(reader: asyncio.StreamReader, seconds: float) -> None:
    """Wait, unless the client leaves.

    Raises:
        ConnectionResetError: It has left.
    """
    while seconds > 0:
        step = min(seconds, 0.05)
        await asyncio.sleep(step)
        seconds -= step
        if reader.at_eof():
            raise ConnectionResetError
