"""The offline policy on real labelled questions, where they lie beside this checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopstop.eval.baselines import OnePass
from hopstop.eval.datasets import read_questions
from hopstop.eval.score import Score, aggregate, score
from hopstop.eval.system import Answers
from hopstop.program import BM25Index, IterativeQA, OfflinePolicy, read_corpus


@pytest.mark.parametrize(("name", "floor"), [("musique", 0.40), ("2wiki", 0.80)])
def test_the_loop_reads_all_gold_passages_far_more_often_than_one_search(
    data: Path, musique: BM25Index, name: str, floor: float
) -> None:
    index = musique if name == "musique" else BM25Index.build(read_corpus([data / f"{name}_corpus.jsonl.gz"]))
    answerable = [q for q in read_questions(data / f"{name}_questions.jsonl.gz").questions if q.answerable]
    questions = answerable[:: len(answerable) // 40]
    policy = OfflinePolicy(index)

    def scores(system: Answers) -> list[Score]:
        return [score(question, system(question.question, groups=question.groups)) for question in questions]

    loop = aggregate(scores(IterativeQA(index, policy, policy.limits)))
    one_pass = aggregate(scores(OnePass(index, 10)))
    assert loop["passages_mean"] <= 10
    assert loop["all_support"] >= floor
    assert loop["all_support"] > one_pass["all_support"] + 0.2
    assert loop["citations_verified"] in (None, 1.0)
