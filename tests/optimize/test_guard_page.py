from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from hopstop.optimize.cli import main
from hopstop.optimize.guard_page import main as page


def test_page_tells_what_is_lost_without_each_guard(tmp_path: Path) -> None:
    words = ["ablate", "--desk", "--limit", "12", "--careless", "concluding", "--out", str(tmp_path / "runs")]
    for part in ("guard lone_derivation", "all but lone_derivation", "guard latch", "all guards", "judge"):
        words += ["--part", part]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    refused = {
        "desk": {
            "right": {"n": 40, "thresholds": 0.0, "latch": 0.025, "defaults": 0.025},
            "vague": {"n": 40, "thresholds": 1.0},
        }
    }
    (tmp_path / "refusals.json").write_text(json.dumps(refused), encoding="utf-8")
    result = CliRunner().invoke(page, [str(tmp_path / "runs"), "--refusals", str(tmp_path / "refusals.json")])
    assert result.exit_code == 0, result.output
    lines = {line.split("|")[1].strip(): line for line in result.stdout.splitlines() if line.startswith("|")}
    assert "| concluding | desk | 12 |" in result.stdout
    most, _, alone = lines["`lone_derivation`"].split("|")[-4:-1]
    assert "early stop -" in most
    assert "early stop -" in alone
    assert lines["`latch`"].endswith("| nothing | nothing | - |")
    assert lines["`repeat`"].endswith("| - | - | - | - |")
    assert "| desk | right | 40 | latch 2.5 | 2.5 |" in result.stdout
    assert "| desk | vague | 40 | thresholds 100.0 | - |" in result.stdout


def test_folder_without_a_report_is_told(tmp_path: Path) -> None:
    result = CliRunner().invoke(page, [str(tmp_path)])
    assert result.exit_code == 1
    assert "run hopstop ablate" in result.output
