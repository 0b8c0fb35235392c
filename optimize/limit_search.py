"""Choose limits on labelled questions: the best worth at a given cost, told from recorded runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any

import numpy as np

from hopstop.optimize.replay import Replayed, Trace, replay
from hopstop.optimize.trace_book import TraceBook
from hopstop.optimize.worth import Measured, gain, mean, weights_of, worth
from hopstop.program.lists import Bools
from hopstop.program.records import Limits

LADDERS: Mapping[str, tuple[int, ...]] = {
    "first_k": (1, 2, 3, 5, 8), "next_k": (1, 2, 3, 5), "width": (1, 2, 3), "carry_k": (1, 2, 4, 10),
}  # fmt: skip
"""Values of the limits that change what a run sees; each must be run."""
COVERAGES, SUFFICIENCIES, PATIENCES = (1.0, 0.75, 0.5), (1.0, 0.9, 0.75, 0.6, 0.5), (0, 1, 2)
"""Values of the limits that only end a run earlier; they are replayed."""
SLACK = 1.02  # a setting may cost so much of what the present one costs, where no cost is given


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """What is looked for.

    Attributes:
        present: The limits to start from; its caps are those of the runs, and are never raised.
        wide_rounds: `max_rounds` of the runs, >= that of the present limits.
        cost: Mean cost of a question, in tokens, or in passages where no model is asked; None: what it costs now.
        lowest_coverage: `min_coverage` is never set below, in [0, 1]. Below 1 an answer may lack the quote of a fact.
        rerun: Whether settings are tried that must be run anew.
    """

    present: Limits
    wide_rounds: int
    cost: float | None = None
    lowest_coverage: float = 1.0
    rerun: bool = True


class Bench:
    """Measures settings over the questions; records what must be run, replays the rest.

    Attributes:
        items: The questions.
        aim: What is looked for.
        measured: Setting -> its worth and cost.
        weights: One for each question.
        paid: Whether runs use tokens, which are the cost then.
    """

    def __init__(self, book: TraceBook, aim: Aim) -> None:
        self.items = book.items
        self.aim = aim
        self.measured: dict[Limits, Measured] = {}
        self.weights = weights_of(book.items)
        self._book = book
        self._traces: dict[Limits, dict[str, Trace]] = {}
        first = self.traces(aim.present).values()
        self.paid = any(step.tokens for trace in first for step in trace.steps)

    @property
    def tokens(self) -> int:
        """What all recorded runs used, those of earlier calls included."""
        every = (step for traces in self._traces.values() for trace in traces.values() for step in trace.steps)
        return sum(step.tokens for step in every)

    @property
    def everything(self) -> Bools:
        """All questions."""
        return np.ones(len(self.items), dtype=np.bool_)

    @property
    def budget(self) -> float:
        """What a question may cost on average."""
        if self.aim.cost is not None:
            return self.aim.cost
        return SLACK * self.cost(self.aim.present, self.everything)

    def traces(self, limits: Limits) -> dict[str, Trace]:
        """The recorded runs from which a setting is replayed."""
        shape = replace(_with_shape(self.aim.present, limits), max_rounds=self.aim.wide_rounds)
        if shape not in self._traces:
            self._traces[shape] = self._book.traces("limits", shape)
        return self._traces[shape]

    def runs(self, limits: Limits) -> dict[str, Replayed]:
        """Key of each question -> its run under these limits."""
        return {key: replay(trace, limits) for key, trace in self.traces(limits).items()}

    def measure(self, limits: Limits) -> Measured:
        """Worth and cost of a setting, one for each question."""
        if limits not in self.measured:
            runs = self.runs(limits)
            found = [(item, runs.get(item.key)) for item in self.items]
            value = [np.nan if run is None else worth(item.question, run) for item, run in found]
            cost = [np.nan if run is None else run.tokens if self.paid else len(run.read) for _, run in found]
            self.measured[limits] = Measured(np.array(value, dtype=np.float64), np.array(cost, dtype=np.float64))
        return self.measured[limits]

    def worth(self, limits: Limits, which: Bools) -> float:
        """Mean worth of a setting."""
        return mean(self.measure(limits).worth, self.weights, which)

    def cost(self, limits: Limits, which: Bools) -> float:
        """Mean cost of a setting."""
        return mean(self.measure(limits).cost, self.weights, which)

    def beats(self, new: Limits, old: Limits, which: Bools) -> bool:
        """Whether a setting is better by more than a standard error, or as good and cheaper."""
        more, error = gain(self.measure(new), self.measure(old), self.weights, which)
        return _round(more) > _round(error) or (_round(more) >= 0 and self.cost(new, which) < self.cost(old, which))


def explore(bench: Bench) -> None:
    """Measure the present setting, the shapes that climbing from it meets, and all thresholds with each of them."""
    shapes = [bench.aim.present]
    if bench.aim.rerun:
        shapes += list(_climb(bench))
    for shape in dict.fromkeys(shapes):
        for limits in _thresholds(shape, bench.aim):
            bench.measure(limits)


def choose(bench: Bench, which: Bools) -> Limits:
    """The best of the measured settings on some of the questions.

    The present setting stays unless another is better by more than one standard error of the paired difference, or as
    good and cheaper: the one-standard-error rule of Breiman, Friedman, Olshen and Stone (1984), with "as it is" in
    place of "the simplest".
    """
    present, budget = bench.aim.present, bench.budget
    cost = {limits: bench.cost(limits, which) for limits in bench.measured}
    fitting = [limits for limits in bench.measured if cost[limits] <= budget]
    if not fitting:
        return min(bench.measured, key=lambda limits: cost[limits])
    keeps = cost[present] <= budget
    better = [limits for limits in fitting if not keeps or bench.beats(limits, present, which)]

    def rank(limits: Limits) -> tuple[float, ...]:
        value, price = _round(bench.worth(limits, which)), _round(cost[limits])
        return value, -price, -_changes(limits, present), -_moved(limits, present)

    return max(better, key=rank, default=present)


def _climb(bench: Bench) -> Iterator[Limits]:
    """Settings met when each limit in turn goes down, then up its ladder, as long as that is better."""
    current = bench.aim.present
    for name in LADDERS:
        for step in (-1, 1):
            while (following := _neighbour(current, name, step)) is not None:
                yield following
                affordable = bench.cost(following, bench.everything) <= bench.budget
                if not affordable or not bench.beats(following, current, bench.everything):
                    break
                current = following


def _neighbour(limits: Limits, name: str, step: int) -> Limits | None:
    value = getattr(limits, name)
    further = [rung for rung in LADDERS[name] if (rung - value) * step > 0]
    if not further:
        return None
    change: dict[str, Any] = {name: min(further, key=lambda rung: abs(rung - value))}
    return replace(limits, **change)


def _with_shape(limits: Limits, other: Limits) -> Limits:
    shape: dict[str, Any] = {name: getattr(other, name) for name in LADDERS}
    return replace(limits, **shape)


def _thresholds(shape: Limits, aim: Aim) -> Iterator[Limits]:
    options: dict[str, set[Any]] = {
        "min_coverage": {value for value in COVERAGES if value >= aim.lowest_coverage},
        "min_sufficiency": {*SUFFICIENCIES, shape.min_sufficiency},
        "patience": {*PATIENCES, shape.patience},
        "max_rounds": {shape.max_rounds, aim.wide_rounds},
    }
    yield shape
    for values in product(*(sorted(options[name]) for name in options)):
        yield replace(shape, **dict(zip(options, values, strict=True)))


def _changes(limits: Limits, other: Limits) -> int:
    return sum(getattr(limits, item.name) != getattr(other, item.name) for item in fields(Limits))


def _moved(limits: Limits, other: Limits) -> float:
    """How far the thresholds are from each other."""
    far = abs(limits.min_coverage - other.min_coverage) + abs(limits.min_sufficiency - other.min_sufficiency)
    return far + abs(limits.patience - other.patience)


def _round(value: float) -> float:
    return round(value, 9)  # sums in another order must not decide
