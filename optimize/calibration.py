"""One calibration from files to an artifact: what the command does, without its printing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

from hopstop.eval.compilation import Compilation, write_compilation
from hopstop.eval.folder import held, read_json, write_json
from hopstop.optimize.build import make_program, servers
from hopstop.optimize.calibrate import calibrate
from hopstop.optimize.calibration_report import CURVE, DOCUMENT, PAGE, PLOT, SETTINGS, scores, write
from hopstop.optimize.fold_programs import Task
from hopstop.optimize.labelled_sets import LabelledSets, desk_materials, make_sets
from hopstop.optimize.material import Material, Selection, gather
from hopstop.optimize.options import Choice
from hopstop.optimize.walk_folds import Told
from hopstop.program.artifact import save
from hopstop.program.artifact_folder import read_version
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import BadDataset, BadInput
from hopstop.program.loop import IterativeQA

UNSEEN_DESK = 101  # first seed of the desks that are learned from: others measure on those of the first seeds
MARK = "order.json"  # by which a folder is known to hold the record of one order


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is wanted.

    Attributes:
        choice: The program to start from, resolved.
        out: Folder of all artifacts.
        name: Of the artifact.
        runs: Folder for the record; None: one below `runs` that only the same order gets again.
        fresh: Whether an earlier record is removed first.
        weights: See Task. None: if the policy is the offline one.
        limits: See Task.
        folds: >= 2.
        sample: See Task.
        seed: Of folds, sample and desks.
        desk: Made desk corpora that are added as a set of their own, >= 0.
        set_weights: How much a set counts, by name, > 0; 1 for those not named.
        threads: See Task.
        cost: See Task.
        lowest_coverage: See Task.
        rerun: See Task.
    """

    choice: Choice
    out: Path
    name: str
    runs: Path | None = None
    fresh: bool = False
    weights: bool | None = None
    limits: bool = True
    folds: int = 5
    sample: int = 150
    seed: int = 0
    desk: int = 0
    set_weights: Mapping[str, float] = field(default_factory=dict)
    threads: int = 1
    cost: float | None = None
    lowest_coverage: float = 1.0
    rerun: bool | None = None

    @property
    def learns(self) -> bool:
        """Whether weights are learned."""
        return self.choice.policy == "offline" if self.weights is None else self.weights


def gather_sets(
    questions: Sequence[Path], corpora: Sequence[Path], indexes: Sequence[Path], order: Order
) -> list[Material]:
    """The sets, each with its index; the desks last.

    Args:
        questions: One file for each set.
        corpora: As many, in the same order; or none.
        indexes: As many, in the same order; or none.
        order: Says how many desks are made.

    Raises:
        BadDataset: There is nothing to learn from, or a file is damaged.
    """
    nothing: list[Path | None] = [None] * len(questions)
    triples = zip(questions, corpora or nothing, indexes or nothing, strict=True)
    found = [gather(file, Selection(), corpus=corpus, folder=index) for file, corpus, index in triples]
    if not found and not order.desk:
        raise BadDataset("there is nothing to calibrate on: name a file of labelled questions, or use --desk N")
    return found + desk_materials(order.desk, UNSEEN_DESK + order.seed)


def run(order: Order, materials: Sequence[Material], told: Told) -> tuple[dict[str, Any], Path]:
    """Calibrate, keep the artifact, write the report.

    Returns:
        The document (see `calibration_report.document`, and `artifact`, `data` and `report`), and the folder of the
        record, which can be sent to MLflow.

    Raises:
        BadInput: See `calibrate`; or the artifact cannot be written.
        Interrupted: Ctrl-C; the same order goes on.
    """
    sets = make_sets(materials, folds=order.folds, seed=order.seed, weights=order.set_weights)
    folder = order.runs or Path("runs") / f"calibrate-{order.name}-{_digest(order, sets.training.hash)}"
    with held(folder):
        _open(folder, order, sets.training.hash)
    found = calibrate(_task(order, sets, folder, told))
    document, recipe = write(found, folder), _recipe(order)
    training, start = sets.training, order.choice.artifact
    if start is not None:
        training = training.after(read_version(start).manifest.training)
    kept = save(found.program, order.out, name=order.name, training=training, scores=scores(found), origin=recipe)
    made = Compilation(
        recipe=recipe,
        data={"name": sets.training.name, "hash": sets.training.hash, "n": len(sets.items)},
        before=found.before,
        after=found.after,
        artifact=kept,
        cost={"questions": found.questions, "settings": len(found.settings), "tokens": found.tokens},
        files=(DOCUMENT, PAGE, CURVE, SETTINGS, PLOT),
    )
    write_compilation(folder, made)
    return {"artifact": str(kept), "data": dict(made.data), **document, "cost": dict(made.cost)}, folder


def _task(order: Order, sets: LabelledSets, folder: Path, told: Told) -> Task:
    def make(index: BM25Index) -> IterativeQA:
        return make_program(order.choice, index)

    same: dict[str, Any] = {
        name: getattr(order, name)
        for name in ("limits", "sample", "seed", "threads", "cost", "lowest_coverage", "rerun")
    }
    return Task(sets=sets, make=make, folder=folder, weights=order.learns, told=told, **same)


def _recipe(order: Order) -> dict[str, Any]:
    names = ("limits", "folds", "sample", "seed", "desk", "set_weights", "cost", "lowest_coverage")
    start = None
    if order.choice.artifact is not None:
        manifest = read_version(order.choice.artifact).manifest
        start = f"{manifest.name}/{manifest.version}"
    return {"name": "calibrate", "weights": order.learns, "from": start, **{key: getattr(order, key) for key in names}}


def _digest(order: Order, data: str) -> str:
    """Of all that makes a record worthless for another order."""
    choice = asdict(order.choice) | {"artifact": None, "api_base": servers(order.choice)}
    state = None if order.choice.artifact is None else asdict(read_version(order.choice.artifact).manifest)
    versions = [version_of(name) for name in ("hopstop", "dspy")]
    numbers = (order.folds, order.sample, order.seed, sorted(order.set_weights.items()))
    parts = [choice, state, data, versions, order.learns, *numbers]
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:8]


def _open(folder: Path, order: Order, data: str) -> None:
    """Make the folder ready, or make sure that the record in it is of the same order."""
    mine = {"order": _digest(order, data)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if order.fresh:
            for path in (*folder.glob("runs-*.jsonl"), *folder.glob("weights-*.json"), *folder.glob(MARK)):
                path.unlink()
        if (folder / MARK).exists() and read_json(folder / MARK, "use --fresh") != mine:
            raise BadInput(f"{folder}: the record is of another calibration; name another --runs, or start --fresh")
        write_json(folder / MARK, mine)
    except OSError as error:
        raise BadInput(f"{folder}: cannot be used ({error.strerror}); name another folder") from error
