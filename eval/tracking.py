"""Send a finished evaluation to MLflow. The only module that imports it.

MLflow reads its time-outs from the environment, writes to the log and to stdout, and may retry for minutes. `send`
therefore runs `log_evaluation` in a process of its own, with an environment of its own and a deadline: the caller's
environment, logging, active run, streams and `dspy.settings` stay as they are, in any thread.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hopstop.eval.folder import DIAGNOSIS, HEADER, OUTCOMES, REPORT, REPORT_TEXT, read_json
from hopstop.eval.outcomes import Row
from hopstop.eval.report import load
from hopstop.eval.score import Crash, Score

EXPERIMENT = "hopstop"
DEFAULT_STORE = "sqlite:///mlflow.db"
_SENDER_DEFAULTS = {
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",  # seconds; MLflow's own 120 and 7 retries are made for training jobs
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_TRUNCATE_LONG_VALUES": "true",
}
_COLUMNS = (
    "id", "type", "hops", "question", "reason", "answer", "correct", "f1", "proven", "all_support", "wrong_stop",
    "early_stop", "false_refusal", "abstain_right", "rounds", "passages", "tokens", "ms", "missing", "error",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tracked:
    """What became of sending an evaluation.

    Attributes:
        run_id: The MLflow run; None if it could not be sent. The folder of the evaluation is whole in any case.
        message: For a person: where to look, or what went wrong and how to send it later.
    """

    run_id: str | None
    message: str


def send(report_dir: str | Path, *, timeout_seconds: float = 120.0) -> Tracked:
    """Send the evaluation in a folder to the MLflow store of the environment (`MLFLOW_TRACKING_URI`, else SQLite here).

    Never raises because of the store: what went wrong is in the result.

    Args:
        report_dir: A folder for which `write_report` was called.
        timeout_seconds: After this the sender is stopped, > 0. MLflow alone takes 3 to 12 seconds to start.

    Raises:
        BadInput: The folder holds no report.
    """
    read_json(Path(report_dir) / REPORT, "run `hopstop eval` with this folder as --out first")
    with tempfile.TemporaryDirectory() as scratch:
        note = Path(scratch) / "run_id"
        command = [sys.executable, "-P", "-m", "hopstop.eval.tracking", str(report_dir), str(note)]
        environment = {**_SENDER_DEFAULTS, **os.environ, "MLFLOW_TRACKING_URI": store()}
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, stdin=subprocess.DEVNULL, timeout=timeout_seconds
            )
        except subprocess.TimeoutExpired:
            return _failed(report_dir, f"no answer within {timeout_seconds:g} s")
        except OSError as error:
            return _failed(report_dir, f"the sender could not start ({error.strerror})")
        if done.returncode == 0:
            return Tracked(
                note.read_text(encoding="utf-8"), f"logged to MLflow, experiment {EXPERIMENT}: {where_to_look()}"
            )
    return _failed(report_dir, _reason(done.stderr.decode("utf-8", "replace")))


def log_evaluation(report_dir: str | Path, tracking_uri: str) -> str:
    """Log the evaluation in a folder as one MLflow run, in this process.

    Params: policy, LM, limits, data, versions. Metrics: all of the report that were measured; those of a StopReason are
    named like `share.ANSWERED`, those of a baseline `baseline.em`, differences `difference.em` with `.low` and `.high`.
    Artifacts: the table `questions.json`, the report, all outcomes, plots. An active run of the app is left alone.

    Args:
        report_dir: A folder for which `write_report` was called.
        tracking_uri: The store.

    Returns:
        The id of the run.

    Raises:
        BadInput: The folder holds no report.
        mlflow.exceptions.MlflowException: The store cannot be used. A run that was begun is marked as failed.
    """
    from mlflow import MlflowClient
    from mlflow.entities import Metric, Param

    folder = Path(report_dir)
    report = read_json(folder / REPORT, "run `hopstop eval` with this folder as --out first")
    evaluation = load(folder)
    with _alone(tracking_uri):
        client = MlflowClient(tracking_uri=tracking_uri)
        found = client.get_experiment_by_name(EXPERIMENT)
        experiment = found.experiment_id if found else client.create_experiment(EXPERIMENT)
    with _run(client, experiment, f"{report['data']['name']} {report['system']['policy']}") as (run_id, now):
        client.log_batch(
            run_id,
            metrics=[Metric(name, value, now, 0) for name, value in metrics_of(report).items()],
            params=[Param(name, str(value)) for name, value in params_of(evaluation.header).items()],
        )
        table = [_table_row(row) for row in evaluation.rows]
        client.log_table(run_id, {name: [row.get(name) for row in table] for name in _COLUMNS}, "questions.json")
        for name in (HEADER, OUTCOMES, REPORT, REPORT_TEXT, DIAGNOSIS):
            client.log_artifact(run_id, str(folder / name))
        _log_plots(client, run_id, report["by_stop_reason"], evaluation.results)
    return run_id


def metrics_of(report: Mapping[str, Any]) -> dict[str, float]:
    """The metrics of a report by their MLflow names. What was not measured is left out, never 0."""
    named: dict[str, Any] = dict(report["metrics"])
    for reason, values in report["by_stop_reason"].items():
        named |= {f"{name}.{reason}": value for name, value in values.items()}
    if report["baseline"] is not None:
        named |= {f"baseline.{name}": value for name, value in report["baseline"]["metrics"].items()}
    for name, parts in (report["difference"] or {}).items():
        named |= {f"difference.{name}": parts["value"]}
        named |= {f"difference.{name}.{end}": parts[end] for end in ("low", "high")}
    return {name: float(value) for name, value in named.items() if value is not None and math.isfinite(value)}


def params_of(header: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a run by their MLflow names, from its `run.json`."""
    system, data, versions = header["system"], header["data"], header["versions"]
    return {
        "policy": system["policy"],
        "lm": system["lm"],
        "version": system["version"],
        **{f"limits.{name}": value for name, value in system["limits"].items()},
        **{f"data.{name}": value for name, value in data.items()},
        **{f"{name}_version": value for name, value in versions.items()},
    }


def store() -> str:
    """The store of the environment: `MLFLOW_TRACKING_URI`, else a SQLite file in the working directory."""
    return os.environ.get("MLFLOW_TRACKING_URI") or DEFAULT_STORE


def where_to_look() -> str:
    """How a person opens the store, in one line, without the store's password: a command, or an address."""
    uri = _without_password(store())
    return f"open {uri}" if uri.startswith(("http://", "https://")) else f"mlflow ui --backend-store-uri {uri}"


def _log_plots(
    client: Any,  # noqa: ANN401 - MLflow's client is untyped
    run_id: str,
    by_stop_reason: Mapping[str, Mapping[str, Any]],
    results: Iterable[Score | Crash],
) -> None:
    from hopstop.eval.plots import draw  # Matplotlib takes its time to import, too

    with tempfile.TemporaryDirectory() as scratch:
        for path in draw(by_stop_reason, results, Path(scratch)):
            client.log_artifact(run_id, str(path), "plots")


@contextmanager
def _alone(uri: str) -> Iterator[None]:
    """Hold off other senders: two processes that make the tables of one new SQLite store at once spoil it for good."""
    try:
        import fcntl
    except ImportError:  # no such locks on Windows
        yield
        return
    place = hashlib.sha256(f"{uri} {Path.cwd()} {os.getuid()}".encode()).hexdigest()[:16]
    with (Path(tempfile.gettempdir()) / f"hopstop-mlflow-{place}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # let go when the file is closed, or the process killed
        yield


@contextmanager
def _run(client: Any, experiment: str, name: str) -> Iterator[tuple[str, int]]:  # noqa: ANN401 - MLflow's client is untyped
    info = client.create_run(experiment, run_name=name).info
    try:
        yield info.run_id, info.start_time
    except BaseException:
        client.set_terminated(info.run_id, "FAILED")
        raise
    client.set_terminated(info.run_id, "FINISHED")


def _table_row(row: Row) -> dict[str, Any]:
    asked = {name: row.asked[name] for name in ("type", "hops", "question")}
    if not isinstance(row.result, Score):
        return {"id": row.id, **asked, "error": row.result.error}
    outcome = row.outcome or {}
    return {
        **asdict(row.result),
        **asked,
        "reason": row.result.reason.value,
        "answer": outcome.get("answer"),
        "missing": "; ".join(outcome.get("missing", [])),
    }


def _failed(report_dir: str | Path, why: str) -> Tracked:
    where = _without_password(store())
    return Tracked(
        None,
        f"not logged to MLflow at {where}: {why}. Nothing is lost: the report is in {report_dir}. "
        f"Once the store can be reached, send it with: hopstop track {shlex.quote(str(report_dir))}",
    )


def _reason(stderr: str) -> str:
    lines = [line for line in stderr.splitlines() if line.strip()]
    # A traceback ends with "package.Error: message"; the message may go on in lines that say less.
    errors = [line for line in lines if re.match(r"[A-Za-z_][\w.]*: ", line)]
    text = _without_password((errors or lines or ["the sender said nothing"])[-1])
    for name in ("MLFLOW_TRACKING_PASSWORD", "MLFLOW_TRACKING_TOKEN"):
        text = text.replace(os.environ.get(name) or "\0", "***")
    return text if len(text) <= 300 else text[:300] + " ..."


def _without_password(text: str) -> str:
    return re.sub(r"(?<=://)[^/\s]+@", "", re.sub(r"(://[^\s?]*)\?\S+", r"\1", text))


def _main(report_dir: str, note: str) -> None:
    import logging

    logging.disable(logging.WARNING)  # this process has no other work; what goes wrong is raised
    Path(note).write_text(log_evaluation(report_dir, store()), encoding="utf-8")


if __name__ == "__main__":
    _main(*sys.argv[1:])
