"""A service on this machine that speaks the Message Batches API beside live messages, through real sockets."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from hopstop.eval import stand_in
from hopstop.eval.fault_server import FaultServer, Reply

BATCHES = "/v1/messages/batches"


@dataclass
class Batch:
    id: str
    requests: list[dict[str, Any]]
    looks: int  # left until it has ended
    at: datetime = field(default_factory=lambda: datetime.now(UTC))


class BatchServer(FaultServer):
    """`fate` says what becomes of a request: "succeeded", "expired", "canceled", "errored" or "left out"."""

    def __init__(self) -> None:
        super().__init__(stand_in.reply)
        self.batches: list[Batch] = []
        self.looks = 1
        self.fate: Callable[[int, dict[str, Any]], str] = lambda number, params: "succeeded"
        self.on_create: Callable[[Batch], Reply | None] = lambda batch: None  # a reply in place of the batch
        self.paths: list[str] = []

    def sent(self) -> list[str]:
        return [item["custom_id"] for batch in self.batches for item in batch.requests]

    def _reply(self, path: str, body: dict[str, Any]) -> Reply:
        path = path.partition("?")[0]
        self.paths.append(path)
        if not path.startswith(BATCHES):
            return super()._reply(path, body)
        if path == BATCHES and body:
            return self._create(body)
        if path == BATCHES:
            listed = {"data": [self._state(item) for item in reversed(self.batches)], "has_more": False}
            return _json({**listed, "first_id": None, "last_id": None})
        name, _, rest = path.removeprefix(f"{BATCHES}/").partition("/")
        found = [item for item in self.batches if item.id == name]
        if not found:
            return Reply(status=404, body=b'{"type":"error","error":{"type":"not_found_error","message":"no batch"}}')
        return Reply(body=self._results(found[0])) if rest == "results" else self._look(found[0])

    def _create(self, body: dict[str, Any]) -> Reply:
        batch = Batch(f"msgbatch_{len(self.batches) + 1}", body["requests"], self.looks)
        said = self.on_create(batch)
        if said is None or said.status == 200:
            self.batches.append(batch)
        return said or _json(self._state(batch))

    def _look(self, batch: Batch) -> Reply:
        batch.looks -= 1
        return _json(self._state(batch))

    def _state(self, batch: Batch) -> dict[str, Any]:
        ended = batch.looks <= 0
        counts = dict.fromkeys(("canceled", "errored", "expired", "processing", "succeeded"), 0)
        counts["succeeded" if ended else "processing"] = len(batch.requests)
        return {
            "id": batch.id,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": counts,
            "created_at": batch.at.isoformat(),
            "expires_at": (batch.at + timedelta(days=1)).isoformat(),
            "ended_at": batch.at.isoformat() if ended else None,
            "archived_at": None,
            "cancel_initiated_at": None,
            "results_url": f"{self.url}{BATCHES}/{batch.id}/results" if ended else None,
        }

    def _results(self, batch: Batch) -> bytes:
        lines = []
        for number, item in enumerate(batch.requests):
            fate = self.fate(number, item["params"])
            result: dict[str, Any] = {"type": fate}
            if fate == "succeeded":
                result["message"] = json.loads(self._answer(item["params"], self.meter).body)
            elif fate == "errored":
                result["error"] = {"type": "error", "error": {"type": "api_error", "message": "made up"}}
            if fate != "left out":
                lines.append(json.dumps({"custom_id": item["custom_id"], "result": result}))
        return "".join(f"{line}\n" for line in reversed(lines)).encode()  # in any order


def _json(value: object) -> Reply:
    return Reply(body=json.dumps(value).encode())


def live(server: FaultServer) -> int:
    """Live messages that were asked for."""
    return len(server.requests)
