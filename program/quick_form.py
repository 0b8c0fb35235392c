"""The work of DSPy's adapters on the values of one call, done once for each signature where it depends on that alone.

DSPy builds a validator of pydantic for every value that it writes or reads. Whatever is not plain text, a list of it,
or JSON in good order is left to DSPy.
"""

from __future__ import annotations

import enum
import json
from functools import lru_cache
from typing import Any, Literal, get_origin

import dspy
import pydantic
from dspy.adapters.utils import format_field_value

KEPT = 64  # signatures and types of fields: more than one program has predictors


class QuickForm:
    """Stands before an adapter of DSPy: the same prompts and the same values for less work."""

    def format_user_message_content(
        self,
        signature: Any,  # noqa: ANN401 - DSPy's classes are untyped
        inputs: dict[str, Any],
        prefix: str = "",
        suffix: str = "",
        main_request: bool = False,
    ) -> str:
        """See dspy.Adapter."""
        given = [(name, item) for name, item in signature.input_fields.items() if name in inputs]
        parts = [f"[[ ## {name} ## ]]\n{_written(item, inputs[name])}" for name, item in given]
        asked = [_requirements(type(self), signature)] if main_request else []  # type: ignore[arg-type]  # hashable
        return "\n\n".join([prefix, *parts, *asked, suffix]).strip()


def read_json(signature: Any, completion: str) -> dict[str, Any] | None:  # noqa: ANN401
    """The output fields of a reply that is a JSON object of the right types; None: let DSPy read it."""
    try:
        found = json.loads(completion)
    except ValueError:
        return None
    fields = signature.output_fields
    if not isinstance(found, dict) or not fields.keys() <= found.keys():
        return None
    try:
        return {name: _value(found[name], item.annotation) for name, item in fields.items()}
    except ValueError:  # pydantic's among them
        return None


def _written(item: Any, value: Any) -> str:  # noqa: ANN401
    if type(value) is str:
        return value
    if type(value) is list and item.annotation is not str and all(type(part) is str for part in value):
        return json.dumps(value, ensure_ascii=False)
    return str(format_field_value(field_info=item, value=value))


def _value(found: Any, annotation: Any) -> Any:  # noqa: ANN401
    if annotation is str:
        return str(found)
    if get_origin(annotation) is Literal and found in annotation.__args__:
        return found
    if isinstance(found, str) or isinstance(annotation, enum.EnumMeta) or get_origin(annotation) is Literal:
        raise ValueError("DSPy may know how to read it")
    return _validator(annotation).validate_python(found)


@lru_cache(maxsize=KEPT)
def _validator(annotation: Any) -> pydantic.TypeAdapter[Any]:  # noqa: ANN401
    return pydantic.TypeAdapter(annotation)


@lru_cache(maxsize=KEPT)
def _requirements(adapter: type[dspy.Adapter], signature: Any) -> str:  # noqa: ANN401
    return str(adapter().user_message_output_requirements(signature))
