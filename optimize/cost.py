"""What a compile will cost, before it starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hopstop.optimize.cases import Label, Split
from hopstop.optimize.recipes import Recipe, plan
from hopstop.program.prices import Price

CHARACTERS_A_TOKEN = 4  # of English prose under the tokenisers of current models
ROUNDS = 3  # calls of each predictor in a whole loop, about


@dataclass(frozen=True, slots=True)
class Size:
    """Tokens of one call, about."""

    prompt: int
    reply: int


WRITING = Size(3_500, 500)  # with which a teacher writes one instruction, examples and feedback read


@dataclass(frozen=True, slots=True)
class Models:
    """Who answers.

    Attributes:
        own: Name of the model of each predictor; of the one that reads once more before an answer, if any.
        teacher: Name of the model that writes instructions for each predictor.
        prices: Of models by name, where known.
    """

    own: Mapping[str, str]
    teacher: Mapping[str, str]
    prices: Mapping[str, Price | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Share:
    """What one model is asked.

    Attributes:
        calls: LM calls.
        tokens: Input and output tokens of these calls, about.
        usd: Dollars, about; None if the price is unknown.
        work: What for: names of predictors, "instructions" (the teacher's) and "joint" (whole loops).
    """

    calls: int
    tokens: int
    usd: float | None
    work: tuple[str, ...]

    def __add__(self, more: Share) -> Share:
        usd = None if self.usd is None or more.usd is None else self.usd + more.usd
        work = tuple(dict.fromkeys((*self.work, *more.work)))
        return Share(self.calls + more.calls, self.tokens + more.tokens, usd, work)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a compile costs at most, as far as it can be known before.

    Attributes:
        by_predictor: Calls by predictor, and by "joint".
        by_model: What each model is asked, by its name. Examples that a teacher answers stand with the model of the
            predictor.
    """

    by_predictor: Mapping[str, int]
    by_model: Mapping[str, Share]

    @property
    def calls(self) -> int:
        """LM calls."""
        return sum(self.by_predictor.values())

    @property
    def tokens(self) -> int:
        """Input and output tokens, about: four characters each, every prompt with all examples."""
        return sum(share.tokens for share in self.by_model.values())


@dataclass(frozen=True, slots=True)
class _Asked:
    """Calls of one size of one model."""

    model: str
    calls: int
    size: Size
    work: str

    def share(self, prices: Mapping[str, Price | None]) -> Share:
        price, prompt, reply = prices.get(self.model), self.calls * self.size.prompt, self.calls * self.size.reply
        usd = None if price is None else price.cost(prompt, reply)
        return Share(self.calls, prompt + reply, usd, (self.work,))


def estimate(predictors: Mapping[str, Any], splits: Mapping[str, Split], recipe: Recipe, models: Models) -> Estimate:
    """Estimate a compile.

    Args:
        predictors: Those that are compiled, by name.
        splits: Their labels.
        recipe: How.
        models: Who answers.

    Raises:
        BadInput: The budget does not suffice.
    """
    calls: dict[str, int] = {}
    sizes: list[Size] = []
    asked: list[_Asked] = []
    for name, predictor in predictors.items():
        split = splits[name]
        planned = plan(recipe, len(split.train), len(split.val))
        marked = planned.metric_calls + 2 * len(split.dev)
        sizes.append(_size(predictor, split.train, recipe))
        calls[name] = marked + planned.teacher_calls
        asked.append(_Asked(models.own[name], marked, sizes[-1], name))
        asked.append(_Asked(models.teacher[name], planned.teacher_calls, WRITING, "instructions"))
    if recipe.joint:
        rounds = recipe.joint * (len(predictors) + 2) * ROUNDS
        asked += [_Asked(model, rounds, _mean(sizes), "joint") for model in models.own.values()]
        calls["joint"] = rounds * len(models.own)
    return Estimate(calls, _by_model(asked, models.prices))


def _by_model(asked: Iterable[_Asked], prices: Mapping[str, Price | None]) -> dict[str, Share]:
    found: dict[str, Share] = {}
    for item in asked:
        if item.calls:
            share = item.share(prices)
            found[item.model] = found[item.model] + share if item.model in found else share
    return found


def _mean(sizes: list[Size]) -> Size:
    return Size(*(sum(getattr(size, side) for size in sizes) // len(sizes) for side in ("prompt", "reply")))


def _size(predictor: Any, labels: tuple[Label, ...], recipe: Recipe) -> Size:  # noqa: ANN401
    """Of one call: instruction and field descriptions, the examples and the input; and the reply."""
    signature = predictor.signature
    described = sum(len(str(item.json_schema_extra)) for item in signature.fields.values())
    given, told = (
        sum(
            len(str(value))
            for label in labels
            for name, value in label.fields.items()
            if (name in label.inputs) is side
        )
        // max(1, len(labels))
        for side in (True, False)
    )
    examples = 0 if recipe.name == "gepa" else recipe.examples
    prompt = len(signature.instructions) + 2 * described + examples * (given + told) + given
    return Size(prompt // CHARACTERS_A_TOKEN, told // CHARACTERS_A_TOKEN)
