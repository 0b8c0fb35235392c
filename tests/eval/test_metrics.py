import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopstop.eval import metrics
from hopstop.program.records import Query, Refusal, Round


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("The  Eiffel Tower.", "eiffel tower"),
        ("an apple, a day", "apple day"),
        ("U.S.", "us"),
        ("12,000 EUR", "12000 eur"),
        ("theatre", "theatre"),
        ("Élan – vital", "élan – vital"),
        ("a", ""),
    ],
)
def test_normalisation_is_the_official_one(text: str, normal: str) -> None:
    assert metrics.normalize_answer(text) == normal


@pytest.mark.parametrize(
    ("prediction", "answers", "em", "f1"),
    [
        ("the Harbour team", ["Harbour team"], 1.0, 1.0),
        ("Harbour", ["Ledger", "harbour!"], 1.0, 1.0),
        ("Harbour team", ["Harbour"], 0.0, 2 / 3),
        ("Harbour", ["Ledger"], 0.0, 0.0),
        ("yes, it did", ["yes"], 0.0, 0.0),
        ("no", ["no more"], 0.0, 0.0),
        ("Yes.", ["yes"], 1.0, 1.0),
        ("noanswer", ["no answer"], 0.0, 0.0),
        ("red red blue", ["red blue blue"], 0.0, 2 / 3),
        ("anything", [], 0.0, 0.0),
    ],
)
def test_em_and_f1_take_the_closest_answer(prediction: str, answers: list[str], em: float, f1: float) -> None:
    assert metrics.em(prediction, answers) == em
    assert metrics.f1(prediction, answers) == pytest.approx(f1)


@given(st.text(), st.lists(st.text(), min_size=1))
def test_f1_lies_between_em_and_one_for_answers_with_words(prediction: str, answers: list[str]) -> None:
    value = metrics.f1(prediction, answers)
    assert 0.0 <= value <= 1.0
    if metrics.normalize_answer(prediction):
        assert value >= metrics.em(prediction, answers)


def test_recall_counts_gold_in_the_first_k_only() -> None:
    ranking = ["p1", "p2", "p3"]
    assert metrics.recall_at_k(ranking, ["p1", "p3"], 2) == 0.5
    assert metrics.recall_at_k(ranking, ["p1", "p3"], 3) == 1.0
    assert metrics.recall_at_k([], ["p1"], 5) == 0.0


def test_all_support_needs_every_gold_passage() -> None:
    assert metrics.all_support(["p1", "p2", "p3"], ["p1", "p3"])
    assert not metrics.all_support(["p1", "p2"], ["p1", "p3"])


def test_proven_needs_the_answer_and_every_gold_quote() -> None:
    assert metrics.proven({"p1", "p2"}, ["p1", "p2"], answered=True, correct=True)
    assert not metrics.proven({"p1"}, ["p1", "p2"], answered=True, correct=True)
    assert not metrics.proven({"p1", "p2"}, ["p1", "p2"], answered=True, correct=False)
    assert not metrics.proven({"p1", "p2"}, ["p1", "p2"], answered=False, correct=False)


def test_stops_are_judged_only_when_answered() -> None:
    assert metrics.wrong_stop(answered=True, correct=False)
    assert not metrics.wrong_stop(answered=False, correct=False)
    assert metrics.early_stop({"p1"}, ["p1", "p2"], answered=True)
    assert not metrics.early_stop({"p1"}, ["p1", "p2"], answered=False)
    assert not metrics.early_stop({"p1", "p2"}, ["p1", "p2"], answered=True)
    assert metrics.abstain_right(answered=False)
    assert not metrics.abstain_right(answered=True)


def refused(
    *, stop: bool | None = True, draft: str = "Harbour", objection: str = "no quote", kept: tuple[str, ...] = ("p1",)
) -> Round:
    objections = (objection,) if objection else ()
    return Round(number=1, queries=(Query("q", "q"),), kept=kept, stop=stop, draft=draft, objections=objections)


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (refused(), True),
        (refused(stop=False), False),
        (refused(stop=None), False),
        (refused(draft="Ledger"), False),
        (refused(objection=""), False),
        (refused(kept=("p2",)), False),
    ],
)
def test_false_refusal_needs_a_right_stop_with_all_gold_at_hand(item: Round, expected: bool) -> None:
    assert metrics.false_refusal([refused(stop=False), item], ["Harbour"], ["p1"]) is expected


def test_right_stop_that_was_refused_and_asked_again_is_a_false_refusal() -> None:
    refused = Round(1, (), kept=("a", "b"), stop=True, draft="Rome", refused=(Refusal("Lyon", ("why",)),))
    assert metrics.false_refusal([refused], ["Lyon"], ["a", "b"])
    assert not metrics.false_refusal([refused], ["Rome"], ["a", "b"])
    assert not metrics.false_refusal([refused], ["Lyon"], ["a", "c"])
