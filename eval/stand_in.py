"""A model that knows one story by heart: what stands in for the service where its wire is measured, not its wits.

The story is made up. Its question takes two searches, the second of which depends on what the first has found.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from hopstop.eval.fault_server import Reply
from hopstop.eval.prompt_meter import PromptMeter
from hopstop.eval.quick_server import serve
from hopstop.program.records import Limits, Passage

if TYPE_CHECKING:
    from hopstop.program.bm25 import BM25Index

QUESTION = "Who reviewed the fix of incident 4471?"
ANSWER = "Mara Ilves"
REVIEWER = "who reviewed change Heron"
FIRST, SECOND = "Incident 4471 was fixed by change Heron.", "Change Heron was reviewed by Mara Ilves."
PASSAGES = (
    Passage("incident", FIRST, title="Incident 4471"),
    Passage("change", SECOND, title="Heron"),
    Passage("other", "Incident 4412 was fixed by change Plover, which Juri Saar reviewed.", title="Incident 4412"),
)
LIMITS = Limits(first_k=1, next_k=1, max_tokens=60_000, max_seconds=10.0)
HEALTHY_CALLS = 3  # of the first round: Decide, then Prune and Rewrite


def index() -> BM25Index:
    """Of the story."""
    from hopstop.program.bm25 import BM25Index  # the process of the server does without what this imports

    return BM25Index.build(PASSAGES)


def text_of(body: Mapping[str, Any]) -> str:
    """What the model replies: JSON under the schema of the request."""
    fields = body["output_config"]["format"]["schema"]["properties"]
    asked = [message for message in body["messages"] if message["role"] == "user"][-1]
    said = "".join(str(block.get("text") or "") for block in asked["content"])
    if "verdict" in fields:
        return json.dumps(_decision(said))
    if "query" in fields:
        return json.dumps({"query": "Heron reviewed"})
    if "ok" in fields:  # of a probe
        return json.dumps({name: value for name, value in {"ok": True, "label": "P1"}.items() if name in fields})
    return json.dumps({name: ["P1"] if name == next(iter(fields)) else [] for name in fields})


def message(text: str, usage: Mapping[str, int], *, stop: str = "end_turn") -> dict[str, Any]:
    """A message of the API."""
    content = [{"type": "text", "text": text}]
    named = {"id": "msg_1", "type": "message", "role": "assistant", "model": "stand-in"}
    return {**named, "content": content, "stop_reason": stop, "stop_sequence": None, "usage": dict(usage)}


def reply(body: Mapping[str, Any], meter: PromptMeter) -> Reply:
    """The reply of a service in good health."""
    text = text_of(body)
    return Reply(body=json.dumps(message(text, meter.usage(body, text))).encode())


@contextmanager
def service(latency: float) -> Iterator[str]:
    """Run a server that tells the story in a process of its own; gives its address.

    Args:
        latency: Seconds that it takes for a call, >= 0.
    """
    command = [sys.executable, "-m", __spec__.name, str(latency)]  # no fork of this process, nor what it has loaded
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()  # which ends it


def _serve(latency: float) -> None:
    meter = PromptMeter()
    serve(lambda body: reply(json.loads(body), meter).body, latency, click.echo, sys.stdin.read)


def _decision(said: str) -> dict[str, Any]:
    fix = {"need": "which change fixed incident 4471", "quote": FIRST, "follows_from": []}
    reviewer = {"need": REVIEWER, "quote": "", "follows_from": []}
    if SECOND not in said:
        return {"needed": [fix, reviewer], "answer": "", "verdict": "SEARCH"}
    listed = REVIEWER in said
    shown = {**reviewer, "quote": SECOND, "need": "F2" if listed else REVIEWER}
    return {"needed": [shown] if listed else [fix, shown], "answer": ANSWER, "verdict": "STOP"}


if __name__ == "__main__":
    _serve(float(sys.argv[1]))
