from __future__ import annotations

import json
from pathlib import Path

import pytest

from fakes import FILMS, HALF, PROOF, QUESTION, ScriptedPolicy, WordRetriever
from hopstop.eval.gaps import Gap, as_json, gaps_of, grouped, read_gaps
from hopstop.eval.outcomes import Row, outcome_line, summary
from hopstop.eval.questions import Dataset, Question
from hopstop.eval.report import write_report
from hopstop.eval.run import evaluate
from hopstop.eval.score import Crash
from hopstop.eval.system import System
from hopstop.program.errors import BadDataset, BadInput
from hopstop.program.loop import IterativeQA
from hopstop.program.records import Limits, Outcome

NEED = "where Ridley Scott was born"


def run(decision: object, **limits: int) -> Outcome:
    policy = ScriptedPolicy([decision])  # type: ignore[list-item]
    found: Outcome = IterativeQA(WordRetriever(FILMS[:1]), policy, Limits(**limits))(QUESTION)  # type: ignore[arg-type]
    return found


def gap(missing: str, id: str = "") -> Gap:
    return Gap("Who?", missing, ("x",), "NO_NEW_PASSAGES", id)


def test_a_gap_names_question_missing_fact_queries_and_reason() -> None:
    outcome = run(HALF)
    assert list(gaps_of(summary(outcome), QUESTION, id="q1")) == [
        Gap(QUESTION, NEED, (f"{NEED} try 1", f"{NEED} try 2"), "NO_NEW_PASSAGES", "q1")
    ]


def test_an_answered_question_has_no_gap() -> None:
    outcome = IterativeQA(WordRetriever(FILMS), ScriptedPolicy([PROOF]))(QUESTION)
    assert outcome.answer is not None
    assert list(gaps_of(summary(outcome), QUESTION)) == []


@pytest.mark.parametrize("reason", ["LM_ERROR", "LM_REFUSED", "SEARCH_ERROR", "CANCELLED"])
def test_an_end_that_says_nothing_of_the_corpus_is_no_gap(reason: str) -> None:
    assert list(gaps_of({**summary(run(HALF)), "reason": reason}, QUESTION)) == []


def test_without_listed_facts_the_question_itself_is_missing() -> None:
    assert [item.missing for item in gaps_of({**summary(run(HALF)), "missing": []}, QUESTION)] == [QUESTION]


def test_facts_in_like_words_are_together_whatever_their_names() -> None:
    found = grouped(
        [gap("the capital of Peru"), gap("who reviewed the fix of 4471"), gap("reviews of the fix of CHG-12")]
    )
    assert [(group.words, len(group.gaps)) for group in found] == [(("reviewed", "fix"), 2), (("capital",), 1)]
    assert as_json(found)["gaps"] == 3


def test_a_fact_of_names_alone_is_grouped_by_them() -> None:
    assert grouped([gap("Ridley Scott")])[0].words == ("ridley", "scott")


def test_a_log_of_an_app_is_read(tmp_path: Path) -> None:
    log = tmp_path / "outcomes.jsonl"
    log.write_text(outcome_line(run(HALF)) + "\n" + outcome_line(run(PROOF)) + "\n", encoding="utf-8")
    assert [item.question for item in read_gaps(log)] == [QUESTION, QUESTION]
    assert read_gaps(log)[0].missing == NEED


def test_rows_of_an_evaluation_are_read_and_crashes_left_out(tmp_path: Path) -> None:
    crash = Row("q2", {"question": "?"}, Crash("q2", "KeyError"))
    (tmp_path / "outcomes.jsonl").write_bytes(crash.to_line())
    assert read_gaps(tmp_path) == read_gaps(tmp_path / "outcomes.jsonl") == []


def test_a_report_holds_the_gaps(tmp_path: Path) -> None:
    data = Dataset("films", "hash", (Question("q1", QUESTION, ("South Shields",)),))
    program = IterativeQA(WordRetriever(FILMS[:1]), ScriptedPolicy([HALF]))
    evaluate(System(answers=program, policy="scripted"), data, tmp_path)
    write_report(tmp_path)
    kept = json.loads((tmp_path / "gaps.json").read_text(encoding="utf-8"))
    assert kept["groups"][0]["gaps"][0]["missing"] == NEED
    assert [item.id for item in read_gaps(tmp_path)] == ["q1"]


@pytest.mark.parametrize("line", ['{"question": "x"}', '{"question": "x", "reason": "TIRED"}', '{"a": 1}'])
def test_a_line_that_is_no_outcome_is_named(tmp_path: Path, line: str) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(f"{outcome_line(run(HALF))}\n{line}\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"log\.jsonl, line 2"):
        read_gaps(log)


def test_a_folder_or_file_without_outcomes_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="hopstop eval"):
        read_gaps(tmp_path)
    with pytest.raises(BadDataset, match="no such file"):
        read_gaps(tmp_path / "none.jsonl")
