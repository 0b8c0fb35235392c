"""Log evaluations and compilations to MLflow, each as one run.

`send` does so in a process of its own (see `sender`); `log_evaluation` and `log_compilation` do it in this one.
"""

from __future__ import annotations

import hashlib
import math
import os
import shlex
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hopstop.eval.compilation import COMPILATION, read_compilation
from hopstop.eval.folder import DIAGNOSIS, HEADER, OUTCOMES, REPORT, REPORT_TEXT, read_json
from hopstop.eval.outcomes import Row
from hopstop.eval.report import load
from hopstop.eval.score import Crash, Score
from hopstop.eval.sender import (
    EXPERIMENT,
    NotSent,
    Tracked,
    run_apart,
    store,
    where_to_look,
    without_password,
)
from hopstop.program.artifact_view import describe

__all__ = ["Tracked", "log_compilation", "log_evaluation", "metrics_of", "params_of", "send", "store", "where_to_look"]

_COLUMNS = (
    "id", "type", "hops", "question", "reason", "answer", "correct", "f1", "proven", "all_support", "wrong_stop",
    "early_stop", "false_refusal", "abstain_right", "rounds", "passages", "tokens", "ms", "missing", "error",
)  # fmt: skip


def send(folder: str | Path, *, timeout_seconds: float = 120.0) -> Tracked:
    """Send what is in a folder to the MLflow store of the environment (`MLFLOW_TRACKING_URI`, else SQLite here).

    Never raises because of the store: what went wrong is in the result.

    Args:
        folder: Of an evaluation for which `write_report` was called, or of a compilation.
        timeout_seconds: After this the sender is stopped, > 0. MLflow alone takes 3 to 12 seconds to start.

    Raises:
        BadInput: The folder holds neither.
    """
    if not (Path(folder) / COMPILATION).exists():
        read_json(Path(folder) / REPORT, "run `hopstop eval` with this folder as --out first")
    try:
        run_id = run_apart("hopstop.eval.tracking", [folder], timeout_seconds=timeout_seconds)
    except NotSent as error:
        return _failed(folder, str(error))
    return Tracked(run_id, f"logged to MLflow, experiment {EXPERIMENT}: {where_to_look()}")


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
    from mlflow.entities import Metric, Param

    folder = Path(report_dir)
    report = read_json(folder / REPORT, "run `hopstop eval` with this folder as --out first")
    evaluation = load(folder)
    client, experiment = opened(tracking_uri)
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


def log_compilation(folder: str | Path, tracking_uri: str) -> str:
    """Log the compilation in a folder as one MLflow run, in this process.

    Params: recipe, data. Metrics: `before.em`, `after.em`, `difference.em`, `cost.tokens` ... Artifacts: the folder of
    the artifact, its prompts as text, and the files that belong to the compilation.

    Returns:
        The id of the run.

    Raises:
        BadInput: The folder holds no compilation.
        ArtifactMismatch: The artifact is damaged or gone.
        mlflow.exceptions.MlflowException: The store cannot be used. A run that was begun is marked as failed.
    """
    from mlflow.entities import Metric, Param

    made = read_compilation(Path(folder))
    about = describe(made.artifact)
    place = f"{about.manifest.name}/{about.manifest.version}"
    known = {"policy": about.manifest.policy, "lm": str(about.manifest.lm), **about.manifest.tiers, "artifact": place}
    client, experiment = opened(tracking_uri)
    with _run(client, experiment, f"{made.recipe.get('name', 'compile')} {place}") as (run_id, now):
        client.log_batch(
            run_id,
            metrics=[Metric(name, value, now, 0) for name, value in made.metrics().items()],
            params=[Param(name, value) for name, value in {**known, **made.params()}.items()],
        )
        client.log_text(run_id, about.text(), "prompts.txt")
        client.log_artifacts(run_id, str(made.artifact), "artifact")
        for name in made.files:
            client.log_artifact(run_id, str(Path(folder) / name))
    return run_id


def metrics_of(report: Mapping[str, Any]) -> dict[str, float]:
    """The metrics of a report by their MLflow names. What was not measured is left out, never 0."""
    named: dict[str, Any] = {"trained_on": report.get("trained_on"), **report["metrics"]}
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
        **({"artifact": system["artifact"]} if "artifact" in system else {}),
        **{f"limits.{name}": value for name, value in system["limits"].items()},
        **{f"data.{name}": value for name, value in data.items()},
        **{f"{name}_version": value for name, value in versions.items()},
    }


def opened(uri: str) -> tuple[Any, str]:
    """A client of the store, and the id of our experiment in it; made if it is not there."""
    from mlflow import MlflowClient

    with _alone(uri):
        client = MlflowClient(tracking_uri=uri)
        found = client.get_experiment_by_name(EXPERIMENT)
        return client, str(found.experiment_id if found else client.create_experiment(EXPERIMENT))


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


def _failed(folder: str | Path, why: str) -> Tracked:
    where = without_password(store())
    return Tracked(
        None,
        f"not logged to MLflow at {where}: {why}. Nothing is lost: the report is in {folder}. "
        f"Once the store can be reached, send it with: hopstop track {shlex.quote(str(folder))}",
    )


def _main(folder: str, note: str) -> None:
    import logging

    logging.disable(logging.WARNING)  # this process has no other work; what goes wrong is raised
    log = log_compilation if (Path(folder) / COMPILATION).exists() else log_evaluation
    Path(note).write_text(log(folder, store()), encoding="utf-8")


if __name__ == "__main__":
    _main(*sys.argv[1:])
