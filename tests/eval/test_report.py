from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from rich.console import Console

from hopstop.eval.folder import LOCK, start_fresh
from hopstop.eval.questions import Dataset, Question, Support
from hopstop.eval.report import ABOUT_ANSWERS, load, write_report
from hopstop.eval.report_text import as_tables
from hopstop.eval.run import Interrupted, Progress, evaluate
from hopstop.eval.score import MEANS, aggregate, by_stop_reason
from hopstop.eval.stats import compare
from hopstop.eval.system import System
from hopstop.program.errors import BadInput
from hopstop.program.records import Fact, Outcome, Passage, Quote, Round, StopReason

DESIGN_METRICS = {
    "n", "crashed", "all_support", "recall_at_5", "recall_at_10", "passages_mean", "rounds_mean", "answered", "em",
    "f1", "proven", "wrong_stop", "early_stop", "false_refusal", "abstain_right", "tokens_mean", "ms_p50", "ms_p95",
}  # fmt: skip


def dataset(n: int = 6) -> Dataset:
    return Dataset.of(
        "ma|de", [Question(f"q{i}", f"Who {i}?", ("Ada",), supports=(Support(f"p{i}"),)) for i in range(n)]
    )


def outcome(question: str, *, answer: str | None, read: bool = True) -> Outcome:
    number = question.rstrip("?").split()[-1]
    passage = Passage(f"p{number}" if read else "x", "Ada did it.")
    return Outcome(
        question=question,
        reason=StopReason.ANSWERED if answer else StopReason.ROUND_LIMIT,
        answer=answer,
        facts=(Fact("who", Quote(passage.id, "Ada", 0, 3)),) if answer else (),
        evidence=(passage,),
        rounds=(Round(1, (), hits=(passage.id,), kept=(passage.id,)),),
        ranking=(passage.id,),
        seconds=0.25,
    )


def loop(question: str, *, groups: frozenset[str]) -> Outcome:
    if "5?" in question:
        raise ZeroDivisionError
    return outcome(question, answer="Ada" if int(question[4]) % 2 else None)


def one_pass(question: str, *, groups: frozenset[str]) -> Outcome:
    return outcome(question, answer=None, read="1" in question)


LOOP = System(answers=loop, policy="loop", limits={"max_rounds": 4})
ONE_PASS = System(answers=one_pass, policy="one-pass", reads_only=True)


def test_the_document_has_the_agreed_form_and_is_what_stands_on_disk(tmp_path: Path) -> None:
    results = evaluate(LOOP, dataset(), tmp_path)
    document = write_report(tmp_path)
    parts = ["system", "data", "trained_on", "metrics", "by_stop_reason", "baseline", "difference", "report"]
    assert list(document) == parts
    assert document["data"] == {"name": "ma|de", "hash": dataset().hash, "n": 6}
    assert document["system"]["policy"] == "loop"
    assert document["metrics"] == aggregate(results)
    assert document["metrics"].keys() >= DESIGN_METRICS
    assert document["by_stop_reason"] == by_stop_reason(results)
    assert all(part.keys() >= {"share", "em", "n"} for part in document["by_stop_reason"].values())
    assert document["baseline"] is document["difference"] is None
    assert json.loads((tmp_path / "report.json").read_text()) == document
    assert document["report"] == str(tmp_path / "report.md")


def test_crashed_questions_stand_apart_in_figures_and_page(tmp_path: Path) -> None:
    evaluate(LOOP, dataset(), tmp_path)
    document = write_report(tmp_path)
    assert (document["metrics"]["n"], document["metrics"]["crashed"]) == (5, 1)
    page = (tmp_path / "report.md").read_text()
    assert "| q5 | ZeroDivisionError in " in page
    assert "| exhausted | not answered with all gold passages read | 3 | q0, q2, q4 |" in page
    assert page.startswith("# loop on ma\\|de\n")
    assert {"id": "q0", "cause": "exhausted", "passages": []} in json.loads((tmp_path / "diagnosis.json").read_text())[
        "cases"
    ]


def test_a_baseline_stands_beside_with_paired_differences_and_its_answers_unmeasured(tmp_path: Path) -> None:
    ours = evaluate(LOOP, dataset(), tmp_path)
    theirs = evaluate(ONE_PASS, dataset(), tmp_path / "baseline")
    document = write_report(tmp_path, baseline=tmp_path / "baseline")
    baseline, difference = document["baseline"], document["difference"]
    assert baseline["system"]["policy"] == "one-pass"
    assert baseline["metrics"]["all_support"] == aggregate(theirs)["all_support"]
    assert {name for name in ABOUT_ANSWERS if baseline["metrics"][name] is not None} == set()
    assert all(baseline["by_stop_reason"]["ROUND_LIMIT"][name] is None for name in ABOUT_ANSWERS)
    assert difference["all_support"] == compare(ours, theirs)["all_support"]
    assert difference["all_support"]["value"] == pytest.approx(0.8)
    assert set(difference) == set(MEANS)
    assert difference["em"] == {"value": None, "low": None, "high": None, "n": 0}
    row = next(line for line in (tmp_path / "report.md").read_text().splitlines() if line.startswith("| all_support"))
    assert row.startswith("| all_support | 1.000 | 0.167 | +0.800 | [+")


def test_two_answering_systems_are_compared_by_their_answers(tmp_path: Path) -> None:
    evaluate(LOOP, dataset(), tmp_path / "a")
    evaluate(System(answers=one_pass, policy="other"), dataset(), tmp_path / "b")
    assert write_report(tmp_path / "a", baseline=tmp_path / "b")["difference"]["em"]["value"] == pytest.approx(0.4)


def test_a_baseline_on_other_questions_is_refused_and_one_without_scores_has_no_difference(tmp_path: Path) -> None:
    evaluate(LOOP, dataset(), tmp_path)
    evaluate(ONE_PASS, dataset(5), tmp_path / "other")
    with pytest.raises(BadInput, match=r"other questions \(data.hash differs\)"):
        write_report(tmp_path, baseline=tmp_path / "other")

    def broken(question: str, *, groups: frozenset[str]) -> Outcome:
        raise KeyError(question)

    evaluate(System(answers=broken, policy="broken"), dataset(), tmp_path / "broken")
    document = write_report(tmp_path, baseline=tmp_path / "broken")
    assert document["difference"] is None
    assert document["baseline"]["metrics"]["em"] is None
    assert "| em | 0.400 | – | – | – | – |" in (tmp_path / "report.md").read_text()


def test_an_interrupted_evaluation_can_be_reported(tmp_path: Path) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.done == 2 and not progress.stopping:
            raise KeyboardInterrupt

    def slow(question: str, *, groups: frozenset[str]) -> Outcome:
        time.sleep(0.01)
        return one_pass(question, groups=groups)

    with pytest.raises(Interrupted):
        evaluate(System(answers=slow, policy="slow"), dataset(50), tmp_path, threads=1, progress=interrupt)
    done = len(load(tmp_path).rows)
    assert write_report(tmp_path)["metrics"]["n"] == done < 50
    assert f"50 questions, {done} with a result" in (tmp_path / "report.md").read_text()


def test_a_folder_without_an_evaluation_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"run\.json: there is no such file; run `hopstop eval`"):
        write_report(tmp_path)
    (tmp_path / "run.json").write_text("[")
    with pytest.raises(BadInput, match=r"run\.json: no JSON"):
        load(tmp_path)


def test_start_fresh_removes_results_and_nothing_else(tmp_path: Path) -> None:
    evaluate(LOOP, dataset(), tmp_path)
    write_report(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    start_fresh(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"notes.txt", LOCK}


def test_tables_show_both_systems_and_take_brackets_in_names_as_they_are(tmp_path: Path) -> None:
    data = Dataset.of("[red]set", dataset().questions)
    evaluate(LOOP, data, tmp_path)
    evaluate(ONE_PASS, data, tmp_path / "baseline")
    console = Console(record=True, width=200, file=(tmp_path / "screen").open("w"))
    console.print(*as_tables(write_report(tmp_path, baseline=tmp_path / "baseline")))
    text = console.export_text()
    assert "[red]set, 6 questions" in text
    assert "one-pass" in text
    assert "ROUND_LIMIT" in text
    assert "+0.800" in text
