"""What the demo shows: the loop and one search over a made company corpus, and two questions worth a look."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopstop.eval.datasets import write_dataset
from hopstop.eval.desk import make_desk
from hopstop.eval.folder import write_json
from hopstop.eval.questions import Dataset
from hopstop.eval.report import load
from hopstop.eval.score import Score
from hopstop.optimize.build import make_program, make_system
from hopstop.optimize.evaluation import BASELINE_FOLDER, BASELINE_K, Work, run
from hopstop.optimize.material import Material, Selection, over
from hopstop.optimize.options import Choice
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import BadInput
from hopstop.program.loop import IterativeQA
from hopstop.program.records import Outcome, StopReason

MARK = "demo.json"  # by which a folder is known to be ours
EVALUATION, INDEX = "evaluation", "index"
DEPENDENT = 3  # searches that the traced question needs


@dataclass(frozen=True, slots=True)
class Demo:
    """What was made and measured.

    Attributes:
        folder: Holds questions.jsonl, corpus.jsonl, index and evaluation.
        seed: Of the corpus.
        report: Of the loop, with one search as its baseline; see `write_report`.
        by_hops: Hops -> questions, share of the loop and of one search with all gold passages read, in [0, 1].
        proven: A question that needed three dependent searches and was answered rightly; None if there is none.
        refused: A question without an answer in the corpus that was left unanswered; None if there is none.
    """

    folder: Path
    seed: int
    report: Mapping[str, Any]
    by_hops: Mapping[int, Mapping[str, float]]
    proven: Outcome | None
    refused: Outcome | None


def make_demo(folder: Path, seed: int) -> Demo:
    """Make the corpus, index it, evaluate both, and choose the two questions.

    Raises:
        BadInput: The folder holds something else, or cannot be written.
    """
    material = _prepare(folder, seed)
    choice = Choice(limits={"max_read": BASELINE_K})
    program = make_program(choice, material.index)
    work = Work(out=folder / EVALUATION, baseline_k=BASELINE_K, fresh=True, threads=2)
    report = run(make_system(choice, program), material, work)
    scores = {item.id: item for item in load(work.out).results if isinstance(item, Score)}
    return Demo(
        folder,
        seed,
        report,
        by_hops=_by_hops(work),
        proven=_ask(material.data, program, scores, _is_proven),
        refused=_ask(material.data, program, scores, _is_refused),
    )


def _prepare(folder: Path, seed: int) -> Material:
    _claim(folder, seed)
    desk = make_desk(seed)
    write_dataset(desk, folder)
    index = BM25Index.build(desk.passages or ())
    index.save(folder / INDEX)
    return over(Dataset.of(desk.name, desk.questions), index, Selection())


def _claim(folder: Path, seed: int) -> None:
    """Mark a folder as ours; only an empty one, or one of an earlier demo, is written in."""
    try:
        if folder.exists() and not (folder / MARK).exists() and any(folder.iterdir()):
            raise BadInput(f"{folder} holds something else than an earlier demo; name another folder with --out")
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / MARK, {"seed": seed})
    except OSError as error:
        raise BadInput(f"{folder}: cannot be used ({error.strerror}); name another folder with --out") from error


Pick = Callable[[Score], bool]


def _is_proven(item: Score) -> bool:
    deep = (item.hops or 0) >= DEPENDENT and item.type == "bridge" and item.rounds >= DEPENDENT
    return deep and item.reason is StopReason.ANSWERED and bool(item.proven)


def _is_refused(item: Score) -> bool:
    return not item.answerable and not item.answered and item.quotes > 0


def _ask(data: Dataset, program: IterativeQA, scores: Mapping[str, Score], pick: Pick) -> Outcome | None:
    """The first question that fits, with the fewest rounds, asked once more: scores hold no passages."""
    fitting = [item for item in data.questions if item.id in scores and pick(scores[item.id])]
    for item in sorted(fitting, key=lambda item: scores[item.id].rounds)[:1]:
        outcome: Outcome = program(item.question, groups=item.groups)
        return outcome
    return None


def _by_hops(work: Work) -> dict[int, dict[str, float]]:
    ours, theirs = load(work.out).results, load(work.out / BASELINE_FOLDER).results
    found: dict[int, list[tuple[bool, bool]]] = {}
    for left, right in zip(ours, theirs, strict=True):
        if isinstance(left, Score) and isinstance(right, Score) and left.all_support is not None:
            found.setdefault(left.hops or 0, []).append((left.all_support, bool(right.all_support)))
    return {
        hops: {
            "n": len(pairs),
            "loop": sum(left for left, _ in pairs) / len(pairs),
            "one_pass": sum(right for _, right in pairs) / len(pairs),
        }
        for hops, pairs in sorted(found.items())
    }
