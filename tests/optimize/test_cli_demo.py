from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hopstop.eval.tracking import Tracked
from hopstop.optimize.cli import main


@pytest.fixture(autouse=True)
def no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sending takes seconds and has its own tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("hopstop.optimize.evaluation.send", lambda folder, **_: Tracked("id", "look at the store"))


def demo(*words: str) -> Result:
    return CliRunner().invoke(main, ["demo", *words])


def test_demo_shows_everything_in_order() -> None:
    result = demo()
    assert result.exit_code == 0, result.output
    order = [
        "A made company corpus",
        "all gold passages read",
        "by facts needed",
        "A question that needs three searches",
        "Round 1",
        "Round 3",
        "STOP, accepted",
        "Answer: ",
        "A question that the corpus does not answer",
        "Not answered",
        "Missing",
        "look at the store",
        "hopstop ask",
        "hopstop index",
    ]
    places = [result.stdout.find(words) for words in order]
    assert -1 not in places
    assert places == sorted(places)
    assert max(map(len, result.stdout.partition("Next")[0].splitlines())) <= 100


def test_demo_as_json_leaves_files_that_the_commands_take() -> None:
    document = json.loads(demo("--json").stdout)
    assert len(document["traced"]["rounds"]) >= 3
    assert document["traced"]["answer"]
    assert document["refused"]["answer"] is None
    assert document["refused"]["missing"]
    assert (
        document["evaluation"]["metrics"]["all_support"] > document["evaluation"]["baseline"]["metrics"]["all_support"]
    )
    asked = CliRunner().invoke(main, ["ask", document["traced"]["question"], "--index", "demo/index", "--json"])
    assert json.loads(asked.stdout)["answer"] == document["traced"]["answer"]


def test_demo_runs_again_in_its_own_folder_and_in_no_other(tmp_path: Path) -> None:
    assert demo().exit_code == 0
    assert demo().exit_code == 0
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "questions.jsonl").write_text("precious", encoding="utf-8")
    refused = demo("--out", "mine")
    assert refused.exit_code == 1
    assert "--out" in refused.stderr
    assert (tmp_path / "mine" / "questions.jsonl").read_text(encoding="utf-8") == "precious"
