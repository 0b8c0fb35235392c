from __future__ import annotations

import contextvars
import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopstop.eval.folder import OUTCOMES, held, read_header
from hopstop.eval.outcomes import Row, read_rows, spent
from hopstop.eval.questions import Dataset, Question, Support
from hopstop.eval.run import Interrupted, Progress, evaluate, start_fresh
from hopstop.eval.score import Crash, Score, score
from hopstop.eval.system import System
from hopstop.program.bm25 import BM25Index
from hopstop.program.budget import Budget
from hopstop.program.errors import BadInput, BadQuestion
from hopstop.program.limits import Limits
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA
from hopstop.program.records import Fact, Outcome, Passage, Query, Quote, Round, StopReason, Usage

SECRET = "sk-ant-api03-NOT-A-REAL-KEY"
WORDS = "Ada reviewed the fix"


def questions(n: int) -> Dataset:
    made = [
        Question(f"q{i}", f"Who reviewed fix {i}?", ("Ada",), supports=(Support(f"p{i}"),), groups=frozenset({f"g{i}"}))
        for i in range(n)
    ]
    return Dataset.of("made", made)


def right(question: str, *, groups: frozenset[str]) -> Outcome:
    number = question.rstrip("?").split()[-1]
    assert groups == {f"g{number}"}
    passage = Passage(f"p{number}", f"{WORDS} {number}. Unquoted words of the passage.")
    return Outcome(
        question=question,
        reason=StopReason.ANSWERED,
        answer="Ada",
        facts=(Fact("the reviewer", Quote(passage.id, WORDS, 0, len(WORDS))), Fact("the day")),
        evidence=(passage,),
        rounds=(Round(1, (Query(question, question),), hits=(passage.id,), new=(passage.id,), kept=(passage.id,)),),
        usage=Usage(calls=1, input_tokens=10, output_tokens=2),
        policy="fake",
        ranking=(passage.id,),
    )


def system(answers: object = right, **fields: object) -> System:
    return System(answers=answers, policy="fake", limits={"max_rounds": 4}, **fields)  # type: ignore[arg-type]


def files_of(folder: Path) -> str:
    return "".join(path.read_text() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("threads", [1, 7])
def test_results_come_in_question_order_whatever_the_number_of_threads(tmp_path: Path, threads: int) -> None:
    data = questions(23)
    expected = [score(item, right(item.question, groups=item.groups)) for item in data.questions]
    assert evaluate(system(), data, tmp_path, threads=threads) == expected


def test_a_second_call_reads_the_same_results_and_asks_nothing_again(tmp_path: Path) -> None:
    first = evaluate(system(), questions(5), tmp_path)
    assert evaluate(system(lambda *_, **__: pytest.fail("asked again")), questions(5), tmp_path) == first


def test_a_torn_last_line_is_run_again_and_leaves_whole_lines_only(tmp_path: Path) -> None:
    whole = evaluate(system(), questions(4), tmp_path, threads=1)
    path = tmp_path / OUTCOMES
    path.write_bytes(path.read_bytes()[:-25])
    asked = []

    def counted(question: str, *, groups: frozenset[str]) -> Outcome:
        asked.append(question)
        return right(question, groups=groups)

    assert evaluate(system(counted), questions(4), tmp_path, threads=1) == whole
    assert asked == ["Who reviewed fix 3?"]
    assert [json.loads(line)["id"] for line in path.read_text().splitlines()] == ["q0", "q1", "q2", "q3"]


@given(cut=st.integers(min_value=0, max_value=10_000))
def test_a_file_cut_anywhere_reads_as_a_prefix_of_its_rows(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    path = tmp_path_factory.getbasetemp() / "cut.jsonl"
    rows = [Row.of(q, score(q, o := right(q.question, groups=q.groups)), o) for q in questions(3).questions]
    lines = [row.to_line() for row in rows]
    path.write_bytes(b"".join(lines)[:cut])
    found = [row.to_line() for row in read_rows(path).values()]
    assert found == lines[: len(found)]
    assert len(b"".join(lines[: len(found) + 1])) > cut or found == lines


KILLED = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import importlib.util
spec = importlib.util.spec_from_file_location("made", sys.argv[2])
made = importlib.util.module_from_spec(spec)
spec.loader.exec_module(made)
def slow(question, *, groups):
    with open(sys.argv[4], "a") as log:
        log.write(question + "\\n")
    time.sleep(0.02)
    return made.right(question, groups=groups)
made.evaluate(made.system(slow), made.questions(60), sys.argv[3], threads=2)
"""


def test_a_run_killed_with_sigkill_goes_on_to_the_same_result(tmp_path: Path) -> None:
    out, log = tmp_path / "out", tmp_path / "asked"
    command = [sys.executable, "-c", KILLED, str(tmp_path), __file__, str(out), str(log)]
    child = subprocess.Popen(command)
    try:
        deadline = threading.Event()
        while not (out / OUTCOMES).exists() or (out / OUTCOMES).read_bytes().count(b"\n") < 10:
            assert child.poll() is None, "the run ended before it could be killed"
            deadline.wait(0.01)
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
    done = set(read_rows(out / OUTCOMES))
    assert 10 <= len(done) < 60
    asked = set()

    def counted(question: str, *, groups: frozenset[str]) -> Outcome:
        asked.add("q" + question.rstrip("?").split()[-1])
        return right(question, groups=groups)

    again = evaluate(system(counted), questions(60), out)
    assert asked == {item.id for item in questions(60).questions} - done
    assert again == evaluate(system(), questions(60), tmp_path / "other")


def test_a_crash_is_recorded_apart_without_its_message_and_tried_again(tmp_path: Path) -> None:
    def broken(question: str, *, groups: frozenset[str]) -> Outcome:
        if "fix 1?" in question:
            raise RuntimeError(f"401 for key {SECRET}")
        if "fix 2?" in question:
            raise BadQuestion("the question is too long; shorten it")
        return right(question, groups=groups)

    results = evaluate(system(broken), questions(4), tmp_path)
    assert [type(item) for item in results] == [Score, Crash, Crash, Score]
    assert isinstance(results[1], Crash)
    assert results[1].error.startswith("RuntimeError in ")
    assert results[2] == Crash("q2", "BadQuestion: the question is too long; shorten it")
    assert SECRET not in files_of(tmp_path)
    assert all(isinstance(item, Score) for item in evaluate(system(), questions(4), tmp_path))


@pytest.mark.parametrize(
    ("reason", "note", "again"),
    [
        (StopReason.LM_ERROR, "The LM call failed: ServerError.", True),
        (StopReason.CANCELLED, "", True),
        (StopReason.TOKEN_LIMIT, "The shared budget is used up.", True),
        (StopReason.TOKEN_LIMIT, "", False),
        (StopReason.NO_HITS, "", False),
    ],
)
def test_what_was_cut_short_is_asked_again_and_what_ended_by_itself_is_not(
    tmp_path: Path, reason: StopReason, note: str, again: bool
) -> None:
    evaluate(system(lambda question, *, groups: Outcome(question, reason, note=note)), questions(3), tmp_path)
    assert [item.reason for item in evaluate(system(), questions(3), tmp_path) if isinstance(item, Score)] == [
        StopReason.ANSWERED if again else reason
    ] * 3


@pytest.mark.parametrize("budget", [Budget(max_tokens=1), Budget(tokens_per_minute=1), Budget(max_usd=1.0)])
def test_every_end_by_a_shared_budget_is_known_as_one(tmp_path: Path, budget: Budget) -> None:
    from fakes import FILMS, QUESTION, chat, scripted_lm  # a child process of another test lacks it

    data = Dataset.of("films", [Question("q", QUESTION, ("South Shields",))])
    program = IterativeQA(BM25Index.build(FILMS), LMPolicy(scripted_lm(lambda *_: chat())), Limits(), budget=budget)
    evaluate(system(program), data, tmp_path)
    row = read_rows(tmp_path / OUTCOMES)["q"]
    assert isinstance(row.result, Score)
    assert row.result.reason in (StopReason.TOKEN_LIMIT, StopReason.COST_LIMIT)
    assert row.cut_short


def test_what_was_spent_counts_questions_that_were_asked_again(tmp_path: Path) -> None:
    used = Usage(calls=1, input_tokens=10, output_tokens=2, billed_tokens=12, cost_usd=0.5)

    def failed(question: str, *, groups: frozenset[str]) -> Outcome:
        return Outcome(question, StopReason.LM_ERROR, usage=used)

    evaluate(system(failed), questions(2), tmp_path)
    evaluate(system(failed), questions(2), tmp_path)
    assert spent(tmp_path / OUTCOMES) == (4 * 12, 4 * 0.5)
    assert spent(tmp_path / "nothing") == (0, 0.0)


def test_a_folder_in_use_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    evaluate(system(), questions(2), tmp_path)
    (tmp_path / OUTCOMES).write_bytes(kept := (tmp_path / OUTCOMES).read_bytes() + b'{"torn')
    with held(tmp_path):
        for attempt in (lambda: evaluate(system(), questions(2), tmp_path), lambda: start_fresh(tmp_path)):
            with pytest.raises(BadInput, match="in use by another run; wait for its end, or name another"):
                attempt()
    assert (tmp_path / OUTCOMES).read_bytes() == kept
    assert len(evaluate(system(), questions(2), tmp_path)) == 2


def test_questions_of_the_family_of_one_that_was_learned_from_are_told(tmp_path: Path) -> None:
    data = Dataset.of(
        "made",
        [
            Question("a", "Who?", ("x",)),
            Question("a-twin", "Who else?", answerable=False, meta={"twin_of": "a"}),
            Question("same", "Who?", ("x",)),
            Question("outsider", "Which?", answerable=False, meta={"insider": "inside"}),
            Question("other", "When?", ("x",)),
        ],
    )
    for number, (learned, seen) in enumerate(
        [({"a-twin"}, ["a", "a-twin", "same"]), ({"inside"}, ["outsider"]), ({"elsewhere", "other"}, ["other"])]
    ):
        evaluate(
            system(lambda question, *, groups: Outcome(question, StopReason.NO_HITS), trained_on=frozenset(learned)),
            data,
            tmp_path / str(number),
        )
        assert read_header(tmp_path / str(number))["trained_on"] == seen


def test_files_hold_quoted_words_with_offsets_and_no_other_words_of_a_passage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    evaluate(system(), questions(2), tmp_path)
    row = read_rows(tmp_path / OUTCOMES)["q0"]
    assert row.outcome is not None
    assert row.outcome["citations"] == [
        {"need": "the reviewer", "passage_id": "p0", "text": WORDS, "start": 0, "end": len(WORDS)}
    ]
    assert row.outcome["missing"] == ["the day"]
    assert row.outcome["usage"]["input_tokens"] == 10
    assert row.outcome["rounds"][0]["hits"] == ["p0"]
    assert "Unquoted" not in files_of(tmp_path)
    assert SECRET not in files_of(tmp_path)


@pytest.mark.parametrize(
    ("changed", "data", "field"),
    [
        (system(lm="openai/other"), questions(3), "system.lm"),
        (replace(system(), limits={"max_rounds": 5}), questions(3), "system.limits.max_rounds"),
        (replace(system(), limits={}), questions(3), "system.limits.max_rounds"),
        (system(version="2"), questions(3), "system.version"),
        (system(), questions(2), "data.hash"),
        (system(), replace(questions(3), name="other"), "data.name"),
        (system(), replace(questions(3), questions=questions(3).questions[::-1]), "questions"),
    ],
)
def test_a_folder_of_another_run_is_refused_by_the_field_that_differs(
    tmp_path: Path, changed: System, data: Dataset, field: str
) -> None:
    evaluate(system(), questions(3), tmp_path)
    before = files_of(tmp_path)
    with pytest.raises(BadInput, match=rf"differs in {field}: .*--out.*--fresh"):
        evaluate(changed, data, tmp_path)
    assert files_of(tmp_path) == before
    start_fresh(tmp_path)
    assert len(evaluate(changed, data, tmp_path)) == len(data.questions)


def test_results_without_a_header_and_damaged_lines_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / OUTCOMES).write_text("{}\n")
    with pytest.raises(BadInput, match=r"no run\.json"):
        evaluate(system(), questions(1), tmp_path)
    start_fresh(tmp_path)
    evaluate(system(), questions(1), tmp_path)
    (tmp_path / OUTCOMES).write_text("{}\n")
    with pytest.raises(BadInput, match=r"outcomes\.jsonl, line 1: .*--fresh"):
        evaluate(system(), questions(1), tmp_path)


def test_a_folder_that_cannot_be_made_and_zero_threads_are_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be used as a folder"):
        evaluate(system(), questions(1), tmp_path / "file" / "out")
    with pytest.raises(BadInput, match="threads must be >= 1"):
        evaluate(system(), questions(1), tmp_path, threads=0)


def test_ctrl_c_keeps_what_is_in_work_and_says_how_to_go_on(tmp_path: Path) -> None:
    seen: list[Progress] = []

    def interrupt(progress: Progress) -> None:
        seen.append(progress)
        if progress.done == 3 and not progress.stopping:
            raise KeyboardInterrupt

    def slow(question: str, *, groups: frozenset[str]) -> Outcome:
        time.sleep(0.01)
        return right(question, groups=groups)

    with pytest.raises(Interrupted, match="questions left; run the same command again") as stopped:
        evaluate(system(slow), questions(50), tmp_path, threads=2, progress=interrupt)
    kept = len(read_rows(tmp_path / OUTCOMES))
    assert 3 <= kept < 50
    assert f"{50 - kept} questions" in str(stopped.value)
    assert any(item.stopping for item in seen)
    assert evaluate(system(), questions(50), tmp_path) == evaluate(system(), questions(50), tmp_path / "other")


def test_progress_counts_earlier_results_and_crashes(tmp_path: Path) -> None:
    def broken(question: str, *, groups: frozenset[str]) -> Outcome:
        if "fix 0?" in question:
            raise KeyError(question)
        return right(question, groups=groups)

    evaluate(system(broken), questions(3), tmp_path)
    seen: list[Progress] = []
    evaluate(system(broken), questions(3), tmp_path, progress=seen.append)
    assert seen == [Progress(2, 3), Progress(3, 3, crashed=1)]


def test_every_thread_sees_the_context_of_the_caller(tmp_path: Path) -> None:
    setting = contextvars.ContextVar("setting", default="none")
    seen = []

    def look(question: str, *, groups: frozenset[str]) -> Outcome:
        seen.append(setting.get())
        return right(question, groups=groups)

    token = setting.set("mine")
    evaluate(system(look), questions(6), tmp_path, threads=3)
    setting.reset(token)
    assert seen == ["mine"] * 6


def test_two_evaluations_at_once_do_not_mix(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(evaluate, system(), questions(n), tmp_path / str(n)) for n in (20, 30)]
    assert [[item.id for item in run.result()] for run in runs] == [[f"q{i}" for i in range(n)] for n in (20, 30)]


def test_a_lone_surrogate_in_an_answer_survives_the_file(tmp_path: Path) -> None:
    def odd(question: str, *, groups: frozenset[str]) -> Outcome:
        return replace(right(question, groups=groups), answer="\ud800 Zürich")

    evaluate(system(odd), questions(1), tmp_path)
    row = read_rows(tmp_path / OUTCOMES)["q0"]
    assert row.outcome is not None
    assert row.outcome["answer"] == "\ud800 Zürich"
