from __future__ import annotations

import json
import os
import shutil
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dspy
import pytest
from chat_server import ChatServer, serving
from click.testing import CliRunner
from mlflow_servers import ask_over_http, free_port, mlflow_command, python, result_of, server

from fakes import BIRTH, DIRECTOR, FILMS, chat
from hopstop.eval import registry
from hopstop.eval.compilation import COMPILATION, Compilation, read_compilation, write_compilation
from hopstop.eval.registry import Registration, download_evaluation, register
from hopstop.optimize.cli import main
from hopstop.program import BM25Index, IterativeQA, Limits, LMPolicy, save
from hopstop.program.artifact_folder import read_version
from hopstop.program.errors import ArtifactMismatch, BadIndex, BadInput

KEY = "sk-planted-NOT-REAL-4471"

LOADER = """
import json, sys, threading
import dspy, mlflow
from hopstop.eval.tracking import log_compilation
mine = dspy.LM("openai/mine", api_key="other", cache=False)
dspy.configure(lm=mine, track_usage=True)
before = dspy.settings.copy()
asked = {"question": sys.argv[2], "groups": []}
answers = []
def ask():
    model = mlflow.pyfunc.load_model(sys.argv[1])
    answers.extend(model.predict([asked]))
ask()
thread = threading.Thread(target=ask)
thread.start()
thread.join()
same = dspy.settings.copy() == before and dspy.settings.lm is mine
run_id = log_compilation(sys.argv[3], mlflow.get_tracking_uri())
print(json.dumps({"answers": answers, "same": same, "run_id": run_id}))
"""


def replies(prompt: str) -> str:
    if "`verdict`" in prompt:
        facts = [{"need": item.need, "quote": item.quote, "follows_from": []} for item in (DIRECTOR, BIRTH)]
        return chat(needed=facts, answer="South Shields", verdict="STOP")
    raise AssertionError(f"unforeseen: {prompt}")


@dataclass(frozen=True)
class Place:
    """A real tracking server, and what was sent to it, served by it and loaded from it."""

    folder: Path
    uri: str
    registered: dict[str, str]
    compilation: str
    served: list[dict[str, Any]]
    loaded: dict[str, Any]
    keys: list[str | None]


@pytest.fixture(scope="module")
def chat_server() -> Iterator[ChatServer]:
    with serving() as made:
        made.reply = replies
        yield made


def program_of(base: str) -> IterativeQA:
    lm = dspy.LM("openai/local", api_key=KEY, api_base=base, cache=False)
    return IterativeQA(BM25Index.build(FILMS), LMPolicy(lm), Limits(first_k=3))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, mlflow_tables: Path, chat_server: ChatServer) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("registry")
    shutil.copy(mlflow_tables, folder / "mlflow.db")
    program = program_of(chat_server.base)
    program.retriever.save(folder / "films.index")
    made = save(program, folder / "artifacts", name="films", scores={"em": 0.5})
    write_compilation(folder / "work", compilation(made))
    (folder / "work" / "curve.csv").write_text("x\n1\n")
    port, store = free_port(), f"sqlite:///{folder}/mlflow.db"
    uri = f"http://127.0.0.1:{port}"
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",  # where MLflow finds uvicorn
        "MLFLOW_TRACKING_URI": uri,
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",  # two more processes that nobody needs here
        "OPENAI_API_KEY": KEY,
        "LLM_API_BASE": chat_server.base,
        "DSPY_CACHEDIR": str(folder / "cache"),
    }
    words = ("--backend-store-uri", store, "--artifacts-destination", str(folder / "store"), "--workers", "1")
    tracking = mlflow_command("server", "--host", "127.0.0.1", "--port", str(port), *words)
    with server(tracking, f"{uri}/health", folder / "tracking.log", environment), pytest.MonkeyPatch.context() as patch:
        for name in ("MLFLOW_TRACKING_URI", "OPENAI_API_KEY"):
            patch.setenv(name, environment[name])
        registered = register_with_command(made, folder / "films.index")
        loader = python(LOADER, registered["uri"], QUESTION, str(folder / "work"), environment=environment)
        served = serve(registered["uri"], folder / "serving.log", environment)
        loaded = result_of(loader, folder / "loader.log")
        yield Place(folder, uri, registered, loaded["run_id"], served, loaded, list(chat_server.keys))


QUESTION = "Where was the director of Alien born?"


def compilation(artifact: Path) -> Compilation:
    return Compilation(
        recipe={"name": "calibrate", "seed": 7},
        data={"name": "made", "hash": "abc", "n": 3},
        before={"em": 0.25, "proven": None},
        after={"em": 0.5, "proven": None},
        cost={"tokens": 1000},
        artifact=artifact,
        files=("curve.csv",),
    )


def register_with_command(artifact: Path, index: Path) -> dict[str, str]:
    words = ["register", str(artifact), "--index", str(index), "--name", "films", "--json"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    assert KEY not in result.output
    found: dict[str, str] = json.loads(result.stdout)
    return found


def serve(model: str, log: Path, environment: dict[str, str]) -> list[dict[str, Any]]:
    port = free_port()
    words = ("models", "serve", "-m", model, "--env-manager", "local", "--host", "127.0.0.1", "--port", str(port))
    with server(mlflow_command(*words), f"http://127.0.0.1:{port}/ping", log, environment):
        rows: list[dict[str, Any]] = [{"question": QUESTION, "groups": None}, {"question": " ", "groups": ["finance"]}]
        return ask_over_http(port, rows)


def test_a_served_model_answers_with_quotes_over_http(place: Place) -> None:
    found, empty = place.served
    assert (found["answer"], found["reason"], found["missing"], found["error"]) == (
        "South Shields",
        "ANSWERED",
        [],
        None,
    )
    texts = {passage.id: passage.text for passage in FILMS}
    assert {quote["passage_id"] for quote in found["quotes"]} == {"alien", "scott"}
    assert all(texts[item["passage_id"]][item["start"] : item["end"]] == item["text"] for item in found["quotes"])
    assert empty["answer"] is None
    assert "the question is empty" in empty["error"]


def test_a_loaded_model_leaves_the_settings_of_its_host_alone_in_two_threads(place: Place) -> None:
    assert place.loaded["same"]
    assert [item["answer"] for item in place.loaded["answers"]] == ["South Shields", "South Shields"]
    assert set(place.keys) == {f"Bearer {KEY}"}  # of the environment, not the one that the host has set


def test_the_planted_key_is_nowhere(place: Place) -> None:
    files = [path for path in place.folder.rglob("*") if path.is_file()]
    names = {path.name for path in files}
    assert {"mlflow.db", "manifest.json", "MLmodel", "prompts.txt"} <= names
    assert {f"{name}.log" for name in ("tracking", "serving", "loader")} <= names
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    stored = [path for path in files if (place.folder / "store") in path.parents]
    assert [path for path in stored if path.suffix in (".pkl", ".pickle")] == []


def test_the_candidate_is_a_version_that_knows_its_artifact(place: Place) -> None:
    assert place.registered == {
        "name": "films",
        "version": "1",
        "alias": "candidate",
        "uri": "models:/films@candidate",
        "message": f"open {place.uri}",
    }
    path = f"{place.uri}/api/2.0/mlflow/model-versions/get?name=films&version=1"
    with urllib.request.urlopen(path, timeout=10) as reply:
        version = json.loads(reply.read())["model_version"]
    digest = read_version(place.folder / "artifacts" / "films" / "v001").manifest.digest()
    tags = {item["key"]: item["value"] for item in version["tags"]}
    assert (tags["hopstop.artifact"], tags["hopstop.digest"]) == ("films/v001", digest)


def test_a_compilation_is_a_run_with_artifact_prompts_and_figures(place: Place) -> None:
    with urllib.request.urlopen(f"{place.uri}/api/2.0/mlflow/runs/get?run_id={place.compilation}", timeout=10) as reply:
        data = json.loads(reply.read())["run"]["data"]
    params = {item["key"]: item["value"] for item in data["params"]}
    assert params == {
        "policy": "lm",
        "lm": "openai/local",
        "artifact": "films/v001",
        "recipe.name": "calibrate",
        "recipe.seed": "7",
        "data.name": "made",
        "data.hash": "abc",
        "data.n": "3",
    }
    metrics = {item["key"]: item["value"] for item in data["metrics"]}
    assert metrics == {"before.em": 0.25, "after.em": 0.5, "difference.em": 0.25, "cost.tokens": 1000}
    run = next(place.folder.glob(f"store/*/{place.compilation}/artifacts"))
    kept = {path.relative_to(run).as_posix() for path in run.rglob("*") if path.is_file()}
    assert kept == {
        "prompts.txt",
        "curve.csv",
        *(f"artifact/{n}" for n in ("manifest.json", "state.json", "README.md")),
    }
    assert "decider (examples: 0)" in (run / "prompts.txt").read_text()


@pytest.mark.parametrize(
    ("named", "models"),
    [
        (None, ("openai/small", "openai/large", "anthropic/reader")),
        ("openai/small", ("openai/small", "openai/large", "anthropic/reader")),
        ("openai/mine", ("openai/mine", "openai/mine", None)),
    ],
)
def test_a_served_program_asks_the_models_that_it_was_compiled_with(
    named: str | None, models: tuple[str | None, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hopstop.eval.serving_model import INDEX, PROGRAM, ServedProgram

    lms = [dspy.LM(name) for name in ("openai/small", "openai/large", "anthropic/reader")]
    program = IterativeQA(BM25Index.build(FILMS), LMPolicy(lms[0], decide_lm=lms[1], answer_lm=lms[2]))
    program.retriever.save(tmp_path / "films.index")
    folders = {PROGRAM: save(program, tmp_path, name="films"), INDEX: tmp_path / "films.index"}
    monkeypatch.setenv("LLM_API_BASE", "http://localhost:1/v1")
    monkeypatch.delenv("LLM_MODEL", raising=False)
    if named:
        monkeypatch.setenv("LLM_MODEL", named)
    served = ServedProgram()
    served.load_context(SimpleNamespace(artifacts=folders))
    policy = served._program.policy
    assert isinstance(policy, LMPolicy)
    found = (policy.caller.lm, policy.decide_lm, policy.answer_lm)
    assert tuple(lm and lm.model for lm in found) == models
    bases = [lm.kwargs.get("api_base") for lm in found if lm is not None]
    assert bases == ["http://localhost:1/v1" if name.startswith("openai") else None for name in models if name]


def test_a_compilation_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = replace(compilation(tmp_path / "artifact"), intervals={"em": (-0.25, 0.75)})
    assert made.metrics()["difference.em.low"] == -0.25
    write_compilation(tmp_path, made)
    assert read_compilation(tmp_path) == made
    (tmp_path / COMPILATION).write_text("{}")
    with pytest.raises(BadInput, match="not written by this version"):
        read_compilation(tmp_path)


def champion(holder: str | None) -> Any:  # noqa: ANN401
    """A client of a registry in which an artifact with this digest is the champion of "films"; "" has none."""
    tags = {registry.ARTIFACT_TAG: "films/v001", **({registry.DIGEST_TAG: holder} if holder else {})}
    models = [] if holder is None else [SimpleNamespace(name="films", aliases={"champion": "3"})]
    return SimpleNamespace(
        search_registered_models=lambda: models,
        get_model_version=lambda name, number: SimpleNamespace(tags=tags),
    )


@pytest.mark.parametrize(
    ("holder", "beaten", "allowed"),
    [
        ("a" * 64, ("a" * 64,), True),
        ("a" * 64, ("b" * 64, "a" * 64), True),
        ("b" * 64, ("a" * 64,), False),  # changed since, under the name that it had
        ("b" * 64, ("films/v001",), False),
        ("", ("a" * 64,), False),
        ("b" * 64, None, True),
        (None, ("a" * 64,), True),
    ],
)
def test_only_a_champion_that_was_compared_with_is_replaced(
    holder: str | None, beaten: tuple[str, ...] | None, allowed: bool
) -> None:
    wanted = Registration(artifact=Path("a"), index=Path("i"), name="films", alias="champion", beaten=beaten)
    if allowed:
        registry._check_beaten(champion(holder), wanted)
    else:
        told = r"the champion of films is films/v001 with (no digest|digest b{12}) \(version 3\).*--against.*--force"
        with pytest.raises(BadInput, match=told):
            registry._check_beaten(champion(holder), wanted)


def test_an_evaluation_is_downloaded_as_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []
    client = SimpleNamespace(download_artifacts=lambda *words: asked.append(words))
    monkeypatch.setattr(registry, "opened", lambda uri: (client, "1"))
    download_evaluation("r", tmp_path, "uri")
    assert asked == [("r", "run.json", str(tmp_path)), ("r", "outcomes.jsonl", str(tmp_path))]


def test_what_cannot_be_registered_is_told_before_mlflow_is_asked(tmp_path: Path) -> None:
    program = program_of("http://127.0.0.1:9/v1")
    made = save(program, tmp_path, name="films")
    wanted = Registration(artifact=made, index=tmp_path / "nowhere", name="films")
    with pytest.raises(BadIndex):
        register(wanted)
    program.retriever.save(tmp_path / made.name)
    with pytest.raises(BadInput, match="folders of the same name"):
        register(replace(wanted, index=tmp_path / made.name))
    (made / "state.json").write_text("{}")
    with pytest.raises(ArtifactMismatch):
        register(wanted)
    assert KEY not in str(read_version(save(program, tmp_path, name="films")))
