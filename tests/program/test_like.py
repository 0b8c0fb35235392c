from __future__ import annotations

import pytest

from fakes import ALIEN, FILMS, HALF, PROOF, ScriptedPolicy, WordRetriever
from hopstop.optimize.parts import changed, guard_part
from hopstop.program.budget import Budget
from hopstop.program.guards import ALL_ON
from hopstop.program.loop import IterativeQA
from hopstop.program.prices import Price
from hopstop.program.records import Limits


class Nowhere:
    """A tracer that keeps nothing."""


def whole() -> IterativeQA:
    """A program of which every part differs from its default."""
    return IterativeQA(
        WordRetriever(FILMS),
        ScriptedPolicy([HALF]),
        Limits(max_rounds=2),
        fallback=WordRetriever([ALIEN]),
        guards=ALL_ON.without("latch"),
        budget=Budget(max_tokens=1000),
        prices={"model": Price(1.0, 2.0)},
        tracer=Nowhere(),  # type: ignore[arg-type]
    )


OTHER = {
    "policy": ScriptedPolicy([PROOF]),
    "retriever": WordRetriever([ALIEN]),
    "limits": Limits(max_rounds=3),
    "guards": ALL_ON,
}


@pytest.mark.parametrize("name", OTHER)
def test_program_like_another_differs_in_what_is_given_alone(name: str) -> None:
    program = whole()
    before = dict(vars(program))
    made = program.like(**{name: OTHER[name]})  # type: ignore[arg-type]
    assert type(made) is IterativeQA
    assert {key for key in before if key != "history" and vars(made)[key] != before[key]} == {name}
    assert vars(made).keys() == before.keys()
    assert getattr(made, name) is OTHER[name]
    assert vars(program) == before


def test_ablation_hands_on_every_part_of_a_program() -> None:
    program = whole()
    less = guard_part("guard repeat", "", ["repeat"]).off(program)
    assert less is not None
    for made, gone in ((less, "guards"), (changed(program, ScriptedPolicy([PROOF])), "policy")):
        assert {key for key, value in vars(program).items() if vars(made)[key] != value} == {gone}


def test_calls_of_one_are_not_in_the_history_of_the_other() -> None:
    program = whole()
    made = program.like()
    made.history.append("call")
    assert program.history == []
