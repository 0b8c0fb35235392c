"""Calibrate a program on labelled questions: the weights of the offline walk, thresholds, and caps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from hopstop.eval.folder import held
from hopstop.optimize.caps import capped
from hopstop.optimize.fold_programs import Runs, Task, Work
from hopstop.optimize.limit_search import Bench, choose, explore
from hopstop.optimize.replay import Replayed
from hopstop.optimize.walk_folds import Fitted
from hopstop.optimize.worth import differences, figures
from hopstop.program.lists import Bools
from hopstop.program.loop import IterativeQA
from hopstop.program.records import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """What came of it.

    Attributes:
        program: Calibrated, over the index of the first set.
        present: The limits before.
        fitted: The weights and their figures; None if they were not learned.
        before: Measures of the program as it was; see `worth.SHOWN`. Its weights may have seen the questions.
        after: The same of the calibrated one, cross-validated: neither the weights nor the limits with which a
            question was run have seen it.
        difference: Measure -> value, low, high, n of after - before; see `worth.differences`.
        spread: Limit -> what was chosen for it in each fold; only those that were not always the same.
        settings: Every setting that was measured: its limits that differ, worth and cost.
        curve: Measures of the calibrated limits under tighter and tighter caps.
        unit: Of cost: "tokens" or "passages".
        questions: How many were run.
        tokens: That all runs used, recorded ones included.
    """

    program: IterativeQA
    present: Limits
    fitted: Fitted | None
    before: Mapping[str, float | None]
    after: Mapping[str, float | None]
    difference: Mapping[str, Mapping[str, float | int]]
    spread: Mapping[str, Sequence[Any]]
    settings: Sequence[Mapping[str, Any]]
    curve: Sequence[Mapping[str, Any]]
    unit: str
    questions: int
    tokens: int


def calibrate(task: Task) -> Calibrated:
    """Learn weights, choose limits, set caps, and measure before and after.

    Raises:
        BadInput: Weights of a program that has none, indexes with different analyzers, every run failed, or the folder
            cannot be written or another run works in it.
        BadDataset: A set has no labelled gold passages, and weights are to be learned.
        Interrupted: Ctrl-C; the same task in the same folder goes on.
    """
    with held(task.folder):
        return _calibrated(Work(task))


def _calibrated(work: Work) -> Calibrated:
    task = work.task
    bench = Bench(work.book(folds=True), work.aim())
    if task.limits:
        explore(bench)
    else:
        bench.measure(work.present)
    before = bench.runs(work.present) if work.fitted is None else work.runs_before()
    after, spread = _cross_validated(bench, task)
    limits = _chosen(bench, bench.everything, task)
    return Calibrated(
        program=work.final(limits),
        present=work.present,
        fitted=work.fitted,
        before=figures(bench.items, before),
        after=figures(bench.items, after),
        difference=differences(bench.items, before, after),
        spread=spread,
        settings=_settings(bench),
        curve=_curve(bench, limits),
        unit="tokens" if bench.paid else "passages",
        questions=len(bench.items),
        tokens=bench.tokens,
    )


def _chosen(bench: Bench, which: Bools, task: Task) -> Limits:
    if not task.limits:
        return bench.aim.present
    limits = choose(bench, which)
    items = [item for item, use in zip(bench.items, which, strict=True) if use]
    return capped(limits, items, bench.runs(limits), bench.traces(limits))


def _cross_validated(bench: Bench, task: Task) -> tuple[Runs, dict[str, list[Any]]]:
    """Each question's run under limits chosen on the other folds, and where the folds chose differently."""
    fold = np.array([item.fold for item in bench.items])
    runs: dict[str, Replayed] = {}
    chosen: list[dict[str, Any]] = []
    for number in range(task.sets.folds):
        limits = _chosen(bench, fold != number, task)
        mine = {item.key for item in bench.items if item.fold == number}
        runs |= {key: run for key, run in bench.runs(limits).items() if key in mine}
        chosen.append(asdict(limits))
    different = [name for name in chosen[0] if any(item[name] != chosen[0][name] for item in chosen)]
    return runs, {name: [item[name] for item in chosen] for name in different}


def _settings(bench: Bench) -> list[dict[str, Any]]:
    present = asdict(bench.aim.present)
    rows = []
    for limits in bench.measured:
        changed = {name: value for name, value in asdict(limits).items() if value != present[name]}
        rows.append(
            {
                "changed": changed,
                "worth": bench.worth(limits, bench.everything),
                "cost": bench.cost(limits, bench.everything),
            }
        )
    return sorted(rows, key=lambda row: (row["cost"], -row["worth"], len(row["changed"])))


def _curve(bench: Bench, limits: Limits) -> list[dict[str, Any]]:
    if bench.paid:
        name, most = "max_tokens", limits.max_tokens
        values = sorted({max(1, most * part // 10) for part in range(1, 11)})
    else:
        name, most = "max_read", limits.max_read or max(len(run.read) for run in bench.runs(limits).values())
        values = list(range(1, most + 1))
    rows = []
    for value in values:
        change: dict[str, Any] = {name: value}
        rows.append({name: value, **figures(bench.items, bench.runs(replace(limits, **change)))})
    return rows
