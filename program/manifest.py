"""The manifest of an artifact: what a compiled program is, needs and was made from, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import sha256
from types import NoneType
from typing import Any

from hopstop.program.errors import ArtifactMismatch

FORMAT = "hopstop-artifact"
SCHEMA = 1  # raise it when a manifest of the old schema can no longer be read as it is; keep reading the old ones

TIERS = ("decide_lm", "answer_lm")
"""Fields that name a model beside `lm`; see `LMPolicy`."""

_KINDS: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "version": (str,),
    "policy": (str,),
    "lm": (str, NoneType),
    "decide_lm": (str, NoneType),
    "answer_lm": (str, NoneType),
    "reply_schema": (bool, NoneType),
    "options": (dict,),
    "predictors": (dict,),
    "limits": (dict,),
    "guards": (dict,),
    "analyzer": (dict, NoneType),
    "training": (dict, NoneType),
    "scores": (dict,),
    "origin": (dict,),
    "hopstop": (str,),
    "dspy": (str,),
    "state_sha256": (str,),
}
_JSON_NAMES = {str: "a string", bool: "true or false", dict: "an object", list: "a list", NoneType: "null"}


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a predictor.

    Attributes:
        name: As the signature names it.
        type: As text, with the fields of nested models, e.g. "list[FactClaim(need: str, quote: str)]".
    """

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class PredictorFields:
    """The fields of a predictor, in the order in which its prompt shows them."""

    inputs: tuple[Field, ...]
    outputs: tuple[Field, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Of all fields, inputs first."""
        return tuple(item.name for item in (*self.inputs, *self.outputs))


@dataclass(frozen=True, slots=True)
class Training:
    """What a program was compiled on.

    Attributes:
        name: Of the data set.
        hash: Of its content.
        ids: Of the questions that were used, and of those that they are twins of, so that an evaluation can refuse to
            measure on them.
    """

    name: str
    hash: str
    ids: tuple[str, ...] = ()

    def after(self, earlier: Training | None) -> Training:
        """The same of a program that was compiled on something else before: what it has seen, it has seen."""
        return self if earlier is None else replace(self, ids=tuple(dict.fromkeys((*self.ids, *earlier.ids))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a compiled program is. Holds no key, no address and no path.

    Attributes:
        name: Of the artifact.
        version: "v001", "v002", ...
        policy: "offline" or "lm".
        lm: Name of the model that it was compiled with; None for the offline policy.
        decide_lm: Of another one that Decide asked; None if there was none.
        answer_lm: Of one that read once more before an answer; None if there was none.
        reply_schema: Whether replies were asked for under a JSON schema; None if DSPy's knowledge of the model decides.
        options: Fields of `LMOptions`; empty for the offline policy, and in manifests from before there were any.
        predictors: Fields of each predictor; empty for the offline policy.
        limits: Fields of `Limits`.
        guards: Fields of `Guards`; empty in manifests from before there were any.
        analyzer: Settings of the index's analyzer; None if the retriever had none.
        training: Data that it was compiled on; None if there was none.
        scores: Measures on dev, by name.
        origin: How it was made (recipe, seed, command, date), by name.
        hopstop: Version of Hopstop that saved it.
        dspy: Version of DSPy that saved it.
        state_sha256: SHA-256 of the bytes of `state.json`.
    """

    name: str
    version: str
    policy: str
    lm: str | None = None
    decide_lm: str | None = None
    answer_lm: str | None = None
    reply_schema: bool | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    predictors: Mapping[str, PredictorFields] = field(default_factory=dict)
    limits: Mapping[str, Any]
    guards: Mapping[str, Any] = field(default_factory=dict)
    analyzer: Mapping[str, Any] | None = None
    training: Training | None = None
    scores: Mapping[str, Any] = field(default_factory=dict)
    origin: Mapping[str, Any] = field(default_factory=dict)
    hopstop: str
    dspy: str
    state_sha256: str

    def to_json(self) -> dict[str, Any]:
        """The manifest as a JSON object; tiers that it does not have are left out, as before there were any."""
        known = {name: value for name, value in asdict(self).items() if name not in TIERS or value is not None}
        return {"format": FORMAT, "schema": SCHEMA, **known}

    @property
    def tiers(self) -> dict[str, str]:
        """The models besides `lm`: "decide_lm" or "answer_lm" -> name."""
        return {name: value for name in TIERS if (value := getattr(self, name)) is not None}

    def digest(self) -> str:
        """SHA-256 of the manifest, which holds that of the state: one artifact, one digest."""
        return sha256(json_bytes(self.to_json())).hexdigest()


def manifest_from_json(value: object) -> Manifest:
    """Read a manifest, every key of it checked.

    Raises:
        ArtifactMismatch: It is not ours, of a newer schema, or a key is missing, unknown or of another type.
    """
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise ArtifactMismatch(f"field 'format' is not {FORMAT!r}: no artifact of Hopstop")
    _check_schema(value.get("schema"))
    try:
        json_bytes(value)
    except ValueError as error:
        raise ArtifactMismatch(f"a value of the manifest has no form in JSON ({error})") from error
    given = {
        "options": {},
        "guards": {},
        **dict.fromkeys(TIERS),
        **{name: item for name, item in value.items() if name not in ("format", "schema")},
    }
    for name in sorted(_KINDS.keys() ^ given.keys()):
        raise ArtifactMismatch(f"field {name!r} is {'missing' if name in _KINDS else 'unknown'}")
    for name, kinds in _KINDS.items():
        if type(given[name]) not in kinds:
            raise ArtifactMismatch(f"field {name!r} must be {' or '.join(_JSON_NAMES[kind] for kind in kinds)}")
    predictors = {name: _predictor(item, f"predictors.{name}") for name, item in given["predictors"].items()}
    return Manifest(**{**given, "predictors": predictors, "training": _training(given["training"])})


def _check_schema(schema: object) -> None:
    if type(schema) is not int or schema < 1:
        raise ArtifactMismatch(f"field 'schema' is {schema!r}, not a number from 1")
    if schema > SCHEMA:
        raise ArtifactMismatch(f"field 'schema' is {schema}, this Hopstop reads up to {SCHEMA}: install a newer one")


def _predictor(value: object, place: str) -> PredictorFields:
    keys = ("inputs", "outputs")
    if not isinstance(value, dict) or value.keys() != set(keys):
        raise ArtifactMismatch(f"field {place!r} must be an object of inputs and outputs")
    return PredictorFields(
        *(tuple(_field(item, f"{place}.{key}") for item in _list(value, key, place)) for key in keys)
    )


def _list(value: dict[str, Any], key: str, place: str) -> list[Any]:
    found = value[key]
    if not isinstance(found, list):
        raise ArtifactMismatch(f"field '{place}.{key}' must be a list")
    return found


def _field(value: object, place: str) -> Field:
    names = {item.name for item in fields(Field)}
    if (
        not isinstance(value, dict)
        or value.keys() != names
        or not all(isinstance(item, str) for item in value.values())
    ):
        raise ArtifactMismatch(f"field {place!r} must list objects of name and type")
    return Field(**value)


def _training(value: dict[str, Any] | None) -> Training | None:
    if value is None:
        return None
    for name in sorted({item.name for item in fields(Training)} ^ value.keys()):
        raise ArtifactMismatch(f"field 'training.{name}' is missing or unknown")
    strings = [value["name"], value["hash"], *_list(value, "ids", "training")]
    if not all(isinstance(item, str) for item in strings):
        raise ArtifactMismatch("field 'training' must hold a name, a hash and a list of ids, all strings")
    return Training(value["name"], value["hash"], tuple(value["ids"]))


def json_bytes(value: object) -> bytes:
    """JSON for people and for hashes: one value gives the same bytes in every process.

    Keys keep their order: DSPy shows nested examples in it, so sorting them would change prompts.

    Raises:
        TypeError: A value has no form in JSON.
        ValueError: A number is infinite or not a number, or a string is not Unicode.
    """
    return (json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
