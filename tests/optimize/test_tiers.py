from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import dspy
import pytest
from skilled import SkilledEngine, desk, desk_job, desk_labels, every, skilled_lm

from fakes import chat
from hopstop.optimize.compile import Job, compile_program, estimate_of
from hopstop.optimize.recipes import RECIPES
from hopstop.optimize.tiers import models_of, policy_of, uses_schema
from hopstop.program import IterativeQA, LMPolicy
from hopstop.program.errors import BadInput

TWO = replace(RECIPES["labeled"], budget=40, candidates=1, predictors=("decide", "prune"))


class Loose(SkilledEngine):
    """In whole loops, where it meets prompts that are no labels: says STOP, or nothing that can be read."""

    def _answer(self, request: dspy.lm15.Request) -> str:
        try:
            return super()._answer(request)
        except AssertionError:
            if "`verdict`" in str(request.system):
                return chat(needed=[{"need": "x", "quote": "", "follows_from": []}], answer="y", verdict="STOP")
            return "nothing"


def model(name: str) -> dspy.LM:
    labels = every(desk_labels())
    return dspy.LM(f"scripted/{name}", engine=Loose({item.id: item for item in labels}), cache=False)


def asked(lm: dspy.LM) -> set[str]:
    """The predictors that an LM was asked for."""
    names = {"verdict": "decide", "related": "prune", "query": "rewrite"}
    return {
        names[field]
        for request in lm.engine.requests
        for field in names
        if f"[[ ## {field} ## ]]" in str(request.system)
    }


def tiered(job: Job, **lms: dspy.LM) -> Job:
    policy = LMPolicy(job.program.policy.caller.lm, schema=False, **lms)  # type: ignore[attr-defined]
    return replace(job, program=IterativeQA(desk()[1], policy))


def test_labels_of_a_predictor_are_answered_by_the_model_that_it_asks(tmp_path: Path) -> None:
    small, large = model("small"), model("large")
    found = compile_program(tiered(desk_job(TWO, lm=small), decide_lm=large), tmp_path)
    assert (asked(small), asked(large)) == ({"prune"}, {"decide"})
    assert models_of(policy_of(found.program)) == {
        "decide": "scripted/large",
        "rewrite": "scripted/small",
        "prune": "scripted/small",
    }


def test_examples_are_bootstrapped_with_the_model_that_decides(tmp_path: Path) -> None:
    small, large = model("small"), model("large")
    recipe = replace(RECIPES["bootstrap"], budget=40, predictors=("decide",))
    found = compile_program(tiered(desk_job(recipe, lm=small), decide_lm=large), tmp_path)
    assert not small.engine.requests
    assert len(large.engine.requests) == found.used.calls


def test_whole_loops_ask_every_tier(tmp_path: Path) -> None:
    small, large, reader = model("small"), model("large"), model("reader")
    recipe = replace(TWO, joint=2)
    compile_program(tiered(desk_job(recipe, lm=small), decide_lm=large, answer_lm=reader), tmp_path)
    assert (asked(small), asked(large), asked(reader)) == ({"prune", "rewrite"}, {"decide"}, {"decide"})


def test_threads_change_nothing_in_whole_loops(tmp_path: Path) -> None:
    found = [
        compile_program(
            replace(desk_job(replace(TWO, joint=4), lm=model("one")), threads=threads), tmp_path / f"{threads}"
        )
        for threads in (1, 4)
    ]
    assert found[0].scores == found[1].scores
    assert found[0].scores["joint"]["n"] == 4
    assert found[0].used == found[1].used


def test_whole_loops_are_not_run_where_nothing_was_kept(tmp_path: Path) -> None:
    blind = skilled_lm([], model="scripted/blind")
    blind.engine._answer = lambda request: "nothing"
    found = compile_program(desk_job(replace(TWO, joint=4), lm=blind), tmp_path)
    assert not any(found.scores[name]["kept"] for name in TWO.predictors)
    assert "joint" not in found.scores
    splits = [desk_labels().splits[name] for name in TWO.predictors]
    assert found.used.calls <= 2 * sum(len(split.val) + len(split.dev) for split in splits)


@pytest.mark.parametrize("tier", ["decide_lm", "answer_lm"])
def test_folder_of_a_compile_with_another_tier_is_refused(tier: str, tmp_path: Path) -> None:
    job = desk_job(TWO, lm=model("small"))
    compile_program(tiered(job, **{tier: model("large")}), tmp_path)
    named = {"decide_lm": "decide", "answer_lm": "answer"}[tier]
    told = rf"holds another compile, which differs in models.{named}: \"scripted/large\" there, "
    for other, now in (({}, '"scripted/small"|nothing'), ({tier: model("larger")}, '"scripted/larger"')):
        with pytest.raises(BadInput, match=f"{told}({now}) now"):
            compile_program(tiered(job, **other), tmp_path)


def test_folder_of_a_compile_with_longer_replies_is_refused(tmp_path: Path) -> None:
    small = model("small")
    compile_program(tiered(desk_job(TWO, lm=small)), tmp_path)
    with pytest.raises(BadInput, match=r"differs in reply_options.decide.max_tokens: nothing there, 9 now"):
        compile_program(tiered(desk_job(TWO, lm=small.copy(max_tokens=9))), tmp_path)


def test_estimate_tells_what_each_model_is_asked() -> None:
    job = tiered(desk_job(replace(RECIPES["gepa"], joint=3), lm=model("small")), decide_lm=model("large"))
    found = estimate_of(job).by_model
    assert found["scripted/large"].work == ("decide", "instructions", "joint")
    assert found["scripted/small"].work == ("rewrite", "instructions", "prune", "joint")
    taught = estimate_of(replace(job, teacher=model("teacher")))
    assert taught.by_model["scripted/teacher"].work == ("instructions",)
    assert sum(share.calls for share in taught.by_model.values()) == taught.calls
    assert taught.by_model["scripted/large"].work == ("decide", "joint")


def test_each_tier_is_asked_in_the_form_that_it_takes() -> None:
    class WithSchema(dspy.LM):
        supports_response_schema = True

    policy = LMPolicy(model("small"), decide_lm=WithSchema("scripted/large", engine=SkilledEngine({})))
    assert [uses_schema(policy, name) for name in ("decide", "prune", "rewrite")] == [True, False, False]
