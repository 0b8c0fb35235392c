"""Choose between compiled predictors and the ones before by whole loops: what counts is the proven answer."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import dspy

from hopstop.eval.batch_threads import together
from hopstop.eval.questions import Dataset, Question
from hopstop.eval.score import score
from hopstop.optimize.cases import PREDICTORS
from hopstop.optimize.measure import side_by_side
from hopstop.optimize.recipes import Recipe
from hopstop.optimize.tiers import with_lms
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA

NO_CLOCK = 1e9  # seconds: replies that are already kept come at once, and must not change how a loop ends


@dataclass(frozen=True, slots=True)
class Loops:
    """Runs whole loops.

    Attributes:
        program: As it was before the compile.
        policy: Its policy, with the LMs that answer.
        data: Questions.
        train_ids: Those that predictors learned from; whole loops are run on some of them.
        recipe: How many, and what cost weighs.
        threads: Questions in work at once, >= 1; more where their calls wait for one batch.
    """

    program: IterativeQA
    policy: LMPolicy
    data: Dataset
    train_ids: tuple[str, ...]
    recipe: Recipe
    threads: int = 1

    def questions(self) -> list[Question]:
        """The questions that are asked, unanswerable ones included; the same for the same seed."""
        known = set(self.train_ids)
        usable = [item for item in self.data.questions if item.id in known and not item.context_only]
        count = min(self.recipe.joint, len(usable))
        return random.Random(self.recipe.seed).sample(usable, count)

    def score(self, states: Mapping[str, Any]) -> float:
        """Mean over the questions of proven minus cost, with these states of predictors.

        proven is 1 for a right answer with every gold passage quoted, and for an unanswerable question that was not
        answered; the cost is the tokens used, as a share of the token limit, times the weight of the recipe.
        """
        policy = with_lms(self.policy, lambda lm: lm)
        for name, state in states.items():
            getattr(policy, PREDICTORS[name]).load_state(state)
        loop = self.program.like(policy=policy, limits=replace(self.program.limits, max_seconds=NO_CLOCK))
        loop.budget = loop.tracer = None  # a kept reply must not count again, nor look like a question of a user
        asked = self.questions()
        # With DSPy's trace the loop would prune and rewrite in turn: one batch more a round.
        with dspy.context(trace=None), together(len(asked), self.threads) as at_once:
            values = list(side_by_side(lambda question: self._value(loop, question), asked, at_once))
        return sum(values) / len(values) if values else 0.0

    def _value(self, loop: IterativeQA, question: Question) -> float:
        found = score(question, loop(question.question, groups=question.groups))
        right = found.correct if question.answerable else not found.answered
        proven = right if found.proven is None else found.proven
        cost = min(1.0, found.tokens / self.program.limits.max_tokens)
        return float(proven) - self.recipe.cost_weight * cost


def choose_jointly(loops: Loops, compiled: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Take back, one after the other, each compiled predictor without which whole loops do strictly better.

    Args:
        loops: Runs them.
        compiled: States by predictor.

    Returns:
        The states that stay, and what was scored: the program before, the compiled one, and each trial.
    """
    kept = dict(compiled)
    best = loops.score(kept)
    told = {"n": len(loops.questions()), "before": loops.score({}), "compiled": best}
    for name in compiled:
        fewer = {key: state for key, state in kept.items() if key != name}
        without = loops.score(fewer)
        told[f"without {name}"] = without
        if without > best:
            kept, best = fewer, without
    return kept, {**told, "chosen": best, "kept": list(kept)}
