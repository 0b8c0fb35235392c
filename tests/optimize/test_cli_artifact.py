from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from compiled import compiled
from hopstop.optimize.cli import main
from hopstop.program import save


@pytest.fixture
def folders(tmp_path: Path) -> tuple[str, str]:
    program = compiled()
    before = save(program, tmp_path, name="films", scores={"f1": 0.5})
    program.policy.decider.demos = []
    return str(before), str(save(program, tmp_path, name="films", scores={"f1": 0.6}))


def test_show_prints_prompts_and_limits(folders: tuple[str, str]) -> None:
    result = CliRunner().invoke(main, ["artifact", "show", folders[0]])
    assert result.exit_code == 0
    assert all(shown in result.stdout for shown in ("films v001", "max_rounds: 3", "Ann Lee", "f1: 0.5"))


def test_diff_prints_what_changed(folders: tuple[str, str]) -> None:
    result = CliRunner().invoke(main, ["artifact", "diff", *folders])
    assert result.exit_code == 0
    assert all(shown in result.stdout for shown in ("f1: 0.5 -> 0.6", "examples of decider: 1 removed, 0 added"))


def test_json_is_one_document(folders: tuple[str, str]) -> None:
    shown = CliRunner().invoke(main, ["artifact", "show", folders[0], "--json"])
    changed = CliRunner().invoke(main, ["artifact", "diff", *folders, "--json"])
    assert json.loads(shown.stdout)["manifest"]["scores"] == {"f1": 0.5}
    assert json.loads(changed.stdout)["scores"] == {"f1": [0.5, 0.6]}


@pytest.mark.parametrize("arguments", [["show", "nowhere"], ["diff", "nowhere", "nowhere"]])
def test_a_folder_that_holds_no_artifact_is_an_error_of_ours(arguments: list[str]) -> None:
    result = CliRunner().invoke(main, ["artifact", *arguments])
    assert (result.exit_code, result.stdout) == (1, "")
    assert "artifact nowhere: manifest.json cannot be read" in result.stderr
