"""How replies are asked for: as fields in plain text, or as JSON under a schema.

The instructions of a prompt depend on the signature alone, and DSPy makes them and the schema anew for each call; here
they are made once.
"""

from __future__ import annotations

import copy
from functools import lru_cache
from typing import Any

import dspy
import pydantic

KEPT = 64  # instructions, schemas: more than one program has predictors; an optimiser tries one after the other


class PlainReplies(dspy.ChatAdapter):
    """DSPy's fields in plain text. A reply that does not parse is not asked for again as JSON."""

    def __init__(self) -> None:
        super().__init__(use_json_adapter_fallback=False)

    def format_system_message(self, signature: Any) -> str:  # noqa: ANN401
        """See dspy.Adapter."""
        return _instructions(dspy.ChatAdapter, signature, signature.instructions)


class JSONReplies(dspy.JSONAdapter):
    """DSPy's JSON."""

    def format_system_message(self, signature: Any) -> str:  # noqa: ANN401
        """See dspy.Adapter."""
        return _instructions(dspy.JSONAdapter, signature, signature.instructions)


def reply_model(signature: Any) -> type[pydantic.BaseModel]:  # noqa: ANN401
    """The output fields of a signature as a model, from which DSPy makes the JSON schema of the request."""
    return _model(tuple((name, item.annotation) for name, item in signature.output_fields.items()))


class _Form(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")

    @classmethod
    def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:  # noqa: ANN401 - options that DSPy never uses
        return copy.deepcopy(_schema(cls))


@lru_cache(maxsize=KEPT)
def _instructions(adapter: type[dspy.Adapter], signature: Any, _: str) -> str:  # noqa: ANN401 - `_`: they can be set
    return str(adapter().format_system_message(signature))


@lru_cache(maxsize=KEPT)
def _model(fields: tuple[tuple[str, Any], ...]) -> type[pydantic.BaseModel]:
    types: dict[str, Any] = {name: (annotation, ...) for name, annotation in fields}
    return pydantic.create_model("Reply", __base__=_Form, **types)


@lru_cache(maxsize=KEPT)
def _schema(model: type[_Form]) -> dict[str, Any]:
    return super(_Form, model).model_json_schema()
