"""What a compile will cost, before it starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hopstop.optimize.cases import Label, Split
from hopstop.optimize.recipes import Recipe, plan

CHARACTERS_A_TOKEN = 4  # of English prose under the tokenisers of current models
ROUNDS = 3  # calls of each predictor in a whole loop, about
WRITING = 4_000  # tokens with which a teacher writes one instruction, examples and feedback read


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a compile costs at most, as far as it can be known before.

    Attributes:
        calls: LM calls.
        tokens: Input and output tokens of these calls, about: four characters each, every prompt with all examples.
        by_predictor: Calls by predictor, and by "joint".
    """

    calls: int
    tokens: int
    by_predictor: Mapping[str, int]


def estimate(predictors: Mapping[str, Any], splits: Mapping[str, Split], recipe: Recipe) -> Estimate:
    """Estimate a compile.

    Args:
        predictors: Those that are compiled, by name.
        splits: Their labels.
        recipe: How.

    Raises:
        BadInput: The budget does not suffice.
    """
    calls, tokens, each = {}, 0, []
    for name, predictor in predictors.items():
        split = splits[name]
        planned = plan(recipe, len(split.train), len(split.val))
        asked = planned.metric_calls + 2 * len(split.dev)
        each.append(_tokens(predictor, split.train, recipe))
        calls[name] = asked + planned.teacher_calls
        tokens += asked * each[-1] + planned.teacher_calls * WRITING
    if recipe.joint:
        loops = recipe.joint * (len(predictors) + 1)
        calls["joint"] = loops * ROUNDS * 3
        tokens += calls["joint"] * (sum(each) // len(each))
    return Estimate(sum(calls.values()), tokens, calls)


def _tokens(predictor: Any, labels: tuple[Label, ...], recipe: Recipe) -> int:  # noqa: ANN401
    """Of one call: instruction and field descriptions, the examples, the input and the reply."""
    signature = predictor.signature
    described = sum(len(str(item.json_schema_extra)) for item in signature.fields.values())
    example = sum(len(str(value)) for label in labels for value in label.fields.values()) // max(1, len(labels))
    examples = 0 if recipe.name == "gepa" else recipe.examples
    return (len(signature.instructions) + 2 * described + (examples + 1) * example) // CHARACTERS_A_TOKEN
