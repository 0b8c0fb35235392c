from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from skilled import LINE, SkilledEngine, desk, desk_job, desk_labels, every, skilled_lm

from hopstop.optimize.cases import PREDICTORS, Label
from hopstop.optimize.compile import Compiled, Job, compile_program, estimate_of
from hopstop.optimize.optimisers import SHORT
from hopstop.optimize.predictor_metrics import teachable
from hopstop.optimize.recipes import RECIPES, Recipe, plan
from hopstop.program.errors import BadInput

FAST = {"budget": 120, "candidates": 3}


def small(name: str, **changes: object) -> Recipe:
    return replace(RECIPES[name], **{**FAST, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", list(RECIPES))
def test_each_recipe_changes_every_predictor_and_scores_better_on_labels_it_never_saw(
    name: str, tmp_path: Path
) -> None:
    job = desk_job(small(name))
    found = compile_program(job, tmp_path)
    for predictor in ("decide", "rewrite", "prune"):
        scores = found.scores[predictor]
        assert scores["kept"]
        change = scores["dev"]["score"]
        assert change["after"] > change["before"]
        assert change["low"] > 0
        assert change["n"] == len(job.labels.splits[predictor].dev)
    after, before = found.program.policy, job.program.policy
    for part in ("decider", "rewriter", "pruner"):
        old, new = getattr(before, part), getattr(after, part)
        assert (new.signature.instructions != old.signature.instructions) is (name in ("mipro", "gepa"))
        assert bool(new.demos) is (name != "gepa")
        assert not old.demos
    assert found.metric_calls <= 3 * job.recipe.budget
    assert 0 < found.used.calls <= estimate_of(job).calls


def test_instructions_above_the_length_are_never_taken(tmp_path: Path) -> None:
    labels = desk_labels()
    own = len(desk_job(small("gepa", predictors=("prune",))).program.policy.pruner.signature.instructions)  # type: ignore[attr-defined]
    for name in ("gepa", "mipro"):
        lm = skilled_lm(every(labels), written=f"{LINE} {'and again ' * 200}")
        job = desk_job(small(name, predictors=("prune",), max_instruction=own), lm=lm)
        found = compile_program(job, tmp_path / name)
        assert LINE not in found.program.policy.pruner.signature.instructions  # type: ignore[attr-defined]


def test_program_whose_own_instruction_is_too_long_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"instruction of 'decide' has [\d,]+ characters, the recipe allows 100"):
        compile_program(desk_job(small("labeled", max_instruction=100)), tmp_path)


def test_nothing_worse_is_kept(tmp_path: Path) -> None:
    """Examples that make the model worse on the labels to choose by are left out again."""

    class Confused(SkilledEngine):
        def _answer(self, request: object) -> str:
            confused = replace(request, messages=request.messages[-1:])  # type: ignore[type-var,attr-defined]
            self.written = LINE
            return super()._answer(confused)  # type: ignore[arg-type]

    labels = desk_labels()
    lm = skilled_lm(every(labels))
    lm = lm.copy(engine=Confused({label.id: label for label in every(labels)}))
    job = desk_job(small("labeled", predictors=("decide",)), lm=lm)
    found = compile_program(job, tmp_path)
    assert not found.scores["decide"]["kept"]
    assert found.scores["decide"]["dev"]["score"]["difference"] == 0
    assert not found.program.policy.decider.demos  # type: ignore[attr-defined]


@pytest.mark.parametrize("predictor", ["decide", "rewrite", "prune"])
def test_examples_are_drawn_from_the_short_ones_of_their_kind(predictor: str, tmp_path: Path) -> None:
    job = desk_job(small("labeled", predictors=(predictor,)))
    demos = getattr(compile_program(job, tmp_path).program.policy, PREDICTORS[predictor]).demos
    train = [label for label in job.labels.splits[predictor].train if teachable(label, desk()[1])]
    assert demos
    for demo in demos:
        shown = next(label for label in train if all(demo[name] == label.fields[name] for name in label.inputs))
        shorter = [label for label in train if label.kind == shown.kind and _size(label) < _size(shown)]
        assert len(shorter) < SHORT * sum(label.kind == shown.kind for label in train)


def _size(label: Label) -> int:
    return sum(len(str(value)) for value in label.fields.values())


def test_teacher_answers_and_writes_in_the_place_of_the_student(tmp_path: Path) -> None:
    labels = desk_labels()
    for name in ("bootstrap", "mipro", "gepa"):
        teacher = skilled_lm(every(labels), model="scripted/teacher")
        student = skilled_lm(every(labels), model="scripted/student", written="nothing")
        compile_program(desk_job(small(name, predictors=("decide",)), lm=student, teacher=teacher), tmp_path / name)
        assert teacher.engine.requests
        assert all(request.model == "scripted/teacher" for request in teacher.engine.requests)
        asked_to_write = [str(request.system) for request in student.engine.requests]
        assert not any("proposed_instruction" in text or "new_instruction" in text for text in asked_to_write)


def test_whole_loops_choose_what_is_kept(tmp_path: Path) -> None:
    found = compile_program(_looping("labeled"), tmp_path)
    joint = found.scores["joint"]
    assert joint["n"] == 3
    assert set(joint) == {"n", "before", "compiled", "without prune", "chosen", "kept"}
    assert joint["chosen"] == max(joint["compiled"], joint["without prune"])


def _looping(name: str) -> Job:
    """A job whose model also answers inside whole loops, where it meets prompts that are no labels."""

    class Anything(SkilledEngine):
        def _answer(self, request: object) -> str:
            try:
                return super()._answer(request)  # type: ignore[arg-type]
            except AssertionError:
                return "not a reply that anyone could read"

    labels = desk_labels()
    lm = skilled_lm(every(labels))
    lm = lm.copy(engine=Anything({label.id: label for label in every(labels)}))
    return desk_job(small(name, predictors=("prune",), joint=3), lm=lm)


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "magic"},
        {"budget": 0},
        {"predictors": ()},
        {"predictors": ("judge",)},
        {"predictors": ("decide", "decide")},
        {"examples": 0},
        {"threshold": 1.5},
        {"max_instruction": 0},
    ],
)
def test_recipe_outside_its_ranges_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        replace(RECIPES["labeled"], **changes)  # type: ignore[arg-type]


@given(
    name=st.sampled_from(list(RECIPES)),
    budget=st.integers(1, 2000),
    train=st.integers(1, 300),
    val=st.integers(1, 100),
    candidates=st.integers(1, 10),
)
def test_no_plan_exceeds_its_budget(name: str, budget: int, train: int, val: int, candidates: int) -> None:
    recipe = replace(RECIPES[name], budget=budget, candidates=candidates)
    try:
        made = plan(recipe, train, val)
    except BadInput:
        assert budget < 10 * val + 100 * candidates  # what any recipe can work with
        return
    assert 0 < made.train <= train
    assert made.rounds >= 1
    assert made.metric_calls <= budget


def test_estimate_is_made_without_a_call() -> None:
    job = desk_job(RECIPES["gepa"])
    found = estimate_of(job)
    assert set(found.by_predictor) == {"decide", "rewrite", "prune"}
    assert found.tokens > 100 * found.calls > 0
    assert not job.program.policy.caller.lm.engine.requests  # type: ignore[attr-defined]
    assert desk()[1] is job.program.retriever


def test_compiled_is_frozen(tmp_path: Path) -> None:
    found = compile_program(desk_job(small("labeled", predictors=("prune",))), tmp_path)
    assert isinstance(found, Compiled)
    with pytest.raises(AttributeError):
        found.metric_calls = 0  # type: ignore[misc]
