"""Compiled programs as registered models of MLflow, and evaluations fetched from it.

The public functions work in a process of its own, see `sender`; what starts with `log_` or `download_` in this one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

from hopstop.eval.folder import HEADER, OUTCOMES
from hopstop.eval.sender import ERROR_MARK, NotSent, run_apart, store, where_to_look, without_password
from hopstop.eval.tracking import opened
from hopstop.program.artifact_folder import read_version
from hopstop.program.errors import BadInput, HopstopError
from hopstop.program.index_folder import read_manifest

CANDIDATE, CHAMPION = "candidate", "champion"
ARTIFACT_TAG = "hopstop.artifact"  # name and version of the artifact, on each version of a registered model
SHOWN = 12  # characters of a digest in a message
DIGEST_TAG = "hopstop.digest"  # of its manifest, which tells apart what bears one name and version
MODEL_CODE = Path(__file__).with_name("serving_model.py")
PROGRAM, INDEX = "program", "index"  # as `serving_model` names them, which imports MLflow


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """What is registered.

    Attributes:
        artifact: Folder of a version.
        index: Folder of the index that it searches. All its passages go into the store, whoever may read them.
        name: Of the registered model.
        alias: That points to the new version from then on.
        beaten: Digests of the artifacts that were compared with, see `Manifest.digest`; a champion that is none of
            them keeps its alias. None: whoever has the alias loses it.
    """

    artifact: Path
    index: Path
    name: str
    alias: str = CANDIDATE
    beaten: tuple[str, ...] | None = None


def register(wanted: Registration, *, timeout_seconds: float = 300.0) -> dict[str, str]:
    """Register an artifact with its index as the next version of a model, in the store of the environment.

    Returns:
        name, version, alias, uri (for MLflow's commands), message (where to look).

    Raises:
        ArtifactMismatch, BadIndex: A folder is damaged.
        BadInput: The store cannot be used, or another champion stands there than the one that was beaten.
    """
    read_version(wanted.artifact)
    read_manifest(wanted.index)
    if wanted.artifact.absolute().name == wanted.index.absolute().name:
        raise BadInput(
            f"{wanted.index}: artifact and index have folders of the same name; MLflow keeps both side by side"
        )
    value = {**asdict(wanted), "artifact": str(wanted.artifact.absolute()), "index": str(wanted.index.absolute())}
    version = _apart(["register", json.dumps(value)], f"{wanted.artifact} is not registered", timeout_seconds)
    return {
        "name": wanted.name,
        "version": version,
        "alias": wanted.alias,
        "uri": f"models:/{wanted.name}@{wanted.alias}",
        "message": where_to_look(),
    }


def fetch_evaluation(run_id: str, folder: Path, *, timeout_seconds: float = 120.0) -> None:
    """Fetch the results of an evaluation that was logged as a run into a folder, from which `report.load` reads.

    Raises:
        BadInput: The store cannot be used, or has no such evaluation.
    """
    _apart(["fetch", run_id, str(folder)], f"run {run_id} cannot be fetched", timeout_seconds)


def log_model(wanted: Registration, tracking_uri: str) -> str:
    """Register, in this process; changes MLflow's global state.

    Returns:
        The number of the new version.

    Raises:
        BadInput: Another champion stands there than the one that was beaten.
        mlflow.exceptions.MlflowException: The store cannot be used.
    """
    import mlflow

    manifest = read_version(wanted.artifact).manifest
    place = f"{manifest.name}/{manifest.version}"
    client, experiment = opened(tracking_uri)
    _check_beaten(client, wanted)
    mlflow.set_tracking_uri(tracking_uri)
    mlflow.set_experiment(experiment_id=experiment)
    with mlflow.start_run(run_name=f"register {place}"):
        mlflow.log_params({"artifact": place, "policy": manifest.policy, "lm": manifest.lm, **manifest.tiers})
        logged = mlflow.pyfunc.log_model(
            name="model",
            python_model=str(MODEL_CODE),
            artifacts={PROGRAM: str(wanted.artifact), INDEX: str(wanted.index)},
            signature=_signature(),
            pip_requirements=[f"hopstop=={version_of('hopstop')}"],
            registered_model_name=wanted.name,
        )
    version = str(logged.registered_model_version)
    for tag, value in ((ARTIFACT_TAG, place), (DIGEST_TAG, manifest.digest())):
        client.set_model_version_tag(wanted.name, version, tag, value)
    client.set_registered_model_alias(wanted.name, wanted.alias, version)
    return version


def download_evaluation(run_id: str, folder: Path, tracking_uri: str) -> None:
    """Fetch, in this process.

    Raises:
        mlflow.exceptions.MlflowException: The store cannot be used, or has no such evaluation.
    """
    client, _ = opened(tracking_uri)
    for name in (HEADER, OUTCOMES):
        client.download_artifacts(run_id, name, str(folder))


def _check_beaten(client: Any, wanted: Registration) -> None:  # noqa: ANN401 - MLflow's client is untyped
    if wanted.beaten is None:
        return
    found = [item for item in client.search_registered_models() if item.name == wanted.name]
    number = dict(found[0].aliases).get(wanted.alias) if found else None
    if number is None:
        return
    tags = client.get_model_version(wanted.name, number).tags
    if tags.get(DIGEST_TAG) not in wanted.beaten:
        raise BadInput(
            f"the {wanted.alias} of {wanted.name} is {_title(tags)} (version {number}), and the reports compare with "
            f"{', '.join(item[:SHOWN] for item in wanted.beaten) or 'nothing'}; give a report of it as --against, "
            "or use --force"
        )


def _title(tags: Mapping[str, str]) -> str:
    digest = tags.get(DIGEST_TAG)
    return f"{tags.get(ARTIFACT_TAG, 'unknown')} with {'no digest' if digest is None else f'digest {digest[:SHOWN]}'}"


def _signature() -> Any:  # noqa: ANN401 - MLflow's types are not known
    from mlflow.models import ModelSignature
    from mlflow.types.schema import AnyType, Array, ColSpec, DataType, Object, Property, Schema

    text, number = DataType.string, DataType.long
    quote = Object(
        [
            *(Property(name, text) for name in ("need", "passage_id", "title", "text")),
            *(Property(name, number) for name in ("start", "end")),
        ]
    )
    words = [ColSpec(text, name, required=False) for name in ("answer", "reason", "draft", "explanation", "error")]
    lists = [ColSpec(Array(quote), "quotes"), ColSpec(Array(text), "missing")]
    asked = [ColSpec(text, "question"), ColSpec(AnyType(), "groups", required=False)]
    return ModelSignature(Schema(asked), Schema([*words, *lists]))


def _apart(words: Sequence[str], failure: str, timeout_seconds: float) -> str:
    try:
        return run_apart("hopstop.eval.registry", words, timeout_seconds=timeout_seconds)
    except NotSent as error:
        raise BadInput(f"{failure} at {without_password(store())}: {error}") from error


def _main(what: str, *words: str) -> None:
    import logging

    logging.disable(logging.WARNING)  # this process has no other work; what goes wrong is raised
    *given, note = words
    try:
        if what == "register":
            value = json.loads(given[0])
            beaten = None if value["beaten"] is None else tuple(value["beaten"])
            paths = {name: Path(value[name]) for name in ("artifact", "index")}
            answer = log_model(Registration(**{**value, **paths, "beaten": beaten}), store())
        else:
            download_evaluation(given[0], Path(given[1]), store())
            answer = given[1]
    except HopstopError as error:
        sys.exit(f"{ERROR_MARK}{' '.join(str(error).split())}")
    Path(note).write_text(answer, encoding="utf-8")


if __name__ == "__main__":
    _main(*sys.argv[1:])
