"""Ablation: each part of the program turned off on the same questions, against the whole program."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hopstop.eval.folder import write_json, write_text
from hopstop.eval.questions import Dataset
from hopstop.eval.run import Progress, evaluate, start_fresh
from hopstop.eval.score import Crash, Score, aggregate
from hopstop.eval.stats import compare
from hopstop.eval.system import System
from hopstop.optimize.ablation_tables import MEASURES, as_markdown
from hopstop.optimize.labelled_sets import LabelledSets, labelled, make_sets
from hopstop.optimize.material import Material
from hopstop.optimize.parts import PARTS, Part, weighted
from hopstop.optimize.walk_fit import learn
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import BadDataset, BadInput
from hopstop.program.loop import IterativeQA
from hopstop.program.offline import OfflinePolicy
from hopstop.program.ways import FEATURES

EARNED = 0.005  # half a point of a share: a part that brings less on every set is not worth its code
BETTER = {"all_support": 1, "recall_at_5": 1, "em": 1, "proven": 1, "wrong_stop": -1, "early_stop": -1}
REPORT, REPORT_TEXT = "ablation.json", "ablation.md"
WHOLE = "whole"
HALVES = 2

Told = Callable[[str, int, int], None]
"""Hears the name of a set, how many runs of a question are done on it, and how many there are."""


def _nobody(_name: str, _done: int, _total: int) -> None:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is ablated, on what, and how.

    Attributes:
        materials: Labelled questions with their indexes, of different names.
        make: The whole program over an index.
        describe: How evaluations name such a program.
        folder: Keeps every run; the same job in the same folder goes on where it was.
        parts: What is turned off, one at a time.
        refit: Learn the weights of the walk anew for each part: questions of one half with weights from the other.
        fresh: Whether earlier results in the folder are removed first.
        threads: Questions in work at once, >= 1.
        told: Hears how far it is.
    """

    materials: Sequence[Material]
    make: Callable[[BM25Index], IterativeQA]
    describe: Callable[[IterativeQA], System]
    folder: Path
    parts: Sequence[Part] = PARTS
    refit: bool = False
    fresh: bool = False
    threads: int = 1
    told: Told = _nobody


def ablate(job: Job) -> dict[str, Any]:
    """Run the whole program and the program without each part, and write `ablation.json` and `ablation.md`.

    Returns:
        The document in `ablation.json`: policy; refit; sets (name -> hash, n, metrics of the whole program); parts (one
        entry for each part and set: part, what, set, metrics, difference: measure -> value, low, high, n, and p where
        McNemar's test applies, whole minus without: what the part brings); earns (part -> sets on which it brings half
        a point of a share or more); absent (parts that the program does not have); report (path of the page).

    Raises:
        BadInput: Two sets have one name, the folder cannot be used, or weights cannot be learned.
        Interrupted: Ctrl-C; the same job in the same folder goes on.
    """
    names = [material.data.name for material in job.materials]
    if len(set(names)) < len(names):
        raise BadInput(f"two sets have the same name ({', '.join(sorted(names))}); rename a file of questions")
    bench = _Bench(job)
    sets: dict[str, Any] = {}
    rows: list[dict[str, Any]] = []
    for material in job.materials:
        whole = bench.results(material, None)
        name = material.data.name
        sets[name] = {"hash": material.data.hash, "n": len(material.data.questions), "metrics": _figures(whole)}
        rows += [_row(part, name, whole, less) for part, less in bench.without(material)]
    present = {row["part"] for row in rows}
    document = {
        "policy": bench.policy,
        "refit": job.refit,
        "sets": sets,
        "parts": rows,
        "earns": {name: _earns(rows, name) for name in dict.fromkeys(row["part"] for row in rows)},
        "absent": [part.name for part in job.parts if part.name not in present],
        "report": str(job.folder / REPORT_TEXT),
    }
    _write(job.folder, document)
    return document


def default_folder(system: System, materials: Sequence[Material], *, refit: bool) -> Path:
    """A folder below `runs` that only the same ablation gets again."""
    parts = [system.describe(), [material.data.hash for material in materials], refit]
    return Path("runs") / f"ablation-{hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:8]}"


@dataclass
class _Bench:
    """The programs of a job, evaluated; each set of weights is learned once. `policy` is that of the whole program."""

    job: Job
    policy: str = ""
    _learned: dict[tuple[int, frozenset[str]], dict[str, float]] = field(default_factory=dict)
    _done: int = 0

    def __post_init__(self) -> None:
        self._sets: LabelledSets | None = (
            make_sets(self.job.materials, folds=HALVES, seed=0) if self.job.refit else None
        )

    def without(self, material: Material) -> Iterator[tuple[Part, list[Score | Crash]]]:
        """The results without each part that the program has."""
        for part in self.job.parts:
            results = self.results(material, part)
            if results:
                yield part, results
        self.job.told(material.data.name, self._total(material), self._total(material))
        self._done = 0

    def results(self, material: Material, part: Part | None) -> list[Score | Crash]:
        """The results without a part, or of the whole program; none if the program has no such part."""
        found: list[Score | Crash] = []
        for fold, data in enumerate(self._halves(material)):
            program = self._program(material.index, part, fold)
            if program is not None and data.questions:
                found += self._run(material, data, program, (part.name if part else WHOLE, fold))
        return found

    def _run(
        self, material: Material, data: Dataset, program: IterativeQA, what: tuple[str, int]
    ) -> list[Score | Crash]:
        name, fold = what
        folder = self.job.folder / material.data.name / f"{name.replace(' ', '-')}-{fold}"
        if self.job.fresh:
            start_fresh(folder)
        system = self.job.describe(program)
        self.policy = system.policy
        policy = system.policy if name == WHOLE else f"{system.policy} without {name}"
        system = replace(system, policy=policy, version=f"{system.version}{_weights_digest(program)}")

        def listen(state: Progress) -> None:
            self.job.told(material.data.name, self._done + state.done, self._total(material))

        results = evaluate(system, data, folder, threads=self.job.threads, progress=listen)
        self._done += len(results)
        return results

    def _total(self, material: Material) -> int:
        return len(material.data.questions) * (1 + len(self.job.parts))

    def _program(self, index: BM25Index, part: Part | None, fold: int) -> IterativeQA | None:
        program = self.job.make(index)
        if self._sets is not None and isinstance(program.policy, OfflinePolicy):
            weights = self._weights(fold, part.features if part else frozenset())
            program = weighted(program, {**program.policy.state(), **weights})
        return part.off(program) if part else program

    def _weights(self, fold: int, gone: frozenset[str]) -> dict[str, float]:
        """Weights from the other half, without some features."""
        if (fold, gone) not in self._learned:
            sets = self._sets
            others = labelled([item for item in sets.items if item.fold != fold]) if sets is not None else {}
            if not others:
                raise BadDataset(
                    "no answerable question of one half has labelled gold passages; give more questions, or "
                    "leave --refit out"
                )
            self._learned[fold, gone] = dict(zip(FEATURES, learn(others, without=gone).tolist(), strict=True))
        return self._learned[fold, gone]

    def _halves(self, material: Material) -> list[Dataset]:
        if self._sets is None:
            return [material.data]
        fold = {item.question.id: item.fold for item in self._sets.items if item.name == material.data.name}
        halves = [[item for item in material.data.questions if fold[item.id] == half] for half in range(HALVES)]
        # The hash covers the passages too.
        return [
            replace(material.data, hash=f"{material.data.hash}-{half}", questions=tuple(questions))
            for half, questions in enumerate(halves)
        ]


def _weights_digest(program: IterativeQA) -> str:
    """Tells runs with other weights apart, so that none is taken for another."""
    if not isinstance(program.policy, OfflinePolicy):
        return ""
    return f"+{hashlib.sha256(json.dumps(program.policy.state()).encode()).hexdigest()[:8]}"


def _row(part: Part, name: str, whole: Sequence[Score | Crash], less: Sequence[Score | Crash]) -> dict[str, Any]:
    differences = compare(whole, less)
    return {
        "part": part.name,
        "what": part.what,
        "set": name,
        "metrics": _figures(less),
        "difference": {measure: differences[measure] for measure in MEASURES},
    }


def _figures(results: Sequence[Score | Crash]) -> dict[str, Any]:
    every = aggregate(results)
    return {name: every[name] for name in ("n", "crashed", *MEASURES)}


def _earns(rows: Sequence[Mapping[str, Any]], part: str) -> list[str]:
    return [row["set"] for row in rows if row["part"] == part and _brings(row["difference"])]


def _brings(difference: Mapping[str, Any]) -> bool:
    values = ((difference[name]["value"], sign) for name, sign in BETTER.items())
    return any(value is not None and value * sign >= EARNED - 1e-9 for value, sign in values)


def _write(folder: Path, document: Mapping[str, Any]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / REPORT_TEXT, as_markdown(document))
        write_json(folder / REPORT, document)
    except OSError as error:
        raise BadInput(f"{folder}: the report cannot be written ({error.strerror}); make room or set rights") from error
