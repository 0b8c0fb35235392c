"""The weights of the offline walk, learned on all folds, and measured on folds that they have not seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from hopstop.eval.folder import read_json, write_json
from hopstop.optimize.answer_fit import learn_answers, moments
from hopstop.optimize.labelled_sets import Item, LabelledSets, labelled, set_weights
from hopstop.optimize.walk_fit import BUDGET, Labelled, learn
from hopstop.program.answer_weights import AnswerWeights
from hopstop.program.errors import BadDataset
from hopstop.program.lists import Floats
from hopstop.program.walk import Walk
from hopstop.program.ways import FEATURES

Weights = Mapping[str, float]
Told = Callable[[str, int, int], None]
"""Hears the name of a stage, how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """What was learned.

    Attributes:
        final: Weights from all questions; those of the answers from the sample.
        folds: For each fold the weights from questions of the others; a question is measured with its fold's.
        figures: Set -> its weight, all_support and recall_at_5 of walks of BUDGET passages, before and after
            (cross-validated).
    """

    final: Weights
    folds: tuple[Weights, ...]
    figures: Mapping[str, Mapping[str, float]]


def fit_folds(sets: LabelledSets, chosen: Sequence[Item], before: Weights, folder: Path, told: Told) -> Fitted:
    """Learn from all questions, and from a sample of them once more for each fold.

    Args:
        sets: All questions, for the final weights.
        chosen: The sample that cross-validation works on.
        before: The weights that the new ones are compared with.
        folder: Where weights are kept as soon as they are learned; those that are there are not learned again.
        told: Hears how far it is.

    Raises:
        BadDataset: A set has no answerable question with labelled gold passages.
    """
    for name in sets.names:
        if not labelled(sets.items).get(name):
            raise BadDataset(
                f"{name}: no answerable question has labelled gold passages, from which weights are learned; "
                "add labels, or use --no-weights"
            )
    parts = [[item for item in chosen if item.fold != fold] for fold in range(sets.folds)]
    learned: list[Weights] = []
    steps = sets.folds + 2
    for number, part in enumerate([*parts, sets.items]):
        told("learning weights", number, steps)
        name = "final" if number == sets.folds else f"fold-{number}"
        learned.append(_kept(folder / f"weights-{name}.json", partial(_walk_weights, part)))
    told("learning weights", steps - 1, steps)
    answers = _kept(
        folder / "weights-answers.json", partial(_answer_weights, chosen, learned[:-1], AnswerWeights.of(before))
    )
    told("learning weights", steps, steps)
    *folds, final = ({**walk, **answer} for walk, answer in zip(learned, answers.values(), strict=True))
    return Fitted(final, tuple(folds), _figures(chosen, before, folds))


def walk_figures(questions: Sequence[Labelled], weights: Weights) -> dict[str, float]:
    """Share of questions whose gold passages are all among the first BUDGET of the walk, and recall of its first 5."""
    vector = _vector(weights)
    support, recall = [], []
    for item in questions:
        walk = Walk(item.index.links, item.question, vector)
        while len(walk.read) < BUDGET and walk.choose(1):
            pass
        support.append(float(item.gold.issubset(walk.read)))
        recall.append(len(item.gold & set(walk.read[:5])) / len(item.gold))
    return {"all_support": fmean(support), "recall_at_5": fmean(recall)}


def _walk_weights(items: Sequence[Item]) -> Weights:
    weights = learn(labelled(items), importance=set_weights(items))
    return dict(zip(FEATURES, weights.tolist(), strict=True))


def _answer_weights(chosen: Sequence[Item], folds: Sequence[Weights], present: AnswerWeights) -> dict[str, Weights]:
    """For each fold those learned from the others, and from all; every walk has weights blind to its question."""
    parts = [moments([item for item in chosen if item.fold == at], _vector(walk)) for at, walk in enumerate(folds)]
    others = [[moment for at, part in enumerate(parts) if at != fold for moment in part] for fold in range(len(parts))]
    blind = {f"fold-{fold}": learn_answers(seen, present).state() for fold, seen in enumerate(others)}
    return {**blind, "final": learn_answers([moment for part in parts for moment in part], present).state()}


def _kept(path: Path, make: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
    if not path.exists():
        write_json(path, make())
    return read_json(path, "remove it and calibrate again")


def _figures(chosen: Sequence[Item], before: Weights, folds: Sequence[Weights]) -> dict[str, dict[str, float]]:
    figures: dict[str, dict[str, float]] = {}
    for name, questions in labelled(chosen).items():
        mine = [item for item in chosen if item.name == name]
        parts = [labelled([item for item in mine if item.fold == fold]).get(name, []) for fold in range(len(folds))]
        measured = [
            (len(part), walk_figures(part, weights)) for part, weights in zip(parts, folds, strict=True) if part
        ]
        old = walk_figures(questions, before)
        figures[name] = {"n": len(questions), "weight": mine[0].weight}
        for measure in old:
            mean = sum(n * values[measure] for n, values in measured) / len(questions)
            figures[name] |= {f"{measure}_before": old[measure], measure: mean}
    return figures


def summed(figures: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """The means over sets, each counting as much as its weight, whatever its size."""
    first, whole = next(iter(figures.values())), sum(part["weight"] for part in figures.values())
    measures = [name for name in first if name not in ("n", "weight")]
    return {name: sum(part["weight"] * part[name] for part in figures.values()) / whole for name in measures}


def _vector(weights: Weights) -> Floats:
    return np.array([weights[name] for name in FEATURES], dtype=np.float64)
