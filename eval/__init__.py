"""Labelled questions, measures, runs and reports: how good a program is, and where it goes wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopstop.program.lazy import lazy

if TYPE_CHECKING:
    from hopstop.eval.baselines import OnePass
    from hopstop.eval.datasets import read_questions
    from hopstop.eval.desk import make_desk
    from hopstop.eval.questions import Dataset, Question
    from hopstop.eval.run import evaluate
    from hopstop.eval.score import Score, aggregate
    from hopstop.eval.stats import compare

_HOMES = {
    "Dataset": "questions",
    "OnePass": "baselines",
    "Question": "questions",
    "Score": "score",
    "aggregate": "score",
    "compare": "stats",
    "evaluate": "run",
    "make_desk": "desk",
    "read_questions": "datasets",
}

__all__ = [
    "Dataset",
    "OnePass",
    "Question",
    "Score",
    "aggregate",
    "compare",
    "evaluate",
    "make_desk",
    "read_questions",
]

__getattr__ = lazy(__name__, _HOMES)
