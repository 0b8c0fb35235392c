from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes import BIRTH, DIRECTOR, FILMS, HALF, PROOF, QUESTION, ScriptedPolicy, WordRetriever
from hopstop.eval.desk import make_desk
from hopstop.optimize.replay import Trace, record, replay
from hopstop.program.bm25 import BM25Index
from hopstop.program.loop import IterativeQA
from hopstop.program.offline import OfflinePolicy
from hopstop.program.records import Claim, Decision, Limits, Outcome, Passage, StopBy, StopReason, Usage

DESK = make_desk(size=0.2)
INDEX = BM25Index.build(DESK.passages or ())
WIDE = Limits(max_rounds=8, first_k=2, next_k=1, width=2, carry_k=10, max_read=12, patience=0)


@pytest.fixture(scope="module")
def traces() -> dict[str, Trace]:
    program = IterativeQA(INDEX, OfflinePolicy(INDEX), WIDE)
    return {item.id: record(program, item.question, item.groups) for item in DESK.questions[:12]}


@settings(max_examples=15, deadline=None)
@given(
    number=st.integers(0, 11),
    max_rounds=st.integers(1, 8),
    read=st.integers(1, 6),
    sufficiency=st.sampled_from([0.0, 0.6, 1.0]),
    patience=st.integers(0, 2),
)
def test_a_replay_is_the_run_itself_under_these_limits(
    traces: dict[str, Trace], number: int, max_rounds: int, read: int, sufficiency: float, patience: int
) -> None:
    limits = replace(
        WIDE, max_rounds=max_rounds, max_read=2 * read, min_sufficiency=sufficiency, patience=patience, min_coverage=1.0
    )
    item = DESK.questions[number]
    real: Outcome = IterativeQA(INDEX, OfflinePolicy(INDEX), limits)(item.question, groups=item.groups)
    told = replay(traces[item.id], limits)
    assert (told.reason, told.answer, told.rounds) == (real.reason, real.answer, len(real.rounds))
    assert told.read == tuple(passage.id for passage in real.evidence)


def film_program(decisions: list[Decision], limits: Limits, usage: Usage | None = None) -> IterativeQA:
    return IterativeQA(WordRetriever(FILMS), ScriptedPolicy(decisions, usage=usage or Usage()), limits)


def test_looser_thresholds_stop_earlier_and_strict_ones_go_on() -> None:
    half = Decision(stop=True, claims=(DIRECTOR, Claim("where Ridley Scott was born")), draft="Ridley Scott")
    limits = Limits(first_k=1, next_k=2)
    trace = record(film_program([half, PROOF], limits), QUESTION, frozenset())
    assert replay(trace, replace(limits, min_coverage=0.5)).answer == "Ridley Scott"
    strict = replay(trace, limits)
    assert (strict.answer, strict.reason, strict.rounds) == ("South Shields", StopReason.ANSWERED, 2)
    assert set(strict.quoted) == {"alien", "scott"}


@pytest.mark.parametrize("loose", [{"min_coverage": 0.5}, {"min_sufficiency": 0.5}, {"stop_by": StopBy.EVIDENCE}])
def test_what_leaves_out_most_of_the_question_is_never_accepted(loose: dict[str, Any]) -> None:
    stadium = Passage("w", "The stadium holds the headquarters of a team after a breach of contract.", "Headquarters")
    lunches = (Passage(f"z{n}", f"Lunch number {n} was late.", f"Lunch {n}") for n in range(20))
    claims = (DIRECTOR, Claim("what is open")) if "min_coverage" in loose else (DIRECTOR,)
    draft = "Ridley Scott. This has other words." if "min_sufficiency" in loose else "Ridley Scott"
    limits = Limits(max_rounds=1, **loose)
    policy = ScriptedPolicy([Decision("stop_by" not in loose, claims, draft)])
    program = IterativeQA(BM25Index.build((*FILMS, stadium, *lunches)), policy, limits)
    question = "Which stadium has the headquarters of the team of whose contract the director of Alien is in breach?"
    real: Outcome = program(question)
    told = replay(record(program, question, frozenset()), limits)
    assert (told.reason, told.answer) == (real.reason, real.answer) == (StopReason.ROUND_LIMIT, None)


def test_a_draft_that_turned_into_a_look_alike_is_never_accepted() -> None:
    one = Decision(stop=False, claims=(DIRECTOR,), draft="South Shields")
    other = Decision(stop=True, claims=(DIRECTOR, BIRTH), draft="South Shield")
    limits = Limits(first_k=3, next_k=2, min_rounds=1)
    program = film_program([one, other], limits)
    real: Outcome = film_program([one, other], limits)(QUESTION)
    told = replay(record(program, QUESTION, frozenset()), replace(limits, min_sufficiency=0.0, min_coverage=0.0))
    assert real.answer is None
    assert told.answer is None


def test_tokens_of_a_decision_count_before_the_limit_is_looked_at() -> None:
    limits = Limits(first_k=1, next_k=1, max_rounds=4)
    trace = record(film_program([HALF], limits, Usage(calls=1, input_tokens=100)), QUESTION, frozenset())
    real: Outcome = film_program([HALF], replace(limits, max_tokens=150), Usage(calls=1, input_tokens=100))(QUESTION)
    told = replay(trace, replace(limits, max_tokens=150))
    assert (told.reason, told.tokens, told.rounds) == (real.reason, real.usage.tokens, len(real.rounds))
    assert told.reason is StopReason.TOKEN_LIMIT


def test_more_patience_waits_for_more_dry_rounds() -> None:
    limits = Limits(first_k=5, next_k=5, max_rounds=8)
    trace = record(film_program([HALF], limits), QUESTION, frozenset())
    rounds = [replay(trace, replace(limits, patience=patience)).rounds for patience in (0, 1, 2)]
    assert all(later == earlier + 1 for earlier, later in pairwise(rounds))


def test_a_trace_is_the_same_after_a_file(traces: dict[str, Trace]) -> None:
    for trace in traces.values():
        assert Trace.from_json(trace.to_json()) == trace
