from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from fakes import FILMS, QUESTION
from hopstop.eval.context_cost import main, measure
from hopstop.eval.questions import Question, Support
from hopstop.program.bm25 import BM25Index
from hopstop.program.records import Limits

ASKED = Question("q", QUESTION, ("South Shields",), supports=(Support("alien"), Support("scott")))


def test_pruning_reads_less_with_the_same_passages_found() -> None:
    index = BM25Index.build(FILMS)
    limits = Limits(first_k=2, next_k=1, min_rounds=3, max_rounds=3, carry_k=1)
    everything, pruned = (measure(index, [ASKED], limits, prune=prune) for prune in (False, True))
    assert everything.all_support == pruned.all_support == everything.held == 1
    assert pruned.tokens <= everything.tokens
    assert everything.prefix_oldest_first >= everything.prefix_newest_first
    assert everything.shown is None


def test_the_command_prints_one_json_document(tmp_path: Path) -> None:
    BM25Index.build(FILMS).save(tmp_path / "index")
    record = {"id": "q", "question": QUESTION, "answers": ["South Shields"], "supports": [{"passage_id": "alien"}]}
    (tmp_path / "q.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    result = CliRunner().invoke(main, [str(tmp_path / "q.jsonl"), "--index", str(tmp_path / "index")])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["ratio"] == pytest.approx(found["pruned"]["tokens"] / found["all"]["tokens"])


def test_questions_without_gold_passages_are_refused(tmp_path: Path) -> None:
    BM25Index.build(FILMS).save(tmp_path / "index")
    record = {"id": "q", "question": QUESTION, "answers": ["x"]}
    (tmp_path / "q.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    result = CliRunner().invoke(main, [str(tmp_path / "q.jsonl"), "--index", str(tmp_path / "index")])
    assert result.exit_code == 1
    assert "q.jsonl" in result.output
