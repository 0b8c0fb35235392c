"""Learn the weights of the offline walk from labelled questions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hopstop.program.bm25 import BM25Index
from hopstop.program.lists import Bools, Floats, Ints
from hopstop.program.walk import Walk
from hopstop.program.ways import FEATURES

BUDGET = 10  # passages: what the walk reads at most
HARDEST = 80  # ways kept of one choice besides those to gold passages, the best scored first
TOLERANCE = 1e-5  # of the loss, which is of the order of 1
BLOCK = 1000  # choices whose curvature is computed at once
L2 = 1e-3  # penalty on the squared weights of features scaled to a standard deviation of 1


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question, where it is searched, and the places of its gold passages in that index."""

    index: BM25Index
    question: str
    gold: frozenset[int]


@dataclass(frozen=True, slots=True)
class Choice:
    """One moment of a walk.

    Attributes:
        features: n x FEATURES of the ways that compete; or n x F of what else is to be chosen from.
        gold: n, which of them lead to a gold passage; or are right.
        weight: How much the choice counts, > 0.
    """

    features: Floats
    gold: Bools
    weight: float


def start_weights() -> Floats:
    """Where learning starts: BM25 of the question, what stands in titles, and what a link adds to the question."""
    start = {
        "d_bm25": 5, "d_title": 4, "d_titleq": 9, "d_best": 3, "l_bm25": 2, "l_nidf": 6, "l_title": 4, "l_here": 4,
        "l_gain": 8, "l_titleq": 9,
    }  # fmt: skip
    return np.array([float(start.get(name, 0)) for name in FEATURES])


def learn(
    sets: Mapping[str, Sequence[Labelled]],
    *,
    rounds: int = 3,
    importance: Mapping[str, float] | None = None,
    without: Collection[str] = frozenset(),
) -> Floats:
    """Weights from the walks that they themselves lead to.

    Walks with the weights so far, records each choice until all gold passages are read, and fits anew on all choices
    recorded: the data aggregation of Ross, Gordon and Bagnell (2011).

    Args:
        sets: Labelled questions by the name of their set.
        rounds: Times to walk and fit, >= 1.
        importance: How much a set counts, > 0; 1 for those not named, however many questions they have.
        without: Features whose weight stays 0.
    """
    used = np.array([name not in without for name in FEATURES], dtype=np.float64)
    weights = start_weights() * used
    choices: list[Choice] = []
    for number in range(rounds):
        for name, questions in sets.items():
            fresh = [choice for item in questions for choice in record(item, weights)]
            share = (importance or {}).get(name, 1.0) / max(1, len(fresh))
            choices += [Choice(item.features * used, item.gold, share) for item in fresh]
        weights = fit(choices, start=weights if number else None)
    return weights


def record(item: Labelled, weights: Floats) -> list[Choice]:
    """The choices of one walk that a label can speak to: some way leads to a gold passage, and some does not."""
    walk = Walk(item.index.links, item.question, weights)
    wanted = np.array(sorted(item.gold), dtype=np.int64)
    choices: list[Choice] = []
    for _ in range(BUDGET):
        walk.follow()
        features, gold = walk.features(), np.isin(walk.places(), wanted)
        if gold.any() and not gold.all():
            keep = gold.copy()
            keep[np.argsort(-walk.scores())[:HARDEST]] = True
            choices.append(Choice(features[keep], gold[keep], 1.0))
        if not walk.choose(1) or item.gold.issubset(walk.read):
            break
    return choices


def fit(
    choices: Sequence[Choice], *, start: Floats | None = None, steps: int = 50, centre: Floats | None = None
) -> Floats:
    """Weights that maximise the log share of gold ways in each choice (softmax over its ways), with an L2 penalty.

    Newton's method with backtracking, the curvature being that of the softmax over all ways, which bounds the true one
    from above; features are scaled to a standard deviation of 1 and back. Ends when a step promises less than
    TOLERANCE.

    Args:
        choices: At least one.
        start: Weights to begin with; near the best ones they save steps.
        steps: At most so many.
        centre: Weights from which the penalty counts; None: 0.
    """
    problem = _Problem.of(choices, centre)
    weights = np.zeros(problem.x.shape[1]) if start is None else start * problem.scale
    value, gradient = problem.loss(weights)
    for _ in range(steps):
        step = np.linalg.solve(problem.curvature(weights), gradient)
        promise, rate = float(gradient @ step), 1.0
        if promise < TOLERANCE:
            break
        while (new := problem.loss(weights - rate * step))[0] > value - 1e-4 * rate * promise and rate > 1e-4:
            rate /= 2
        weights = weights - rate * step
        value, gradient = new
    return weights / problem.scale


@dataclass(frozen=True, slots=True)
class _Problem:
    x: Floats
    gold: Bools
    first: Ints
    owner: Ints
    share: Floats
    scale: Floats
    centre: Floats

    @classmethod
    def of(cls, choices: Sequence[Choice], centre: Floats | None) -> _Problem:
        x = np.concatenate([choice.features for choice in choices])
        size = np.array([len(choice.gold) for choice in choices])
        weight = np.array([choice.weight for choice in choices])
        scale = x.std(axis=0) + 1e-6
        return cls(
            x / scale,
            np.concatenate([choice.gold for choice in choices]),
            np.cumsum(size) - size,
            np.repeat(np.arange(len(choices)), size),
            weight / weight.sum(),
            scale,
            np.zeros(x.shape[1]) if centre is None else centre * scale,
        )

    def loss(self, weights: Floats) -> tuple[float, Floats]:
        z = self.x @ weights
        e = np.exp(z - np.maximum.reduceat(z, self.first)[self.owner])
        total = np.add.reduceat(e, self.first)
        right = np.add.reduceat(e * self.gold, self.first) + 1e-300
        pull = (e / total[self.owner] - e * self.gold / right[self.owner]) * self.share[self.owner]
        off = weights - self.centre
        value = -float((np.log(right / total) * self.share).sum()) + L2 * float(off @ off)
        return value, self.x.T @ pull + 2 * L2 * off

    def curvature(self, weights: Floats) -> Floats:
        """The second derivatives of the softmax over all ways and of the penalty; in blocks, to save memory."""
        total: Floats = 2 * L2 * np.eye(len(weights))
        for start in range(0, len(self.first), BLOCK):
            first = self.first[start : start + BLOCK]
            last = self.first[start + BLOCK] if start + BLOCK < len(self.first) else len(self.x)
            x, share = self.x[first[0] : last], self.share[start : start + BLOCK]
            at, owner = first - first[0], self.owner[first[0] : last] - start
            z = x @ weights
            e = np.exp(z - np.maximum.reduceat(z, at)[owner])
            drawn = x * (e / np.add.reduceat(e, at)[owner])[:, None]
            mean = np.add.reduceat(drawn, at, axis=0)
            total += x.T @ (drawn * share[owner, None]) - mean.T @ (mean * share[:, None])
        return total
