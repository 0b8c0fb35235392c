from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from hopstop.optimize.careless import HABITS, Habit, careless, mistaken
from hopstop.optimize.careless_queries import fault_of, faulty
from hopstop.optimize.commands.ablate import HABITS as NAMED
from hopstop.optimize.parts import without_judge
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import BadInput
from hopstop.program.faults import FaultKind, faults
from hopstop.program.guards import ALL_OFF, ALL_ON
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA
from hopstop.program.offline import OfflinePolicy
from hopstop.program.policy import State
from hopstop.program.queries import context
from hopstop.program.reading import Reading
from hopstop.program.records import Decision, Limits, Outcome, Passage, Query, StopReason
from hopstop.program.runtime import Blocking

MOON = Passage("moon", "Blue Moon is a 1950 film directed by Ada Roe.", "Blue Moon")
ROE = Passage("roe", "Ada Roe was an Austrian director. She was born in Linz near Karl Fuchs.", "Ada Roe")
OTHERS = tuple(Passage(f"x{n}", f"The director of the film {n} is nobody known.", f"Film {n}") for n in range(12))
QUESTION = "Where was the director of the film Blue Moon born?"
STOP_HABITS = [habit for habit in Habit if habit not in (Habit.QUERIES, Habit.LOOK_ALIKE)]


def program(passages: Sequence[Passage] = (MOON, ROE, *OTHERS), **limits: int) -> IterativeQA:
    index = BM25Index.build(passages)
    return IterativeQA(index, OfflinePolicy(index), Limits(**{"first_k": 1, "next_k": 1, **limits}), guards=ALL_ON)  # type: ignore[arg-type]


def decided(habit: Habit, *passages: Passage, question: str = QUESTION) -> Decision:
    made = careless(program(), habit)
    state = State(question, Reading(passages), read=tuple(passage.id for passage in passages))
    return asyncio.run(made.policy.decide(state, Blocking())).value  # type: ignore[arg-type]


def unchecked(habit: Habit) -> Outcome:
    return without_judge(careless(program(), habit))(QUESTION)


def test_every_habit_is_told_and_can_be_named() -> None:
    assert set(HABITS) == set(Habit)
    assert tuple(Habit) == NAMED


@pytest.mark.parametrize("habit", STOP_HABITS)
def test_stop_of_a_careless_model_counts_where_nobody_checks(habit: Habit) -> None:
    outcome = unchecked(habit)
    assert (outcome.reason, len(outcome.rounds)) == (StopReason.ANSWERED, 1)
    assert outcome.answer != "Linz"


@pytest.mark.parametrize("habit", [Habit.EARLY, Habit.LOOK_ALIKE])
def test_checked_it_goes_on_to_the_right_answer(habit: Habit) -> None:
    outcome = careless(program(), habit)(QUESTION)
    assert (outcome.reason, outcome.answer) == (StopReason.ANSWERED, "Linz")
    assert len(outcome.rounds) > 1


def test_habits_show_in_what_is_claimed() -> None:
    early, hiding, concluding = (decided(habit, MOON) for habit in (Habit.EARLY, Habit.HIDING, Habit.CONCLUDING))
    assert early.stop
    assert any(not claim.quote for claim in early.claims)
    assert hiding.claims
    assert all(claim.quote for claim in hiding.claims)
    assert [claim.need for claim in concluding.claims] == [claim.need for claim in early.claims]
    assert all(claim.quote or claim.follows_from for claim in concluding.claims)


def test_habits_show_in_the_answer() -> None:
    right = decided(Habit.EARLY, MOON, ROE)
    assert right.draft == "Linz"
    guessed = decided(Habit.GUESSING, MOON, ROE, OTHERS[0])
    assert guessed.draft not in " ".join(claim.quote for claim in guessed.claims)
    joined = decided(
        Habit.MERGING, MOON, Passage("y", "Karl Fuchs wrote it.", "Karl"), question="Who directed Blue Moon?"
    )
    assert joined.draft == "Ada Moon"
    assert decided(Habit.VAGUE, Passage("p", "Blue Moon was made by a person, Ada Roe.", "Blue Moon"),
                   question="Who made Blue Moon?").draft == "the person"  # fmt: skip


def test_look_alike_is_taken_for_what_is_asked_and_refused() -> None:
    twin = Passage("twin", "Incident 4412 was fixed by change CH-7802.", "Incident 4412")
    question = "Which change fixed incident 4471?"
    assert mistaken(State(question, Reading((twin,)))) == ("4471", "4412")
    assert mistaken(State(question, Reading((MOON,)))) == ("", "")
    made = careless(program([twin, *OTHERS]), Habit.LOOK_ALIKE)
    assert without_judge(made)(question).answer == "CH-7802"
    assert made(question).answer is None


def test_each_faulty_query_has_its_fault_and_the_one_sent_back_has_none() -> None:
    passages = [MOON, ROE, *(Passage(f"y{n}", f"The director of the film {n} was born.", f"y{n}") for n in range(200))]
    index = BM25Index.build(passages)
    state = State(QUESTION, Reading((MOON,)), queries=(QUESTION,), draft="Ada Roe", read=("moon",))
    state.memory["careless: index"] = index
    where = context(state, index)
    for kind in FaultKind:
        found = {fault.kind for fault in faults(faulty(kind, "Ada Roe born", state), where, ALL_ON)}
        assert kind in found, kind
    assert faults("Ada Roe born", where, ALL_ON) == ()


def test_faults_take_turns() -> None:
    turns = [fault_of(State(QUESTION, queries=("q",) * n)) for n in range(6)]
    assert set(turns) == set(FaultKind)


def searched(made: IterativeQA, questions: Sequence[str]) -> list[Query]:
    return [query for question in questions for item in made(question).rounds for query in item.queries]


def test_query_that_is_sent_back_comes_again_without_its_fault() -> None:
    made = careless(program(width=1), Habit.QUERIES)
    unguarded = made.like(guards=ALL_OFF)
    questions = [QUESTION + "?" * n for n in range(6)]  # each starts with another fault
    sent_back = [query for query in searched(made, questions) if query.faults]
    assert sent_back
    assert not any(query.fallback for query in sent_back)
    assert not any(query.faults for query in searched(unguarded, questions))


def test_a_model_has_habits_of_its_own() -> None:
    index = BM25Index.build([MOON])
    with pytest.raises(BadInput, match="leave the model out"):
        careless(IterativeQA(index, LMPolicy()), Habit.EARLY)
