"""Compile the predictors of a program against their labels, one by one, and keep what is better."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from hopstop.eval.folder import held
from hopstop.eval.questions import Dataset
from hopstop.optimize.cases import PREDICTORS, Label, Split
from hopstop.optimize.cost import Estimate, Models, estimate
from hopstop.optimize.joint import Loops, choose_jointly
from hopstop.optimize.labels import Labels
from hopstop.optimize.measure import changes, changes_to_json, marks_of, mean_score
from hopstop.optimize.optimisers import OPTIMISERS, Task
from hopstop.optimize.predictor_metrics import Mark, Marker
from hopstop.optimize.recipes import Recipe, plan
from hopstop.optimize.replies import ModelFailed, RecordedLM, ReplyBook
from hopstop.optimize.single import Single
from hopstop.optimize.tiers import asked_of, index_of, lm_of, models_of, policy_of, reply_options, uses_schema, with_lms
from hopstop.optimize.workbench import Workbench
from hopstop.program.errors import BadInput
from hopstop.program.loop import IterativeQA
from hopstop.program.manifest import Training
from hopstop.program.predictor_state import dump
from hopstop.program.prices import price_of
from hopstop.program.records import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A compile.

    Attributes:
        program: With an LM policy that has its LM, over a BM25Index. It stays as it is. Labels of a predictor are
            answered by the model that it asks in the program.
        data: The questions that the labels were made from.
        labels: Of each predictor of the recipe.
        recipe: How.
        teacher: A DSPy LM that answers examples and writes instructions; None: the predictor's own.
        threads: Calls at once where the order does not matter, >= 1.
        earlier: What the program was compiled on before; None if it was not.
    """

    program: IterativeQA
    data: Dataset
    labels: Labels
    recipe: Recipe
    teacher: Any = None
    threads: int = 1
    earlier: Training | None = None

    def describe(self) -> dict[str, Any]:
        """What determines the result, as a JSON object; no key, no address."""
        policy, index = policy_of(self.program), index_of(self.program)
        return {
            "recipe": asdict(self.recipe),
            "data": {"name": self.data.name, "hash": self.data.hash},
            "labels": {
                name: {side: _digest(getattr(split, side)) for side in ("train", "val", "dev")}
                for name, split in self.labels.splits.items()
            },
            "index": index.info.corpus_hash,
            "models": models_of(policy),
            "teacher": None if self.teacher is None else self.teacher.model,
            "reply_options": {name: reply_options(lm_of(policy, name)) for name in PREDICTORS},
            "reply_schema": {name: uses_schema(policy, name) for name in PREDICTORS},
            "options": asdict(policy.options),
            "limits": asdict(self.program.limits),
            "state": {name: dump(name, getattr(policy, attribute)) for name, attribute in PREDICTORS.items()},
            "versions": {name: version_of(name) for name in ("hopstop", "dspy")},
        }


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a compile is.

    Attributes:
        stage: What is done now, e.g. "decide: gepa".
        replies: Replies so far, those of earlier runs included.
        expected: Replies in all, at most.
        paid: What the calls of this run have used.
    """

    stage: str
    replies: int
    expected: int
    paid: Usage


Listener = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Compiled:
    """What a compile came to.

    Attributes:
        program: A new one; predictors that were not compiled, or did not become better, are as before.
        scores: By predictor: each measure on dev before and after with the interval of the difference, whether the
            compiled one was kept, and what it scored on the labels to choose by. By "joint" what whole loops scored.
        metric_calls: Answers scored in the search, dev aside.
        used: By all replies that the job needed, whenever they were paid.
        paid: In this run.
    """

    program: IterativeQA
    scores: Mapping[str, Any]
    metric_calls: int
    used: Usage
    paid: Usage


def compile_program(job: Job, work: Path, listener: Listener | None = None) -> Compiled:
    """Compile; after a kill, the same call goes on and pays for no reply twice.

    Args:
        job: What is compiled.
        work: Folder for replies and finished predictors.
        listener: Called after each reply, from the thread that asked, and at each stage.

    Raises:
        BadInput: The program cannot be compiled, the budget does not suffice, an instruction of the program is longer
            than the recipe allows, the folder holds another job or another run works in it, or an LM cannot be asked.
    """
    _check(job)
    try:
        with held(work):
            bench = Workbench(work, job.describe())
            return _Run(job, bench, estimate_of(job), listener or (lambda _: None)).compiled()
    except ModelFailed as error:
        raise BadInput(
            f"the model cannot be asked ({error}): check its name, address and key; the same command goes on"
        ) from error
    except AdapterParseError as error:
        raise BadInput(
            f"the teacher's reply for recipe {job.recipe.name!r} could not be read; name a stronger --teacher-lm"
        ) from error


def estimate_of(job: Job) -> Estimate:
    """What the job costs at most; see `Estimate`."""
    policy = policy_of(job.program)
    predictors = {name: getattr(policy, PREDICTORS[name]) for name in job.recipe.predictors}
    own = models_of(policy)
    teacher = own if job.teacher is None else dict.fromkeys(own, str(job.teacher.model))
    lms = [lm for lm in (policy.caller.lm, policy.decide_lm, policy.answer_lm, job.teacher) if lm is not None]
    prices = {str(lm.model): price_of(lm, job.program.prices) for lm in lms}
    return estimate(predictors, job.labels.splits, job.recipe, Models(own, teacher, prices))


def _check(job: Job) -> None:
    policy = policy_of(job.program)
    index_of(job.program)
    for name in job.recipe.predictors:
        if name not in asked_of(asdict(policy.options)):
            raise BadInput(
                f"predictor {name!r} is never asked by this program, which leaves its work to code (--prune code, "
                "--search walk): leave it out of --predictors"
            )
        if name not in job.labels.splits:
            raise BadInput(f"there are no labels for predictor {name!r}; make them with make_labels")
        length = len(getattr(policy, PREDICTORS[name]).signature.instructions)
        if length > job.recipe.max_instruction:
            raise BadInput(
                f"the instruction of {name!r} has {length:,} characters, the recipe allows "
                f"{job.recipe.max_instruction:,}; raise --max-instruction"
            )


class _Run:
    """One run of a job."""

    def __init__(self, job: Job, bench: Workbench, expected: Estimate, listener: Listener) -> None:
        self._job, self._bench, self._expected, self._listener = job, bench, expected, listener
        self._stage = ""
        self._policy = policy_of(job.program)
        self._book = ReplyBook(bench.replies, self._tell)
        self._recorded = with_lms(self._policy, lambda lm: RecordedLM(lm, self._book))
        self._teacher = None if job.teacher is None else RecordedLM(job.teacher, self._book)
        labels = (label for split in job.labels.splits.values() for side in _sides(split) for label in side)
        self._marker = Marker({label.id: label for label in labels}, index_of(job.program))

    def compiled(self) -> Compiled:
        policy = with_lms(self._policy, lambda lm: lm)
        done = {name: self._predictor(name) for name in self._job.recipe.predictors}
        scores: dict[str, Any] = {name: value["scores"] for name, value in done.items()}
        kept = {name: value["state"] for name, value in done.items() if value["scores"]["kept"]}
        if self._job.recipe.joint and kept:  # else there is nothing to choose among
            with self._at("joint", "decide"):
                chosen, told = choose_jointly(self._loops(), kept)
            scores |= {name: _taken_back(scores[name]) for name in kept.keys() - chosen.keys()} | {"joint": told}
            kept = chosen
        for name, state in kept.items():
            getattr(policy, PREDICTORS[name]).load_state(state)
        calls = sum(value["metric_calls"] for value in done.values())
        return Compiled(self._job.program.like(policy=policy), scores, calls, self._book.total, self._book.paid)

    def _predictor(self, name: str) -> dict[str, Any]:
        found = self._bench.finished(name)
        if found is None:
            found = self._compile(name)
            self._bench.finish(name, found)
        return found

    def _compile(self, name: str) -> dict[str, Any]:
        split, recipe = self._job.labels.splits[name], self._job.recipe
        student = Single(getattr(self._policy, PREDICTORS[name]).deepcopy(), schema=uses_schema(self._policy, name))
        lm = lm_of(self._recorded, name)
        before_calls = self._marker.calls.count
        task = Task(
            student=student.deepcopy(),
            split=split,
            marker=self._marker,
            recipe=recipe,
            plan=plan(recipe, len(split.train), len(split.val)),
            lm=lm,
            teacher=self._teacher or lm,
            score=self._score,
        )
        with self._at(f"{name}: {recipe.name}", name):
            made = OPTIMISERS[recipe.name](task)
        with self._at(f"{name}: choosing", name):
            val = {"before": self._score(student, split.val), "after": self._score(made, split.val)}
        kept = val["after"] > val["before"] and not _too_long(made, recipe)
        calls = self._marker.calls.count - before_calls
        with self._at(f"{name}: measuring on dev", name):
            before = self._marks(student, split.dev)
            after = self._marks(made, split.dev) if kept else before
        scores = {"kept": kept, "val": val, "dev": changes_to_json(changes(before, after))}
        return {"state": dump(name, made.predictor), "scores": scores, "metric_calls": calls}

    def _score(self, predictor: Single, labels: Sequence[Label]) -> float:
        marks = self._marks(predictor, labels)
        for _ in marks:
            self._marker.calls.add()
        return mean_score(marks)

    def _marks(self, predictor: Single, labels: Sequence[Label]) -> tuple[Mark, ...]:
        return marks_of(predictor, labels, self._marker, threads=self._job.threads)

    def _loops(self) -> Loops:
        job = self._job
        return Loops(job.program, self._recorded, job.data, job.labels.train_ids, job.recipe, job.threads)

    @contextmanager
    def _at(self, stage: str, predictor: str) -> Iterator[None]:
        """A stage, in which the model of a predictor answers."""
        self._stage = stage
        self._tell()
        with dspy.context(lm=lm_of(self._recorded, predictor)):
            yield

    def _tell(self) -> None:
        self._listener(Progress(self._stage, self._book.total.calls, self._expected.calls, self._book.paid))


def _taken_back(scores: Mapping[str, Any]) -> dict[str, Any]:
    """The scores of a predictor that is as before after all."""
    same = {"difference": 0.0, "low": 0.0, "high": 0.0}
    dev = {name: {**change, "after": change["before"], **same} for name, change in scores["dev"].items()}
    return {**scores, "kept": False, "dev": dev}


def _sides(split: Split) -> tuple[tuple[Label, ...], ...]:
    return split.train, split.val, split.dev


def _digest(labels: Sequence[Label]) -> str:
    """Of what they hold: ids tell neither how their answers quote nor which passages they show."""
    return sha256(repr([(label.id, label.fields) for label in labels]).encode("utf-8", "surrogatepass")).hexdigest()


def _too_long(made: Single, recipe: Recipe) -> bool:
    return len(made.predictor.signature.instructions) > recipe.max_instruction
