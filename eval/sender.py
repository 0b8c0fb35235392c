"""Talk to MLflow from a process of its own, with an environment of its own and a deadline.

MLflow reads its time-outs from the environment, writes to the log and to stdout, may retry for minutes, and takes
seconds to import. In another process the caller's environment, logging, active run, streams and `dspy.settings` stay
as they are.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

EXPERIMENT = "hopstop"
DEFAULT_STORE = "sqlite:///mlflow.db"
STORE_DEFAULTS = {
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",  # seconds; MLflow's own 120 and 7 retries are made for training jobs
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_TRUNCATE_LONG_VALUES": "true",
}
"""Environment of MLflow, where the user has not set it."""
ERROR_MARK = "hopstop-error: "  # what a sender says of an error of ours, on a line of its own


@dataclass(frozen=True, slots=True)
class Tracked:
    """What became of sending something.

    Attributes:
        run_id: The MLflow run; None if it could not be sent. What was to be sent is whole on the disk in any case.
        message: For a person: where to look, or what went wrong and how to send it later.
    """

    run_id: str | None
    message: str


class NotSent(Exception):
    """MLflow could not be reached or refused; the message is short and holds no password."""


def run_apart(module: str, arguments: Sequence[str | Path], *, timeout_seconds: float) -> str:
    """Run a module of ours that talks to MLflow, and hand out what it writes into the file it is given last.

    Args:
        module: Its name; it is called with the arguments and the path of that file.
        arguments: Never secrets: other users of the machine can see them.
        timeout_seconds: After this it is stopped, > 0. MLflow alone takes 3 to 12 seconds to start.

    Raises:
        NotSent: It failed, could not start, or was too slow.
    """
    with tempfile.TemporaryDirectory() as scratch:
        note = Path(scratch) / "note"
        command = [sys.executable, "-P", "-m", module, *map(str, arguments), str(note)]
        environment = {**STORE_DEFAULTS, **os.environ, "MLFLOW_TRACKING_URI": store()}
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, stdin=subprocess.DEVNULL, timeout=timeout_seconds
            )
        except subprocess.TimeoutExpired:
            raise NotSent(f"no answer within {timeout_seconds:g} s") from None
        except OSError as error:
            raise NotSent(f"the sender could not start ({error.strerror})") from error
        if done.returncode == 0:
            return note.read_text(encoding="utf-8")
    raise NotSent(_reason(done.stderr.decode("utf-8", "replace")))


def store() -> str:
    """The store of the environment: `MLFLOW_TRACKING_URI`, else a SQLite file in the working directory."""
    return os.environ.get("MLFLOW_TRACKING_URI") or DEFAULT_STORE


def where_to_look() -> str:
    """How a person opens the store, in one line, without the store's password: a command, or an address."""
    uri = without_password(store())
    return f"open {uri}" if uri.startswith(("http://", "https://")) else f"mlflow ui --backend-store-uri {uri}"


def without_password(text: str) -> str:
    """The text without what stands before an @ or behind a ? in its addresses."""
    return re.sub(r"(?<=://)[^/\s]+@", "", re.sub(r"(://[^\s?]*)\?\S+", r"\1", text))


def _reason(stderr: str) -> str:
    lines = [line for line in stderr.splitlines() if line.strip()]
    ours = [line.removeprefix(ERROR_MARK) for line in lines if line.startswith(ERROR_MARK)]
    # A traceback ends with "package.Error: message"; the message may go on in lines that say less.
    errors = [line for line in lines if re.match(r"[A-Za-z_][\w.]*: ", line)]
    text = without_password((ours or errors or lines or ["the sender said nothing"])[-1])
    for name in ("MLFLOW_TRACKING_PASSWORD", "MLFLOW_TRACKING_TOKEN"):
        text = text.replace(os.environ.get(name) or "\0", "***")
    return text if len(text) <= 300 else text[:300] + " ..."
