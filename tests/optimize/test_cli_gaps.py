from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from fakes import ALIEN, HALF, QUESTION, ScriptedPolicy, WordRetriever
from hopstop.eval.outcomes import outcome_line
from hopstop.optimize.cli import main
from hopstop.program.loop import IterativeQA


def log(folder: Path, lines: int = 1) -> Path:
    line = outcome_line(IterativeQA(WordRetriever([ALIEN]), ScriptedPolicy([HALF]))(QUESTION))
    path = folder / "outcomes.jsonl"
    path.write_text(f"{line}\n" * lines, encoding="utf-8")
    return path


def gaps(*words: object) -> Result:
    return CliRunner().invoke(main, ["gaps", *map(str, words)], env={"COLUMNS": "200"})


def test_gaps_are_listed_with_what_was_searched(tmp_path: Path) -> None:
    result = gaps(log(tmp_path, 2))
    assert result.exit_code == 0
    assert "where Ridley Scott was born" in result.stdout
    assert "NO_NEW_PASSAGES" in result.stdout


def test_json_is_the_only_output_and_reports_are_taken_together(tmp_path: Path) -> None:
    found = json.loads(gaps(log(tmp_path), log(tmp_path), "--json").stdout)
    assert (found["gaps"], found["groups"][0]["count"]) == (2, 2)
    assert found["groups"][0]["words"] == ["born"]


def test_no_gaps_is_said(tmp_path: Path) -> None:
    (tmp_path / "outcomes.jsonl").write_text("", encoding="utf-8")
    result = gaps(tmp_path)
    assert result.exit_code == 0
    assert "no gaps" in result.stdout


def test_what_is_no_report_is_an_error_of_ours(tmp_path: Path) -> None:
    result = gaps(tmp_path / "none")
    assert result.exit_code == 1
    assert "no such file" in result.stderr
    assert gaps().exit_code == 2
