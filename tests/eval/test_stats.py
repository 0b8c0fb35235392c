import random
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopstop.eval.questions import Question, Support
from hopstop.eval.score import MEANS, Crash, Score, score
from hopstop.eval.stats import BINARY, bootstrap_interval, compare, mcnemar_p, weighted_interval
from hopstop.program.errors import BadInput
from hopstop.program.records import Outcome, Passage, StopReason


def slow_percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (position - low) * (ordered[high] - ordered[low])


def test_bootstrap_is_the_percentiles_of_resampled_means() -> None:
    differences = [0.5, -1.0, 0.0, 1.0, 0.25, 0.75, -0.5]
    rng = np.random.default_rng(3)
    means = [sum(differences[rng.integers(0, 7)] for _ in range(7)) / 7 for _ in range(1200)]
    low, high = bootstrap_interval(differences, resamples=1200, level=0.9, seed=3)
    assert low == pytest.approx(slow_percentile(means, 0.05))
    assert high == pytest.approx(slow_percentile(means, 0.95))


def test_bootstrap_interval_covers_the_true_mean_about_as_often_as_it_says() -> None:
    rng = random.Random(0)
    covered = 0
    for seed in range(200):
        low, high = bootstrap_interval([rng.gauss(0.2, 1.0) for _ in range(40)], resamples=500, seed=seed)
        covered += low <= 0.2 <= high
    assert 175 <= covered <= 200


def test_bootstrap_depends_on_the_seed_only() -> None:
    differences = [0.1, 1.0, 0.7, -1.0, 0.3]
    assert bootstrap_interval(differences, seed=1) == bootstrap_interval(differences, seed=1)
    assert bootstrap_interval(differences, seed=1, resamples=50) != bootstrap_interval(
        differences, seed=2, resamples=50
    )
    assert bootstrap_interval([1.0, 1.0]) == (1.0, 1.0)


def test_weighted_bootstrap_draws_within_each_set() -> None:
    sure, small = [1.0] * 50, [0.0, 1.0]
    assert weighted_interval([(1.0, sure), (3.0, [0.0] * 5)]) == (0.25, 0.25)  # sets are never mixed
    assert weighted_interval([(1.0, sure), (1.0, small)]) == (0.5, 1.0)  # a small set is as unsure as it is small
    assert weighted_interval([(0.3, small)], seed=4) == bootstrap_interval(small, seed=4)


@given(st.integers(0, 6), st.integers(0, 6))
def test_mcnemar_counts_the_splits_that_are_at_least_as_uneven(only_a: int, only_b: int) -> None:
    n = only_a + only_b
    gap = abs(only_a - only_b)
    uneven = sum(abs(2 * sum(flips) - n) >= gap for flips in product((0, 1), repeat=n))
    assert mcnemar_p(only_a, only_b) == pytest.approx(float(Fraction(uneven, 2**n)))


def test_mcnemar_of_large_counts_stays_finite() -> None:
    assert mcnemar_p(3000, 3000) == 1.0
    assert 0.0 <= mcnemar_p(0, 3000) < 1e-300


QUESTION = Question(id="", question="Q?", answers=("x",), supports=(Support("p1"),))


def scored(name: str, *, right: bool, passages: int = 1, answerable: bool = True) -> Score:
    question = replace(QUESTION, id=name) if answerable else Question(id=name, question="Q?", answerable=False)
    evidence = tuple(Passage(f"p{i}", "x") for i in range(1, passages + 1))
    outcome = Outcome("Q?", StopReason.ANSWERED, answer="x" if right else "y", evidence=evidence)
    return score(question, outcome)


def test_compare_pairs_by_id_and_leaves_out_what_one_side_lacks() -> None:
    a = [scored(str(i), right=True, passages=3) for i in range(6)] + [scored("only a", right=False)]
    b = [scored(str(i), right=i < 2, passages=1) for i in reversed(range(5))] + [Crash("5", "ValueError: x")]
    table = compare(a, b, resamples=500)
    assert set(table) == set(MEANS)
    assert table["em"]["value"] == pytest.approx(3 / 5)
    assert table["em"]["n"] == 5
    assert table["em"]["p"] == mcnemar_p(3, 0)
    assert (table["em"]["low"], table["em"]["high"]) == bootstrap_interval([0, 0, 1, 1, 1], resamples=500)
    assert (table["passages_mean"]["value"], table["passages_mean"]["low"]) == (2.0, 2.0)
    assert "p" not in table["passages_mean"]


def test_compare_of_what_was_not_measured_is_none() -> None:
    one = [scored("1", right=True, answerable=False)]
    nothing = {"value": None, "low": None, "high": None, "n": 0, "p": None}
    assert compare(one, one)["em"] == nothing
    assert compare(one, one)["abstain_right"]["value"] == 0.0


def test_binary_measures_are_zero_or_one() -> None:
    item = scored("1", right=True)
    assert set(MEANS) >= BINARY
    assert all(MEANS[name](item) in (0, 1, None) for name in BINARY)


def test_compare_without_a_shared_question_is_refused() -> None:
    with pytest.raises(BadInput, match="share no scored question"):
        compare([scored("1", right=True)], [scored("2", right=True), Crash("1", "x")])
