"""A small server that speaks OpenAI's chat protocol: the way of `--lm openai/... --api-base URL` without a model."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import dspy


class ChatServer(ThreadingHTTPServer):
    """Speaks OpenAI's chat protocol; answers from a function of the prompt and keeps what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.reply: Callable[[str], str] = unforeseen
        self.sent: list[dict[str, Any]] = []
        self.keys: list[str | None] = []

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


@contextmanager
def serving() -> Iterator[ChatServer]:
    """A server that answers from a thread of its own until it is left."""
    with ChatServer() as server:
        # Seconds between two looks for its end; the default is 0.5, for which each test would wait.
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.sent.append(body)
        self.server.keys.append(self.headers["Authorization"])
        prompt = "\n".join(str(message["content"]) for message in body["messages"])
        message = {"role": "assistant", "content": self.server.reply(prompt)}
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        answer = {"id": "1", "object": "chat.completion", "created": 0, "model": body["model"], "choices": choices}
        data = json.dumps({**answer, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


def lm_class(**fixed: object) -> type[dspy.LM]:
    """The class of DSPy's LMs with these options fixed, to put in its place."""

    class Fixed(dspy.LM):
        def __init__(self, *words: str, **options: object) -> None:
            super().__init__(*words, **{**options, **fixed})

    return Fixed


def unforeseen(prompt: str) -> str:
    raise AssertionError(f"no reply was set for: {prompt}")
