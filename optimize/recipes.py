"""Frozen recipes: which optimiser compiles the predictors, within which budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hopstop.optimize.cases import PREDICTORS
from hopstop.program.errors import BadInput

MINIBATCH = 3  # examples that GEPA reflects on at once; its own default
LEAST_SETS = 3  # of MIPROv2: no examples, labelled ones, bootstrapped ones
PROPOSALS = 10  # calls of the teacher besides those for instructions, with which MIPROv2 looks at the data


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How predictors are compiled.

    Attributes:
        name: "labeled": examples from the labels, the best of several sets. "bootstrap": examples that a teacher
            answered right. "mipro": both with instructions that a teacher writes (MIPROv2). "gepa": instructions
            rewritten from feedback (GEPA).
        budget: Metric calls for each predictor, hence about as many LM calls; those on dev labels come on top.
        seed: Same seed, labels and replies, same program.
        predictors: Which, in this order; names in `PREDICTORS`.
        examples: In one prompt, at most.
        candidates: Sets of examples, and instructions, to choose among.
        threshold: Score from which on an answer of the teacher is an example, in [0, 1].
        max_instruction: Characters of an instruction; a longer one is refused, as it is paid in every round. About 4
            characters are a token.
        joint: Questions on which whole loops choose, at the end, between each compiled predictor and the one before;
            0: none.
        cost_weight: What a question that uses up its token limit loses of its score in whole loops, in [0, 1].

    Raises:
        BadInput: A value lies outside its range.
    """

    name: str
    budget: int
    seed: int = 0
    predictors: tuple[str, ...] = tuple(PREDICTORS)
    examples: int = 4
    candidates: int = 6
    threshold: float = 0.9
    max_instruction: int = 4_000
    joint: int = 0
    cost_weight: float = 0.1

    def __post_init__(self) -> None:
        if self.name not in ("labeled", "bootstrap", "mipro", "gepa"):
            raise BadInput(f"no recipe {self.name!r}; choose one of labeled, bootstrap, mipro, gepa")
        unknown = [name for name in self.predictors if name not in PREDICTORS]
        if unknown or not self.predictors or len(set(self.predictors)) < len(self.predictors):
            raise BadInput(f"predictors {', '.join(self.predictors)!r}: name each once, among {', '.join(PREDICTORS)}")
        for name, low in {"budget": 1, "examples": 1, "candidates": 1, "max_instruction": 1, "joint": 0}.items():
            if getattr(self, name) < low:
                raise BadInput(f"{name} of a recipe must be >= {low}, not {getattr(self, name)}")
        if not (0 <= self.threshold <= 1 and 0 <= self.cost_weight <= 1):
            raise BadInput("threshold and cost_weight of a recipe lie in [0, 1]")


RECIPES: Mapping[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        Recipe(name="labeled", budget=300),
        Recipe(name="bootstrap", budget=200),
        Recipe(name="mipro", budget=600),
        Recipe(name="gepa", budget=600),
    )
}
"""The recipes as they are delivered; change one with `dataclasses.replace`."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a recipe does with its budget for one predictor.

    Attributes:
        train: Labels that are learned from.
        rounds: Sets of examples ("labeled"), trials ("mipro") or metric calls of the search ("gepa").
        metric_calls: In all, at most.
        teacher_calls: Of the teacher besides, to write instructions, at most.
    """

    train: int
    rounds: int
    metric_calls: int
    teacher_calls: int = 0


def plan(recipe: Recipe, train: int, val: int) -> Plan:
    """Spend a budget: the program before and the one after are always compared on all of `val` at the end.

    Args:
        recipe: With its budget.
        train: Labels there are to learn from.
        val: Labels to choose by, >= 1.

    Raises:
        BadInput: The budget does not suffice; names the least that does.
    """
    spare = recipe.budget - 2 * val
    made = {"labeled": _labeled, "bootstrap": _bootstrap, "mipro": _mipro, "gepa": _gepa}[recipe.name](
        recipe, train, val, spare
    )
    if made.metric_calls > recipe.budget:
        raise BadInput(
            f"recipe {recipe.name!r} needs a budget of {made.metric_calls} metric calls for {val} labels to choose by, "
            f"not {recipe.budget}; raise --budget or lower --train"
        )
    return made


def _labeled(recipe: Recipe, train: int, val: int, spare: int) -> Plan:
    sets = max(1, min(recipe.candidates, spare // val + 1))
    return Plan(train, sets, (sets + 1) * val)


def _bootstrap(recipe: Recipe, train: int, val: int, spare: int) -> Plan:
    tried = max(1, min(train, spare))
    return Plan(tried, tried, tried + 2 * val)


def _mipro(recipe: Recipe, train: int, val: int, spare: int) -> Plan:
    sets = max(LEAST_SETS, recipe.candidates)
    tried = max(1, min(train, recipe.budget // 3 // (sets - 2)))
    trials = max(1, (spare - tried * (sets - 2)) // val - 1)
    calls = tried * (sets - 2) + (trials + 1) * val + 2 * val
    return Plan(tried, trials, calls, PROPOSALS + sets)


def _gepa(recipe: Recipe, train: int, val: int, spare: int) -> Plan:
    # GEPA looks at its budget before a step, and a step may end with a whole evaluation.
    most = 2 * MINIBATCH + val
    calls = max(spare - most, val + 1)
    return Plan(train, calls, calls + most + 2 * val, max(1, calls // (2 * MINIBATCH)))
