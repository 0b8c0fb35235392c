"""What an evaluation works on: the questions that were chosen, and the index that is searched for them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from hopstop.eval.datasets import Dataset, Question, check_supports, read_questions
from hopstop.program.bm25 import BM25Index
from hopstop.program.corpus import read_corpus
from hopstop.program.errors import BadDataset
from hopstop.program.records import Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which questions are asked.

    Attributes:
        kind: "answerable", "unanswerable" or "all".
        limit: The first so many; None: all.
        contexts: Each question may read its own `context_ids` only.
    """

    kind: str = "all"
    limit: int | None = None
    contexts: bool = False


@dataclass(frozen=True, slots=True)
class Material:
    """Questions and the index to search.

    Attributes:
        data: The questions; its hash covers the corpus too, so that a run goes on only over the same passages.
        index: Holds every gold passage.
        left_out: Questions that were left out because they are unanswerable only against their own passages.
    """

    data: Dataset
    index: BM25Index
    left_out: int = 0


def gather(questions: Path, selection: Selection, *, corpus: Path | None, folder: Path | None) -> Material:
    """Read, choose, index and check.

    Args:
        questions: File of labelled questions.
        selection: Which of them.
        corpus: File of passages; or None.
        folder: Folder of an index; or None. Without both, the questions must bring their passages.

    Raises:
        BadDataset: No question is left, the questions bring no passages, or a passage of a question is missing.
        BadCorpus, BadIndex: The passages cannot be read.
    """
    data = read_questions(questions)
    index = _index(data, corpus, folder)
    return over(replace(data, passages=None), index, selection)


def over(data: Dataset, index: BM25Index, selection: Selection) -> Material:
    """Choose among questions, over an index that is at hand.

    Raises:
        BadDataset: No question is left, or a passage of a question is not in the index.
    """
    chosen, left_out = _choose(data, selection)
    check_supports(chosen, {name for item in chosen.questions for name in item.gold_ids if _has(index, name)})
    if selection.contexts:
        chosen, index = in_contexts(chosen, index)
    return _material(chosen, index, left_out)


def sampled(material: Material, n: int, *, seed: int) -> Material:
    """At most n of its questions, drawn by seed, over the same index."""
    return _material(material.data.sample(n, seed), material.index, material.left_out)


def _material(data: Dataset, index: BM25Index, left_out: int) -> Material:
    # The passages are part of what was measured.
    both = hashlib.sha256(f"{data.hash} {index.corpus_hash}".encode()).hexdigest()
    return Material(replace(data, hash=both), index, left_out)


def in_contexts(data: Dataset, index: BM25Index) -> tuple[Dataset, BM25Index]:
    """The same questions over an index in which each question is a group that may read its own passages only.

    Raises:
        BadDataset: A question names no passages of its own, or one that is not in the index.
    """
    readers: dict[str, set[str]] = {}
    for item in data.questions:
        for passage in _context(item, index, data.name):
            if passage.readable_by(item.groups):
                readers.setdefault(passage.id, set()).add(item.id)
    passages = [replace(index.passage(name), groups=frozenset(groups)) for name, groups in readers.items()]
    questions = [replace(item, groups=frozenset({item.id})) for item in data.questions]
    return Dataset.of(f"{data.name}-contexts", questions), BM25Index.build(passages, analyzer=index.analyzer)


def _context(question: Question, index: BM25Index, name: str) -> list[Passage]:
    if not question.context_ids:
        raise BadDataset(f"{name}: question {question.id!r} has no 'context_ids'; leave --contexts out")
    try:
        return [index.passage(passage_id) for passage_id in question.context_ids]
    except KeyError as error:
        raise BadDataset(
            f"{name}: question {question.id!r} names passage {error} in 'context_ids', which the corpus does not hold; "
            "use the corpus that belongs to these questions"
        ) from None


def _choose(data: Dataset, selection: Selection) -> tuple[Dataset, int]:
    keep: dict[str, Callable[[Question], bool]] = {
        "all": lambda _: True,
        "answerable": lambda item: item.answerable,
        "unanswerable": lambda item: not item.answerable,
    }
    of_kind = data.where(keep[selection.kind])
    fair = of_kind if selection.contexts else of_kind.where(lambda item: not item.context_only)
    left_out = len(of_kind.questions) - len(fair.questions)
    if not fair.questions:
        why = (
            "all are unanswerable only against their own passages: add --contexts" if left_out else "check --questions"
        )
        raise BadDataset(f"{data.name}: no question of kind {selection.kind!r} is left to ask; {why}")
    return (fair if selection.limit is None else fair.sample(selection.limit)), left_out


def _index(data: Dataset, corpus: Path | None, folder: Path | None) -> BM25Index:
    if folder is not None:
        return BM25Index.load(folder)
    if corpus is not None:
        return BM25Index.build(read_corpus([corpus]))
    if data.passages is None:
        raise BadDataset(
            f"{data.name}: these questions bring no passages; name them with --corpus FILE or --index INDEX"
        )
    return BM25Index.build(data.passages)


def _has(index: BM25Index, passage_id: str) -> bool:
    try:
        index.passage(passage_id)
    except KeyError:
        return False
    return True
