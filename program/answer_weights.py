"""The weights of the answers without a model: what speaks for a possible answer, and when that is a reason to stop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hopstop.program import candidates, endings

RIGHT = ("score", "rivals", "nouns", "others", "bound", "idle", "length", "one")
"""What tells whether the best ending is right; see `reach.against`."""


@dataclass(frozen=True, slots=True)
class AnswerWeights:
    """What speaks for an answer, and when it is enough. `hopstop calibrate` fits them anew (optimize/answer_fit.py).

    The defaults are those of artifacts that hold none. They were fitted in the same way (listwise logistic regressions
    for the orders, a logistic regression for `right`) by scripts that are not kept: `ranked` on the dev questions of
    HotpotQA, 2WikiMultihopQA and MuSiQue that compare nothing, the others on those and the made company corpora of
    seeds 1 to 5, with 4, 6, 8 and 10 passages read. The thresholds were raised in steps of 0.05: `right_sure` until
    under 5 % of the company questions without an answer were answered (on seeds 21 to 23, looked at only once, 4 %,
    and 39 % of the others, 99 % of them rightly); `ranked_sure` keeps out what stands out least.

    Attributes:
        ranked: One for each of `candidates.FEATURES`.
        ranked_sure: Probability among the candidates, in [0, 1], from which the best one is a reason to stop.
        end: One for each of `endings.FEATURES`.
        right: One for each of RIGHT.
        right_sure: Probability that an ending is right, in [0, 1], from which it is a reason to stop.
        whole_sure: The same for an ending whose way speaks of every word asked for, so that nothing but its form is in
            doubt. As `right_sure` lowered in steps of 0.05, on the desks of seeds 1 to 5 (none of 109 questions without
            an answer was answered at 0.5) and made corpora of other subjects; not fitted anew.
    """

    ranked: tuple[float, ...] = (4.74, 1.66, 1.22, 1.85, 1.54)
    ranked_sure: float = 0.3
    end: tuple[float, ...] = (
        -0.63, -0.15, -0.53, 0.19, -0.92, -0.35, -0.54, 0.38, 2.01, 1.36, 1.01, 0.53, 0.16, 0.22, -0.31,
    )  # fmt: skip
    right: tuple[float, ...] = (1.03, -1.45, -1.32, -3.31, 1.22, -0.93, -0.56, -2.26)
    right_sure: float = 0.65
    whole_sure: float = 0.5

    def state(self) -> dict[str, float]:
        """Name -> weight, as an artifact keeps them."""
        return dict(zip(NAMES, _flat(self), strict=True))

    @classmethod
    def of(cls, state: Mapping[str, float]) -> AnswerWeights:
        """The weights of a state; those that it does not name are the defaults."""
        values = iter([state.get(name, value) for name, value in cls().state().items()])
        ranked = tuple(next(values) for _ in candidates.FEATURES)
        ranked_sure = next(values)
        end = tuple(next(values) for _ in endings.FEATURES)
        right = tuple(next(values) for _ in RIGHT)
        return cls(ranked, ranked_sure, end, right, next(values), next(values))


def _flat(weights: AnswerWeights) -> Iterator[float]:
    yield from (
        *weights.ranked,
        weights.ranked_sure,
        *weights.end,
        *weights.right,
        weights.right_sure,
        weights.whole_sure,
    )


NAMES = (
    *(f"answer.ranked.{name}" for name in (*candidates.FEATURES, "sure")),
    *(f"answer.end.{name}" for name in endings.FEATURES),
    *(f"answer.right.{name}" for name in (*RIGHT, "sure", "whole_sure")),
)
"""Of all weights in a state."""

DEFAULT = AnswerWeights()
