"""An artifact that does not fit is refused with the name of what differs, and nothing changes."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import dspy
import pytest

from compiled import LIMITS, compiled, snapshot, walking
from fakes import FILMS, WordRetriever
from hopstop.program import BM25Index, load, save
from hopstop.program.analyzer import Analyzer
from hopstop.program.errors import ArtifactMismatch, BadInput


def rewrite(folder: Path, change: Callable[[dict[str, Any], dict[str, Any]], None]) -> None:
    """Change manifest and state, with the hash of the new state: a file that somebody made on purpose."""
    manifest, state = (json.loads((folder / f"{name}.json").read_bytes()) for name in ("manifest", "state"))
    change(manifest, state)
    content = json.dumps(state).encode()
    if manifest.get("state_sha256") != "kept":
        manifest["state_sha256"] = sha256(content).hexdigest()
    (folder / "state.json").write_bytes(content)
    (folder / "manifest.json").write_bytes(json.dumps(manifest).encode())


def drop(part: dict[str, Any], key: str) -> None:
    del part[key]


CHANGES: dict[str, tuple[Callable[[dict[str, Any], dict[str, Any]], Any], str]] = {
    "another format": (lambda m, s: m.update(format="x"), "'format'"),
    "newer schema": (lambda m, s: m.update(schema=2), "'schema' is 2.*newer"),
    "schema that is none": (lambda m, s: m.update(schema=True), "'schema'"),
    "missing key": (lambda m, s: drop(m, "analyzer"), "'analyzer' is missing"),
    "unknown key": (lambda m, s: m.update(hook="os.system"), "'hook' is unknown"),
    "key of another type": (lambda m, s: m.update(scores=[]), "'scores' must be an object"),
    "changed state": (lambda m, s: (m.update(state_sha256="kept"), s.update(x=1)), "'state_sha256'"),
    "number that is none": (lambda m, s: m.update(scores={"em": float("nan")}), "no form in JSON"),
    "string that is no Unicode": (lambda m, s: m.update(origin={"note": "\ud800"}), "no form in JSON"),
    "number beyond all floats": (lambda m, s: m["limits"].update(max_seconds=10**400), "max_seconds"),
    "unknown policy": (lambda m, s: m.update(policy="oracle"), "'policy' is 'oracle'"),
    "renamed predictor": (
        lambda m, s: m["predictors"].update(judge=m["predictors"].pop("decider")),
        "predictor 'decider' is missing",
    ),
    "more predictors": (lambda m, s: m["predictors"].update(z=m["predictors"]["pruner"]), "'z' is unknown here"),
    "renamed field": (
        lambda m, s: m["predictors"]["pruner"]["inputs"][1].update(name="needs"),
        r"'pruner', input field 2 is 'needs' \(str\) in the artifact, 'question' \(str\) here",
    ),
    "field of another type": (
        lambda m, s: m["predictors"]["pruner"]["outputs"][0].update(type="str"),
        r"'pruner', output field 1 is 'direct' \(str\)",
    ),
    "fields in another order": (lambda m, s: m["predictors"]["rewriter"]["inputs"].reverse(), "'rewriter', input"),
    "one field less": (lambda m, s: m["predictors"]["rewriter"]["inputs"].pop(), "field 6 is absent"),
    "fields that are none": (lambda m, s: m["predictors"]["pruner"].update(inputs="all"), "predictors.pruner.inputs"),
    "limit out of range": (lambda m, s: m["limits"].update(max_rounds=0), "max_rounds"),
    "missing limit": (lambda m, s: drop(m["limits"], "patience"), "'limits.patience' is missing"),
    "unknown limit": (lambda m, s: m["limits"].update(max_luck=1), "'limits.max_luck' is unknown"),
    "other analyzer": (lambda m, s: m["analyzer"].update(stemmer="plural"), "'analyzer.stemmer' is 'plural'"),
    "training without ids": (lambda m, s: m.update(training={"name": "a", "hash": "b"}), "'training.ids'"),
    "state without a predictor": (lambda m, s: drop(s, "pruner"), "state of predictor 'pruner' is missing"),
    "state of another predictor": (lambda m, s: s.update(z={}), "state of predictor 'z'"),
    "an LM in the state": (lambda m, s: s["decider"].update(lm={"api_base": "evil"}), "'lm' must be None"),
    "an attribute in the state": (lambda m, s: s["decider"].update(config={"api_base": "evil"}), "'config'"),
    "state that is none": (lambda m, s: s.update(decider=[]), "'decider'"),
    "examples that are none": (lambda m, s: s["decider"].update(demos={}), "'demos' must be a list"),
    "example that is none": (lambda m, s: s["decider"]["demos"].append("x"), "example 2"),
    "example with unknown fields": (lambda m, s: s["decider"]["demos"][0].update(hint=1), r"example 1.*\['hint'\]"),
    "instruction that is none": (lambda m, s: s["pruner"]["signature"].update(instructions=1), "instructions"),
    "too few descriptions": (lambda m, s: s["pruner"]["signature"]["fields"].pop(), "describe the 6 fields"),
    "description that is none": (lambda m, s: s["pruner"]["signature"]["fields"][0].update(prefix=1), "fields' 1"),
}


@pytest.mark.parametrize(("change", "message"), CHANGES.values(), ids=CHANGES.keys())
def test_what_does_not_fit_is_refused_by_name(
    tmp_path: Path, change: Callable[[dict[str, Any], dict[str, Any]], None], message: str
) -> None:
    folder = save(compiled(), tmp_path, name="films")
    rewrite(folder, lambda manifest, state: None)
    index = BM25Index.build(FILMS)
    load(folder, retriever=index)  # as it was, written by other hands
    rewrite(folder, change)
    before = (dict(dspy.settings.config), snapshot(folder))
    with pytest.raises(ArtifactMismatch, match=f"films.v001: .*{message}"):
        load(folder, retriever=index)
    assert (dict(dspy.settings.config), snapshot(folder)) == before


@pytest.mark.parametrize("name", ["manifest.json", "state.json"])
@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b"\xff", b"[" * 100_000])
def test_files_that_are_missing_or_no_json_are_refused_by_name(
    tmp_path: Path, name: str, content: bytes | None
) -> None:
    folder = save(compiled(), tmp_path, name="films")
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_bytes(content)
    if content is not None and name == "state.json":
        manifest = json.loads((folder / "manifest.json").read_bytes())
        manifest["state_sha256"] = sha256(content).hexdigest()
        (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(ArtifactMismatch, match=f"{name}|'format'"):
        load(folder, retriever=BM25Index.build(FILMS))


def test_the_folder_above_the_versions_is_refused_with_their_names(tmp_path: Path) -> None:
    save(compiled(), tmp_path, name="films")
    with pytest.raises(ArtifactMismatch, match="name one of its versions: v001"):
        load(tmp_path / "films", retriever=BM25Index.build(FILMS))


def test_an_index_with_another_analyzer_is_refused_and_another_engine_is_not(tmp_path: Path) -> None:
    folder = save(compiled(), tmp_path, name="films")
    other = BM25Index.build(FILMS, analyzer=Analyzer(fold_accents=False))
    with pytest.raises(ArtifactMismatch, match=r"'analyzer.fold_accents' is True in the artifact, False in the index"):
        load(folder, retriever=other)
    assert load(folder, retriever=WordRetriever(FILMS)).limits == LIMITS


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m, s: s.update({next(iter(s)): "high"}), "weight .* must be a number, not 'high'"),
        (lambda m, s: s.update({next(iter(s)): float("nan")}), "must be a number, not nan"),
        (lambda m, s: s.pop(next(iter(s))), "weights"),
        (lambda m, s: s.update(luck=1.0), "luck"),
    ],
)
def test_weights_that_do_not_fit_are_refused_by_name(
    tmp_path: Path, change: Callable[[dict[str, Any], dict[str, Any]], None], message: str
) -> None:
    index = BM25Index.build(FILMS)
    folder = save(walking(index), tmp_path, name="offline")
    rewrite(folder, change)
    with pytest.raises(ArtifactMismatch, match=f"offline.v001: .*{message}"):
        load(folder, retriever=index)


def test_the_offline_policy_needs_its_own_kind_of_index(tmp_path: Path) -> None:
    index = BM25Index.build(FILMS)
    folder = save(walking(index), tmp_path, name="offline")
    with pytest.raises(BadInput, match="BM25Index"):
        load(folder, retriever=WordRetriever(FILMS))
