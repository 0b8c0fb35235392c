"""Compare two systems on the same questions: bootstrap interval of the difference, McNemar's exact p."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from hopstop.eval.score import MEANS, Crash, Score
from hopstop.program.errors import BadInput

RESAMPLES = 10_000
_BLOCK = 1_000  # resamples held in memory at once

BINARY = frozenset(
    {"all_support", "answered", "em", "proven", "wrong_stop", "early_stop", "false_refusal", "abstain_right"}
)
"""Measures that are 0 or 1 for one question, for which McNemar's test applies."""


def bootstrap_interval(
    differences: Sequence[float], *, resamples: int = RESAMPLES, level: float = 0.95, seed: int = 0
) -> tuple[float, float]:
    """Percentile bootstrap interval of the mean of paired differences.

    Draws n of the n differences with replacement, `resamples` times; the interval holds the middle `level` of means.
    Source: Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), section 13.3; for paired system comparison
    Koehn, "Statistical Significance Tests for Machine Translation Evaluation" (EMNLP 2004).

    Args:
        differences: One for each question, at least one.
        resamples: >= 1; a few thousand for two good digits.
        level: In (0, 1).
        seed: Same seed, same interval.

    Returns:
        Low and high end, in the unit of the differences.
    """
    return weighted_interval([(1.0, differences)], resamples=resamples, level=level, seed=seed)


def weighted_interval(
    sets: Sequence[tuple[float, Sequence[float]]],
    *,
    resamples: int = RESAMPLES,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[float, float]:
    """The same of the weighted mean over sets of their means: each resample draws within every set (stratified).

    Args:
        sets: Weight, > 0, and paired differences of each, at least one.
        resamples: See bootstrap_interval.
        level: See bootstrap_interval.
        seed: See bootstrap_interval.
    """
    rng = np.random.default_rng(seed)
    weights, parts = zip(*sets, strict=True)
    means = np.average([_resampled(part, resamples, rng) for part in parts], axis=0, weights=weights)
    tail = (1 - level) / 2 * 100
    low, high = np.percentile(means, [tail, 100 - tail])
    return float(low), float(high)


def _resampled(differences: Sequence[float], resamples: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    values: npt.NDArray[np.float64] = np.asarray(differences, dtype=np.float64)
    sizes = [min(_BLOCK, resamples - done) for done in range(0, resamples, _BLOCK)]
    return np.concatenate([values[rng.integers(0, len(values), (size, len(values)))].mean(axis=1) for size in sizes])


def mcnemar_p(only_a: int, only_b: int) -> float:
    """Exact two-sided p of McNemar's test: the chance of a split as uneven as this if both sides were equally likely.

    p = min(1, 2 * P(X <= min(only_a, only_b))), X binomial with n = only_a + only_b and 1/2; 1 if n = 0.
    Source: McNemar (Psychometrika 1947), exact form; for classifiers Dietterich (Neural Computation 1998), section 3.1.

    Args:
        only_a: Questions in which only system A has the property, >= 0.
        only_b: Questions in which only system B has it, >= 0.
    """
    n = only_a + only_b
    ways, term = 0, 1  # term is the binomial coefficient (n over i), kept from one i to the next
    for i in range(min(only_a, only_b) + 1):
        ways += term
        term = term * (n - i) // (i + 1)
    return min(1.0, 2 * ways / (1 << n))


def compare(
    scores_a: Iterable[Score | Crash], scores_b: Iterable[Score | Crash], *, resamples: int = RESAMPLES, seed: int = 0
) -> dict[str, dict[str, float | int | None]]:
    """Differences A - B of every mean measure, over the questions in which both systems have it.

    Args:
        scores_a: One for each question of system A. Crashes are left out, and so is their question on the other side.
        scores_b: The same for system B.
        resamples: Of the bootstrap, >= 1.
        seed: Of the bootstrap.

    Returns:
        For each name of `MEANS`: `value`, `low` and `high` (95 % interval), `n` (pairs), and `p` (McNemar) where the
        measure is 0 or 1. All None but n if no pair has the measure.

    Raises:
        BadInput: No question was scored on both sides.
    """
    of_a = {item.id: item for item in scores_a if isinstance(item, Score)}
    of_b = {item.id: item for item in scores_b if isinstance(item, Score)}
    shared = [name for name in of_a if name in of_b]
    if not shared:
        raise BadInput(
            f"the two evaluations share no scored question ({len(of_a)} and {len(of_b)} scored); "
            "compare runs over the same questions"
        )
    differences: dict[str, dict[str, float | int | None]] = {}
    for name, measure in MEANS.items():
        pairs = [
            (float(a), float(b))
            for key in shared
            if (a := measure(of_a[key])) is not None and (b := measure(of_b[key])) is not None
        ]
        differences[name] = _difference(pairs, binary=name in BINARY, resamples=resamples, seed=seed)
    return differences


def _difference(
    pairs: Sequence[tuple[float, float]], *, binary: bool, resamples: int, seed: int
) -> dict[str, float | int | None]:
    p: dict[str, float | int | None] = {"p": None} if binary else {}
    if not pairs:
        return {"value": None, "low": None, "high": None, "n": 0, **p}
    differences = [a - b for a, b in pairs]
    low, high = bootstrap_interval(differences, resamples=resamples, seed=seed)
    if binary:
        p = {"p": mcnemar_p(sum(a > b for a, b in pairs), sum(b > a for a, b in pairs))}
    return {"value": sum(differences) / len(differences), "low": low, "high": high, "n": len(pairs), **p}
