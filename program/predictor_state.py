"""The state of predictors as JSON: what an artifact keeps of them, and what it may set when it is loaded."""

from __future__ import annotations

import copy
import types
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any, Literal, Union, get_args, get_origin

import dspy
from pydantic import BaseModel

from hopstop.program.errors import ArtifactMismatch, BadInput
from hopstop.program.manifest import Field, PredictorFields
from hopstop.program.prompt_state import AUGMENTED, EMPTY, check_prompt


def predictors(policy: Any) -> dict[str, Any]:  # noqa: ANN401 - DSPy modules are untyped
    """The predictors of a policy by name.

    Not by DSPy's `named_predictors`, which leaves out modules that are marked as compiled.
    """
    return {name: value for name, value in vars(policy).items() if isinstance(value, dspy.Predict)}


def fields_of(predictor: Any) -> PredictorFields:  # noqa: ANN401
    """The fields of a predictor, ordered."""
    signature = predictor.signature
    return PredictorFields(
        *(
            tuple(Field(name, type_name(item.annotation)) for name, item in part.items())
            for part in (signature.input_fields, signature.output_fields)
        )
    )


def type_name(annotation: Any) -> str:  # noqa: ANN401 - any type there is
    """A type as text; equal for equal types in every process and Python, with the fields of nested models."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return f"Literal[{', '.join(map(repr, inner))}]"
    names = [type_name(item) for item in inner]
    if origin in (Union, types.UnionType):
        return " | ".join(names)
    if origin is not None:
        return f"{getattr(origin, '__name__', origin)}[{', '.join(names)}]"
    name = getattr(annotation, "__name__", str(annotation))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        shown = (f"{key}: {type_name(item.annotation)}" for key, item in annotation.model_fields.items())
        return f"{name}({', '.join(shown)})"
    return str(name)


def dump(name: str, predictor: Any) -> dict[str, Any]:  # noqa: ANN401
    """The state of a predictor: its instruction, field descriptions and examples, and nothing else.

    Examples keep the fields of the signature only; what else a data set holds never reaches a prompt.

    Raises:
        BadInput: The predictor has settings that an artifact cannot keep.
    """
    if predictor.config or predictor.fields:
        raise BadInput(
            f"predictor {name!r} has settings of its own (config or decision fields), which an artifact does not keep: "
            "give them to the LM"
        )
    bare = copy.copy(predictor)
    bare.lm = None  # an LM is not kept, and not every engine has a state
    state = bare.dump_state(json_mode=True)
    order = [*predictor.signature.fields, AUGMENTED]
    demos = [{key: demo[key] for key in order if key in demo} for demo in state["demos"]]
    return {"demos": demos, "signature": state["signature"], **EMPTY}


def check_fields(saved: Mapping[str, PredictorFields], here: Mapping[str, PredictorFields]) -> None:
    """Whether predictors have the same fields, by name, type and order.

    Raises:
        ArtifactMismatch: They do not; names the first predictor and field that differ.
    """
    for name in sorted(saved.keys() ^ here.keys()):
        raise ArtifactMismatch(f"predictor {name!r} is {'unknown here' if name in saved else 'missing'}")
    for name, mine in here.items():
        for side in ("inputs", "outputs"):
            pairs = zip_longest(getattr(saved[name], side), getattr(mine, side))
            for place, (theirs, ours) in enumerate(pairs, start=1):
                if theirs != ours:
                    raise ArtifactMismatch(
                        f"predictor {name!r}, {side[:-1]} field {place} is {_shown(theirs)} in the artifact, "
                        f"{_shown(ours)} here"
                    )


def _shown(field: Field | None) -> str:
    return "absent" if field is None else f"'{field.name}' ({field.type})"


def check_states(states: Mapping[str, Any], predictors: Mapping[str, Any]) -> None:
    """Whether states can be set on predictors: their form, and that nothing else than prompts stands in them.

    Raises:
        ArtifactMismatch: They cannot; names the key.
    """
    for name in sorted(states.keys() ^ predictors.keys()):
        raise ArtifactMismatch(f"state of predictor {name!r} is {'missing' if name in predictors else 'unknown here'}")
    for name, predictor in predictors.items():
        check_prompt(name, states[name], list(predictor.signature.fields))


def restore(states: Mapping[str, Any], predictors: Mapping[str, Any]) -> None:
    """Set checked states on predictors."""
    for name, predictor in predictors.items():
        predictor.load_state(dict(states[name]))
