from __future__ import annotations

import inspect
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import dspy
import pytest
from forked import Forked
from skilled import SkilledEngine, desk, desk_job, desk_labels, every, skilled_lm, small

from compiled import requests, searching, snapshot
from fakes import scripted_lm
from hopstop.eval.folder import held
from hopstop.optimize import compile
from hopstop.optimize.cases import PREDICTORS, Label
from hopstop.optimize.compile import Progress, compile_program
from hopstop.optimize.compiling import save
from hopstop.optimize.labels import Amount, make_labels
from hopstop.optimize.recipes import RECIPES, Recipe
from hopstop.program import IterativeQA, LMPolicy, load
from hopstop.program.errors import BadInput
from hopstop.program.limits import Limits
from hopstop.program.offline import OfflinePolicy
from hopstop.program.prices import Price

SMALL = replace(RECIPES["labeled"], budget=60, candidates=2, predictors=("decide", "prune"))

# A process with a child for each recipe: each call is written down before it is answered, slowly.
SCRIPT = """
import os, sys, time
from pathlib import Path
import dspy
from skilled import SkilledEngine, desk_job, desk_labels, every, small
from hopstop.optimize.recipes import RECIPES
from hopstop.optimize.compile import compile_program

class Slow(SkilledEngine):
    def complete(self, request):
        with open(folder / "calls.txt", "a") as file:
            file.write("call\\n")
        time.sleep(0.02)
        return super().complete(request)

labels = {label.id: label for label in every(desk_labels())}
for name in RECIPES:
    folder = Path(sys.argv[1]) / name
    folder.mkdir()
    child = os.fork()
    if child == 0:
        lm = dspy.LM("scripted/skilled", engine=Slow(labels), cache=False)
        compile_program(desk_job(small(name), lm=lm), folder / "work")
        os._exit(0)
    os.write(1, f"{child}\\n".encode())
for name in RECIPES:
    os.wait()
"""
KILLED_AFTER = 30  # calls

LOADED = """
import json, sys
from fakes import FILMS, scripted_lm
from compiled import requests, searching
from hopstop.program import BM25Index, load
lm = scripted_lm(searching)
program = load(sys.argv[1], retriever=BM25Index.build(FILMS), lm=lm)
ask_all(program, lm, json.loads(open(sys.argv[2]).read()))
sys.stdout.write(chr(10).join(requests(lm)))
"""


def ask_all(program: IterativeQA, lm: dspy.LM, inputs: list[tuple[str, dict[str, object]]]) -> None:
    """Ask every predictor for these inputs."""
    import dspy

    for part, given in inputs:
        with dspy.context(lm=lm):
            getattr(program.policy, part)(**given)


def process(code: str, *words: object) -> list[str]:
    return [sys.executable, "-c", code, *map(str, words)]


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), **more}


def calls_in(folder: Path) -> int:
    path = folder / "calls.txt"
    return len(path.read_text().splitlines()) if path.exists() else 0


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders, by recipe, of compiles that kill -9 has ended."""
    place = tmp_path_factory.mktemp("killed")
    # Another hash seed: nothing may hang on the order of a set.
    command, variables = process(SCRIPT, place), environment(PYTHONHASHSEED="4711")
    run = subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    alive = {name: int(run.stdout.readline()) for name in RECIPES}
    deadline = time.monotonic() + 90
    while alive and time.monotonic() < deadline:
        for name in [name for name in alive if calls_in(place / name) >= KILLED_AFTER]:
            os.kill(alive.pop(name), signal.SIGKILL)
        time.sleep(0.01)
    run.communicate(timeout=60)
    assert not alive
    return place


@pytest.mark.parametrize("name", list(RECIPES))
def test_killed_compile_goes_on_to_the_same_result_and_pays_nothing_twice(
    name: str, killed: Path, tmp_path: Path
) -> None:
    job = desk_job(small(name))
    whole = compile_program(job, tmp_path / "whole")
    asked = calls_in(killed / name)
    assert KILLED_AFTER <= asked < whole.used.calls
    again = desk_job(small(name))
    rest = compile_program(again, killed / name / "work")
    assert asked + rest.paid.calls - whole.used.calls in (0, 1)  # the call that was under way when it died
    folders = [save(job, whole, tmp_path / "one", "desk"), save(again, rest, tmp_path / "two", "desk")]
    assert snapshot(folders[0]) == snapshot(folders[1])


@pytest.mark.parametrize("name", list(RECIPES))
def test_same_seed_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    recipe = replace(RECIPES[name], budget=80, candidates=3, predictors=("prune",))
    files = []
    for number in (1, 2):
        job = desk_job(recipe)
        folder = save(job, compile_program(job, tmp_path / f"work{number}"), tmp_path / f"out{number}", "desk")
        files.append(snapshot(folder))
    assert files[0] == files[1]


def test_another_seed_gives_another_program(tmp_path: Path) -> None:
    states = []
    for seed in (0, 1):
        job = desk_job(replace(SMALL, seed=seed))
        found = compile_program(job, tmp_path / str(seed))
        states.append(found.program.policy.decider.dump_state())  # type: ignore[attr-defined]
    assert states[0] != states[1]


def test_loaded_in_a_new_process_it_sends_the_very_same_requests(tmp_path: Path) -> None:
    job = desk_job(SMALL)
    found = compile_program(job, tmp_path / "work")
    folder = save(job, found, tmp_path / "artifacts", "desk")
    inputs = [(_part(label), {name: label.fields[name] for name in label.inputs}) for label in every(desk_labels())]
    lm = scripted_lm(searching)
    ask_all(found.program, lm, inputs)
    (tmp_path / "inputs.json").write_text(json.dumps(inputs), encoding="utf-8")
    code = "from __future__ import annotations\n" + inspect.getsource(ask_all) + LOADED
    told = Forked("-c", code, folder, tmp_path / "inputs.json").finish(timeout=60)
    assert told.returncode == 0, told.stderr
    assert told.stdout.split("\n") == requests(lm)


def _part(label: Label) -> str:
    return PREDICTORS[label.id.split("/")[-2]]


def test_artifact_tells_what_it_was_made_from(tmp_path: Path) -> None:
    from hopstop.program.artifact_folder import read_version

    job = desk_job(SMALL)
    found = compile_program(job, tmp_path / "work")
    folder = save(job, found, tmp_path / "artifacts", "desk")
    manifest = read_version(folder).manifest
    assert folder == tmp_path / "artifacts" / "desk" / "v001"
    assert manifest.training is not None
    assert set(manifest.training.ids) == set(job.labels.train_ids)
    assert not set(manifest.training.ids) & set(job.labels.dev_ids)
    assert manifest.training.hash == job.data.hash
    assert manifest.scores["decide"]["dev"]["quote_f1"].keys() == {"before", "after", "difference", "low", "high", "n"}
    assert manifest.origin["recipe"]["name"] == "labeled"
    assert manifest.origin["calls"] == found.used.calls == found.paid.calls
    assert load(folder, retriever=desk()[1], lm=None).policy.decider.demos  # type: ignore[attr-defined]


def test_predictor_that_whole_loops_take_back_is_reported_as_it_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compile, "choose_jointly", lambda loops, kept: ({"prune": kept["prune"]}, {"kept": ["prune"]}))
    job = desk_job(replace(SMALL, joint=1))
    found = compile_program(job, tmp_path)
    assert (found.scores["decide"]["kept"], found.scores["prune"]["kept"]) == (False, True)
    policy = found.program.policy
    assert isinstance(policy, LMPolicy)
    assert (len(policy.decider.demos), len(policy.pruner.demos) > 0) == (0, True)
    assert all(change["before"] == change["after"] for change in found.scores["decide"]["dev"].values())
    assert found.scores["prune"]["dev"]["score"]["difference"] > 0


def test_program_and_settings_stay_as_they_are(tmp_path: Path) -> None:
    job = desk_job(SMALL)
    policy = job.program.policy
    assert isinstance(policy, LMPolicy)
    before = policy.decider.dump_state(), policy.pruner.dump_state(), dspy.settings.lm, dspy.settings.adapter
    compile_program(job, tmp_path)
    after = policy.decider.dump_state(), policy.pruner.dump_state(), dspy.settings.lm, dspy.settings.adapter
    assert before == after


def test_second_run_in_the_same_folder_makes_no_call(tmp_path: Path) -> None:
    job = desk_job(SMALL)
    first = compile_program(job, tmp_path)
    again = desk_job(SMALL)
    second = compile_program(again, tmp_path)
    assert not again.program.policy.caller.lm.engine.requests  # type: ignore[attr-defined]
    assert second.paid.calls == 0
    assert (second.scores, second.used, second.metric_calls) == (first.scores, first.used, first.metric_calls)


def test_predictor_that_was_finished_is_not_compiled_again(tmp_path: Path) -> None:
    recipe = replace(SMALL, predictors=("decide",))
    compile_program(desk_job(recipe), tmp_path)
    (tmp_path / "replies.jsonl").unlink()
    lm = skilled_lm([])  # knows no label: any call fails
    found = compile_program(desk_job(recipe, lm=lm), tmp_path)
    assert found.scores["decide"]["kept"]


def test_folder_of_another_job_is_refused(tmp_path: Path) -> None:
    compile_program(desk_job(SMALL), tmp_path)
    with pytest.raises(
        BadInput, match=r"holds another compile, which differs in recipe.seed: 0 there, 1 now; .*--fresh"
    ):
        compile_program(desk_job(replace(SMALL, seed=1)), tmp_path)


def test_labels_of_one_id_and_other_content_are_another_job(tmp_path: Path) -> None:
    data, index = desk()
    by_label = desk_job(small("labeled"))
    words = make_labels(data, index, Amount(train=24, dev=16, by_label=False))
    by_words = replace(by_label, labels=words)
    assert [item.id for item in every(words)] == [item.id for item in every(by_label.labels)]
    compile_program(by_label, tmp_path)
    with pytest.raises(BadInput, match=r"holds another compile, which differs in labels\.decide\.train"):
        compile_program(by_words, tmp_path)


def test_folder_in_use_is_refused(tmp_path: Path) -> None:
    with held(tmp_path), pytest.raises(BadInput, match="in use by another run"):
        compile_program(desk_job(SMALL), tmp_path)


def test_progress_tells_stages_replies_and_tokens(tmp_path: Path) -> None:
    told: list[Progress] = []
    job = desk_job(SMALL)
    job.program.prices = {"model": Price(1.0, 2.0)}
    found = compile_program(job, tmp_path, told.append)
    assert {key for key, value in vars(job.program).items() if vars(found.program)[key] != value} == {"policy"}
    stages = list(dict.fromkeys(item.stage for item in told))
    assert stages[:3] == ["decide: labeled", "decide: choosing", "decide: measuring on dev"]
    assert [item.replies for item in told] == sorted(item.replies for item in told)
    assert told[-1].replies == found.used.calls <= told[-1].expected
    assert told[-1].paid == found.paid


def test_threads_change_nothing(tmp_path: Path) -> None:
    one = compile_program(desk_job(SMALL), tmp_path / "one")
    four = compile_program(replace(desk_job(SMALL), threads=4), tmp_path / "four")
    assert one.scores == four.scores
    assert one.used == four.used


def test_model_that_is_down_is_an_error_of_ours_and_the_job_goes_on(tmp_path: Path) -> None:
    class Flaky(SkilledEngine):
        def complete(self, request: dspy.lm15.Request) -> dspy.lm15.Response:
            if len(self.requests) >= 5:
                raise dspy.lm15.AuthError("expired")
            return super().complete(request)

    flaky = skilled_lm([]).copy(engine=Flaky({label.id: label for label in every(desk_labels())}), num_retries=0)
    for recipe in (SMALL, replace(RECIPES["gepa"], budget=60, predictors=("decide",))):
        with pytest.raises(BadInput, match=r"LMAuthError.*the same command goes on"):
            compile_program(desk_job(recipe, lm=flaky), tmp_path / recipe.name)
    job = desk_job(SMALL)
    found = compile_program(job, tmp_path / SMALL.name)
    assert found.paid.calls == found.used.calls - 5


@pytest.mark.parametrize("recipe", [SMALL, replace(RECIPES["gepa"], budget=5), replace(RECIPES["mipro"], budget=9)])
def test_budget_that_does_not_suffice_is_refused_before_any_call(recipe: Recipe, tmp_path: Path) -> None:
    job = desk_job(replace(recipe, budget=5))
    with pytest.raises(BadInput, match=r"needs a budget of \d+ metric calls .* raise --budget"):
        compile_program(job, tmp_path)
    assert not job.program.policy.caller.lm.engine.requests  # type: ignore[attr-defined]


def test_programs_without_an_lm_or_an_index_are_refused(tmp_path: Path) -> None:
    job, index = desk_job(SMALL), desk()[1]
    for program in (IterativeQA(index, OfflinePolicy(index), Limits()), IterativeQA(index, LMPolicy())):
        with pytest.raises(BadInput, match="has its LM"):
            compile_program(replace(job, program=program), tmp_path)
    with pytest.raises(BadInput, match="BM25Index"):
        compile_program(replace(job, program=IterativeQA(object(), job.program.policy)), tmp_path)  # type: ignore[arg-type]
