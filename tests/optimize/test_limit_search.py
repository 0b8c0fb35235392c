from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fakes import FILMS
from hopstop.eval.questions import Question, Support
from hopstop.optimize.caps import capped
from hopstop.optimize.labelled_sets import Item
from hopstop.optimize.limit_search import Aim, Bench, choose, explore
from hopstop.optimize.replay import Step, Trace, replay
from hopstop.optimize.worth import FOUND, worth
from hopstop.program.bm25 import BM25Index
from hopstop.program.records import Limits, StopReason

INDEX = BM25Index.build(FILMS)
ITEMS = tuple(
    Item("made", INDEX, Question(f"q{number}", "Who?", ("right",), supports=(Support("p"),)), number % 2)
    for number in range(20)
)
EARLY = Step(
    new=("x",), stop=True, free=True, coverage=1.0, sufficiency=0.5, draft="wrong", decide_tokens=90, tokens=100
)
LATE = Step(
    new=("p",), stop=True, free=True, coverage=1.0, sufficiency=1.0, draft="right", decide_tokens=90, tokens=100
)
LOOSE = Limits(min_sufficiency=0.5, max_rounds=4, patience=0)


def bench(traces: dict[str, Trace], **aim: Any) -> Bench:  # noqa: ANN401
    book = SimpleNamespace(items=ITEMS, traces=lambda name, limits: traces)
    return Bench(book, Aim(present=LOOSE, wide_rounds=4, rerun=False, **aim))  # type: ignore[arg-type]


@pytest.fixture
def stops_early() -> dict[str, Trace]:
    return {item.key: Trace((EARLY, LATE), StopReason.ANSWERED) for item in ITEMS}


def test_a_threshold_that_lets_wrong_answers_pass_is_raised(stops_early: dict[str, Trace]) -> None:
    made = bench(stops_early, cost=200)
    explore(made)
    chosen = choose(made, made.everything)
    assert chosen.min_sufficiency == 0.6
    assert replace(chosen, min_sufficiency=0.5) == LOOSE  # nothing else is moved without a reason


def test_no_setting_above_the_cost_is_chosen(stops_early: dict[str, Trace]) -> None:
    made = bench(stops_early, cost=150)
    explore(made)
    assert choose(made, made.everything) == LOOSE


def test_present_limits_stay_where_nothing_is_better() -> None:
    made = bench({item.key: Trace((LATE,), StopReason.ANSWERED) for item in ITEMS})
    explore(made)
    assert choose(made, made.everything) == LOOSE


def test_coverage_is_lowered_only_if_the_user_allows_it() -> None:
    step = replace(LATE, coverage=0.75)
    traces = {item.key: Trace((step,), StopReason.ROUND_LIMIT) for item in ITEMS}
    kept, lowered = bench(traces), bench(traces, lowest_coverage=0.5)
    for made in (kept, lowered):
        explore(made)
    assert choose(kept, kept.everything).min_coverage == 1.0
    assert choose(lowered, lowered.everything).min_coverage == 0.75


def test_choice_of_one_fold_never_looks_at_the_other(stops_early: dict[str, Trace]) -> None:
    good = Trace((replace(EARLY, draft="right"), replace(LATE, draft="wrong")), StopReason.ANSWERED)
    mixed = {item.key: stops_early[item.key] if item.fold else good for item in ITEMS}
    made = bench(mixed, cost=300)
    explore(made)
    fold = np.array([item.fold for item in ITEMS])
    assert choose(made, fold == 0).min_sufficiency == 0.5
    assert choose(made, fold == 1).min_sufficiency == 0.6


def test_caps_lie_just_above_what_nearly_all_successful_questions_needed() -> None:
    quick, slow = Trace((LATE,), StopReason.ANSWERED), Trace((EARLY, EARLY, LATE), StopReason.ANSWERED)
    traces = {item.key: slow if number < 2 else quick for number, item in enumerate(ITEMS)}
    limits = replace(LOOSE, min_sufficiency=0.6, max_rounds=4, max_read=10)
    runs = {key: replay(trace, limits) for key, trace in traces.items()}
    caps = capped(limits, ITEMS, runs, traces)
    assert (caps.max_rounds, caps.max_read, caps.max_tokens, caps.max_seconds) == (4, 4, 500, 5)
    rare = {**traces, ITEMS[0].key: quick, ITEMS[1].key: quick}
    rare_runs = {key: replay(trace, limits) for key, trace in rare.items()}
    assert capped(limits, ITEMS, rare_runs, rare).max_rounds == 2
    assert capped(replace(limits, max_rounds=1), ITEMS, rare_runs, rare).max_rounds == 1  # never raised


def test_failures_alone_move_no_cap() -> None:
    traces = {item.key: Trace((replace(EARLY, stop=False),), StopReason.ROUND_LIMIT) for item in ITEMS}
    runs = {key: replay(trace, LOOSE) for key, trace in traces.items()}
    assert capped(LOOSE, ITEMS, runs, traces) == LOOSE


@pytest.mark.parametrize(
    ("answer", "answerable", "read", "value"),
    [
        ("right", True, ("x",), 1.0),
        ("wrong", True, ("p",), -1.0),
        (None, True, ("p",), FOUND),
        (None, True, (), 0.0),
        (None, False, (), 1.0),
        ("right", False, ("x",), -1.0),
    ],
)
def test_worth_of_each_end(answer: str | None, answerable: bool, read: tuple[str, ...], value: float) -> None:
    question = Question("q", "Who?", ("right",) if answerable else (), answerable=answerable, supports=(Support("p"),))
    trace = Trace(
        (Step(new=read, stop=bool(answer), free=True, coverage=1, sufficiency=1, draft=answer or ""),),
        StopReason.NO_HITS,
    )
    assert worth(question, replay(trace, Limits())) == value
