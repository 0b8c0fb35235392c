"""An LM whose skill depends on what its prompt holds: examples, and a line that instructions may have."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from typing import Any

import dspy
from dspy import lm15

from fakes import asked_by, chat
from hopstop.eval.desk import make_desk
from hopstop.eval.questions import Dataset
from hopstop.optimize.cases import Label
from hopstop.optimize.compile import Job
from hopstop.optimize.labels import Amount, Labels, make_labels
from hopstop.optimize.recipes import RECIPES, Recipe
from hopstop.program import BM25Index, IterativeQA, LMPolicy

LINE = "Look twice at every name."
NATIVE, EACH_EXAMPLE, FROM_LINE = 35, 15, 60  # of a hundred labels answered right
_OUTPUTS = re.compile(r"Your output fields are:\n(.*?)\n(?:All interactions|Inputs will|In adhering|\[\[)", re.DOTALL)


@dataclass
class SkilledEngine:
    """Answers labels it knows: right for a share of them that grows with examples and with a line of instructions.

    Other prompts, with which optimisers ask for instructions, are answered with the line in every field.
    """

    labels: dict[str, Label]
    requests: list[lm15.Request] = field(default_factory=list)
    written: str = LINE

    def complete(self, request: lm15.Request) -> lm15.Response:
        self.requests.append(request)
        text = self._answer(request)
        prompt = str(request)
        tokens = len(prompt.split()), len(text.split())
        return lm15.Response(
            id="skilled",
            model=request.model,
            message=lm15.Message(role="assistant", parts=(lm15.TextPart(text),)),
            finish_reason="stop",
            usage=lm15.Usage(input_tokens=tokens[0], output_tokens=tokens[1], total_tokens=sum(tokens)),
        )

    def close(self) -> None:
        pass

    def _answer(self, request: lm15.Request) -> str:
        system = str(request.system)
        if not re.search("`verdict`|`related`|`query`", _outputs(system)):
            return self._write(system)
        examples = sum(message.role == "assistant" for message in request.messages)
        skill = NATIVE + EACH_EXAMPLE * examples + FROM_LINE * (LINE in system)
        label = self._find(asked_by(request), _text(request.messages[-1]))
        right = int(sha256(label.id.encode()).hexdigest(), 16) % 100 < skill
        return chat(**{name: _plain(value if right else _wrong(value)) for name, value in _outputs_of(label).items()})

    def _find(self, predictor: str, said: str) -> Label:
        for label in self.labels.values():
            mine = f"/{predictor}/" in label.id
            if mine and all(_shown(label.fields[name]) in said for name in label.inputs):
                return label
        raise AssertionError(f"no label of {predictor} was asked: {said}")

    def _write(self, system: str) -> str:
        names = re.findall(r"^\d+\. `(\w+)`", _outputs(system), re.MULTILINE)
        assert names, f"nobody foresaw this prompt: {system}"
        fields = dict.fromkeys(names, self.written)
        return json.dumps(fields) if "JSON" in system else chat(**fields)


def _outputs(system: str) -> str:
    found = _OUTPUTS.search(system.replace("\\n", "\n"))
    return found[1] if found else ""


def _text(message: lm15.Message) -> str:
    return "\n".join(part.text for part in message.parts)


def _shown(value: Any) -> str:  # noqa: ANN401
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) if value else ""


def _outputs_of(label: Label) -> dict[str, Any]:
    return {name: value for name, value in label.fields.items() if name not in label.inputs}


def _plain(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, list):
        return [item if isinstance(item, str) else item.model_dump() for item in value]
    return value


def _wrong(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, list):
        return []
    return {"STOP": "SEARCH", "SEARCH": "STOP"}.get(value, "nobody knows")


def skilled_lm(labels: Iterable[Label], *, model: str = "scripted/skilled", written: str = LINE) -> dspy.LM:
    engine = SkilledEngine({label.id: label for label in labels}, written=written)
    return dspy.LM(model, engine=engine, cache=False)


def every(labels: Labels) -> list[Label]:
    return [label for split in labels.splits.values() for side in (split.train, split.val, split.dev) for label in side]


@cache
def desk() -> tuple[Dataset, BM25Index]:
    data = make_desk(size=0.3)
    assert data.passages is not None
    return data, BM25Index.build(data.passages)


@cache
def desk_labels() -> Labels:
    return make_labels(*desk(), Amount(train=24, dev=16))


def small(name: str) -> Recipe:
    """A recipe that is soon done, for two predictors."""
    return replace(RECIPES[name], budget=80, candidates=3, predictors=("decide", "rewrite"))


def desk_job(recipe: Recipe, *, lm: Any = None, teacher: Any = None) -> Job:  # noqa: ANN401
    data, index = desk()
    program = IterativeQA(index, LMPolicy(lm or skilled_lm(every(desk_labels())), schema=False))
    return Job(program=program, data=data, labels=desk_labels(), recipe=recipe, teacher=teacher)
