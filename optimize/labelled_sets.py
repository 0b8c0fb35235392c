"""The labelled sets that a calibration learns from, cut into folds by question."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hopstop.eval.desk import make_desk
from hopstop.eval.questions import Dataset, Question, families, with_origins
from hopstop.optimize.material import Material, Selection, over
from hopstop.optimize.walk_fit import Labelled
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import BadDataset
from hopstop.program.manifest import Training

DESK = "desk"


@dataclass(frozen=True, slots=True)
class Item:
    """One question of a labelled set.

    Attributes:
        name: Of the set.
        index: Where it is searched.
        question: With its labels.
        fold: In [0, folds): a model that is measured on it has seen none of this fold.
        weight: How much its set counts, > 0.
    """

    name: str
    index: BM25Index
    question: Question
    fold: int
    weight: float = 1.0

    @property
    def key(self) -> str:
        """Tells it from all others of all sets."""
        return f"{self.name} {self.index.corpus_hash[:12]} {self.question.id}"


@dataclass(frozen=True, slots=True)
class LabelledSets:
    """All sets.

    Attributes:
        training: Names, hash and ids of all, as an artifact keeps them.
        items: Of all sets, in order.
        folds: How many there are, >= 2.
    """

    training: Training
    items: tuple[Item, ...]
    folds: int

    @property
    def names(self) -> tuple[str, ...]:
        """Of the sets, in order."""
        return tuple(dict.fromkeys(item.name for item in self.items))

    def sample(self, n: int, seed: int) -> tuple[Item, ...]:
        """At most n questions of each set, chosen by seed, in order."""
        chosen: set[str] = set()
        for name in self.names:
            mine = [item.key for item in self.items if item.name == name]
            chosen |= set(random.Random(f"{seed} {name}").sample(mine, min(n, len(mine))))
        return tuple(item for item in self.items if item.key in chosen)


def desk_materials(n: int, seed: int) -> list[Material]:
    """N made company corpora with their questions, of the seeds seed, seed + 1, ..."""
    desks = [make_desk(seed + number) for number in range(n)]
    return [over(Dataset.of(DESK, desk.questions), BM25Index.build(desk.passages or ()), Selection()) for desk in desks]


def make_sets(
    materials: Sequence[Material], *, folds: int, seed: int, weights: Mapping[str, float] | None = None
) -> LabelledSets:
    """Cut the questions into folds; those of one family (see `families`) in a set stay together.

    Args:
        materials: Those of one name are one set.
        folds: How many, >= 2.
        seed: Of the lot by which they are cut.
        weights: How much a set counts, by name, > 0; 1 for those not named, however many questions they have.

    Raises:
        BadDataset: A set has fewer families of questions than there are folds, or a weight is of no set.
    """
    named = dict.fromkeys(map(_name, materials))
    for name in sorted((weights or {}).keys() - named.keys()):
        raise BadDataset(f"there is no set {name!r} to weigh; the sets are: {', '.join(named)}")
    items: list[Item] = []
    for name in named:
        weight = (weights or {}).get(name, 1.0)
        mine = [(item.index, question) for item in materials if _name(item) == name for question in item.data.questions]
        together = families(item for _, item in mine)
        order = list(dict.fromkeys(together))
        if len(order) < folds:
            raise BadDataset(
                f"{name}: {len(order)} questions are too few for {folds} folds; give more, or fewer --folds"
            )
        random.Random(f"{seed} {name}").shuffle(order)
        fold = {family: number % folds for number, family in enumerate(order)}
        items += [
            Item(name, index, item, fold[family], weight) for (index, item), family in zip(mine, together, strict=True)
        ]
    digest = hashlib.sha256(" ".join(item.data.hash for item in materials).encode()).hexdigest()
    seen = with_origins(item.question for item in items)
    return LabelledSets(Training("+".join(named), digest, seen), tuple(items), folds)


def labelled(items: Sequence[Item]) -> dict[str, list[Labelled]]:
    """Set -> its answerable questions with labelled gold passages, as the walk learns from them."""
    found: dict[str, list[Labelled]] = {}
    for item in items:
        places = [item.index.place(name) for name in item.question.gold_ids] if item.question.answerable else []
        gold = frozenset(place for place in places if place is not None)
        if gold and len(gold) == len(places):
            found.setdefault(item.name, []).append(Labelled(item.index, item.question.question, gold))
    return found


def set_weights(items: Sequence[Item]) -> dict[str, float]:
    """Set -> how much it counts."""
    return {item.name: item.weight for item in items}


def _name(material: Material) -> str:
    return material.data.name
