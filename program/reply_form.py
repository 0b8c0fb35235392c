"""How replies are asked for: as fields in plain text, or as JSON under a schema.

The instructions of a prompt depend on the signature alone, and DSPy makes them and the schema anew for each call; here
they are made once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import dspy
import pydantic

from hopstop.program.quick_form import QuickForm, read_json

LABEL_FORMS: Mapping[str, str] = {
    "direct": r"^P[0-9]{1,3}$",
    "related": r"^P[0-9]{1,3}$",
    "tangential": r"^P[0-9]{1,3}$",
    "quote": r"^(P[0-9]{1,3}\.[0-9]{1,3})?$",
    "follows_from": r"^F[0-9]{1,2}$",
}
"""Output field that holds labels -> the pattern that a schema can hold a model to. Small models write titles else."""

MOST: Mapping[str, int] = {"follows_from": 4, "needed": 6}
"""Output field that is a list -> how many a model may give: small models count on, "F1", "F2", ..., "F99"."""

KEPT = 64  # instructions, schemas: more than one program has predictors; an optimiser tries one after the other


class PlainReplies(QuickForm, dspy.ChatAdapter):
    """DSPy's fields in plain text. A reply that does not parse is not asked for again as JSON."""

    def __init__(self) -> None:
        super().__init__(use_json_adapter_fallback=False)

    def format_system_message(self, signature: Any) -> str:  # noqa: ANN401
        """See dspy.Adapter."""
        return _instructions(dspy.ChatAdapter, signature, signature.instructions)


class JSONReplies(QuickForm, dspy.JSONAdapter):
    """DSPy's JSON."""

    def format_system_message(self, signature: Any) -> str:  # noqa: ANN401
        """See dspy.Adapter."""
        return _instructions(dspy.JSONAdapter, signature, signature.instructions)

    def parse(self, signature: Any, completion: str) -> dict[str, Any]:  # noqa: ANN401
        """See dspy.Adapter."""
        found = read_json(signature, completion)
        if found is not None:
            return found
        fields: dict[str, Any] = super().parse(signature, completion)
        return fields


def reply_model(signature: Any, *, labels: bool = False) -> type[pydantic.BaseModel]:  # noqa: ANN401
    """The output fields of a signature as a model, from which DSPy makes the JSON schema of the request.

    Args:
        signature: Of a predictor.
        labels: Whether the schema holds the fields of `LABEL_FORMS` to their patterns.
    """
    return _model(tuple((name, item.annotation) for name, item in signature.output_fields.items()), labels)


class _Form(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")

    @classmethod
    def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:  # noqa: ANN401 - options that DSPy never uses
        schema: dict[str, Any] = json.loads(_schema(cls))
        return schema


class _LabelForm(_Form):
    """A form whose schema knows what labels look like."""


@lru_cache(maxsize=KEPT)
def _instructions(adapter: type[dspy.Adapter], signature: Any, _: str) -> str:  # noqa: ANN401 - `_`: they can be set
    return str(adapter().format_system_message(signature))


@lru_cache(maxsize=KEPT)
def _model(fields: tuple[tuple[str, Any], ...], labels: bool) -> type[pydantic.BaseModel]:
    types: dict[str, Any] = {name: (annotation, ...) for name, annotation in fields}
    return pydantic.create_model("Reply", __base__=_LabelForm if labels else _Form, **types)


@lru_cache(maxsize=KEPT)
def _schema(model: type[_Form]) -> str:
    schema = super(_Form, model).model_json_schema()
    for part in (schema, *schema.get("$defs", {}).values()) if issubclass(model, _LabelForm) else ():
        _hold(part)
    return json.dumps(schema)


def _hold(part: dict[str, Any]) -> None:
    """Hold the fields of an object to what labels look like; none may be left out, or small models leave out quotes."""
    part["required"] = list(part["properties"])
    for name, field in part["properties"].items():
        if name in LABEL_FORMS:
            field.get("items", field)["pattern"] = LABEL_FORMS[name]
        if name in MOST:
            field["maxItems"] = MOST[name]
