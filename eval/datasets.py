"""Read labelled questions from any form of file we know, check them against a corpus, write them in our form."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from hopstop.eval.json_records import Record, read_records
from hopstop.eval.official import read_2wiki, read_hotpotqa, read_musique
from hopstop.eval.questions import Dataset, Question, Support, passage_to_json
from hopstop.program.errors import BadDataset
from hopstop.program.records import Passage

__all__ = ["FORMATS", "Dataset", "Question", "Support", "check_supports", "read_questions", "write_dataset"]


def read_questions(path: str | Path, format: str | None = None) -> Dataset:
    """Read a file of labelled questions, gzip or plain.

    Args:
        path: A JSONL file of ours, or an official file of HotpotQA, 2WikiMultihopQA or MuSiQue.
        format: A name in `FORMATS`; None: found from the fields of the first record.

    Returns:
        The questions. Official files bring their corpus along: all paragraphs of the file, each once. A question that
        is unanswerable only against its own context (`Question.context_only`) is no fair test against that corpus.

    Raises:
        BadDataset: The file or a record cannot be used; the message names file, line or record, and field.
    """
    records = read_records(path)
    name = format or _format_of(records[0])
    if name not in FORMATS:
        raise BadDataset(f"{path}: unknown format {name!r}; choose one of {', '.join(FORMATS)}")
    rows = [(record.place, *FORMATS[name](record)) for record in records]
    questions = _unique((place, question) for place, question, _ in rows)
    pooled = {passage.id: passage for _, _, passages in rows for passage in passages}
    stem = Path(path).name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json")
    return Dataset.of(stem, questions, tuple(pooled.values()) if pooled else None)


def write_dataset(dataset: Dataset, folder: str | Path) -> tuple[Path, Path | None]:
    """Write `questions.jsonl`, and `corpus.jsonl` if the data set has passages, into a folder.

    Returns:
        The two paths; None for a corpus that is not there.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    questions = _write_lines(target / "questions.jsonl", (item.to_json() for item in dataset.questions))
    if dataset.passages is None:
        return questions, None
    return questions, _write_lines(target / "corpus.jsonl", map(passage_to_json, dataset.passages))


def check_supports(dataset: Dataset, ids: Collection[str]) -> None:
    """Make sure that the corpus holds every gold passage.

    Args:
        dataset: The questions.
        ids: Ids of all passages of the corpus.

    Raises:
        BadDataset: A question names a gold passage that is not among them.
    """
    known = set(ids)
    gaps = {item.id: gone for item in dataset.questions if (gone := [i for i in item.gold_ids if i not in known])}
    if gaps:
        name, gone = next(iter(gaps.items()))
        raise BadDataset(
            f"{dataset.name}: {len(gaps)} of {len(dataset.questions)} questions name gold passages that the corpus "
            f"does not hold, the first is {name!r} with {gone[0]!r}; use the corpus that belongs to these questions"
        )


def _read_ours(record: Record) -> tuple[Question, tuple[Passage, ...]]:
    answerable = _optional(record, "answerable", bool, True)
    answers = _texts(record, "answers", record.get("answers", list) if answerable else [])
    if answerable and not answers:
        raise record.wrong("answers", "is empty; give an answer, or set 'answerable' to false")
    context = _optional(record, "context_ids", list, None)
    question = Question(
        id=record.get("id", str),
        question=record.get("question", str),
        answers=answers,
        type=_optional(record, "type", str, ""),
        hops=_optional(record, "hops", int, None),
        answerable=answerable,
        supports=tuple(_support(record, item) for item in _optional(record, "supports", list, [])),
        context_ids=None if context is None else _texts(record, "context_ids", context),
        meta=_optional(record, "meta", dict, {}),
        groups=frozenset(_texts(record, "groups", _optional(record, "groups", list, []))),
    )
    return question, ()


FORMATS: Mapping[str, Callable[[Record], tuple[Question, tuple[Passage, ...]]]] = {
    "hopstop": _read_ours,
    "hotpotqa": read_hotpotqa,
    "2wiki": read_2wiki,
    "musique": read_musique,
}


def _format_of(record: Record) -> str:
    marks = {"musique": "paragraphs", "2wiki": "evidences", "hotpotqa": "_id", "hopstop": "id"}
    for name, mark in marks.items():
        if mark in record.fields:
            return name
    raise BadDataset(
        f"{record.place}: no known form of question ('id', 'question' and 'answers' are needed, or an official "
        f"HotpotQA, 2WikiMultihopQA or MuSiQue record); correct the file or name its format"
    )


def _support(record: Record, item: Any) -> Support:  # noqa: ANN401 - JSON
    match item:
        case {"passage_id": str(passage_id)}:
            gold = _texts(record, "supports", item.get("sentences", []))
            return Support(passage_id, gold, _texts(record, "supports", item.get("derived_sentences", [])))
    raise record.wrong("supports", "must be a list of {passage_id, sentences}")


def _optional(record: Record, name: str, kind: type[Any], default: Any) -> Any:  # noqa: ANN401 - JSON
    return default if record.fields.get(name) is None else record.get(name, kind)


def _texts(record: Record, name: str, values: Any) -> tuple[str, ...]:  # noqa: ANN401 - JSON
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise record.wrong(name, "must hold a list of texts")
    return tuple(values)


def _unique(questions: Iterable[tuple[str, Question]]) -> tuple[Question, ...]:
    places: dict[str, str] = {}
    kept: list[Question] = []
    for place, item in questions:
        if item.id in places:
            raise BadDataset(
                f"{place}: the field 'id' repeats {item.id!r} of {places[item.id]}; give each question its own id"
            )
        places[item.id] = place
        kept.append(item)
    return tuple(kept)


def _write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    half = path.with_name(path.name + ".tmp")
    half.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    os.replace(half, path)
    return path
