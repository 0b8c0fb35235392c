"""What a replayed run was worth and cost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean

import numpy as np

from hopstop.eval import metrics
from hopstop.eval.questions import Question
from hopstop.eval.score import MEANS, Score
from hopstop.eval.stats import weighted_interval
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
    """The measures of a replayed run as those of any other one; of those that a record does not hold none is SHOWN."""
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
        ms=None,
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
    known = [(item, _shown(item, runs[item.key])) for item in items if item.key in runs]
    by_set = {name: _by_set((item, values[name]) for item, values in known) for name in SHOWN}
    return {name: _mean(sets) if sets else None for name, sets in by_set.items()}


def differences(
    items: Sequence[Item], before: Mapping[str, Replayed], after: Mapping[str, Replayed]
) -> dict[str, dict[str, float | int]]:
    """After - before of each of SHOWN, paired and weighted like `figures`; without what was not measured.

    Returns:
        For each: `value`, `low` and `high` (95 % interval, drawn within each set) and `n` (pairs).
    """
    both = [item for item in items if item.key in before and item.key in after]
    pairs = [(item, _shown(item, before[item.key]), _shown(item, after[item.key])) for item in both]
    found: dict[str, dict[str, float | int]] = {}
    for name in SHOWN:
        if sets := _by_set((item, _minus(new[name], old[name])) for item, old, new in pairs):
            low, high = weighted_interval(sets)
            found[name] = {"value": _mean(sets), "low": low, "high": high, "n": sum(len(part) for _, part in sets)}
    return found


def _shown(item: Item, run: Replayed) -> dict[str, float | None]:
    score = score_of(item, run)
    return {name: worth(item.question, run) if name == "worth" else MEANS[name](score) for name in SHOWN}


def _minus(new: float | None, old: float | None) -> float | None:
    return None if new is None or old is None else float(new) - float(old)


def _by_set(values: Iterable[tuple[Item, float | None]]) -> list[tuple[float, list[float]]]:
    """The weight of each set and its values, as far as they are known."""
    weights: dict[str, float] = {}
    known: dict[str, list[float]] = defaultdict(list)
    for item, value in values:
        if value is not None:
            weights[item.name] = item.weight
            known[item.name].append(value)
    return [(weights[name], part) for name, part in known.items()]


def _mean(sets: Sequence[tuple[float, Sequence[float]]]) -> float:
    """The weighted mean of the means of the sets."""
    return sum(weight * fmean(part) for weight, part in sets) / sum(weight for weight, _ in sets)
