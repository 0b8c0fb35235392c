from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from hopstop.optimize.cli import main
from hopstop.program.bm25 import BM25Index


def notes(folder: Path) -> Path:
    (folder / "notes").mkdir()
    (folder / "notes" / "canteen.md").write_text("# Canteen\n\nThe canteen opens at noon.\n", encoding="utf-8")
    (folder / "notes" / "fix.txt").write_text("The fix of incident 4471 was reviewed by Mara.", encoding="utf-8")
    return folder / "notes"


def index(*words: object) -> Result:
    return CliRunner().invoke(main, ["index", *map(str, words)])


def test_folder_becomes_an_index_that_can_be_searched(tmp_path: Path) -> None:
    result = index(notes(tmp_path), "--out", tmp_path / "x")
    assert result.exit_code == 0
    assert "Indexed 2 passages" in result.stdout
    assert [hit.passage.id for hit in BM25Index.load(tmp_path / "x").search("noon canteen", 1)] == ["canteen.md#1"]


def test_json_is_the_only_output(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    rows = [{"id": "a", "text": "Words for all."}, {"id": "b", "text": "Words for few.", "groups": ["finance"]}]
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    result = index(corpus, notes(tmp_path), "--out", tmp_path / "x", "--json")
    document = json.loads(result.stdout)
    assert (document["passages"], document["restricted"]) == (4, 1)
    assert document["index"] == str(tmp_path / "x")
    assert document["corpus_hash"] == BM25Index.load(tmp_path / "x").corpus_hash


def test_older_index_is_replaced_and_anything_else_is_not(tmp_path: Path) -> None:
    source = notes(tmp_path)
    assert index(source, "--out", tmp_path / "x").exit_code == 0
    assert index(source / "fix.txt", "--out", tmp_path / "x").exit_code == 0
    assert len(BM25Index.load(tmp_path / "x")) == 1
    result = index(source, "--out", source)
    assert result.exit_code == 1
    assert (source / "fix.txt").exists()


def test_broken_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"id": "a", "text": "b"}\n{"id": \n', encoding="utf-8")
    result = index(tmp_path / "corpus.jsonl", "--out", tmp_path / "x")
    assert result.exit_code == 1
    assert "line 2" in result.stderr
    assert not (tmp_path / "x").exists()
