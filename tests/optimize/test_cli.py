from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from forked import Forked

from hopstop.optimize.cli import COMMANDS, main

HEAVY = ("dspy", "mlflow", "numpy", "rich", "bm25s")


COMMAND = "from hopstop.optimize.cli import main; main()"


def script(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", COMMAND, *words], capture_output=True, text=True, check=False)


def forked(*words: str) -> subprocess.CompletedProcess[str]:
    return Forked("-c", COMMAND, *words).finish(timeout=60)


@pytest.mark.parametrize("words", [["--help"], ["--version"], *([name, "--help"] for name in COMMANDS), ["ask"]])
def test_help_and_wrong_usage_import_nothing_heavy(words: list[str]) -> None:
    code = (
        "import json, sys\nfrom hopstop.optimize.cli import main\n"
        f"try: main({words!r})\nexcept SystemExit: pass\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [name for name in HEAVY if name in json.loads(run.stdout.splitlines()[-1])] == []


def test_help_takes_less_than_half_a_second() -> None:
    def seconds() -> float:
        """Of the processor, whatever else the machine does."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert script("--help").returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(seconds() for _ in range(3)) < 0.5


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_has_an_example_and_lines_that_fit(name: str) -> None:
    text = CliRunner().invoke(main, [name, "--help"], terminal_width=100).output
    assert f"hopstop {name}" in text.partition("Example")[2]
    assert max(map(len, text.splitlines())) <= 100


def test_commands_are_listed_with_whole_sentences() -> None:
    text = CliRunner().invoke(main, ["--help"], terminal_width=80).output
    assert all(f"\n  {name} " in text for name in COMMANDS)
    assert "..." not in text.partition("Commands:")[2]


def test_unknown_command_is_wrong_usage() -> None:
    result = CliRunner().invoke(main, ["guess"])
    assert result.exit_code == 2
    assert "No such command" in result.stderr


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["index", "nowhere.jsonl", "--out", "x"], "nowhere.jsonl"),
        (["ask", "Who?", "--index", "nowhere"], "nowhere"),
        (["eval", "nowhere.jsonl", "--index", "x"], "nowhere.jsonl"),
        (["track", "nowhere"], "nowhere"),
    ],
)
def test_error_of_ours_is_one_line_and_exit_code_1(
    words: list[str], named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = (script if words[0] == "ask" else forked)(*words)  # one with the warnings of imports, if there are any
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith("Error: ")
    assert named in run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ["ask", "Who?"],
        ["ask", "Who?", "--index", "x", "--max-rounds", "0"],
        ["ask", "Who?", "--index", "x", "--max-seconds", "0"],
        ["ask", "Who?", "--index", "x", "--policy", "oracle"],
        ["ask", "Who?", "--index", "x", "--policy", "lm"],
        ["ask", "Who?", "--index", "x", "--policy", "offline", "--lm", "openai/local"],
        ["ask", "Who?", "--index", "x", "--artifact", "a", "--policy", "offline"],
        ["ask", "Who?", "--index", "x", "--api-base", "http://localhost:1"],
        ["eval", "q.jsonl", "--corpus", "a", "--index", "b"],
        ["eval", "q.jsonl", "--corpus", "a", "--baseline", "two-pass"],
        ["eval", "q.jsonl", "--corpus", "a", "--threads", "0"],
        ["index", "--out", "x"],
        ["index", "notes"],
    ],
)
def test_wrong_usage_has_exit_code_2(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LLM_MODEL", raising=False)
    result = CliRunner().invoke(main, words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Usage: " in result.stderr


def test_price_map_is_not_fetched_unless_the_user_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "LITELLM_LOCAL_MODEL_COST_MAP"
    monkeypatch.setenv(name, "false")
    CliRunner().invoke(main, ["ask"])
    assert os.environ[name] == "false"
    monkeypatch.delenv(name)
    CliRunner().invoke(main, ["ask"])
    assert os.environ[name] == "true"


def test_ctrl_c_says_how_to_go_on(tmp_path: Path) -> None:
    # A pipe that nobody writes to: reading it waits for ever.
    os.mkfifo(tmp_path / "corpus.jsonl")
    words = ["index", str(tmp_path / "corpus.jsonl"), "--out", str(tmp_path / "index")]
    run = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with os.fdopen(os.open(tmp_path / "corpus.jsonl", os.O_WRONLY), "w"):  # opens once the other end reads
        time.sleep(0.2)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=20)
    assert (run.returncode, out) == (130, "")
    assert "run the same command again" in err
    assert "Traceback" not in err
    assert not (tmp_path / "index").exists()
