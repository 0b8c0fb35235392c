"""Labelled questions and data sets as records."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from hopstop.program.records import NO_GROUPS, Passage
from hopstop.program.text import normalise


@dataclass(frozen=True, slots=True)
class Support:
    """A gold passage of a question.

    Attributes:
        passage_id: The passage that states a fact which the question needs.
        sentences: Its sentences that state the fact, as labelled; empty where only the passage is labelled.
        derived_sentences: A guess at those sentences, made by string match.
    """

    passage_id: str
    sentences: tuple[str, ...] = ()
    derived_sentences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its labels.

    Attributes:
        id: Unique in its data set.
        question: As it is asked.
        answers: All forms of the right answer; empty if the question is not answerable.
        type: Kind of the question as the data set names it; empty if it names none.
        hops: Facts that the answer rests on, >= 1; None if unknown.
        answerable: Whether the corpus, as far as the user may read it, holds the answer.
        supports: Gold passages; empty if they are not labelled. Of an unanswerable question: those that are left.
        context_ids: The passages that the data set shows with the question; None if it shows none.
        meta: What else the data set says: decomposition, evidences, level ... (plain JSON).
        groups: Groups of the user who asks; empty: a user who may read public passages only.
    """

    id: str
    question: str
    answers: tuple[str, ...] = ()
    type: str = ""
    hops: int | None = None
    answerable: bool = True
    supports: tuple[Support, ...] = ()
    context_ids: tuple[str, ...] | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    groups: frozenset[str] = NO_GROUPS

    @property
    def gold_ids(self) -> tuple[str, ...]:
        """Ids of the gold passages, each once."""
        return tuple(dict.fromkeys(support.passage_id for support in self.supports))

    @property
    def context_only(self) -> bool:
        """Whether the question is unanswerable only against its own context, its answer standing elsewhere."""
        return not self.answerable and "twin_of" in self.meta

    @property
    def origin(self) -> str:
        """Id of the question that this one is a twin of, or the same for another user; its own if of none."""
        return str(self.meta.get("twin_of") or self.meta.get("insider") or self.id)

    def to_json(self) -> dict[str, Any]:
        """The question as one object of our JSONL form."""
        row = asdict(self)
        row["supports"] = [{name: value for name, value in item.items() if value} for item in row["supports"]]
        row["groups"] = sorted(self.groups)
        return row


@dataclass(frozen=True, slots=True)
class Dataset:
    """Questions, and the corpus where it came with them.

    Attributes:
        name: For reports.
        hash: SHA-256 of the content as canonical JSON: same content, same hash, whatever the file's form.
        questions: In the order of the file.
        passages: The corpus; None if the questions came alone.
    """

    name: str
    hash: str
    questions: tuple[Question, ...]
    passages: tuple[Passage, ...] | None = None

    @classmethod
    def of(cls, name: str, questions: Iterable[Question], passages: Iterable[Passage] | None = None) -> Dataset:
        """A data set with the hash of its content."""
        asked = tuple(questions)
        corpus = None if passages is None else tuple(passages)
        return cls(name, _hash_of(asked, corpus), asked, corpus)

    def sample(self, n: int, seed: int | None = None) -> Dataset:
        """At most n questions in the order of the file: the first n, or with a seed a random choice.

        Args:
            n: How many, >= 0; all if there are fewer.
            seed: Chooses which; the same in every process.
        """
        if seed is None:
            return Dataset.of(self.name, self.questions[:n], self.passages)
        size = len(self.questions)
        chosen = sorted(random.Random(seed).sample(range(size), min(n, size)))
        return Dataset.of(self.name, (self.questions[i] for i in chosen), self.passages)

    def where(self, keep: Callable[[Question], bool]) -> Dataset:
        """The questions that pass a test, in the order of the file."""
        return Dataset.of(self.name, filter(keep, self.questions), self.passages)


def families(questions: Iterable[Question]) -> list[str]:
    """For each question one name that those of the same text, its twins, and the same for other users share."""
    by_text: dict[str, str] = {}
    by_id: dict[str, str] = {}
    found = []
    for item in questions:
        text = normalise(item.question).casefold()
        family = by_id.get(item.origin) or by_text.get(text) or item.origin
        by_id[item.origin] = by_id[item.id] = by_text[text] = family
        found.append(family)
    return found


def with_origins(questions: Iterable[Question]) -> tuple[str, ...]:
    """Ids of questions and of what they are variants of, each once: what a program has seen that learned from them."""
    return tuple(dict.fromkeys(name for item in questions for name in (item.id, item.origin)))


def seen_among(questions: Collection[Question], ids: Collection[str]) -> list[str]:
    """Ids of the questions that are among these, or of the family of one that is.

    Args:
        questions: To look at.
        ids: Of questions that were learned from; see `with_origins`.
    """
    named = list(zip(families(questions), questions, strict=True))
    seen = {family for family, item in named if item.id in ids or item.origin in ids}
    return [item.id for family, item in named if family in seen]


def passage_to_json(passage: Passage) -> dict[str, Any]:
    """The passage as one object of our JSONL form."""
    return {"id": passage.id, "title": passage.title, "text": passage.text, "groups": sorted(passage.groups)}


def _hash_of(questions: tuple[Question, ...], passages: tuple[Passage, ...] | None) -> str:
    digest = hashlib.sha256()
    rows = [item.to_json() for item in questions]
    rows += [] if passages is None else [passage_to_json(item) for item in passages]
    for row in rows:
        digest.update(json.dumps(row, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        digest.update(b"\n")
    return digest.hexdigest()
