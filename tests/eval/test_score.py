from dataclasses import replace

import pytest

from hopstop.eval.questions import Question, Support
from hopstop.eval.score import Crash, aggregate, by_stop_reason, score
from hopstop.program.records import Fact, Outcome, Passage, Query, Quote, Round, StopReason, Usage

QUESTION = Question(
    id="q1",
    question="Which team does the reviewer belong to?",
    answers=("Harbour", "Harbour team"),
    type="bridge",
    hops=2,
    supports=(Support("p1"), Support("p2")),
)
UNANSWERABLE = replace(QUESTION, id="q2", answers=(), answerable=False, supports=(Support("p1"),))
PASSAGES = (Passage("p1", "Mara Lind reviewed it."), Passage("p2", "Mara Lind works in Harbour."), Passage("p3", "No."))
FACTS = (
    Fact("the reviewer", Quote("p1", "Mara Lind reviewed it", 0, 21)),
    Fact("the team", Quote("p2", "works in Harbour", 10, 26)),
)
ROUND = Round(number=1, queries=(Query("q", "q"),), hits=("p1", "p2", "p3"), kept=("p1", "p2", "p3"))
RIGHT = Outcome(
    question=QUESTION.question,
    reason=StopReason.ANSWERED,
    answer="the Harbour team",
    facts=FACTS,
    evidence=PASSAGES,
    rounds=(ROUND,),
    usage=Usage(calls=2, input_tokens=90, output_tokens=10),
    seconds=0.25,
    ranking=("p2", "p3", "p1"),
)
SILENT = replace(RIGHT, reason=StopReason.ROUND_LIMIT, answer=None, facts=())


def test_right_answer_with_all_quotes_is_proven() -> None:
    item = score(QUESTION, RIGHT)
    assert (item.em, item.f1, item.correct, item.proven) == (1.0, 1.0, True, True)
    assert (item.all_support, item.recall_at_5, item.recall_at_10) == (True, 1.0, 1.0)
    assert (item.wrong_stop, item.early_stop, item.false_refusal) == (False, False, False)
    assert (item.passages, item.rounds, item.calls, item.tokens, item.ms) == (3, 1, 2, 100, 250.0)
    assert (item.quotes, item.quotes_verified) == (2, 2)
    assert item.abstain_right is None


def test_right_answer_without_all_quotes_is_not_proven() -> None:
    assert score(QUESTION, replace(RIGHT, facts=FACTS[:1])).proven is False


def test_wrong_answer_is_a_wrong_stop_and_early_without_the_gold() -> None:
    outcome = replace(RIGHT, answer="Ledger", evidence=PASSAGES[:1], rounds=(replace(ROUND, hits=("p1",)),))
    item = score(QUESTION, outcome)
    assert (item.em, item.correct, item.wrong_stop, item.early_stop, item.proven) == (0.0, False, True, True, False)
    assert item.all_support is False


def test_passage_that_was_found_but_not_read_does_not_make_a_stop_early() -> None:
    outcome = replace(RIGHT, evidence=PASSAGES[:1])
    assert score(QUESTION, outcome).early_stop is False
    assert score(QUESTION, outcome).all_support is False


def test_no_answer_to_an_answerable_question_counts_zero() -> None:
    item = score(QUESTION, SILENT)
    assert (item.answered, item.em, item.f1, item.correct) == (False, 0.0, 0.0, False)
    assert (item.wrong_stop, item.early_stop, item.proven) == (False, False, False)


def test_unanswerable_question_has_no_answer_measures() -> None:
    item = score(UNANSWERABLE, SILENT)
    assert (item.em, item.f1, item.all_support, item.recall_at_5, item.proven) == (None, None, None, None, None)
    assert (item.early_stop, item.false_refusal) == (None, None)
    assert item.abstain_right is True


def test_answer_to_an_unanswerable_question_is_wrong() -> None:
    item = score(UNANSWERABLE, RIGHT)
    assert (item.correct, item.wrong_stop, item.abstain_right, item.em) == (False, True, False, None)


def test_question_without_labelled_passages_measures_the_answer_only() -> None:
    item = score(replace(QUESTION, supports=()), RIGHT)
    assert (item.em, item.correct) == (1.0, True)
    assert (item.all_support, item.recall_at_10, item.proven, item.false_refusal) == (None, None, None, None)


@pytest.mark.parametrize(
    "quote",
    [
        Quote("p2", "works in Ledger", 10, 26),
        Quote("p2", "works in Harbour", 9, 25),
        Quote("p9", "works in Harbour", 10, 26),
        Quote("p9", "", 0, 0),
    ],
)
def test_quote_that_does_not_stand_at_its_offsets_is_not_verified(quote: Quote) -> None:
    item = score(QUESTION, replace(RIGHT, facts=(FACTS[0], Fact("the team", quote))))
    assert (item.quotes, item.quotes_verified) == (2, 1)


def test_aggregate_measures_each_share_over_its_own_questions() -> None:
    wrong = replace(RIGHT, answer="Ledger", seconds=0.75)
    scores = [
        score(QUESTION, RIGHT),
        score(QUESTION, SILENT),
        score(UNANSWERABLE, SILENT),
        score(UNANSWERABLE, wrong),
        Crash("q5", "ValueError: x"),
    ]
    total = aggregate(scores)
    assert (total["n"], total["crashed"]) == (4, 1)
    assert (total["answered"], total["em"], total["f1"], total["precision"]) == (0.5, 0.5, 0.5, 0.5)
    assert (total["wrong_stop"], total["proven"], total["abstain_right"]) == (0.25, 0.5, 0.5)
    assert (total["all_support"], total["early_stop"], total["false_refusal"]) == (1.0, 0.0, 0.0)
    assert (total["tokens_mean"], total["tokens_per_correct"], total["citations_verified"]) == (100, 400, 1.0)
    assert total["ms_p50"] == 250.0
    assert total["ms_p95"] == pytest.approx(250 + 0.85 * 500)
    assert total["cost_usd_mean"] is None


def test_aggregate_of_crashes_only_measures_nothing() -> None:
    total = aggregate([Crash("q1", "ValueError: x")])
    counts = {"n": 0, "crashed": 1, "parse_failures": 0}
    assert {name: total.pop(name) for name in counts} == counts
    assert set(total.values()) == {None}


def test_aggregate_has_every_name_that_the_command_prints() -> None:
    names = (
        "n crashed all_support recall_at_5 recall_at_10 passages_mean rounds_mean answered em f1 proven wrong_stop "
        "early_stop false_refusal abstain_right tokens_mean ms_p50 ms_p95"
    )
    assert set(names.split()) <= set(aggregate([]))


def test_by_stop_reason_splits_all_scored_questions() -> None:
    scores = [score(QUESTION, SILENT), score(QUESTION, RIGHT), score(QUESTION, SILENT), Crash("q5", "x")]
    split = by_stop_reason(scores)
    assert list(split) == ["ROUND_LIMIT", "ANSWERED"]
    assert (split["ROUND_LIMIT"]["share"], split["ROUND_LIMIT"]["n"], split["ROUND_LIMIT"]["em"]) == (2 / 3, 2, 0.0)
    assert (split["ANSWERED"]["share"], split["ANSWERED"]["em"]) == (1 / 3, 1.0)
    assert by_stop_reason([]) == {}
