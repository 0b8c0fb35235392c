from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue

import anthropic

from hopstop.eval import stand_in
from hopstop.eval.quick_server import serve


@contextmanager
def served(latency: float = 0.0) -> Iterator[tuple[socket.socket, list[bytes]]]:
    asked: list[bytes] = []
    url: SimpleQueue[str] = SimpleQueue()
    stop = threading.Event()

    def answer(body: bytes) -> bytes:
        asked.append(body)
        return body[::-1]

    thread = threading.Thread(target=serve, args=(answer, latency, url.put, stop.wait))
    thread.start()
    try:
        port = int(url.get().rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
            yield line, asked
    finally:
        stop.set()
        thread.join()


def request(body: bytes) -> bytes:
    return b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


def replies(line: socket.socket, size: int) -> list[bytes]:
    data = b""
    while len(data) < size:
        data += line.recv(65_536)
    return [part.split(b"HTTP/1.1")[0] for part in data.split(b"\r\n\r\n")[1:]]


HEAD = len(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 3\r\n\r\n")


def test_requests_in_pieces_and_several_at_once_are_answered_in_turn() -> None:
    with served() as (line, asked):
        both = request(b"abc") + request(b"def")
        line.sendall(both[:20])
        line.sendall(both[20:])
        assert replies(line, 2 * (HEAD + 3)) == [b"cba", b"fed"]
        assert asked == [b"abc", b"def"]


def test_what_was_asked_before_is_answered_from_memory() -> None:
    with served() as (line, asked):
        for _ in range(3):
            line.sendall(request(b"abc"))
            assert replies(line, HEAD + 3) == [b"cba"]
        assert asked == [b"abc"]


def test_a_reply_takes_its_time() -> None:
    with served(0.1) as (line, _):
        start = time.monotonic()
        line.sendall(request(b"abc"))
        replies(line, HEAD + 3)
        assert time.monotonic() - start >= 0.1


def test_the_service_of_the_story_runs_in_a_process_of_its_own_and_speaks_to_the_sdk() -> None:
    with stand_in.service(0.0) as url, anthropic.Anthropic(api_key="made-up", base_url=url) as client:
        field = {"format": {"type": "json_schema", "schema": {"properties": {"query": {}}}}}
        words = [{"role": "user", "content": [{"type": "text", "text": stand_in.QUESTION}]}]
        told = client.messages.create(model="m", max_tokens=9, messages=words, output_config=field)  # type: ignore[call-overload]
        assert told.content[0].text == '{"query": "Heron reviewed"}'
