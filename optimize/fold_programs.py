"""The programs of a calibration: as it was given, with the weights of each fold, and as it is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hopstop.optimize.labelled_sets import Item, LabelledSets
from hopstop.optimize.limit_search import Aim
from hopstop.optimize.replay import Replayed, replay
from hopstop.optimize.trace_book import TraceBook
from hopstop.optimize.walk_folds import Fitted, Told, Weights, fit_folds
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import BadInput
from hopstop.program.loop import IterativeQA
from hopstop.program.offline import OfflinePolicy
from hopstop.program.records import Limits

WIDER = 2  # a policy without a model may run so many times its rounds, to see what more of them would bring
BEFORE, FINAL = -1, -2  # besides the numbers of the folds
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


class Work:
    """The programs of a task, made once each.

    Attributes:
        task: What is calibrated.
        present: The limits of the program as it was given.
        fitted: The weights, learned when this is made; None if they are not to be.

    Raises:
        BadInput, BadDataset: See `calibrate`.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.fitted: Fitted | None = None
        self._programs: dict[tuple[int, int], IterativeQA] = {}
        self._items = self.task.sets.sample(self.task.sample, self.task.seed)
        self._first = self.task.make(self._items[0].index)
        self.present = self._first.limits
        if any(item.index.analyzer != self._items[0].index.analyzer for item in self._items):
            raise BadInput("the indexes have different analyzers: one program cannot be calibrated for all of them")
        try:
            self.task.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"{self.task.folder}: cannot be used ({error.strerror}); name another folder") from error
        if self.task.weights:
            self.fitted = self._fit()

    @property
    def _offline(self) -> bool:
        return isinstance(self._first.policy, OfflinePolicy)

    def _fit(self) -> Fitted:
        policy = self._first.policy
        if not isinstance(policy, OfflinePolicy):
            raise BadInput(f"the policy {policy.name!r} has no weights to learn; use --no-weights")
        return fit_folds(self.task.sets, self._items, policy.state(), self.task.folder, self.task.told)

    def aim(self) -> Aim:
        """What is looked for."""
        rounds = self.present.max_rounds * (WIDER if self._offline and self.task.limits else 1)
        rerun = self._offline if self.task.rerun is None else self.task.rerun
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
            fold = item.fold if folds and self.fitted is not None else BEFORE
            weights = None if fold < 0 or self.fitted is None else self.fitted.folds[fold]
            program = self._program(item.index, fold, weights)
            return program.like(limits=limits)

        return TraceBook(self.task.folder, self._items, make, self.task.threads, self.task.told)

    def runs_before(self) -> Runs:
        """Key of each question -> its run of the program as it was given."""
        traces = self.book(folds=False).traces("before", self.present)
        return {key: replay(trace, self.present) for key, trace in traces.items()}

    def final(self, limits: Limits) -> IterativeQA:
        """The program to keep, over the index of the first set."""
        index = self._items[0].index
        return self._program(index, FINAL, None if self.fitted is None else self.fitted.final).like(limits=limits)

    def _program(self, index: BM25Index, fold: int, weights: Weights | None) -> IterativeQA:
        known = id(index), fold
        if known not in self._programs:
            made = self.task.make(index)
            policy = made.policy
            if weights is not None and isinstance(policy, OfflinePolicy):
                policy = OfflinePolicy(index, weights, methods=policy.methods)
            self._programs[known] = made.like(policy=policy)
        return self._programs[known]
