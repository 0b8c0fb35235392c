"""What the demo shows: the loop and one search over a made company corpus, and two questions worth a look."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopstop.eval.datasets import write_dataset
from hopstop.eval.desk import make_desk
from hopstop.eval.folder import write_json
from hopstop.eval.outcomes import Row
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
from hopstop.program.records import Outcome

MARK = "demo.json"  # by which a folder is known to be ours
EVALUATION, INDEX = "evaluation", "index"
DEPENDENT = 3  # hops of the question that is traced


@dataclass(frozen=True, slots=True)
class Demo:
    """What was made and measured.

    Attributes:
        folder: Holds questions.jsonl, corpus.jsonl, index and evaluation.
        seed: Of the corpus.
        report: Of the loop, with one search as its baseline; see `write_report`.
        by_hops: Hops -> questions, share of the loop and of one search with all gold passages read, in [0, 1].
        traced: A question of at least three hops, each found through the last; answered rightly, if one was.
        refused: A question without an answer in the corpus that was left unanswered; None if there is none.
    """

    folder: Path
    seed: int
    report: Mapping[str, Any]
    by_hops: Mapping[int, Mapping[str, float]]
    traced: Outcome | None
    refused: Outcome | None


def make_demo(folder: Path, seed: int) -> Demo:
    """Make the corpus, index it, evaluate both, and choose the two questions.

    Raises:
        BadInput: The folder holds something else, or cannot be written.
    """
    material = _prepare(folder, seed)
    choice = Choice(limits={"max_read": BASELINE_K})
    program = make_program(choice, material.index)
    work = Work(out=folder / EVALUATION, baseline_k=BASELINE_K, fresh=True)
    report = run(make_system(choice, program), material, work)
    rows = load(work.out).rows
    return Demo(
        folder,
        seed,
        report,
        by_hops=_by_hops(work),
        traced=_ask(material.data, program, _most_telling(rows)),
        refused=_ask(material.data, program, _best_refusal(rows)),
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


def _most_telling(rows: Iterable[Row]) -> str | None:
    """Id of a question of three hops or more: at best answered rightly, all gold quoted, in three rounds."""
    fitting = {
        row.id: (item.correct, bool(item.proven), bool(item.all_support), item.rounds >= DEPENDENT, -item.rounds)
        for row in rows
        if isinstance(item := row.result, Score)
        and item.type == "bridge"
        and item.answerable
        and (item.hops or 0) >= DEPENDENT
    }
    return max(sorted(fitting), key=lambda name: fitting[name], default=None)


def _best_refusal(rows: Iterable[Row]) -> str | None:
    """Id of the question without an answer that was left unanswered after most of what can be found was quoted."""
    fitting = []
    for row in rows:
        if isinstance(row.result, Score) and not row.result.answerable and not row.result.answered:
            quoted = {item["passage_id"] for item in (row.outcome or {}).get("citations", [])}
            gold = set(row.asked["gold"])
            fitting.append((-len(quoted & gold), len(quoted - gold), row.id))
    return min(fitting)[-1] if fitting else None


def _ask(data: Dataset, program: IterativeQA, question_id: str | None) -> Outcome | None:
    """Ask the question once more: what an evaluation keeps holds no passages."""
    for item in data.questions:
        if item.id == question_id:
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
