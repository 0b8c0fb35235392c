from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from hopstop.optimize.cli import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_app_in_the_readme_runs_and_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (app,) = (block for block in BLOCKS if "BM25Index.build" in block)
    monkeypatch.chdir(tmp_path)
    exec(compile(app, "README.md", "exec"), {"__name__": "readme"})
    out = capsys.readouterr().out
    assert "ANSWERED Selma Arslan" in out
    assert "4,100" not in out
    assert (tmp_path / "notes.index" / "manifest.json").is_file()


def test_the_loop_in_the_readme_is_the_loop_of_the_program() -> None:
    (short,) = (block for block in BLOCKS if "judgement.accepted" in block)
    source = (ROOT / "program" / "loop.py").read_text(encoding="utf-8") + (ROOT / "program" / "run.py").read_text(
        encoding="utf-8"
    )
    for call in ("policy.search(", "policy.decide(", "judge(", "why_stop()", "runtime.both(", "StopReason.ANSWERED"):
        assert call in short
        assert call in source


def test_every_command_in_the_readme_exists() -> None:
    named = set(re.findall(r"`?hopstop (\w+)", " ".join(re.findall(r"`[^`]*`|^hopstop .*$", README, re.MULTILINE))))
    known = set(main.list_commands(click.Context(main)))
    assert named - known == set()


def test_readme_is_short_and_starts_with_what_matters() -> None:
    lines = README.splitlines()
    assert len(lines) <= 150
    top = "\n".join(lines[:40])
    for needed in ("make demo", "make test", "hopstop ask", "|"):
        assert needed in top
