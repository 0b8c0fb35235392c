from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fakes import FILMS, SCOTT, SECRET
from hopstop.eval.questions import Dataset, Question, Support
from hopstop.optimize.material import Selection, gather, in_contexts, over
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import BadDataset
from hopstop.program.records import Passage

BORN = Question("born", "Where was Ridley Scott born?", ("South Shields",), supports=(Support("scott"),))
OPEN = Question("open", "Who was Scott's teacher?", answerable=False)
TWIN = replace(OPEN, id="twin", meta={"twin_of": "born"}, context_ids=("alien", "aliens"))


def films() -> BM25Index:
    return BM25Index.build(FILMS)


def data(*questions: Question) -> Dataset:
    return Dataset.of("films", questions)


def ids(material_data: Dataset) -> list[str]:
    return [item.id for item in material_data.questions]


@pytest.mark.parametrize(
    ("selection", "chosen"),
    [
        (Selection(), ["born", "open"]),
        (Selection(kind="answerable"), ["born"]),
        (Selection(kind="unanswerable"), ["open"]),
        (Selection(limit=1), ["born"]),
        (Selection(limit=9), ["born", "open"]),
    ],
)
def test_selection(selection: Selection, chosen: list[str]) -> None:
    material = over(data(BORN, OPEN, TWIN), films(), selection)
    assert ids(material.data) == chosen
    assert material.left_out == (0 if selection.kind == "answerable" else 1)


def test_question_fair_only_in_its_context_is_asked_there() -> None:
    material = over(data(TWIN), films(), Selection(contexts=True))
    assert (ids(material.data), material.left_out) == (["twin"], 0)


def test_nothing_left_to_ask_names_the_option() -> None:
    with pytest.raises(BadDataset, match="--contexts"):
        over(data(TWIN), films(), Selection())
    with pytest.raises(BadDataset, match="--questions"):
        over(data(BORN), films(), Selection(kind="unanswerable"))


def test_gold_passage_must_be_in_the_index() -> None:
    with pytest.raises(BadDataset, match="'scott'"):
        over(data(BORN), BM25Index.build([SECRET]), Selection())


def test_each_question_reads_its_own_passages_only() -> None:
    first = replace(BORN, context_ids=("scott", "alien"))
    second = replace(BORN, id="other", context_ids=("cameron", "alien"), supports=())
    chosen, index = in_contexts(data(first, second), films())
    read = [
        {hit.passage.id for hit in index.search("Alien film born Ridley Scott James Cameron", 9, item.groups)}
        for item in chosen.questions
    ]
    assert read == [{"scott", "alien"}, {"cameron", "alien"}]
    assert index.search("Alien", 9) == []


def test_own_passages_do_not_lift_permissions() -> None:
    outsider = replace(BORN, context_ids=("scott", "secret"))
    insider = replace(outsider, id="insider", groups=frozenset({"finance"}))
    chosen, index = in_contexts(data(outsider, insider), films())
    read = [{hit.passage.id for hit in index.search("Ridley Scott", 9, item.groups)} for item in chosen.questions]
    assert read == [{"scott"}, {"scott", "secret"}]


@pytest.mark.parametrize("context", [None, (), ("nowhere",)])
def test_question_without_usable_context_is_named(context: tuple[str, ...] | None) -> None:
    with pytest.raises(BadDataset, match="'born'"):
        in_contexts(data(replace(BORN, context_ids=context)), films())


def test_hash_covers_the_passages() -> None:
    other = BM25Index.build([*FILMS, Passage("more", "One more film.")])
    hashes = [over(data(BORN), index, Selection()).data.hash for index in (films(), films(), other)]
    assert hashes[0] == hashes[1] != hashes[2]


def write(folder: Path) -> tuple[Path, Path]:
    questions, corpus = folder / "q.jsonl", folder / "c.jsonl"
    questions.write_text(json.dumps(BORN.to_json()) + "\n", encoding="utf-8")
    corpus.write_text(json.dumps({"id": SCOTT.id, "text": SCOTT.text}) + "\n", encoding="utf-8")
    return questions, corpus


def test_passages_come_from_a_file_or_an_index(tmp_path: Path) -> None:
    questions, corpus = write(tmp_path)
    films().save(tmp_path / "x")
    assert len(gather(questions, Selection(), corpus=corpus, folder=None).index) == 1
    assert len(gather(questions, Selection(), corpus=None, folder=tmp_path / "x").index) == len(FILMS)


def test_questions_without_passages_need_some(tmp_path: Path) -> None:
    with pytest.raises(BadDataset, match="--corpus FILE or --index INDEX"):
        gather(write(tmp_path)[0], Selection(), corpus=None, folder=None)
