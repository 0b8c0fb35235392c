"""Two versions on the same questions: compiled programs, finished evaluations, or runs in MLflow."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hopstop.eval.champion import check_same_questions
from hopstop.eval.folder import HEADER
from hopstop.eval.registry import fetch_evaluation
from hopstop.eval.report import ABOUT_ANSWERS, Evaluation, load
from hopstop.eval.run import evaluate
from hopstop.eval.score import Score
from hopstop.eval.stats import compare
from hopstop.optimize.build import make_program, make_system, resolve
from hopstop.optimize.evaluation import bar, default_out
from hopstop.optimize.material import Material
from hopstop.optimize.options import Choice
from hopstop.program.artifact_folder import MANIFEST, read_version
from hopstop.program.errors import BadInput

_RUN_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """How programs that were not evaluated yet are run.

    Attributes:
        choice: Model and limits; its artifact is not looked at.
        material: Questions and index; None if none were given.
        threads: Questions in work at once, >= 1.
    """

    choice: Choice
    material: Material | None = None
    threads: int = 1


def compare_versions(before: str, after: str, how: Circumstances) -> dict[str, Any]:
    """Compare two versions, each the folder of an artifact or of an evaluation, or the id of an MLflow run.

    Returns:
        before and after (name, system, trained_on, metrics, by_stop_reason), data, difference (after - before: metric
        -> value, low, high, n, and p where McNemar's test applies), won and lost (ids that only one of them answered
        rightly: exact match, or an unanswerable question left unanswered).

    Raises:
        BadInput: One of the two is nothing of the kind, questions are missing, the two are over different questions, or
            no question was scored on both sides.
        ArtifactMismatch: An artifact does not fit.
    """
    old, new = _evaluated(before, how), _evaluated(after, how)
    check_same_questions(old, new)
    blind = old.reads_only or new.reads_only
    nothing = {"value": None, "low": None, "high": None, "n": 0}
    differences = compare(new.results, old.results)
    right = [{item.id for item in side.results if isinstance(item, Score) and _right(item)} for side in (old, new)]
    scored = [{item.id for item in side.results if isinstance(item, Score)} for side in (old, new)]
    both = [name for name in new.header["questions"] if name in scored[0] and name in scored[1]]
    return {
        "before": {"name": before, **old.figures()},
        "after": {"name": after, **new.figures()},
        "data": new.header["data"],
        "difference": {n: nothing if blind and n in ABOUT_ANSWERS else part for n, part in differences.items()},
        "won": None if blind else [name for name in both if name in right[1] - right[0]],
        "lost": None if blind else [name for name in both if name in right[0] - right[1]],
    }


def as_report(compared: Mapping[str, Any]) -> dict[str, Any]:
    """The comparison in the form of an evaluation of the later version with the earlier one as its baseline."""
    sides = {key: {**compared[key], "system": _named(compared[key])} for key in ("before", "after")}
    return {
        **sides["after"],
        "data": compared["data"],
        "baseline": sides["before"],
        "difference": compared["difference"],
    }


def _named(side: Mapping[str, Any]) -> dict[str, Any]:
    return {**side["system"], "lm": None, "policy": side["name"]}


def _right(item: Score) -> bool:
    return item.correct if item.answerable else bool(item.abstain_right)


def _evaluated(name: str, how: Circumstances) -> Evaluation:
    folder = Path(name)
    if (folder / MANIFEST).exists():
        return _run(folder, how)
    if (folder / HEADER).exists():
        return load(folder)
    if _RUN_ID.fullmatch(name):
        with tempfile.TemporaryDirectory() as scratch:
            fetch_evaluation(name, Path(scratch))
            return load(scratch)
    raise BadInput(
        f"{name}: neither the folder of an artifact (artifacts/NAME/v001) nor of an evaluation, nor the id of an "
        "MLflow run; check the path"
    )


def _run(artifact: Path, how: Circumstances) -> Evaluation:
    """Evaluate an artifact, into a folder below `runs` of its own: what is there is not run again."""
    if how.material is None:
        raise BadInput(f"{artifact}: to run this program give --questions, and --corpus or --index")
    choice = replace(how.choice, artifact=artifact)
    if read_version(artifact).manifest.policy != "lm":
        choice = replace(choice, lm="", api_base=None)
    choice = resolve(choice)
    system = make_system(choice, make_program(choice, how.material.index))
    out = default_out(system, how.material)
    with bar(system.version) as listener:
        evaluate(system, how.material.data, out, threads=how.threads, progress=listener)
    return load(out)
