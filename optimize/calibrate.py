"""Calibrate a program on labelled questions: the weights of the offline walk, thresholds, and caps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from hopstop.eval.stats import bootstrap_interval, compare
from hopstop.optimize.caps import capped
from hopstop.optimize.labelled_sets import Item, LabelledSets
from hopstop.optimize.limit_search import Aim, Bench, choose, explore
from hopstop.optimize.replay import Replayed, replay
from hopstop.optimize.trace_book import TraceBook
from hopstop.optimize.walk_folds import Fitted, Told, Weights, fit_folds
from hopstop.optimize.worth import figures, score_of, worth
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import BadInput
from hopstop.program.lists import Bools
from hopstop.program.loop import IterativeQA
from hopstop.program.offline import OfflinePolicy
from hopstop.program.records import Limits

WIDER = 2  # a policy without a model may run so many times its rounds, to see what more of them would bring
Runs = Mapping[str, Replayed]
Programs = Callable[[BM25Index], IterativeQA]


def _nobody(_stage: str, _done: int, _total: int) -> None:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is calibrated, on what, and how.

    Attributes:
        sets: Labelled questions.
        make: The program to start from, over an index.
        folder: Keeps what is learned and run at once; the same task in the same folder goes on where it was.
        weights: Whether the weights of the offline walk are learned.
        limits: Whether limits are chosen.
        sample: At most so many questions of each set are run; the final weights are learned from all.
        seed: Of the sample.
        threads: Questions in work at once, >= 1.
        cost: See Aim.
        lowest_coverage: See Aim.
        rerun: See Aim; None: only where no model is asked.
        told: Hears how far it is.
    """

    sets: LabelledSets
    make: Programs
    folder: Path
    weights: bool = True
    limits: bool = True
    sample: int = 150
    seed: int = 0
    threads: int = 1
    cost: float | None = None
    lowest_coverage: float = 1.0
    rerun: bool | None = None
    told: Told = _nobody


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
        difference: Measure -> value, low, high of after - before, paired.
        spread: Limit -> what was chosen for it in each fold; only those that were not always the same.
        settings: Every setting that was measured: its limits that differ, worth and cost.
        curve: Measures of the calibrated limits under tighter and tighter caps.
        unit: Of cost: "tokens" or "passages".
        questions: How many were run.
    """

    program: IterativeQA
    present: Limits
    fitted: Fitted | None
    before: Mapping[str, float | None]
    after: Mapping[str, float | None]
    difference: Mapping[str, Mapping[str, float | int | None]]
    spread: Mapping[str, Sequence[Any]]
    settings: Sequence[Mapping[str, Any]]
    curve: Sequence[Mapping[str, Any]]
    unit: str
    questions: int


def calibrate(task: Task) -> Calibrated:
    """Learn weights, choose limits, set caps, and measure before and after.

    Raises:
        BadInput: Weights of a program that has none, indexes with different analyzers, every run failed, or the folder
            cannot be written.
        BadDataset: A set has no labelled gold passages, and weights are to be learned.
        Interrupted: Ctrl-C; the same task in the same folder goes on.
    """
    work = _Work(task)
    bench = Bench(work.book(folds=True), work.aim())
    if task.limits:
        explore(bench)
    before = bench.runs(work.present) if work.fitted is None else work.runs_before()
    after, spread = _cross_validated(bench, task)
    limits = _chosen(bench, bench.everything, task)
    return Calibrated(
        program=work.final(limits),
        present=work.present,
        fitted=work.fitted,
        before=figures(bench.items, before),
        after=figures(bench.items, after),
        difference=_difference(bench.items, before, after),
        spread=spread,
        settings=_settings(bench),
        curve=_curve(bench, limits),
        unit="tokens" if bench.paid else "passages",
        questions=len(bench.items),
    )


@dataclass
class _Work:
    """The programs of a task, made once each."""

    task: Task
    fitted: Fitted | None = None
    _programs: dict[tuple[int, int], IterativeQA] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._items = self.task.sets.sample(self.task.sample, self.task.seed)
        self.first = self.task.make(self._items[0].index)
        self.present = self.first.limits
        if any(item.index.analyzer != self._items[0].index.analyzer for item in self._items):
            raise BadInput("the indexes have different analyzers: one program cannot be calibrated for all of them")
        try:
            self.task.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"{self.task.folder}: cannot be used ({error.strerror}); name another folder") from error
        if self.task.weights:
            self.fitted = self._fit()

    @property
    def offline(self) -> bool:
        return isinstance(self.first.policy, OfflinePolicy)

    def _fit(self) -> Fitted:
        policy = self.first.policy
        if not isinstance(policy, OfflinePolicy):
            raise BadInput(f"the policy {policy.name!r} has no weights to learn; use --no-weights")
        return fit_folds(self.task.sets, self._items, policy.state(), self.task.folder, self.task.told)

    def aim(self) -> Aim:
        rounds = self.present.max_rounds * (WIDER if self.offline and self.task.limits else 1)
        rerun = self.offline if self.task.rerun is None else self.task.rerun
        return Aim(
            present=self.present,
            wide_rounds=rounds,
            cost=self.task.cost,
            lowest_coverage=self.task.lowest_coverage,
            rerun=rerun,
        )

    def book(self, *, folds: bool) -> TraceBook:
        """Recorded runs with the weights of each question's fold, or with those before."""

        def make(item: Item, limits: Limits) -> IterativeQA:
            fold = item.fold if folds and self.fitted is not None else -1
            weights = None if fold < 0 or self.fitted is None else self.fitted.folds[fold]
            program = self._program(item.index, fold, weights)
            return IterativeQA(program.retriever, program.policy, limits, fallback=program.fallback)

        return TraceBook(self.task.folder, self._items, make, self.task.threads, self.task.told)

    def runs_before(self) -> Runs:
        traces = self.book(folds=False).traces("before", self.present)
        return {key: replay(trace, self.present) for key, trace in traces.items()}

    def final(self, limits: Limits) -> IterativeQA:
        index = self._items[0].index
        program = self._program(index, -2, None if self.fitted is None else self.fitted.final)
        return IterativeQA(program.retriever, program.policy, limits, fallback=program.fallback)

    def _program(self, index: BM25Index, fold: int, weights: Weights | None) -> IterativeQA:
        known = id(index), fold
        if known not in self._programs:
            made = self.task.make(index)
            policy = made.policy if weights is None else OfflinePolicy(index, weights)
            self._programs[known] = IterativeQA(made.retriever, policy, made.limits, fallback=made.fallback)
        return self._programs[known]


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


def _difference(items: Sequence[Item], before: Runs, after: Runs) -> dict[str, dict[str, float | int | None]]:
    both = [item for item in items if item.key in before and item.key in after]
    old, new = ([score_of(item, runs[item.key]) for item in both] for runs in (before, after))
    gains = [worth(item.question, after[item.key]) - worth(item.question, before[item.key]) for item in both]
    low, high = bootstrap_interval(gains)
    whole: dict[str, float | int | None] = {"value": sum(gains) / len(gains), "low": low, "high": high, "n": len(gains)}
    parts = compare(new, old)
    return {"worth": whole, **{name: part for name, part in parts.items() if part["value"] is not None}}


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
    return sorted(rows, key=lambda row: (row["cost"], -row["worth"]))


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
