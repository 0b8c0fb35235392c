"""The form in which an artifact keeps the prompt of a predictor: DSPy's JSON state, and nothing else in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hopstop.program.errors import ArtifactMismatch

AUGMENTED = "augmented"  # DSPy's mark of an example that a teacher made
# Nothing else may stand in a state: DSPy sets every other key as an attribute of the predictor, whatever it is.
EMPTY: dict[str, Any] = {"traces": [], "train": [], "lm": None}
KEYS = {"demos", "signature", *EMPTY}


def check_prompt(name: str, state: object, fields: Sequence[str]) -> None:
    """Whether a state has the form of a predictor with these fields.

    Raises:
        ArtifactMismatch: It has not; names the predictor and the key.
    """
    for message in _faults(state, fields):
        raise ArtifactMismatch(f"state of predictor {name!r}: {message}")


def _faults(state: object, names: Sequence[str]) -> Iterator[str]:
    if not isinstance(state, dict):
        yield "it must be an object"
        return
    if odd := sorted(state.keys() ^ KEYS):
        yield f"it must have exactly the keys {sorted(KEYS)}; these differ: {odd}"
        return
    for key, value in EMPTY.items():
        if state[key] != value:
            yield f"{key!r} must be {value!r}: an artifact brings no LM and no traces"
    yield from _signature_faults(state["signature"], len(names))
    if not isinstance(state["demos"], list):
        yield "'demos' must be a list"
        return
    for number, demo in enumerate(state["demos"], start=1):
        if not isinstance(demo, dict):
            yield f"example {number} must be an object"
        elif unknown := sorted(demo.keys() - {*names, AUGMENTED}):
            yield f"example {number} has fields that the predictor has not: {unknown}"


def _signature_faults(signature: object, count: int) -> Iterator[str]:
    if not isinstance(signature, dict) or signature.keys() != {"instructions", "fields"}:
        yield "'signature' must be an object of instructions and fields"
        return
    if not isinstance(signature["instructions"], str):
        yield "'signature.instructions' must be a string"
    fields = signature["fields"]
    if not isinstance(fields, list) or len(fields) != count:
        yield f"'signature.fields' must describe the {count} fields of the predictor"
        return
    for number, field in enumerate(fields, start=1):
        if (
            not isinstance(field, dict)
            or field.keys() != {"prefix", "description"}
            or not all(isinstance(text, str) for text in field.values())
        ):
            yield f"'signature.fields' {number} must have a prefix and a description, both strings"
