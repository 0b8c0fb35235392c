from __future__ import annotations

import json
import os
import socket
import sqlite3
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from forked import run_forked

from hopstop.eval import tracking
from hopstop.eval.plots import draw
from hopstop.eval.questions import Dataset, Question, Support
from hopstop.eval.report import load, write_report
from hopstop.eval.run import evaluate
from hopstop.eval.system import System
from hopstop.eval.tracking import metrics_of, send, store, where_to_look
from hopstop.program.errors import BadInput
from hopstop.program.records import Outcome, Passage, Round, StopReason, Usage

PASSWORD = "p@ss-sk-ant-NOT-REAL"


def answers(question: str, *, groups: frozenset[str]) -> Outcome:
    if "crash" in question:
        raise KeyError(question)
    right = "right" in question
    return Outcome(
        question=question,
        reason=StopReason.ANSWERED if right else StopReason.ROUND_LIMIT,
        answer="Ada" if right else None,
        evidence=(Passage("p", "Ada."),),
        rounds=(Round(1, (), hits=("p",), kept=("p",)),),
        ranking=("p",),
        usage=Usage(calls=2, input_tokens=30),
    )


def finished(folder: Path) -> Path:
    asked = ["right 1", "right 2", "open", "crash"]
    data = Dataset.of("made", [Question(name, f"{name}?", ("Ada",), supports=(Support("p"),)) for name in asked])
    loop = System(answers=answers, policy="fake", lm="maker/model", limits={"max_rounds": 4, "max_cost_usd": None})
    evaluate(loop, data, folder)
    evaluate(System(answers=answers, policy="one-pass", reads_only=True), data, folder / "baseline")
    write_report(folder, baseline=folder / "baseline")
    return folder


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tracking")


@pytest.fixture(scope="module")
def logged(place: Path) -> tuple[Path, str]:
    """A report and its run in a new SQLite store, made by two senders at once; nothing of this process changes."""
    folders = [finished(place / name) for name in ("a", "b")]
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(2) as pool:
        patch.chdir(place)
        patch.setenv("MLFLOW_TRACKING_URI", "")
        patch.setattr("hopstop.eval.sender.subprocess.run", run_forked)
        before = dict(os.environ)
        results = list(pool.map(send, folders))
        assert dict(os.environ) == before
        assert all(where_to_look() in result.message for result in results), results
    runs = [result.run_id for result in results if result.run_id is not None]
    assert len(set(runs)) == 2
    return folders[0], runs[0]


def rows(place: Path, query: str, *values: str) -> list[Any]:
    with sqlite3.connect(place / "mlflow.db") as connection:
        return connection.execute(query, values).fetchall()


def test_the_store_has_exactly_the_metrics_of_the_report_that_were_measured(
    place: Path, logged: tuple[Path, str]
) -> None:
    folder, run = logged
    report = json.loads((folder / "report.json").read_text())
    stored = dict(rows(place, "select key, value from metrics where run_uuid = ?", run))
    assert stored == pytest.approx(metrics_of(report))
    assert stored["em"] == pytest.approx(2 / 3)
    assert (stored["em.ANSWERED"], stored["share.ROUND_LIMIT"], stored["n"], stored["crashed"]) == (1, 1 / 3, 3, 1)
    assert stored["difference.all_support"] == stored["difference.all_support.low"] == 0
    unmeasured = {"abstain_right", "abstain_right.ANSWERED", "baseline.em", "difference.em", "cost_usd_mean"}
    assert unmeasured.isdisjoint(stored)


def test_the_run_has_the_params_of_its_header_and_is_finished(place: Path, logged: tuple[Path, str]) -> None:
    folder, run = logged
    header = load(folder).header
    stored = dict(rows(place, "select key, value from params where run_uuid = ?", run))
    assert stored == {
        "policy": "fake",
        "lm": "maker/model",
        "version": header["system"]["version"],
        "limits.max_rounds": "4",
        "limits.max_cost_usd": "None",
        "data.name": "made",
        "data.hash": header["data"]["hash"],
        "data.n": "4",
        "hopstop_version": header["versions"]["hopstop"],
        "dspy_version": header["versions"]["dspy"],
    }
    assert rows(place, "select status from runs where run_uuid = ?", run) == [("FINISHED",)]
    assert rows(place, "select name from experiments where name != 'Default'") == [("hopstop",)]


def test_the_run_has_the_question_table_the_report_and_the_plots(place: Path, logged: tuple[Path, str]) -> None:
    run = logged[1]
    artifacts = next(place.glob(f"mlruns/*/{run}/artifacts"))
    names = {path.relative_to(artifacts).as_posix() for path in artifacts.rglob("*") if path.is_file()}
    plots = {f"plots/{name}.png" for name in ("stop_reasons", "rounds", "passages", "tokens")}
    reports = {"run.json", "outcomes.jsonl", "report.json", "report.md", "diagnosis.json"}
    assert names == {"questions.json"} | reports | plots
    table = json.loads((artifacts / "questions.json").read_text())
    by_id = {row[0]: dict(zip(table["columns"], row, strict=True)) for row in table["data"]}
    assert by_id["right 1"]["answer"] == "Ada"
    assert by_id["open"]["reason"] == "ROUND_LIMIT"
    assert by_id["crash"]["proven"] is None
    assert by_id["crash"]["error"].startswith("KeyError in ")


def test_a_run_that_breaks_off_is_marked_as_failed() -> None:
    ends = []
    client = SimpleNamespace(
        create_run=lambda experiment, run_name: SimpleNamespace(
            info=SimpleNamespace(run_id=f"{run_name} in {experiment}", start_time=1)
        ),
        set_terminated=lambda run_id, status: ends.append((run_id, status)),
    )
    with pytest.raises(ZeroDivisionError), tracking._run(client, "7", "a"):
        raise ZeroDivisionError
    with tracking._run(client, "7", "b") as (run_id, _):
        assert run_id == "b in 7"
    assert ends == [("a in 7", "FAILED"), ("b in 7", "FINISHED")]


def test_an_unreachable_server_is_quick_loses_nothing_and_names_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://me:{PASSWORD}@127.0.0.1:{port}")
    monkeypatch.setattr("hopstop.eval.sender.subprocess.run", run_forked)
    folder = finished(tmp_path / "report")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    start = time.monotonic()
    result = send(folder)
    assert time.monotonic() - start < 30
    assert result.run_id is None
    assert f"hopstop track {folder}" in result.message
    assert f"http://127.0.0.1:{port}" in result.message
    assert PASSWORD not in result.message
    assert capfd.readouterr() == ("", "")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_server_that_never_answers_is_given_up_at_the_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://127.0.0.1:{silent.getsockname()[1]}")
        result = send(finished(tmp_path), timeout_seconds=0.5)
    assert result.run_id is None
    assert "no answer within 0.5 s" in result.message


def test_a_sender_that_cannot_start_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "missing"))
    result = send(finished(tmp_path / "report"))
    assert result.run_id is None
    assert "could not start" in result.message


def test_a_folder_without_a_report_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"report\.json: there is no such file; run `hopstop eval`"):
        send(tmp_path)


@pytest.mark.parametrize(
    ("uri", "look"),
    [
        ("", "mlflow ui --backend-store-uri sqlite:///mlflow.db"),
        (f"postgresql://me:{PASSWORD}@db/x?sslpassword={PASSWORD}", "mlflow ui --backend-store-uri postgresql://db/x"),
        (f"https://me:{PASSWORD}@host:5000", "open https://host:5000"),
    ],
)
def test_where_to_look_follows_the_environment_and_shows_no_password(
    uri: str, look: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    assert where_to_look() == look
    assert store() == (uri or "sqlite:///mlflow.db")


def test_nothing_is_drawn_of_what_was_not_measured(tmp_path: Path) -> None:
    assert draw({}, [], tmp_path) == []
    evaluate(
        System(answers=lambda question, **_: Outcome(question, StopReason.NO_HITS), policy="fake"),
        Dataset.of("made", [Question("q", "Who?", ("Ada",))]),
        tmp_path,
    )
    report = write_report(tmp_path)
    drawn = draw(report["by_stop_reason"], load(tmp_path).results, tmp_path / "plots")
    assert [path.stem for path in drawn] == ["stop_reasons", "rounds", "passages"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in drawn)
