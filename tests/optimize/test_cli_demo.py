from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hopstop.eval.desk import make_desk
from hopstop.eval.tracking import Tracked
from hopstop.optimize.cli import main

Runs = tuple[str, dict[str, Any]]


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The working directory. The company is a small one; MLflow, which takes seconds, has its own tests."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr("hopstop.optimize.demonstration.make_desk", partial(make_desk, size=0.4))
        patch.setattr("hopstop.optimize.evaluation.send", lambda folder, **_: Tracked("id", "look at the store"))
        yield folder


@pytest.fixture(scope="module")
def runs(home: Path) -> Runs:
    """What two runs in the same folder print, one as text, one as JSON."""
    text, document = demo(), demo("--json")
    assert (text.exit_code, document.exit_code) == (0, 0), text.output + document.output
    return text.stdout, json.loads(document.stdout)


def demo(*words: str) -> Result:
    return CliRunner().invoke(main, ["demo", *words])


def test_everything_is_shown_in_order(runs: Runs) -> None:
    text = runs[0]
    order = [
        "A made company corpus",
        "all gold passages read",
        "by facts needed",
        "A question that needs three searches",
        "Round 1",
        "A question that the corpus does not answer",
        "Not answered",
        "Missing",
        "look at the store",
        "hopstop ask",
        "hopstop index",
    ]
    rest = text
    for words in order:
        assert words in rest
        rest = rest.partition(words)[2]
    assert max(map(len, text.rpartition("Next")[0].splitlines())) <= 100


def test_traced_question_takes_three_searches_and_is_answered_with_proof(runs: Runs) -> None:
    text, document = runs
    trace = text.partition("A question that needs three searches")[2].partition("A question that the corpus")[0]
    assert "STOP, accepted" in trace
    assert f"Answer: {document['traced']['answer']}" in trace
    assert sum(len(item["queries"]) for item in document["traced"]["rounds"]) >= 3
    assert len(document["traced"]["citations"]) >= 3


def test_refused_question_has_no_answer_and_says_what_is_missing(runs: Runs) -> None:
    assert runs[1]["refused"]["answer"] is None
    assert runs[1]["refused"]["missing"]


def test_loop_reads_more_of_the_gold_passages_than_one_search(runs: Runs) -> None:
    evaluation = runs[1]["evaluation"]
    assert evaluation["difference"]["all_support"]["low"] > 0
    assert evaluation["metrics"]["passages_mean"] <= evaluation["baseline"]["system"]["limits"]["max_read"]


def test_its_files_are_taken_by_the_commands(runs: Runs) -> None:
    traced = runs[1]["traced"]
    asked = CliRunner().invoke(main, ["ask", traced["question"], "--index", "demo/index", "--json"])
    assert json.loads(asked.stdout)["answer"] == traced["answer"]


def test_folder_of_something_else_is_left_alone(home: Path) -> None:
    (home / "mine").mkdir()
    (home / "mine" / "questions.jsonl").write_text("precious", encoding="utf-8")
    refused = demo("--out", "mine")
    assert refused.exit_code == 1
    assert "--out" in refused.stderr
    assert (home / "mine" / "questions.jsonl").read_text(encoding="utf-8") == "precious"
