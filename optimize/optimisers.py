"""DSPy's optimisers, each kept from the traps it has for a predictor of ours."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any

import dspy
from dspy.teleprompt import BootstrapFewShot, LabeledFewShot, MIPROv2
from dspy.teleprompt.gepa import InstructionProposer
from dspy.utils.exceptions import AdapterParseError
from pydantic import ValidationError

from hopstop.optimize.cases import Label, Split
from hopstop.optimize.predictor_metrics import Marker, teachable
from hopstop.optimize.recipes import LEAST_SETS, MINIBATCH, Plan, Recipe
from hopstop.optimize.single import Single

SHORT = 1 / 3
"""Share of the examples of a kind that count as short and come first. Examples are paid in every call, and long
ones confuse small models: two for Decide with a model of 0.5B, quote F1 on 16 labels 0.26 without, 0.40 with short
ones, 0.06 with any."""


@dataclass(frozen=True, slots=True)
class Task:
    """One predictor to compile.

    Attributes:
        student: The predictor as it is.
        split: Its labels.
        marker: Marks answers.
        recipe: How, within which budget.
        plan: What the recipe does with the budget.
        lm: Answers for the student.
        teacher: Answers where examples are bootstrapped, and writes instructions.
        score: Mean score of a predictor on labels, each counted as a metric call.
    """

    student: Single
    split: Split
    marker: Marker
    recipe: Recipe
    plan: Plan
    lm: Any
    teacher: Any
    score: Callable[[Single, Sequence[Label]], float]

    def shown(self, number: int = 0) -> list[Any]:
        """Examples fit to be shown: short ones first, kinds in turn, in the order that the seed and a number give."""
        fit = [label for label in self.split.train if teachable(label, self.marker.index)] or list(self.split.train)
        random.Random(f"{self.recipe.seed} {number}").shuffle(fit)
        short = _short(fit)
        fit.sort(key=lambda label: label.id not in short)  # stable: the drawn order stays within both
        kinds: dict[str, list[Label]] = defaultdict(list)
        for label in fit:
            kinds[str(label.fields.get("verdict", label.kind))].append(label)
        turns = chain.from_iterable(zip_longest(*kinds.values()))
        return [label.example() for label in turns if label is not None]


def _short(labels: Sequence[Label]) -> frozenset[str]:
    """Ids of the shortest labels of each kind."""
    kinds: dict[str, list[Label]] = defaultdict(list)
    for label in sorted(labels, key=_length):
        kinds[label.kind].append(label)
    return frozenset(label.id for kind in kinds.values() for label in kind[: math.ceil(SHORT * len(kind))])


def _length(label: Label) -> int:
    """Characters of an example, near enough: what it costs in each call."""
    return sum(len(str(value)) for value in label.fields.values())


Optimiser = Callable[[Task], Single]


def labeled(task: Task) -> Single:
    """Examples from the labels: of several sets the one that scores best."""
    sets = []
    for number in range(task.plan.rounds):
        sets.append(_with_examples(task, number))
    if len(sets) == 1:
        return sets[0]
    scores = [task.score(item, task.split.val) for item in sets]
    return sets[scores.index(max(scores))]


def _with_examples(task: Task, number: int) -> Single:
    optimiser = LabeledFewShot(k=task.recipe.examples)
    made: Single = optimiser.compile(task.student, trainset=task.shown(number), sample=False)
    return made


def bootstrap(task: Task) -> Single:
    """Examples that the teacher has answered right."""
    optimiser = BootstrapFewShot(
        metric=task.marker.score,
        metric_threshold=task.recipe.threshold,
        teacher_settings={"lm": task.teacher},
        max_bootstrapped_demos=task.recipe.examples,
        max_labeled_demos=0,
    )
    made: Single = optimiser.compile(task.student, trainset=task.shown()[: task.plan.train])
    return made


class _ShortMIPRO(MIPROv2):
    """MIPROv2 that never tries an instruction above a length."""

    longest = 0

    def _propose_instructions(self, program: Any, *given: Any, **options: Any) -> Any:  # noqa: ANN401
        proposed = super()._propose_instructions(program, *given, **options)
        return {
            place: [texts[0], *(text for text in texts[1:] if len(text) <= self.longest)]
            for place, texts in proposed.items()
        }


def mipro(task: Task) -> Single:
    """Instructions that the teacher writes, with labelled and bootstrapped examples, searched by MIPROv2 and optuna."""
    optimiser = _ShortMIPRO(
        metric=task.marker.score,
        prompt_model=task.teacher,
        task_model=task.lm,
        teacher_settings={"lm": task.teacher},
        max_bootstrapped_demos=task.recipe.examples,
        max_labeled_demos=task.recipe.examples,
        auto=None,
        num_candidates=max(LEAST_SETS, task.recipe.candidates),
        num_threads=1,  # in one thread DSPy runs no example twice when it is slow
        seed=task.recipe.seed,
        metric_threshold=task.recipe.threshold,
        track_stats=False,
    )
    optimiser.longest = task.recipe.max_instruction
    made: Single = optimiser.compile(
        task.student,
        trainset=task.shown()[: task.plan.train],
        valset=[label.example() for label in task.split.val],
        num_trials=task.plan.rounds,
        minibatch=False,
        program_aware_proposer=False,  # it would show our source code to the teacher
    )
    return made


class _ShortProposer:
    """Writes instructions for GEPA; keeps the old one where the new one is too long or no text at all."""

    def __init__(self, longest: int) -> None:
        self._write = InstructionProposer(max_chars=longest)

    def __call__(
        self, candidate: Mapping[str, str], reflective_dataset: Mapping[str, Any], components_to_update: Sequence[str]
    ) -> dict[str, str]:
        try:
            written: dict[str, str] = self._write(
                candidate=candidate,
                reflective_dataset=reflective_dataset,
                components_to_update=components_to_update,
            )
        except (ValidationError, AdapterParseError):
            return {name: candidate[name] for name in components_to_update}
        return written


def gepa(task: Task) -> Single:
    """Instructions rewritten from the feedback to single answers."""
    optimiser = dspy.GEPA(
        metric=task.marker,
        max_metric_calls=task.plan.rounds,
        reflection_minibatch_size=MINIBATCH,
        reflection_lm=task.teacher,
        instruction_proposer=_ShortProposer(task.recipe.max_instruction),
        use_merge=False,  # there is one predictor
        num_threads=1,
        seed=task.recipe.seed,
    )
    made: Single = optimiser.compile(
        task.student,
        trainset=[label.example() for label in task.split.train],
        valset=[label.example() for label in task.split.val],
    )
    return made


OPTIMISERS: Mapping[str, Optimiser] = {"labeled": labeled, "bootstrap": bootstrap, "mipro": mipro, "gepa": gepa}
"""By name of the recipe."""
