"""Evaluate the loop, and one search beside it, into one folder with one report."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from hopstop.eval.baselines import OnePass
from hopstop.eval.batch_run import InBatches, evaluate_in_batches
from hopstop.eval.folder import OUTCOMES
from hopstop.eval.outcomes import spent
from hopstop.eval.report import write_report
from hopstop.eval.run import Listener, Progress, evaluate, start_fresh
from hopstop.eval.system import System
from hopstop.eval.tracking import Tracked, send
from hopstop.optimize.material import Material
from hopstop.optimize.show import stderr
from hopstop.program.budget import Budget, Taken

BASELINE_FOLDER = "one-pass"
WAITING_THREADS = 4  # with a model they wait for its replies; without one they would only slow each other down
BASELINE_K = 10  # passages, as in the papers that the loop is compared with


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """How an evaluation is run.

    Attributes:
        out: Folder for its results; those of the baseline go into a folder in it.
        threads: Questions in work at once, >= 1.
        baseline_k: Passages that one search reads; None: no baseline.
        fresh: Whether earlier results in the folder are removed first.
        batch: How it goes through batches, `threads` aside; None: live.
        budget: Of all its questions; what an earlier run in the folder has used is charged to it. None: no bound.
    """

    out: Path
    threads: int = 1
    baseline_k: int | None = None
    fresh: bool = False
    batch: InBatches | None = None
    budget: Budget | None = None


def default_out(system: System, material: Material) -> Path:
    """A folder below `runs` that only the same system over the same questions and passages gets again."""
    parts = [system.describe(), material.data.hash, version_of("dspy")]
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    name = f"{material.data.name}-{system.lm or system.policy}"
    return Path("runs") / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', name)}-{digest[:8]}"


def run(system: System, material: Material, work: Work) -> dict[str, Any]:
    """Run all, or what an earlier run has left, and write the report.

    Returns:
        The report; see `write_report`.

    Raises:
        BadInput: The folder cannot be used.
        Interrupted: Ctrl-C; the message says how to go on.
    """
    folder = work.out / BASELINE_FOLDER
    if work.fresh:
        start_fresh(work.out)
        start_fresh(folder)
    if work.budget is not None:
        _charge(work.budget, work.out / OUTCOMES)
    with bar(system.lm or system.policy) as listener:
        if work.batch is None:
            evaluate(system, material.data, work.out, threads=work.threads, progress=listener)
        else:
            evaluate_in_batches(system, material.data, work.out, work.batch, progress=listener)
    if work.baseline_k is None:
        return write_report(work.out)
    with bar(BASELINE_FOLDER) as listener:
        baseline = one_pass(material, work.baseline_k)
        evaluate(baseline, material.data, folder, threads=work.threads, progress=listener)
    return write_report(work.out, baseline=folder)


def _charge(budget: Budget, outcomes: Path) -> None:
    earlier = Taken(0, 0.0, at=0.0, recent=False)  # counts in all, and not for the last minute
    budget.settle(earlier, *spent(outcomes))


def one_pass(material: Material, k: int) -> System:
    """One search with the question as it is, reading k passages."""
    limits = {"max_read": k}
    return System(answers=OnePass(material.index, k), policy=BASELINE_FOLDER, limits=limits, reads_only=True)


def track(folder: Path, *, timeout_seconds: float = 120.0) -> Tracked:
    """Send the report in a folder to MLflow, with a sign of life meanwhile.

    Raises:
        BadInput: The folder holds no report.
    """
    with stderr().status("sending the report to MLflow"):
        return send(folder, timeout_seconds=timeout_seconds)


@contextmanager
def bar(name: str) -> Iterator[Listener]:
    """A progress bar on stderr, as a listener of `evaluate`."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=stderr()) as shown:
        task = shown.add_task(name, total=None)

        def listen(state: Progress) -> None:
            if shown.tasks[0].total is None and state.done:
                shown.console.print(f"{name}: {state.done} of {state.total} were done before (--fresh starts again)")
            crashed = f", {state.crashed} crashed" if state.crashed else ""
            stopping = ", finishing what is in work" if state.stopping else ""
            words = ", ".join(filter(None, (f"{name}{crashed}{stopping}", state.note)))
            shown.update(task, description=words, completed=state.done, total=state.total)

        yield listen
