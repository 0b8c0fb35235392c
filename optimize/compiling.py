"""What `hopstop compile` does: gather, show the cost, compile with a progress bar, save, report."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from hopstop.eval.compilation import COMPILATION, Compilation, write_compilation
from hopstop.eval.datasets import check_supports, read_questions
from hopstop.eval.folder import BATCHES, held
from hopstop.eval.questions import Dataset, Question, seen_among, with_origins
from hopstop.optimize.build import make_lm, make_program, resolve, servers
from hopstop.optimize.compile import Compiled, Job, Listener, Progress, compile_program, estimate_of
from hopstop.optimize.labels import Amount, make_labels, refuse_overlap
from hopstop.optimize.material import Material, Selection, gather
from hopstop.optimize.options import Choice
from hopstop.optimize.recipes import Recipe
from hopstop.optimize.tiers import asked_of, models_of, policy_of
from hopstop.optimize.workbench import Workbench, digest
from hopstop.program import artifact
from hopstop.program.artifact_folder import read_version
from hopstop.program.errors import BadDataset, BadInput
from hopstop.program.manifest import Training, json_bytes
from hopstop.program.records import Usage
from hopstop.program.secrets import refuse_secrets

LOG = "log.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What the user asked for.

    Attributes:
        questions: Files of labelled questions; those after the first may be contrast sets.
        corpus: File of passages; or None.
        index: Folder of an index; or None.
        held_out: Files of questions that are evaluated on, and must not be learned from.
        choice: The program to start from, and its model.
        teacher: The model that answers examples and writes instructions; None: the same.
        recipe: How.
        named: Whether the user has named its predictors; else those are compiled that the program asks.
        amount: How many labels.
        threads: Calls at once where the order does not matter, >= 1.
    """

    questions: tuple[Path, ...]
    corpus: Path | None
    index: Path | None
    held_out: tuple[Path, ...]
    choice: Choice
    teacher: Choice | None
    recipe: Recipe
    amount: Amount
    named: bool = True
    threads: int = 1


def prepare(order: Order) -> Job:
    """Read, index, make the labels, build the program.

    Raises:
        BadDataset: The questions make no labels, or are also evaluated on.
        BadInput: See `make_labels` and `make_program`; or the program has no model.
    """
    choice, recipe = resolve(order.choice), order.recipe
    start = None if choice.artifact is None else read_version(choice.artifact).manifest
    if choice.policy != "lm":
        raise BadInput(
            f"{choice.artifact}: its policy is {choice.policy}, which has no prompts to compile; hopstop calibrate "
            "fits it"
        )
    if not order.named:
        recipe = replace(recipe, predictors=asked_of({**(start.options if start else {}), **choice.options}))
    first = gather(order.questions[0], Selection(), corpus=order.corpus, folder=order.index)
    data = _with_twins(first, order.questions[1:])
    labels = make_labels(data, first.index, order.amount, predictors=recipe.predictors)
    held_out = [item for path in order.held_out for item in read_questions(path).questions]
    refuse_overlap(_named(data, (*labels.train_ids, *labels.dev_ids)), held_out)
    return Job(
        program=make_program(choice, first.index),
        data=data,
        labels=labels,
        recipe=recipe,
        teacher=None if order.teacher is None else make_lm(order.teacher),
        threads=order.threads,
        earlier=None if start is None else start.training,
    )


def _with_twins(first: Material, others: Sequence[Path]) -> Dataset:
    """The questions of all files; the corpus is that of the first."""
    questions, hashes = list(first.data.questions), [first.data.hash]
    for path in others:
        more = read_questions(path)
        check_supports(more, _held(more, first))
        known = {item.id for item in questions}
        if twice := [item.id for item in more.questions if item.id in known]:
            raise BadDataset(f"{path}: question {twice[0]!r} is also in another file; give each question once")
        questions += more.questions
        hashes.append(more.hash)
    if not others:
        return first.data
    return replace(Dataset.of(first.data.name, questions), hash=Dataset.of(" ".join(hashes), questions).hash)


def default_work(order: Order, job: Job, name: str) -> Path:
    """A folder below `runs` that only the same compile gets again."""
    teacher = servers(order.teacher) if order.teacher else ""
    key = digest(job.describe(), servers(resolve(order.choice)), teacher)
    return Path("runs") / f"compile-{name}-{key}"


def default_name(job: Job) -> str:
    """A name for the artifact: that of the data."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", job.data.name).strip("-._") or "compiled"


def clear(work: Path, job: Job) -> None:
    """Forget an earlier run in a folder.

    Raises:
        BadInput: It cannot be removed, or another run works in the folder.
    """
    with held(work):
        for path in (work / "job.json", work / LOG, work / COMPILATION, work / BATCHES):
            path.unlink(missing_ok=True)
        Workbench(work, job.describe()).clear()


def run(job: Job, work: Path) -> Compiled:
    """Compile with a progress bar on stderr; what DSPy prints goes to a log in the work folder.

    Raises:
        BadInput: See `compile_program`.
    """
    work.mkdir(parents=True, exist_ok=True)
    logging.getLogger("dspy").setLevel(logging.WARNING)
    console = Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
    with (
        _bar(console) as listener,
        (work / LOG).open("a", encoding="utf-8") as log,
        redirect_stdout(log),
        redirect_stderr(log),
    ):
        return compile_program(job, work, listener)


def save(job: Job, compiled: Compiled, out: Path, name: str) -> Path:
    """Keep the compiled program as the next version of an artifact.

    Returns:
        The folder of the version.

    Raises:
        BadInput: It cannot be written, or a key or address of an LM would get into a file.
    """
    origin = {
        "command": "compile",
        "recipe": asdict(job.recipe),
        "teacher": None if job.teacher is None else job.teacher.model,
        "labels": counts(job),
        "metric_calls": compiled.metric_calls,
        "calls": compiled.used.calls,
        "tokens": compiled.used.tokens,
    }
    if job.teacher is not None:
        refuse_secrets({"origin": json_bytes(origin), "scores": json_bytes(dict(compiled.scores))}, [job.teacher])
    seen = with_origins(_named(job.data, job.labels.train_ids))
    training = Training(job.data.name, job.data.hash, seen).after(job.earlier)
    return artifact.save(compiled.program, out, name=name, training=training, scores=compiled.scores, origin=origin)


def note(job: Job, compiled: Compiled, folder: Path, work: Path) -> None:
    """Write what was made, and what it brought on dev, into the work folder, from which it can be sent to MLflow.

    Raises:
        BadInput: It cannot be written.
    """
    changed = {
        f"{name}.{measure}": change
        for name, told in compiled.scores.items()
        for measure, change in told.get("dev", {}).items()
    }
    made = Compilation(
        recipe={
            **asdict(job.recipe),
            "teacher": None if job.teacher is None else job.teacher.model,
            "models": models_of(policy_of(job.program)),
        },
        data={
            "name": job.data.name,
            "hash": job.data.hash,
            "n": len(job.data.questions),
            "train": len(job.labels.train_ids),
            "dev": len(job.labels.dev_ids),
        },
        before={name: change["before"] for name, change in changed.items()},
        after={name: change["after"] for name, change in changed.items()},
        intervals={name: (change["low"], change["high"]) for name, change in changed.items()},
        cost={**_spent(compiled.used), "metric_calls": compiled.metric_calls},
        artifact=folder,
    )
    write_compilation(work, made)


def seen_before(job: Job) -> int:
    """Questions to measure on that the program was compiled on before, so that "before" is in sample."""
    return len(seen_among(_named(job.data, job.labels.dev_ids), set(job.earlier.ids if job.earlier else ())))


def counts(job: Job) -> dict[str, dict[str, int]]:
    """Numbers of labels by predictor and side."""
    return {
        name: {"train": len(split.train), "val": len(split.val), "dev": len(split.dev)}
        for name, split in job.labels.splits.items()
    }


def document(job: Job, compiled: Compiled, folder: Path, work: Path) -> dict[str, Any]:
    """The report as a JSON object.

    Returns:
        artifact, work, recipe, models (by predictor), labels, scores (see `Compiled`), and cost: estimate (calls and
        tokens, also by model), used (by the whole job), paid (in this run), metric_calls.
    """
    expected = estimate_of(job)
    return {
        "artifact": str(folder),
        "work": str(work),
        "recipe": asdict(job.recipe),
        "models": models_of(policy_of(job.program)),
        "labels": counts(job),
        "scores": dict(compiled.scores),
        "cost": {
            "estimate": {
                "calls": expected.calls,
                "tokens": expected.tokens,
                "models": {name: asdict(share) for name, share in expected.by_model.items()},
            },
            "used": _spent(compiled.used),
            "paid": _spent(compiled.paid),
            "metric_calls": compiled.metric_calls,
        },
    }


def _spent(usage: Usage) -> dict[str, Any]:
    return {"calls": usage.calls, "tokens": usage.tokens, "cost_usd": usage.cost_usd}


def _named(data: Dataset, ids: Collection[str]) -> list[Question]:
    return [item for item in data.questions if item.id in ids]


def _held(data: Dataset, material: Material) -> set[str]:
    held = set()
    for name in {name for item in data.questions for name in item.gold_ids}:
        try:
            material.index.passage(name)
        except KeyError:
            continue
        held.add(name)
    return held


@contextmanager
def _bar(console: Console) -> Iterator[Listener]:
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, console=console, redirect_stdout=False, redirect_stderr=False) as shown:
        task = shown.add_task("compile", total=None)

        def listen(state: Progress) -> None:
            words = f"{state.stage}, {state.paid.tokens:,} tokens"
            shown.update(task, description=words, completed=state.replies, total=max(state.expected, state.replies))

        yield listen
