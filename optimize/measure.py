"""What a predictor scores on labels, and what a compile has changed, with its interval."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, TypeVar

from hopstop.eval.batch_threads import loop_of_together, together
from hopstop.eval.stats import bootstrap_interval
from hopstop.optimize.cases import Label
from hopstop.optimize.predictor_metrics import Mark, Marker
from hopstop.optimize.single import Single

T = TypeVar("T")
R = TypeVar("R")


def marks_of(predictor: Single, labels: Sequence[Label], marker: Marker, *, threads: int = 1) -> tuple[Mark, ...]:
    """Ask a predictor for each label, with the LM of `dspy.context`, and mark its answers.

    Args:
        predictor: What is asked.
        labels: In this order.
        marker: Marks.
        threads: Calls at once, >= 1; more where they wait for one batch.

    Returns:
        One mark for each label, the same for any number of threads.
    """

    def one(label: Label) -> Mark:
        return marker.mark(label, predictor(**{name: label.fields[name] for name in label.inputs}))

    with together(len(labels), threads) as at_once:
        return tuple(side_by_side(one, labels, at_once))


def side_by_side(one: Callable[[T], R], items: Sequence[T], threads: int) -> Iterator[R]:
    """Call for each item, in threads under copies of this context; results in the order of the items."""
    if threads == 1:
        yield from map(one, items)
        return
    pool = ThreadPoolExecutor(threads, thread_name_prefix="hopstop-compile")
    try:
        tasks = [pool.submit(copy_context().run, one, item) for item in items]
        yield from (task.result() for task in tasks)
    finally:
        pool.shutdown(wait=loop_of_together() is None, cancel_futures=True)  # for a batch they may wait a day


def mean_score(marks: Sequence[Mark]) -> float:
    """Mean of the scores, in [0, 1]; 0 for none."""
    return sum(mark.score for mark in marks) / len(marks) if marks else 0.0


@dataclass(frozen=True, slots=True)
class Change:
    """One measure before and after, over the same labels.

    Attributes:
        before: Mean, in [0, 1].
        after: Mean, in [0, 1].
        low: Low end of the 95 % bootstrap interval of the mean of paired differences.
        high: Its high end.
        n: Labels that have the measure.
    """

    before: float
    after: float
    low: float
    high: float
    n: int

    def to_json(self) -> dict[str, Any]:
        """As a JSON object, the difference included."""
        parts = {"before": self.before, "after": self.after, "difference": self.after - self.before}
        return {**parts, "low": self.low, "high": self.high, "n": self.n}


def changes(before: Sequence[Mark], after: Sequence[Mark]) -> dict[str, Change]:
    """What changed, by measure; `score` is what optimisers climb.

    Args:
        before: One mark for each label.
        after: Marks of the same labels.
    """
    names = dict.fromkeys(("score", *(name for mark in (*before, *after) for name in mark.measures)))
    return {name: change for name in names if (change := _change(list(_pairs(name, before, after)))) is not None}


def _pairs(name: str, before: Sequence[Mark], after: Sequence[Mark]) -> Iterator[tuple[float, float]]:
    for one, two in zip(before, after, strict=True):
        ours, theirs = ({"score": mark.score, **mark.measures} for mark in (one, two))
        if name in ours or name in theirs:
            yield ours.get(name, 0.0), theirs.get(name, 0.0)  # an unread reply has no answer, hence none that is right


def _change(pairs: Sequence[tuple[float, float]]) -> Change | None:
    if not pairs:
        return None
    low, high = bootstrap_interval([after - before for before, after in pairs])
    before, after = (sum(values) / len(pairs) for values in zip(*pairs, strict=True))
    return Change(before, after, low, high, len(pairs))


def changes_to_json(found: Mapping[str, Change]) -> dict[str, Any]:
    """Changes as a JSON object."""
    return {name: change.to_json() for name, change in found.items()}
