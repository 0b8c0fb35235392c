"""Keep a compiled program as a small folder of JSON, and load it again in any process, or refuse and say why.

No pickle, no key, no address, nothing of the machine. Nothing of a file is executed, and loading never touches
`dspy.settings`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import dspy

from hopstop.program.analyzer import Analyzer
from hopstop.program.artifact_folder import (
    MANIFEST,
    README,
    STATE,
    Files,
    Stored,
    check_name,
    read_version,
    write_version,
)
from hopstop.program.artifact_view import readme
from hopstop.program.bm25 import BM25Index
from hopstop.program.earlier import take_form
from hopstop.program.errors import ArtifactMismatch, BadInput, BadLimits
from hopstop.program.guards import Guards, guards_from
from hopstop.program.limits import is_number
from hopstop.program.lm_options import LMOptions
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA
from hopstop.program.manifest import Manifest, Training, json_bytes
from hopstop.program.offline import OfflinePolicy
from hopstop.program.policy import Policy
from hopstop.program.predictor_state import check_fields, check_states, dump, fields_of, predictors, restore
from hopstop.program.records import Limits
from hopstop.program.retriever import Retriever
from hopstop.program.secrets import refuse_secrets

LM, OFFLINE = "lm", "offline"
# Every artifact has these; a limit that is added later keeps its default when an older artifact is loaded.
LIMITS_OF_SCHEMA_1 = frozenset(
    {
        "max_rounds", "first_k", "next_k", "carry_k", "max_passages", "max_read", "max_tokens", "max_seconds",
        "max_cost_usd", "width", "patience", "rewrite_tries", "min_coverage", "min_sufficiency", "min_rounds",
        "stop_by",
    }
)  # fmt: skip


def save(
    program: IterativeQA,
    folder: str | Path,
    *,
    name: str,
    training: Training | None = None,
    scores: Mapping[str, Any] | None = None,
    origin: Mapping[str, Any] | None = None,
) -> Path:
    """Keep a program as the next version of an artifact: `folder/name/v001`, then v002, ...

    Args:
        program: With the offline policy or the LM policy.
        folder: Of all artifacts.
        name: Of the artifact: letters, digits, '.', '-', '_'.
        training: Data that it was compiled on.
        scores: Measures on dev, by name; JSON values.
        origin: How it was made, by name, e.g. {"recipe": "bootstrap", "seed": 0, "created": "2026-01-31"}; JSON values.

    Returns:
        The folder of the new version. Older versions stay as they are.

    Raises:
        BadInput: The name is none, the folder cannot be written, a value has no form in JSON, the policy is neither of
            the two, or a key or address of the LM would get into a file.
    """
    state = _state(program.policy)
    about = replace(
        _about(program, state), name=check_name(name), training=training, scores=scores or {}, origin=origin or {}
    )
    models = _models(program.policy)

    def make(number: str) -> Files:
        files = _files(replace(about, version=number), state)
        refuse_secrets(files, models)
        return files

    return write_version(Path(folder) / name, make)


def load(
    folder: str | Path,
    *,
    retriever: Retriever,
    lm: Any = None,  # noqa: ANN401 - a DSPy LM is untyped
    fallback: Retriever | None = None,
    schema: bool | None = None,
) -> IterativeQA:
    """Load a program from one version of an artifact. All is checked before anything is made.

    Args:
        folder: Of the version, e.g. "artifacts/offline/v001".
        retriever: Where to search; its analyzer must be the one that the program was compiled with.
        lm: A DSPy LM; None uses the one that the app has configured. The offline policy asks none. If the manifest
            names a decide_lm or answer_lm, hand those to `program.policy.route`; without that this one does all.
        fallback: See IterativeQA.
        schema: See LMPolicy; None takes what the program was compiled with, for the same model: what one server takes
            says nothing about another.

    Raises:
        ArtifactMismatch: It is damaged or changed, or does not fit this Hopstop or this index; names the field.
        BadInput: The offline policy is given another search engine than a BM25Index.
    """
    stored = read_version(Path(folder))
    manifest = stored.manifest
    try:
        limits, guards = _limits(manifest.limits), _guards(manifest.guards)
        _check_analyzer(manifest.analyzer, _analyzer(retriever))
        if manifest.policy == LM:
            policy: Policy = _lm_policy(stored, lm, _schema(manifest, lm) if schema is None else schema)
        elif manifest.policy == OFFLINE:
            policy = _offline_policy(stored, retriever)
        else:
            raise ArtifactMismatch(f"field 'policy' is {manifest.policy!r}, not {OFFLINE!r} or {LM!r}")
    except ArtifactMismatch as error:
        raise ArtifactMismatch(
            f"artifact {folder}: {error}; compile it again, or use what it was made with (hopstop {manifest.hopstop})"
        ) from error
    return IterativeQA(retriever, policy, limits, fallback=fallback, guards=guards)


def _about(program: IterativeQA, state: Mapping[str, Any]) -> Manifest:
    about = Manifest(
        name="",
        version="",
        policy=OFFLINE,
        limits=asdict(program.limits),
        guards=asdict(program.guards),
        analyzer=_analyzer(program.retriever),
        hopstop=version("hopstop"),
        dspy=version("dspy"),
        state_sha256=sha256(_json_bytes(state, STATE)).hexdigest(),
    )
    policy = program.policy
    if not isinstance(policy, LMPolicy):
        return about
    _, _, model = policy.name.partition(":")
    return replace(
        about,
        policy=LM,
        lm=None if model == "none" else model,
        decide_lm=None if (decides := _name(policy.decide_lm)) == model else decides,
        answer_lm=_name(policy.answer_lm),
        reply_schema=policy.caller.schema,
        options=asdict(policy.options),
        predictors=_fields(predictors(policy)),
    )


def _name(lm: Any) -> str | None:  # noqa: ANN401
    return None if lm is None else str(lm.model)


def _files(manifest: Manifest, state: Mapping[str, Any]) -> Files:
    page = readme(Stored(Path(manifest.version), manifest, state))
    return {
        MANIFEST: _json_bytes(manifest.to_json(), MANIFEST),
        STATE: _json_bytes(state, STATE),
        README: page.encode(),
    }


def _state(policy: Policy) -> dict[str, Any]:
    if isinstance(policy, OfflinePolicy):
        return policy.state()
    if not isinstance(policy, LMPolicy):
        raise BadInput(f"a program with the policy {policy.name!r} cannot be kept: only with the offline or LM policy")
    mine, fresh = predictors(policy), LMPolicy()
    take_form(fresh, _fields(mine))
    try:
        check_fields(_fields(mine), _fields(predictors(fresh)))
    except ArtifactMismatch as error:
        raise BadInput(f"the program could not be loaded again: {error}") from error
    return {name: dump(name, predictor) for name, predictor in mine.items()}


def _models(policy: Policy) -> list[Any]:
    if not isinstance(policy, LMPolicy):
        return []
    lms = (policy.caller.lm, policy.decide_lm, policy.answer_lm, dspy.settings.lm)
    return [*lms, *(predictor.lm for predictor in predictors(policy).values())]


def _fields(named: Mapping[str, Any]) -> dict[str, Any]:
    return {name: fields_of(predictor) for name, predictor in named.items()}


def _lm_policy(stored: Stored, lm: Any, schema: bool | None) -> LMPolicy:  # noqa: ANN401
    policy = LMPolicy(lm, schema=schema, options=_options(stored.manifest.options))
    take_form(policy, stored.manifest.predictors)
    named = predictors(policy)
    check_fields(stored.manifest.predictors, _fields(named))
    check_states(stored.state, named)
    restore(stored.state, named)
    return policy


def _schema(manifest: Manifest, lm: Any) -> bool | None:  # noqa: ANN401
    asked = lm or dspy.settings.lm
    return manifest.reply_schema if asked is None or asked.model == manifest.lm else None


def _offline_policy(stored: Stored, retriever: Retriever) -> OfflinePolicy:
    if not isinstance(retriever, BM25Index):
        raise BadInput("the offline policy follows the links of a BM25Index: give one as retriever")
    for name, weight in stored.state.items():
        if not is_number(weight):
            raise ArtifactMismatch(f"{STATE}: weight {name!r} must be a number, not {weight!r}")
    return OfflinePolicy(retriever, weights=stored.state)


def _options(saved: Mapping[str, Any]) -> LMOptions:
    """The options of an LM policy; one that an older artifact does not know keeps its default."""
    for name in sorted(saved.keys() - {item.name for item in fields(LMOptions)}):
        raise ArtifactMismatch(f"field 'options.{name}' is unknown here")
    try:
        return LMOptions(**saved)
    except BadInput as error:
        raise ArtifactMismatch(f"field 'options': {error}") from error


def _limits(saved: Mapping[str, Any]) -> Limits:
    known = {item.name for item in fields(Limits)}
    for name in sorted(LIMITS_OF_SCHEMA_1 - saved.keys()):
        raise ArtifactMismatch(f"field 'limits.{name}' is missing")
    for name in sorted(saved.keys() - known):
        raise ArtifactMismatch(f"field 'limits.{name}' is unknown here")
    try:
        return Limits(**saved)
    except BadLimits as error:
        raise ArtifactMismatch(f"field 'limits': {error}") from error


def _guards(saved: Mapping[str, Any]) -> Guards:
    """The guards; one that an older artifact does not know keeps its default."""
    try:
        return guards_from(saved)
    except BadInput as error:
        raise ArtifactMismatch(f"field 'guards': {error}") from error


def _analyzer(retriever: Retriever) -> dict[str, Any] | None:
    analyzer = getattr(retriever, "analyzer", None)
    return analyzer.settings() if isinstance(analyzer, Analyzer) else None


def _check_analyzer(saved: Mapping[str, Any] | None, here: Mapping[str, Any] | None) -> None:
    """Refuse an index that cuts text into other tokens; engines without an analyzer of ours cannot be compared."""
    if saved is None or here is None:
        return
    for name in sorted(saved.keys() | here.keys()):
        if saved.get(name) != here.get(name):
            raise ArtifactMismatch(
                f"field 'analyzer.{name}' is {saved.get(name)!r} in the artifact, {here.get(name)!r} in the index"
            )


def _json_bytes(value: object, name: str) -> bytes:
    try:
        return json_bytes(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"{name}: a value cannot be written as JSON ({error})") from error
