from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from forked import Forked, run_forked

from hopstop.eval.datasets import write_dataset
from hopstop.eval.desk import make_desk
from hopstop.optimize.cli import main
from hopstop.program.artifact import save
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import BadQuestion
from hopstop.program.limits import Limits
from hopstop.program.loop import IterativeQA
from hopstop.program.manifest import Training
from hopstop.program.offline import OfflinePolicy
from hopstop.program.records import Outcome

SMALL = 0.1


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder with questions.jsonl and corpus.jsonl; also the working directory."""
    write_dataset(make_desk(size=SMALL), tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def evaluate(*words: object, questions: str = "questions.jsonl") -> Result:
    return CliRunner().invoke(main, ["eval", questions, *map(str, words)])


def test_json_is_the_report_of_the_design(desk: Path) -> None:
    result = evaluate("--corpus", "corpus.jsonl", "--baseline", "one-pass", "--no-track", "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    parts = {"system", "data", "trained_on", "metrics", "by_stop_reason", "baseline", "difference", "report"}
    assert set(report) == parts
    assert report["trained_on"] is report["baseline"]["trained_on"] is None  # nobody knows
    assert report["data"]["n"] == report["metrics"]["n"] == report["baseline"]["metrics"]["n"]
    assert report["metrics"]["crashed"] == 0
    assert report["metrics"]["citations_verified"] in (1.0, None)
    assert sum(part["n"] for part in report["by_stop_reason"].values()) == report["data"]["n"]
    assert (desk / report["report"]).is_file()
    assert not (desk / "mlflow.db").exists()


@pytest.mark.parametrize(("words", "k"), [([], 10), (["--max-passages", 3], 3)])
def test_both_read_the_same_number_of_passages(desk: Path, words: list[object], k: int) -> None:
    result = evaluate("--corpus", "corpus.jsonl", "--baseline", "one-pass", "--no-track", "--json", *words)
    report = json.loads(result.stdout)
    assert report["baseline"]["system"]["limits"] == {"max_read": k}
    assert k - 0.5 < report["baseline"]["metrics"]["passages_mean"] <= k  # a few questions match fewer passages
    if words:
        assert report["metrics"]["passages_mean"] <= k


def test_tables_reasons_and_report_are_printed(desk: Path) -> None:
    result = evaluate("--corpus", "corpus.jsonl", "--baseline", "one-pass", "--no-track")
    for words in ("all gold passages read", "one-pass", "difference [95 %]", "StopReason", "Report: runs"):
        assert words in result.stdout
    assert "MLflow" not in result.output


def test_second_run_goes_on_and_fresh_starts_again(desk: Path) -> None:
    words = ("--corpus", "corpus.jsonl", "--no-track", "--limit", 5)
    first, again, fresh = evaluate(*words), evaluate(*words), evaluate(*words, "--fresh")
    assert [item.exit_code for item in (first, again, fresh)] == [0, 0, 0]
    assert ["were done before" in item.stderr for item in (first, again, fresh)] == [False, True, False]
    assert first.stdout == again.stdout  # the measured times too: nothing ran again
    assert len(list((desk / "runs").iterdir())) == 1


def test_other_limits_or_questions_go_into_another_folder(desk: Path) -> None:
    for words in ([], ["--max-rounds", 1], ["--limit", 5], ["--questions", "answerable"]):
        assert evaluate("--corpus", "corpus.jsonl", "--no-track", *words).exit_code == 0
    assert len(list((desk / "runs").iterdir())) == 4


def test_folder_of_another_run_is_refused(desk: Path) -> None:
    words = ("--corpus", "corpus.jsonl", "--no-track", "--out", "mine")
    assert evaluate(*words).exit_code == 0
    refused = evaluate(*words, "--max-rounds", 1)
    assert refused.exit_code == 1
    assert "max_rounds" in refused.stderr
    assert "--fresh" in refused.stderr
    assert evaluate(*words, "--max-rounds", 1, "--fresh").exit_code == 0


def test_groups_of_each_question_decide_what_it_reads(desk: Path) -> None:
    assert evaluate("--corpus", "corpus.jsonl", "--no-track", "--out", "run").exit_code == 0
    restricted = {item.id: item for item in make_desk(size=SMALL).passages or () if item.groups}
    groups = {item.id: item.groups for item in make_desk(size=SMALL).questions}
    rows = [json.loads(line) for line in Path("run/outcomes.jsonl").read_text(encoding="utf-8").splitlines()]
    read = {(row["id"], name) for row in rows for name in row["outcome"]["passages"] if name in restricted}
    assert {question for question, name in read if not restricted[name].readable_by(groups[question])} == set()
    assert read


def test_official_file_needs_no_corpus(desk: Path) -> None:
    record = {
        "_id": "q1",
        "question": "Where was the director of Alien born?",
        "answer": "South Shields",
        "type": "bridge",
        "level": "hard",
        "supporting_facts": [["Alien", 0], ["Ridley Scott", 0]],
        "context": [
            ["Alien", ["Alien is a film directed by Ridley Scott."]],
            ["Ridley Scott", ["Ridley Scott was born in South Shields."]],
        ],
    }
    Path("hotpot.json").write_text(json.dumps([record]), encoding="utf-8")
    result = evaluate("--no-track", "--json", questions="hotpot.json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["metrics"]["n"] == 1


def test_questions_without_passages_are_an_error(desk: Path) -> None:
    result = evaluate("--no-track")
    assert result.exit_code == 1
    assert "--corpus FILE or --index INDEX" in result.stderr


def crash(self: IterativeQA, question: str, **_: object) -> Outcome:
    raise BadQuestion("no")


def test_run_in_which_every_question_crashed_is_an_error(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(IterativeQA, "forward", crash)
    result = evaluate("--corpus", "corpus.jsonl", "--no-track", "--limit", 2)
    assert result.exit_code == 1
    assert "2 questions crashed" in result.stderr
    assert "every question crashed" in result.stderr


def test_store_that_cannot_be_used_loses_nothing(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "nosuchscheme://x")
    monkeypatch.setattr("hopstop.eval.sender.subprocess.run", run_forked)
    result = evaluate("--corpus", "corpus.jsonl", "--limit", 2, "--out", "run", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["metrics"]["n"] == 2
    assert "hopstop track run" in result.stderr
    later = CliRunner().invoke(main, ["track", "run", "--json"])
    assert later.exit_code == 1
    assert json.loads(later.stdout)["run_id"] is None
    assert "Error: not logged" in later.stderr


def kept(folder: str, *, seen: tuple[str, ...] = (), **limits: int) -> Path:
    """A compiled program, the first of its name in its folder."""
    index = BM25Index.build(make_desk(size=SMALL).passages or ())
    program = IterativeQA(index, OfflinePolicy(index), Limits(**limits))
    return save(program, Path(folder), name="desk", training=Training("desk", "h", seen))


def test_questions_that_a_program_was_compiled_on_are_told_everywhere_and_change_no_figure(desk: Path) -> None:
    ids = [item.id for item in make_desk(size=SMALL).questions]
    words = ("--corpus", "corpus.jsonl", "--no-track", "--json")
    clean, seen = (
        evaluate(*words, "--artifact", kept(folder, seen=tuple(known)), "--out", f"{folder}-report")
        for folder, known in (("clean", ["another"]), ("seen", [*ids[:3], "another"]))
    )
    fair, unfair = json.loads(clean.stdout), json.loads(seen.stdout)
    assert (fair["trained_on"], unfair["trained_on"]) == (0, 3)
    told = f"version desk/v001 was compiled on 3 of these {len(ids)} questions"
    assert told not in clean.stderr
    assert told in " ".join(seen.stderr.split())
    assert told in Path("seen-report/report.md").read_text(encoding="utf-8")
    timed = {"ms_p50", "ms_p95", "ms_mean"}
    figures = [{k: v for k, v in report["metrics"].items() if k not in timed} for report in (fair, unfair)]
    assert figures[0] == figures[1]
    compared = CliRunner().invoke(main, ["compare", "clean-report", "seen-report", "--json"])
    sides = json.loads(compared.stdout)
    assert (sides["before"]["trained_on"], sides["after"]["trained_on"]) == (0, 3)
    assert told in " ".join(compared.stderr.split())


def test_artifacts_of_one_name_and_version_share_no_folder(desk: Path) -> None:
    words = ("--corpus", "corpus.jsonl", "--no-track", "--limit", 2, "--json")
    one, other = kept("one", max_read=5), kept("other", max_read=5, seen=("another",))
    first, second, again = (evaluate(*words, "--artifact", folder) for folder in (one, other, one))
    reports = [json.loads(result.stdout) for result in (first, second, again)]
    assert len({report["system"]["version"] for report in reports}) == 1
    assert reports[0]["report"] != reports[1]["report"]
    assert reports[0] == reports[2]
    assert "were done before" in again.stderr
    refused = evaluate(*words, "--artifact", other, "--out", Path(reports[0]["report"]).parent)
    assert refused.exit_code == 1
    assert "differs in system.artifact" in refused.stderr


SLOW = """
import time
from hopstop.optimize.cli import main
from hopstop.program.loop import IterativeQA
usual = IterativeQA.forward
def slow(self, question, **given):
    time.sleep(0.3)
    return usual(self, question, **given)
IterativeQA.forward = slow
main()
"""


def test_stopped_run_goes_on(desk: Path) -> None:
    words = ["eval", "questions.jsonl", "--corpus", "corpus.jsonl", "--no-track", "--out", "run", "--threads", "1"]
    run = Forked("-c", SLOW, *words)
    deadline = time.monotonic() + 30
    while not os.path.exists("run/outcomes.jsonl") and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(run.pid, signal.SIGINT)
    done = run.finish(timeout=20)
    assert done.returncode == 130
    assert "run the same command again to go on" in done.stderr
    assert "Traceback" not in done.stderr
    kept = len(Path("run/outcomes.jsonl").read_text(encoding="utf-8").splitlines())
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0
    assert f"{kept} of " in result.stderr
