"""MLflow's servers, started for real on this machine, for tests."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DEADLINE = 240  # seconds until a server answers, on a machine that is busy


@contextmanager
def server(command: Sequence[str], url: str, log: Path, environment: dict[str, str]) -> Iterator[None]:
    with log.open("wb") as output:
        run = subprocess.Popen(command, stdout=output, stderr=output, env=environment, start_new_session=True)
        try:
            end = time.monotonic() + DEADLINE
            while not answers(url):
                assert run.poll() is None, log.read_text()
                assert time.monotonic() < end, f"no answer: {log.read_text()}"
                time.sleep(0.2)
            yield
        finally:
            if run.poll() is None:
                os.killpg(run.pid, signal.SIGTERM)
            run.wait(timeout=30)


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except OSError:
        return False


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def python(code: str, *words: str, environment: dict[str, str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def result_of(run: subprocess.Popen[str], log: Path) -> dict[str, Any]:
    """The JSON object on the last line that a process printed; all that it printed goes into a log."""
    out, err = run.communicate(timeout=DEADLINE)
    log.write_text(out + err)
    assert run.returncode == 0, err
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


def mlflow_command(*words: str) -> list[str]:
    return [sys.executable, "-c", "from mlflow.cli import cli; cli()", *words]


def ask_over_http(port: int, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    body = json.dumps({"dataframe_records": rows}).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}/invocations", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        found: list[dict[str, Any]] = json.loads(reply.read())["predictions"]
        return found
