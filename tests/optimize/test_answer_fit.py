from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hopstop.eval.desk import make_desk
from hopstop.eval.metrics import em
from hopstop.eval.questions import Dataset, Question, Support
from hopstop.optimize.answer_fit import SIZES, Moment, best_threshold, fit_answers, fit_orders, learn_answers, moments
from hopstop.optimize.labelled_sets import Item, make_sets
from hopstop.optimize.material import Selection, over
from hopstop.program.answer_weights import NAMES, AnswerWeights
from hopstop.program.bm25 import BM25Index
from hopstop.program.offline import shipped_weights
from hopstop.program.reach import best_ending
from hopstop.program.reading import Reading
from hopstop.program.records import Passage
from hopstop.program.ways import FEATURES

DESK = make_desk(size=0.2, seed=3)
WALK = np.array([shipped_weights()[name] for name in FEATURES])
NO_ORDER = replace(AnswerWeights(), end=(0.0,) * len(AnswerWeights().end))
PASSAGE = Passage("p", "Ann Lee left.", "Ann Lee")
INDEX = BM25Index.build([PASSAGE])


@pytest.fixture(scope="module")
def seen() -> list[Moment]:
    index = BM25Index.build(DESK.passages or ())
    sets = make_sets([over(Dataset.of("desk", DESK.questions), index, Selection())], folds=2, seed=0)
    return moments(sets.items, WALK)


def told(number: int, p: float, answer: str, *, answerable: bool = True) -> tuple[Moment, float, str]:
    question = Question(
        f"q{number}",
        "Who left?",
        ("Ann Lee",) if answerable else (),
        answerable=answerable,
        supports=(Support("p"),) if answerable else (),
    )
    return Moment(Item("made", INDEX, question, 0), Reading((PASSAGE,)), (), ()), p, answer


def right_on_top(seen: list[Moment], weights: AnswerWeights) -> float:
    tops = [
        em(best_ending(moment.ends, weights.end)[0].text, moment.item.question.answers)
        for moment in seen
        if moment.ends and moment.item.question.answerable
    ]
    return sum(tops) / len(tops)


def test_moments_are_looked_at_early_midway_and_late(seen: list[Moment]) -> None:
    sizes = [len(moment.reading.passages) for moment in seen[: len(SIZES)]]
    assert sizes == list(SIZES)
    assert {moment.item.question.id for moment in seen} < {question.id for question in DESK.questions}  # none compares


def test_the_order_learned_puts_more_right_answers_on_top_than_no_order(seen: list[Moment]) -> None:
    assert right_on_top(seen, fit_orders(seen, NO_ORDER)) > right_on_top(seen, NO_ORDER) + 0.1


def test_all_that_is_learned_is_finite_and_the_same_each_time(seen: list[Moment]) -> None:
    state = fit_answers(seen, AnswerWeights()).state()
    assert tuple(state) == NAMES
    assert np.isfinite(list(state.values())).all()
    assert fit_answers(seen, AnswerWeights()).state() == state


def test_weights_that_answer_wrongly_are_replaced(seen: list[Moment]) -> None:
    hasty = replace(NO_ORDER, right=(0.0,) * len(NO_ORDER.right), right_sure=0.05)
    assert learn_answers(seen, hasty) != hasty


def test_weights_stay_where_new_ones_are_not_better(seen: list[Moment], monkeypatch: pytest.MonkeyPatch) -> None:
    silent = AnswerWeights(right_sure=1.0, ranked_sure=1.0)
    monkeypatch.setattr("hopstop.optimize.answer_fit.fit_answers", lambda *_: silent)
    for present in (AnswerWeights(), replace(silent, end=NO_ORDER.end)):
        assert learn_answers(seen, present) == present


def test_nothing_to_learn_from_leaves_the_present_weights() -> None:
    assert learn_answers([], NO_ORDER) == NO_ORDER
    assert fit_answers([], NO_ORDER) == NO_ORDER


def test_threshold_lets_pass_what_is_worth_more_than_silence() -> None:
    right = [told(number, 0.7, "Ann Lee") for number in range(4)]
    wrong = [told(number, 0.4, "Bob Roe") for number in range(4, 8)]
    assert 0.4 < best_threshold([*right, *wrong], 0.5) <= 0.7


def test_answers_to_unanswerable_questions_raise_the_threshold() -> None:
    right = [told(number, 0.5, "Ann Lee") for number in range(2)]
    wrong = [told(number, 0.6, "Ann Lee", answerable=False) for number in range(2, 6)]
    assert best_threshold([*right, *wrong], 0.3) > 0.6


def test_threshold_stays_where_nothing_would_stop() -> None:
    assert best_threshold([told(0, 0.0, "")], 0.35) == 0.35
    assert best_threshold([], 0.35) == 0.35


def test_state_is_what_makes_the_same_weights() -> None:
    weights = AnswerWeights(right_sure=0.8, ranked=(1.0, 2.0, 3.0, 4.0, 5.0))
    assert AnswerWeights.of(weights.state()) == weights
    assert AnswerWeights.of({}) == AnswerWeights()
    assert AnswerWeights.of({"answer.ranked.near": 9.0}).ranked[2] == 9
