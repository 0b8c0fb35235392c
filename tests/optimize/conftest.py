"""Fixtures of the tests of the command line."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from fakes import FILMS

from hopstop.program.bm25 import BM25Index


@pytest.fixture
def films(tmp_path: Path) -> Path:
    """Folder of an index of the five film passages."""
    BM25Index.build(FILMS).save(tmp_path / "films.index")
    return tmp_path / "films.index"


class ChatServer(ThreadingHTTPServer):
    """Speaks OpenAI's chat protocol; answers from a function of the prompt and keeps what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.reply: Any = None
        self.sent: list[dict[str, Any]] = []
        self.keys: list[str | None] = []

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


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


@pytest.fixture
def chat_server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
