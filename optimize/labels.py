"""Labelled examples for each predictor, made from questions with gold passages, split by question."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice

from hopstop.eval.questions import Dataset, Question, families
from hopstop.optimize import label_decide, label_prune, label_rewrite
from hopstop.optimize.cases import PREDICTORS, Label, Made, Split
from hopstop.optimize.ideal import Reader
from hopstop.optimize.label_decide import DecideLabels
from hopstop.optimize.label_prune import PruneLabels
from hopstop.optimize.label_rewrite import RewriteLabels
from hopstop.optimize.steps import steps_of
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import BadDataset, BadInput
from hopstop.program.records import Passage

KINDS: Mapping[str, Sequence[str]] = {
    "decide": label_decide.KINDS,
    "rewrite": label_rewrite.KINDS,
    "prune": label_prune.KINDS,
}
VAL_SHARE = 1 / 3  # of the training questions: enough to tell prompts apart, and most remain to be shown
LOOK_AHEAD = 10  # labels that are made for a kind that is wanting, before another kind takes its turn
SHOWN_IDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """How many labels of each predictor.

    Attributes:
        train: To learn from, those to choose by included, >= 3.
        dev: To measure on, >= 1.
        seed: Chooses the questions, their sides and their distractors.
        by_label: Decide's quotes as labels of sentences ("P2.1"), which suits small models, or as words.
    """

    train: int = 150
    dev: int = 60
    seed: int = 0
    by_label: bool = True


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of each predictor.

    Attributes:
        splits: By name of the predictor.
        train_ids: Questions of which labels were learned from or chosen by.
        dev_ids: Questions of which labels are measured on.
    """

    splits: Mapping[str, Split]
    train_ids: tuple[str, ...]
    dev_ids: tuple[str, ...]


def make_labels(
    data: Dataset, index: BM25Index, amount: Amount, *, predictors: Collection[str] = tuple(PREDICTORS)
) -> Labels:
    """Make labels from questions with gold passages; the same in every process for the same seed.

    Questions that belong together (twins, the same words) are on one side for all predictors. Labels that the
    project's own judge does not agree with are left out.

    Args:
        data: Labelled questions.
        index: Holds their gold passages; hard negatives come from its search.
        amount: How many; fewer come where the questions do not suffice.
        predictors: For which, names in `PREDICTORS`.

    Raises:
        BadInput: A number is too small, or a predictor is unknown.
        BadDataset: The questions make no labels for a side of a predictor.
    """
    if amount.train < 3 or amount.dev < 1:
        raise BadInput(f"at least 3 labels to train and 1 dev label are needed, not {amount.train} and {amount.dev}")
    if unknown := sorted(set(predictors) - set(PREDICTORS)):
        raise BadInput(f"no predictor {unknown[0]!r}; choose among {', '.join(PREDICTORS)}")
    sides = _sides(data.questions, amount)
    counts = _counts(amount)
    splits = {}
    for name in predictors:
        parts = {side: _chosen(name, sides[side], index, counts[side], amount) for side in counts}
        splits[name] = Split(**parts)
        for side, labels in parts.items():
            if not labels:
                raise BadDataset(
                    f"{data.name}: its {len(data.questions)} questions make no {side} labels for {name}; give more "
                    "questions with gold passages ('supports')"
                )
    learned = {label.question_id for split in splits.values() for label in (*split.train, *split.val)}
    measured = {label.question_id for split in splits.values() for label in split.dev}
    order = [item.id for item in data.questions]
    return Labels(
        splits, tuple(name for name in order if name in learned), tuple(name for name in order if name in measured)
    )


def refuse_overlap(learned: Sequence[Question], held_out: Sequence[Question]) -> None:
    """Make sure that no question is learned from that is evaluated on, and no twin of one or one of the same text.

    Args:
        learned: Questions that labels are made from.
        held_out: Questions of an evaluation.

    Raises:
        BadDataset: Some are both; names them.
    """
    named = families([*learned, *held_out])
    taken = set(named[len(learned) :])
    both = sorted(item.id for item, family in zip(learned, named, strict=False) if family in taken)
    if both:
        shown = ", ".join(both[:SHOWN_IDS]) + (", ..." if len(both) > SHOWN_IDS else "")
        raise BadDataset(
            f"{len(both)} questions to compile on, or their twins, are also evaluated on: {shown}; "
            "take them out of one of the files"
        )


def _counts(amount: Amount) -> dict[str, int]:
    val = max(1, round(amount.train * VAL_SHARE))
    return {"train": amount.train - val, "val": val, "dev": amount.dev}


def _sides(questions: Sequence[Question], amount: Amount) -> dict[str, list[Question]]:
    """Families of questions, each on one side, in a random order that a seed fixes."""
    together: dict[str, list[Question]] = defaultdict(list)
    for family, question in zip(families(questions), questions, strict=True):
        together[family].append(question)
    order = sorted(together)
    random.Random(amount.seed).shuffle(order)
    counts = _counts(amount)
    shares = {side: count / sum(counts.values()) for side, count in counts.items()}
    sides: dict[str, list[Question]] = {side: [] for side in counts}
    for number, family in enumerate(order, start=1):
        side = max(shares, key=lambda name: shares[name] * number - len(sides[name]))
        sides[side].extend(together[family])
    return sides


def _chosen(
    name: str, questions: Sequence[Question], index: BM25Index, count: int, amount: Amount
) -> tuple[Label, ...]:
    """The first labels of each kind in turn, so that no kind prevails."""
    made = (label for question in questions for label in _made(name, question, index, amount))
    waiting: dict[str, list[Label]] = defaultdict(list)
    chosen: list[Label] = []
    while len(chosen) < count:
        kind = KINDS[name][len(chosen) % len(KINDS[name])]
        for label in islice(made, 0 if waiting[kind] else LOOK_AHEAD):
            waiting[label.kind].append(label.named(name))
        source = waiting[kind] or next((labels for labels in waiting.values() if labels), [])
        if not source:
            break
        chosen.append(source.pop(0))
    return tuple(chosen)


def _made(name: str, question: Question, index: BM25Index, amount: Amount) -> Iterator[Made]:
    passages = _gold(question, index)
    steps = steps_of(question, passages)
    if question.answerable and (not steps or any(step.passage_id is None for step in steps)):
        return
    order = dict.fromkeys(step.passage_id for step in steps if step.passage_id)
    gold = tuple(passages[name] for name in order)
    reader = Reader(question, steps)
    rng = random.Random(sha256(f"{amount.seed} {name} {question.id}".encode()).digest())
    if name == "decide":
        yield from DecideLabels(index, reader, gold, amount.by_label).make(rng)
    elif name == "rewrite":
        yield from RewriteLabels(index, reader, gold).make(rng)
    else:
        yield from PruneLabels(index, reader, gold).make(rng)


def _gold(question: Question, index: BM25Index) -> dict[str, Passage]:
    found = {}
    for name in question.gold_ids:
        try:
            found[name] = index.passage(name)
        except KeyError:
            raise BadDataset(
                f"question {question.id!r} names gold passage {name!r}, which the corpus does not hold; use the corpus "
                "that belongs to these questions"
            ) from None
    return found
