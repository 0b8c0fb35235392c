from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from compiled import searching, snapshot
from fakes import scripted_lm
from hopstop.eval.desk import make_desk
from hopstop.eval.folder import held
from hopstop.eval.questions import Dataset, Question
from hopstop.optimize.calibrate import calibrate
from hopstop.optimize.calibration_report import write
from hopstop.optimize.cli import main
from hopstop.optimize.fold_programs import Task, Work
from hopstop.optimize.labelled_sets import Item, LabelledSets, labelled, make_sets
from hopstop.optimize.material import Material, Selection, over
from hopstop.optimize.replay import Replayed
from hopstop.optimize.walk_folds import fit_folds, summed, walk_figures
from hopstop.optimize.worth import SHOWN, differences, figures, weights_of
from hopstop.program import artifact
from hopstop.program.bm25 import BM25Index
from hopstop.program.budget import Budget
from hopstop.program.errors import BadDataset, BadInput
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA
from hopstop.program.offline import OfflinePolicy
from hopstop.program.records import Limits, StopReason
from hopstop.program.ways import FEATURES

DESK = make_desk(size=0.1)
INDEX = BM25Index.build(DESK.passages or ())
BUDGET = Budget(max_tokens=1)
POOR = Limits(max_rounds=5, first_k=1, next_k=1, width=1, carry_k=10, max_read=10, patience=0)


@pytest.fixture(scope="module")
def sets() -> LabelledSets:
    return make_sets([over(Dataset.of("desk", DESK.questions), INDEX, Selection())], folds=2, seed=0)


@pytest.fixture(scope="module")
def few() -> LabelledSets:
    """Half of them, for what holds of any questions; learning takes four times as long for twice as many."""
    return make_sets([over(Dataset.of("desk", DESK.questions[::2]), INDEX, Selection())], folds=2, seed=0)


def offline(limits: Limits, weights: dict[str, float] | None = None) -> Callable[[BM25Index], IterativeQA]:
    return lambda index: IterativeQA(index, OfflinePolicy(index, weights), limits)


def test_few_passages_a_round_are_moved_where_more_are_allowed(sets: LabelledSets, tmp_path: Path) -> None:
    poor = replace(POOR, max_rounds=1)
    task = Task(sets=sets, make=offline(poor), folder=tmp_path, weights=False, cost=10, sample=16)
    found = calibrate(task)
    after = found.program.limits
    assert (after.first_k, after.next_k, after.width, after.max_rounds) != (1, 1, 1, 1)
    whole = found.curve[-1]  # under the caps that were set
    assert whole["all_support"] > found.before["all_support"]
    assert whole["worth"] > found.before["worth"]
    assert whole["passages_mean"] <= 10


def test_weights_of_no_use_are_moved_and_the_figures_say_so(sets: LabelledSets, tmp_path: Path) -> None:
    bad = dict.fromkeys(FEATURES, 0.0) | {"d_rank": -5.0}
    task = Task(sets=sets, make=offline(OfflinePolicy.limits, bad), folder=tmp_path, limits=False, sample=20)
    found = calibrate(task)
    assert found.fitted is not None
    assert found.program.limits == OfflinePolicy.limits
    policy = found.program.policy
    assert isinstance(policy, OfflinePolicy)
    figures = found.fitted.figures["desk"]
    assert figures["all_support"] > figures["all_support_before"]
    assert walk_figures(labelled(sets.items)["desk"], policy.state())["recall_at_5"] > figures["recall_at_5_before"]
    assert found.after["all_support"] > found.before["all_support"]
    write(found, tmp_path)
    assert (tmp_path / "settings.csv").read_text(encoding="utf-8").splitlines()[0] == "cost,worth,changed"


def test_same_seed_same_bytes_and_a_second_run_pays_nothing(
    few: LabelledSets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = []
    for name in ("a", "b"):
        task = Task(sets=few, make=offline(POOR), folder=tmp_path / name, sample=8, rerun=False)
        found = calibrate(task)
        write(found, tmp_path / name)
        artifact.save(found.program, tmp_path / f"made-{name}", name="x", training=few.training)
        folders.append(snapshot(tmp_path / f"made-{name}"))
    assert folders[0] == folders[1]
    reports = [
        {key: content for key, content in snapshot(tmp_path / name).items() if not key.startswith("runs-")}
        for name in ("a", "b")
    ]
    assert set(reports[0]) >= {"calibration.json", "curve.csv", "settings.csv", "curve.png"}
    where = str(tmp_path / "a").encode(), str(tmp_path / "b").encode()
    assert {k: v.replace(where[0], b"") for k, v in reports[0].items()} == {
        k: v.replace(where[1], b"") for k, v in reports[1].items()
    }

    def unforeseen(*_: object, **__: object) -> None:
        raise AssertionError("ran a question again")

    monkeypatch.setattr(IterativeQA, "forward", unforeseen)
    again = calibrate(Task(sets=few, make=offline(POOR), folder=tmp_path / "a", sample=8, rerun=False))
    assert asdict(again.program.limits) == asdict(found.program.limits)


def test_a_killed_calibration_goes_on(sets: LabelledSets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual, calls = IterativeQA.forward, []

    def killed(self: IterativeQA, question: str, **given: Any) -> Any:  # noqa: ANN401
        calls.append(question)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return usual(self, question, **given)

    task = Task(sets=sets, make=offline(POOR), folder=tmp_path, weights=False, rerun=False, sample=8)
    monkeypatch.setattr(IterativeQA, "forward", killed)
    with pytest.raises(KeyboardInterrupt):
        calibrate(task)
    monkeypatch.setattr(IterativeQA, "forward", usual)
    (record,) = tmp_path.glob("runs-*.jsonl")
    with record.open("ab") as file:
        file.write(b'{"key": "torn')
    resumed = calibrate(task)
    assert resumed.program.limits == calibrate(replace(task, folder=tmp_path / "other")).program.limits
    assert len(record.read_bytes().splitlines()) == resumed.questions


def test_a_model_is_asked_once_for_all_that_can_be_replayed(sets: LabelledSets, tmp_path: Path) -> None:
    lm = scripted_lm(searching)
    limits = Limits(first_k=2, next_k=2, max_rounds=2)

    def make(index: BM25Index) -> IterativeQA:
        return IterativeQA(index, LMPolicy(lm), limits)

    task = Task(sets=sets, make=make, folder=tmp_path, weights=False, sample=4, threads=2)
    found = calibrate(task)
    asked = len(lm.engine.requests)
    assert found.unit == "tokens"
    assert found.tokens > 0
    assert len(found.settings) > 10
    assert asked <= found.questions * 2 * 4  # two rounds of Decide, Prune and a Rewrite that may be sent back
    calibrate(task)
    assert len(lm.engine.requests) == asked


def test_program_to_keep_has_all_parts_of_the_one_it_was_made_from(sets: LabelledSets, tmp_path: Path) -> None:
    def make(index: BM25Index) -> IterativeQA:
        return IterativeQA(index, OfflinePolicy(index), POOR, fallback=INDEX, budget=BUDGET)

    work = Work(Task(sets=sets, make=make, folder=tmp_path, weights=False))
    final = work.final(replace(POOR, max_rounds=2))
    assert (final.limits.max_rounds, final.fallback, final.budget) == (2, INDEX, BUDGET)


def test_a_program_without_weights_says_so(sets: LabelledSets, tmp_path: Path) -> None:
    task = Task(sets=sets, make=lambda index: IterativeQA(index, LMPolicy(), Limits()), folder=tmp_path)
    with pytest.raises(BadInput, match="no weights to learn; use --no-weights"):
        calibrate(task)


def test_no_question_or_twin_of_it_is_in_two_folds() -> None:
    questions = [Question(f"q{n}", f"Who is {n}?", meta={"twin_of": f"o{n // 2}"}) for n in range(20)]
    sets = make_sets([Material(Dataset.of("x", questions), INDEX)], folds=4, seed=1)
    homes: dict[str, set[int]] = {}
    for item in sets.items:
        homes.setdefault(item.question.meta["twin_of"], set()).add(item.fold)
    assert all(len(folds) == 1 for folds in homes.values())
    assert {item.fold for item in sets.items} == {0, 1, 2, 3}


def test_one_question_of_two_users_is_in_one_fold(sets: LabelledSets) -> None:
    folds = {item.question.id: item.fold for item in sets.items}
    pairs = [
        (item.question.id, item.question.meta["insider"]) for item in sets.items if "insider" in item.question.meta
    ]
    assert len(pairs) > 2
    assert [pair for pair in pairs if folds[pair[0]] != folds[pair[1]]] == []


def test_what_was_learned_from_holds_the_origins_of_twins() -> None:
    questions = [Question(f"q{n}__unans", f"Who is {n}?", meta={"twin_of": f"q{n}"}) for n in range(2)]
    sets = make_sets([Material(Dataset.of("x", questions), INDEX)], folds=2, seed=0)
    assert sets.training.ids == ("q0__unans", "q0", "q1__unans", "q1")


def test_differences_are_those_of_the_measures_before_and_after() -> None:
    items = [
        Item(name, INDEX, Question(f"{name}{number}", "Who?", ("Ada",)), 0, weight)
        for name, size, weight in (("big", 30, 1.0), ("small", 3, 2.0))
        for number in range(size)
    ]

    def run(answer: str | None) -> Replayed:
        reason = StopReason.ANSWERED if answer else StopReason.NO_HITS
        return Replayed(reason=reason, answer=answer, read=(), quoted=(), rounds=1, tokens=10, seconds=0.1)

    before = {item.key: run(None) for item in items}
    after = {item.key: run("Ada" if item.name == "small" else "wrong") for item in items}
    old, new, found = figures(items, before), figures(items, after), differences(items, before, after)
    known = {name: value - old[name] for name, value in new.items() if value is not None}
    assert {name: part["value"] for name, part in found.items()} == pytest.approx(known)
    assert found["em"]["value"] == pytest.approx(2 / 3)
    assert found["worth"]["value"] == pytest.approx((-1 + 2 * 1) / 3)
    assert found["worth"]["low"] == pytest.approx(found["worth"]["high"])  # each set is of one mind
    assert set(found) <= set(SHOWN)
    assert found["em"]["n"] == 33


def test_a_folder_in_use_is_refused(few: LabelledSets, tmp_path: Path) -> None:
    with held(tmp_path), pytest.raises(BadInput, match="in use by another run"):
        calibrate(Task(sets=few, make=offline(POOR), folder=tmp_path, weights=False))


def test_too_few_questions_for_the_folds_is_an_error() -> None:
    with pytest.raises(BadDataset, match="1 questions are too few for 5 folds"):
        make_sets([Material(Dataset.of("x", [Question("q", "Who?")]), INDEX)], folds=5, seed=0)


def test_a_set_counts_as_its_weight_says(sets: LabelledSets, tmp_path: Path) -> None:
    other = Material(Dataset.of("other", DESK.questions), INDEX)
    made = Material(Dataset.of("desk", DESK.questions), INDEX)
    both = make_sets([made, other], folds=2, seed=0, weights={"other": 0.25})
    shares = weights_of(both.items)
    names = np.array([item.name for item in both.items])
    assert shares[names == "other"].sum() == pytest.approx(0.25)
    assert shares[names == "desk"].sum() == pytest.approx(1)
    figures = {"desk": {"n": 9, "weight": 1.0, "m": 1.0}, "other": {"n": 9, "weight": 0.25, "m": 0.0}}
    assert summed(figures) == {"m": pytest.approx(0.8)}


def test_weights_are_learned_with_the_weight_of_each_set(few: LabelledSets, tmp_path: Path) -> None:
    items = [replace(item, name=f"half {number % 2}") for number, item in enumerate(few.items)]
    learned = []
    for weight in (1.0, 0.01):
        heavier = tuple(replace(item, weight=weight if item.name == "half 1" else 1.0) for item in items)
        (folder := tmp_path / str(weight)).mkdir()
        whole = LabelledSets(few.training, heavier, 2)
        found = fit_folds(whole, heavier, OfflinePolicy(INDEX).state(), folder, lambda *_: None)
        learned.append(found.final)
    assert learned[0] != learned[1]


def test_a_weight_of_no_set_is_an_error() -> None:
    with pytest.raises(BadDataset, match=r"no set 'dask' to weigh; the sets are: desk"):
        make_sets([Material(DESK, INDEX)], folds=2, seed=0, weights={"dask": 2})


def run(*words: object) -> Any:  # noqa: ANN401
    return CliRunner().invoke(main, ["calibrate", *map(str, words)])


def test_command_keeps_an_artifact_that_loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hopstop.eval.datasets import write_dataset

    monkeypatch.chdir(tmp_path)
    write_dataset(DESK, tmp_path)
    words = ("questions.jsonl", "--corpus", "corpus.jsonl", "--no-weights", "--no-rerun", "--no-track", "--folds", 2)
    words += ("--weight", "questions=0.5")
    result = run(*words, "--sample", 6, "--name", "mine", "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    program = artifact.load(document["artifact"], retriever=INDEX)
    assert asdict(program.limits) == document["limits"]["after"]
    manifest = json.loads((tmp_path / document["artifact"] / "manifest.json").read_text())
    assert manifest["training"]["ids"] == [item.id for item in DESK.questions]
    assert manifest["origin"]["name"] == "calibrate"
    assert manifest["origin"]["set_weights"] == {"questions": 0.5}
    assert manifest["scores"]["cv.worth"] == pytest.approx(document["after"]["worth"], abs=1e-4)
    other = run(*words, "--sample", 7, "--runs", str(Path(document["report"]).parent))
    assert (other.exit_code, "of another calibration" in other.stderr) == (1, True)
    again = run(*words, "--sample", 6, "--name", "mine", "--artifact", document["artifact"])
    assert again.exit_code == 0, again.output
    assert "Artifact: artifacts/mine/v002" in again.stdout


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["a.jsonl", "--corpus", "b", "--index", "c"], 2, "not both"),
        (["a.jsonl", "b.jsonl", "--corpus", "c"], 2, "2 files of questions and 1 of passages"),
        ([], 1, "nothing to calibrate on"),
        (["none.jsonl", "--corpus", "c.jsonl"], 1, "there is no such file"),
        (["a.jsonl", "--weight", "a=0"], 2, "'a=0' is not NAME=X"),
        (["a.jsonl", "--weight", "0.5"], 2, "'0.5' is not NAME=X"),
        (["--desk", "1", "--weight", "dusk=1"], 1, "no set 'dusk' to weigh; the sets are: desk"),
    ],
)
def test_what_cannot_be_calibrated_is_told(
    words: list[str], code: int, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*words)
    assert (result.exit_code, told in result.output) == (code, True)
