"""What a replayed run was worth and cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hopstop.eval import metrics
from hopstop.eval.questions import Question
from hopstop.eval.score import Score, aggregate
from hopstop.optimize.labelled_sets import Item
from hopstop.optimize.replay import Replayed
from hopstop.program.lists import Bools, Floats

FOUND = 0.25
"""Worth of a run that answers nothing and has read all gold passages: the user sees what there is. Our choice; with it
an answer pays if its word overlap with the right one is above 0.625 on average."""


def worth(question: Question, run: Replayed) -> float:
    """In [-1, 1]: 2 * F1 - 1 for an answer, -1 for any answer to an unanswerable question.

    Without an answer 1 if there is none, FOUND if all gold passages were read, else 0.
    """
    if run.answer is not None:
        return 2 * _f1(run.answer, question.answers) - 1 if question.answerable else -1.0
    if not question.answerable:
        return 1.0
    return FOUND if question.gold_ids and set(question.gold_ids) <= set(run.read) else 0.0


@lru_cache(maxsize=65536)
def _f1(answer: str, answers: tuple[str, ...]) -> float:
    return metrics.f1(answer, answers)


@dataclass(frozen=True, slots=True)
class Measured:
    """One setting over all questions; NaN where a run failed.

    Attributes:
        worth: n; see `worth`.
        cost: n, tokens, or passages read where no model is asked.
    """

    worth: Floats
    cost: Floats


def mean(values: Floats, weights: Floats, which: Bools) -> float:
    """Weighted mean of those that are known."""
    use = which & ~np.isnan(values)
    return float(np.average(values[use], weights=weights[use])) if use.any() else float("nan")


def gain(new: Measured, old: Measured, weights: Floats, which: Bools) -> tuple[float, float]:
    """Weighted mean of the paired differences in worth, and its standard error."""
    difference = new.worth - old.worth
    use = which & ~np.isnan(difference)
    d, w = difference[use], weights[use]
    if not len(d):
        return 0.0, 0.0
    average = float(np.average(d, weights=w))
    return average, float(np.sqrt((w**2 * (d - average) ** 2).sum()) / w.sum())


def weights_of(items: Sequence[Item]) -> Floats:
    """One for each question, so that every set counts as much as its weight, whatever its size."""
    sizes = Counter(item.name for item in items)
    return np.array([item.weight / sizes[item.name] for item in items])


def score_of(item: Item, run: Replayed) -> Score:
    """The measures of a replayed run as those of any other one; what a record does not hold is None or 0."""
    question, answered = item.question, run.answer is not None
    exact = metrics.em(run.answer or "", question.answers) if answered and question.answerable else 0.0
    gold = question.gold_ids if question.answerable else ()
    return Score(
        id=item.key,
        type=question.type,
        hops=question.hops,
        answerable=question.answerable,
        reason=run.reason,
        answered=answered,
        correct=exact == 1.0,
        em=exact if question.answerable else None,
        f1=(_f1(run.answer, question.answers) if run.answer else 0.0) if question.answerable else None,
        all_support=metrics.all_support(run.read, gold) if gold else None,
        recall_at_5=None,
        recall_at_10=None,
        proven=metrics.proven(set(run.quoted), gold, answered=answered, correct=exact == 1.0) if gold else None,
        wrong_stop=metrics.wrong_stop(answered=answered, correct=exact == 1.0),
        early_stop=metrics.early_stop(run.read, gold, answered=answered) if gold else None,
        false_refusal=None,
        abstain_right=None if question.answerable else metrics.abstain_right(answered=answered),
        passages=len(run.read),
        rounds=run.rounds,
        calls=0,
        tokens=run.tokens,
        parse_failures=0,
        cost_usd=None,
        ms=0.0,
        quotes=0,
        quotes_verified=0,
    )


SHOWN = (
    "worth", "all_support", "answered", "em", "f1", "proven", "wrong_stop", "abstain_right", "passages_mean",
    "rounds_mean", "tokens_mean",
)  # fmt: skip
"""Measures of a setting that reports show."""


def figures(items: Sequence[Item], runs: Mapping[str, Replayed]) -> dict[str, float | None]:
    """The weighted mean over sets of each of SHOWN; None where it was not measured in any."""
    by_set: list[Mapping[str, float | int | None]] = []
    weights: list[float] = []
    for name in dict.fromkeys(item.name for item in items):
        mine = [item for item in items if item.name == name and item.key in runs]
        if mine:
            values = [worth(item.question, runs[item.key]) for item in mine]
            scores = [score_of(item, runs[item.key]) for item in mine]
            by_set.append({**aggregate(scores), "worth": sum(values) / len(values)})
            weights.append(mine[0].weight)
    return {name: _mean([part[name] for part in by_set], weights) for name in SHOWN}


def _mean(values: Sequence[float | None], weights: Sequence[float]) -> float | None:
    known = [(value, weight) for value, weight in zip(values, weights, strict=True) if value is not None]
    return sum(value * weight for value, weight in known) / sum(weight for _, weight in known) if known else None
