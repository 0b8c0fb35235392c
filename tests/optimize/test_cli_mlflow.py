"""Compile, evaluate, register and load, the way a user does, with one real SQLite store."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dspy
import pytest
from chat_server import lm_class, serving
from click.testing import CliRunner, Result
from forked import Forked, run_forked

from hopstop.eval.datasets import write_dataset
from hopstop.eval.desk import make_desk
from hopstop.optimize.cli import main
from hopstop.program import BM25Index, IterativeQA, Limits, save
from hopstop.program.offline import OfflinePolicy

SIZE = 0.4
KEY = "sk-planted-NOT-REAL-4712"

LOADER = """
import json, sys
import dspy, mlflow
mine = dspy.LM("openai/mine", api_key="other", cache=False)
dspy.configure(lm=mine, track_usage=True)
before = dspy.settings.copy()
answers = mlflow.pyfunc.load_model(sys.argv[1]).predict([{"question": sys.argv[2], "groups": []}])
print(json.dumps({"answers": answers, "same": dspy.settings.copy() == before and dspy.settings.lm is mine}))
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, mlflow_tables: Path) -> Iterator[Path]:
    """Working directory with questions, corpus and index, and the store that the environment names."""
    folder = tmp_path_factory.mktemp("mlflow")
    desk = make_desk(size=SIZE)
    write_dataset(desk, folder)
    index = BM25Index.build(desk.passages or ())
    index.save(folder / "desk.index")
    shutil.copy(mlflow_tables, folder / "mlflow.db")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hopstop.eval.sender.subprocess.run", run_forked)
        patch.chdir(folder)
        patch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{folder}/mlflow.db")
        patch.setenv("OPENAI_API_KEY", KEY)
        yield folder


@pytest.fixture(scope="module")
def compiled(place: Path) -> tuple[dict[str, Any], Result]:
    """The report of a compile that was logged."""
    with pytest.MonkeyPatch.context() as patch, serving() as server:
        patch.setattr(dspy, "LM", lm_class(cache=False))
        server.reply = repeating_what_is_missing
        words = ["--corpus", "corpus.jsonl", "--lm", "openai/fake", "--api-base", server.base, "--recipe", "labeled"]
        sizes = ["--predictors", "rewrite", "--train", "9", "--dev", "5", "--budget", "30", "--yes", "--json"]
        result = run("compile", "questions.jsonl", *words, *sizes)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout), result


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [*map(str, words)])


def repeating_what_is_missing(prompt: str) -> str:
    """Repeats the fact as a query, which finds it; without examples it knows no better than the first words."""
    if "Is water wet" in prompt:
        return "no"
    parts = prompt.split("[[ ## missing ## ]]\n")
    query = parts[-1].splitlines()[0] if len(parts) > 3 else "nobody knows"
    return f"[[ ## query ## ]]\n{query}\n\n[[ ## completed ## ]]"


def rows(place: Path, query: str, *values: str) -> list[Any]:
    with sqlite3.connect(place / "mlflow.db") as connection:
        return connection.execute(query, values).fetchall()


def test_a_compile_is_a_run_with_recipe_data_scores_cost_artifact_and_prompts(
    place: Path, compiled: tuple[dict[str, Any], Result]
) -> None:
    report, result = compiled
    assert "MLflow: logged to MLflow, experiment hopstop" in result.stderr
    ((run_id, name, status),) = rows(place, "select run_uuid, name, status from runs where name like 'labeled%'")
    assert (name, status) == ("labeled questions/v001", "FINISHED")
    metrics = dict(rows(place, "select key, value from metrics where run_uuid = ?", run_id))
    hit = report["scores"]["rewrite"]["dev"]["hit_at_3"]
    told = {key: metrics[f"{key}.rewrite.hit_at_3"] for key in ("before", "after", "difference")}
    assert told == pytest.approx({key: hit[key] for key in told})
    ends = {end: metrics[f"difference.rewrite.hit_at_3.{end}"] for end in ("low", "high")}
    assert ends == pytest.approx({end: hit[end] for end in ends})
    assert 0 < ends["low"] <= told["difference"] <= ends["high"]
    used = report["cost"]["used"]
    assert (metrics["cost.calls"], metrics["cost.tokens"]) == (used["calls"], used["tokens"])
    params = dict(rows(place, "select key, value from params where run_uuid = ?", run_id))
    assert (params["recipe.name"], params["recipe.budget"], params["data.name"]) == ("labeled", "30", "questions")
    assert len(params["data.hash"]) == 64
    assert (params["lm"], params["artifact"]) == ("openai/fake", "questions/v001")
    kept = next(place.rglob(f"{run_id}/artifacts"))
    files = {path.relative_to(kept).as_posix() for path in kept.rglob("*") if path.is_file()}
    assert files == {"prompts.txt", *(f"artifact/{n}" for n in ("manifest.json", "state.json", "README.md"))}
    assert "rewriter (examples: " in (kept / "prompts.txt").read_text(encoding="utf-8")
    assert (kept / "artifact" / "state.json").read_bytes() == (place / report["artifact"] / "state.json").read_bytes()


def evaluated(artifact: Path, out: str) -> dict[str, Any]:
    words = ("--index", "desk.index", "--artifact", artifact, "--out", out, "--no-track", "--json")
    result = run("eval", "questions.jsonl", *words)
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def register(artifact: Path, *words: object) -> Result:
    return run("register", artifact, "--index", "desk.index", "--name", "desk", "--alias", "champion", *words, "--json")


def test_a_better_program_becomes_the_champion_and_answers_in_a_host_with_its_own_settings(place: Path) -> None:
    index = BM25Index.load(place / "desk.index")
    policy = OfflinePolicy(index)
    weak, strong = (
        save(IterativeQA(index, policy, limits), place / "kept", name="walk")
        for limits in (Limits(max_read=1, first_k=1), policy.limits)
    )
    evaluated(weak, "weak")
    assert evaluated(strong, "strong")["metrics"]["em"] > 0.2
    first = register(weak, "--force")
    assert first.exit_code == 0, first.output
    refused = register(weak, "--report", "weak", "--against", "strong")
    assert (refused.exit_code, "not better beyond chance" in refused.stderr) == (1, True)
    itself = register(strong, "--report", "strong", "--against", "strong")
    assert (itself.exit_code, "an evaluation of walk/v002 itself" in itself.stderr) == (1, True)
    second = register(strong, "--report", "strong", "--against", "weak")
    assert second.exit_code == 0, second.output
    assert "McNemar's p 0.0" in second.stderr
    aliases = rows(place, "select alias, version from registered_model_aliases where name = 'desk'")
    assert aliases == [("champion", 2)]
    public = {item.id for item in make_desk(size=SIZE).questions if not item.groups}
    lines = (place / "strong" / "outcomes.jsonl").read_text(encoding="utf-8").splitlines()
    asked = next(row for row in map(json.loads, lines) if row["outcome"]["answer"] and row["id"] in public)
    loader = Forked("-c", LOADER, "models:/desk@champion", asked["asked"]["question"]).finish(timeout=90)
    assert loader.returncode == 0, loader.stderr
    loaded = json.loads(loader.stdout.splitlines()[-1])
    assert loaded["same"]
    assert loaded["answers"][0]["answer"] == asked["outcome"]["answer"]


def test_the_key_is_in_no_file_of_compile_evaluations_and_store(
    place: Path, compiled: tuple[dict[str, Any], Result]
) -> None:
    files = [path for path in place.rglob("*") if path.is_file()]
    names = {path.name for path in files}
    assert {"mlflow.db", "prompts.txt", "compilation.json", "replies.jsonl", "log.txt", "manifest.json"} <= names
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    assert KEY not in compiled[1].output
