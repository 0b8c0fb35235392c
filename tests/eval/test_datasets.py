import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hopstop.eval.datasets import (
    Dataset,
    Question,
    Support,
    check_supports,
    read_questions,
    write_dataset,
)
from hopstop.program.corpus import read_corpus
from hopstop.program.errors import BadDataset

HOTPOT: dict[str, Any] = {
    "_id": "h1",
    "question": "In which country does the river that Alder Mill stands on rise?",
    "answer": "Norland",
    "type": "bridge",
    "level": "hard",
    "supporting_facts": [["Alder Mill", 0], ["Tarn (river)", 1], ["Tarn (river)", 9]],
    "context": [
        ["Alder Mill", ["Alder Mill stands on the Tarn.", " It grinds oats."]],
        ["Tarn (river)", ["The Tarn is a river.", " It rises in Norland."]],
        ["Oats", ["Oats are a cereal."]],
    ],
}
TWO_WIKI = {
    **HOTPOT,
    "_id": "w1",
    "type": "bridge_comparison",
    "evidences": [["Alder Mill", "river", "Tarn"], ["Tarn", "rises in", "Norland"]],
}
MUSIQUE: dict[str, Any] = {
    "id": "2hop__1_2",
    "paragraphs": [
        {"idx": 0, "title": "Alder Mill", "paragraph_text": "Alder Mill stands on the Tarn.", "is_supporting": True},
        {"idx": 1, "title": "Tarn", "paragraph_text": "The Tarn rises in Norland.", "is_supporting": True},
        {"idx": 2, "title": "Oats", "paragraph_text": "Oats are a cereal.", "is_supporting": False},
    ],
    "question": "Where does the river of Alder Mill rise?",
    "question_decomposition": [
        {"id": 1, "question": "Alder Mill >> river", "answer": "Tarn", "paragraph_support_idx": 0},
        {"id": 2, "question": "#1 >> rises in", "answer": "Norland", "paragraph_support_idx": 1},
    ],
    "answer": "Norland",
    "answer_aliases": ["Norlandia", "Norland"],
    "answerable": True,
}
OURS: dict[str, Any] = {
    "id": "o1",
    "question": "Who reviewed it?",
    "answers": ["Mara Lind"],
    "supports": [{"passage_id": "p1", "sentences": ["Mara Lind reviewed it."]}],
    "groups": ["finance"],
}


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def lines(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def only(dataset: Dataset) -> Question:
    (question,) = dataset.questions
    return question


def test_hotpotqa_gives_gold_sentences_and_pools_each_paragraph_once(tmp_path: Path) -> None:
    second = {**HOTPOT, "_id": "h2"}
    dataset = read_questions(write(tmp_path / "hotpot_dev.json", json.dumps([HOTPOT, second])))
    assert dataset.name == "hotpot_dev"
    assert dataset.passages is not None
    assert [item.title for item in dataset.passages] == ["Alder Mill", "Tarn (river)", "Oats"]
    assert dataset.passages[1].text == "The Tarn is a river. It rises in Norland."
    question = dataset.questions[0]
    assert (question.id, question.answers, question.type, question.hops) == ("h1", ("Norland",), "bridge", 2)
    assert question.meta == {"level": "hard"}
    assert question.context_ids == tuple(item.id for item in dataset.passages)
    assert question.supports == (
        Support(dataset.passages[0].id, ("Alder Mill stands on the Tarn.",)),
        Support(dataset.passages[1].id, ("It rises in Norland.",)),
    )
    check_supports(dataset, [item.id for item in dataset.passages])


def test_2wiki_is_told_apart_by_its_evidences(tmp_path: Path) -> None:
    question = only(read_questions(write(tmp_path / "w.json", json.dumps([TWO_WIKI], indent=2))))
    assert (question.type, question.hops) == ("bridge_comparison", 4)
    assert question.meta["evidences"] == TWO_WIKI["evidences"]


def test_musique_keeps_aliases_and_the_decomposition(tmp_path: Path) -> None:
    dataset = read_questions(write(tmp_path / "m.jsonl", lines(MUSIQUE)))
    question = only(dataset)
    assert dataset.passages is not None
    assert (question.answers, question.type, question.hops) == (("Norland", "Norlandia"), "2hop", 2)
    assert question.gold_ids == tuple(item.id for item in dataset.passages[:2])
    assert question.meta["decomposition"][1] == {
        "question": "#1 >> rises in",
        "answer": "Norland",
        "passage_id": dataset.passages[1].id,
    }


def test_unanswerable_musique_twin_gets_its_own_id_and_no_answers(tmp_path: Path) -> None:
    twin = {**MUSIQUE, "answerable": False, "paragraphs": MUSIQUE["paragraphs"][::2]}
    dataset = read_questions(write(tmp_path / "m.jsonl", lines(MUSIQUE, twin)))
    answerable, unanswerable = dataset.questions
    assert unanswerable.id == "2hop__1_2__unans"
    assert unanswerable.answers == ()
    assert unanswerable.context_only
    assert not answerable.context_only
    assert set(unanswerable.context_ids or ()) < set(answerable.context_ids or ())


def test_passage_ids_are_the_same_in_every_file(tmp_path: Path) -> None:
    musique = read_questions(write(tmp_path / "m.jsonl", lines(MUSIQUE)))
    hotpot = read_questions(write(tmp_path / "h.json", json.dumps([HOTPOT])))
    assert musique.passages is not None
    assert hotpot.passages is not None
    assert musique.passages[2].id == hotpot.passages[2].id == "p-6c419685907d7541"


def test_our_form_needs_id_question_and_answers_only(tmp_path: Path) -> None:
    question = only(read_questions(write(tmp_path / "q.jsonl", lines({"id": "1", "question": "Q?", "answers": ["a"]}))))
    assert question == Question(id="1", question="Q?", answers=("a",))


def test_gzip_and_plain_and_byte_order_mark_read_the_same(tmp_path: Path) -> None:
    plain = read_questions(write(tmp_path / "q.jsonl", "\ufeff" + lines(OURS) + "\n"))
    (tmp_path / "q.jsonl.gz").write_bytes(gzip.compress(lines(OURS).encode()))
    assert plain == read_questions(tmp_path / "q.jsonl.gz")
    assert only(plain).groups == {"finance"}


def test_written_data_set_reads_back_the_same(tmp_path: Path) -> None:
    dataset = read_questions(write(tmp_path / "questions.json", json.dumps([HOTPOT, TWO_WIKI])))
    questions, corpus = write_dataset(dataset, tmp_path / "out")
    again = read_questions(questions)
    assert again.questions == dataset.questions
    assert corpus is not None
    assert dataset.passages == tuple(read_corpus([corpus]))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["corpus.jsonl", "questions.jsonl"]


def test_hash_follows_content_not_form_or_name(tmp_path: Path) -> None:
    array = read_questions(write(tmp_path / "a.json", json.dumps([HOTPOT])))
    rows = read_questions(write(tmp_path / "b.jsonl", lines(HOTPOT)))
    changed = read_questions(write(tmp_path / "c.jsonl", lines({**HOTPOT, "answer": "Sudland"})))
    assert array.hash == rows.hash
    assert array.hash != changed.hash


def test_sample_keeps_the_order_of_the_file() -> None:
    dataset = Dataset.of("d", [Question(id=f"{i:02}", question="Q?") for i in range(30)])
    assert [item.id for item in dataset.sample(2).questions] == ["00", "01"]
    chosen = [item.id for item in dataset.sample(8, seed=1).questions]
    assert chosen == sorted(chosen)
    assert chosen != [item.id for item in dataset.sample(8).questions]
    assert dataset.sample(8, seed=1) == dataset.sample(8, seed=1)
    assert dataset.sample(99, seed=1).hash == dataset.hash
    assert [item.id for item in dataset.where(lambda item: item.id > "28").questions] == ["29"]


def test_gold_passage_outside_the_corpus_is_named() -> None:
    dataset = Dataset.of("d", [Question(id="q7", question="Q?", supports=(Support("p9"),))])
    with pytest.raises(BadDataset, match=r"d: 1 of 1 questions .*'q7' with 'p9'; use the corpus"):
        check_supports(dataset, ["p1"])


def without(row: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != name}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (lines(OURS) + "{broken\n", r"q, line 2: not valid JSON"),
        (lines(OURS) + "[1]\n", r"q, line 2: must be a JSON object, not a list"),
        (lines(OURS, OURS), r"q, line 2: the field 'id' repeats 'o1' of .*q, line 1"),
        (lines(without(OURS, "question")), r"q, line 1: the field 'question' is missing"),
        (lines(without(OURS, "answers")), r"q, line 1: the field 'answers' is missing"),
        (lines({**OURS, "answers": []}), r"q, line 1: the field 'answers' is empty"),
        (lines({**OURS, "answers": "Mara"}), r"'answers' must be a list, not a text"),
        (lines({**OURS, "hops": True}), r"'hops' must be a whole number, not true or false"),
        (lines({**OURS, "supports": ["p1"]}), r"'supports' must be a list of \{passage_id"),
        (lines({"text": "no question"}), r"q, line 1: no known form of question"),
        (json.dumps([HOTPOT, without(HOTPOT, "answer")]), r"q, record 2: the field 'answer' is missing"),
        (json.dumps([{**HOTPOT, "supporting_facts": [["Elm", 0]]}]), r"'supporting_facts' names a title"),
        (json.dumps([{**HOTPOT, "supporting_facts": ["Elm"]}]), r"'supporting_facts' must be a list of \[title"),
        (json.dumps([{**HOTPOT, "context": {"title": []}}]), r"'context' must be a list, not an object"),
        (json.dumps([{**HOTPOT, "context": [["Elm", "text"]]}]), r"'context' must be a list of \[title"),
        (lines({**MUSIQUE, "paragraphs": [{"idx": 0}]}), r"'paragraphs' must be a list of \{idx"),
        (lines({**MUSIQUE, "answer_aliases": 5}), r"'answer_aliases' must be a list, not a whole number"),
        ("", r"q: the file holds no record"),
        ("[]", r"q: the file holds no record"),
    ],
)
def test_bad_content_is_named_by_file_place_and_field(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(BadDataset, match=message):
        read_questions(write(tmp_path / "q", content))


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (lines(OURS).encode() + b'{"id": "\xff"}\n', r"q, line 2: not valid UTF-8 at byte 9"),
        (gzip.compress(lines(OURS).encode())[:-20], r"q: the gzip data is damaged or cut off"),
        (b"\x1f\x8bnot gzip at all", r"q: the gzip data is damaged or cut off"),
    ],
)
def test_bytes_that_are_no_text_are_named(tmp_path: Path, raw: bytes, message: str) -> None:
    (tmp_path / "q").write_bytes(raw)
    with pytest.raises(BadDataset, match=message):
        read_questions(tmp_path / "q")


@pytest.mark.parametrize(
    ("make", "message"),
    [(lambda path: None, "there is no such file"), (Path.mkdir, "cannot be read")],
)
def test_path_that_is_no_file_is_named(tmp_path: Path, make: Callable[[Path], None], message: str) -> None:
    make(tmp_path / "q")
    with pytest.raises(BadDataset, match=message):
        read_questions(tmp_path / "q")


def test_unknown_format_name_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(BadDataset, match=r"unknown format 'squad'; choose one of hopstop, hotpotqa, 2wiki, musique"):
        read_questions(write(tmp_path / "q", lines(OURS)), format="squad")


@pytest.mark.parametrize("name", ["hotpotqa", "2wiki", "musique", "multihoprag", "strategyqa"])
def test_labelled_data_reads_whole(name: str) -> None:
    folder = Path(__file__).parents[2] / ".." / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the labelled data is not here")
    dataset = read_questions(folder / f"{name}_questions.jsonl.gz")
    assert len(dataset.questions) > 90
    assert all(item.gold_ids for item in dataset.questions if item.answerable)
