"""A question seen through the link index: its terms with a bit each, BM25 of every passage, and its names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hopstop.program.links import LinkIndex
from hopstop.program.lists import Bools, Floats, Ints
from hopstop.program.text import FUNCTION_WORDS
from hopstop.program.units import terms_of

BITS = 63  # terms of a question that fit into one whole number
_BYTES = np.unpackbits(np.arange(256, dtype=np.uint8)[None], axis=0, bitorder="little").astype(np.float64)  # 8 x 256


class Asked:
    """One question against one index, for one user.

    A term that stands in more than half of the passages says nothing: Robertson's idf without + 1 is not above 0 there.
    Nor do the function words of a question, however rare they are in prose ("who", "would"), but for names that hold
    them, and for a question of nothing else.

    Args:
        index: What links the passages.
        question: As it was asked.
        readable: P, the passages that the user may read; None means all.

    Attributes:
        bm25: P, score of each passage for the question; 0 for one that the user may not read.
        best: The highest of these scores.
        mass: Summed idf of the question's terms, > 0.
    """

    def __init__(self, index: LinkIndex, question: str, readable: Bools | None = None) -> None:
        terms = terms_of(question)
        said = [term for term in terms if term not in FUNCTION_WORDS] or terms
        found = [term for term in dict.fromkeys(map(index.term, said)) if term >= 0]
        telling = sorted((t for t in found if 2 * index.df[t] <= index.size), key=lambda t: -index.idf[t])[:BITS]
        self.index = index
        self.readable = readable
        self.bm25 = np.zeros(index.size, np.float32)
        self.mass = float(index.idf[telling].sum()) + 1e-9
        weights = index.idf[telling] / self.mass
        order = np.argsort(telling)
        self._terms, self._weights = np.array(telling, np.int64)[order], weights[order]
        self._bit = {term: 1 << place for place, term in enumerate(telling)}
        self._tables = _share_tables(weights)
        narrow = np.min_scalar_type(
            (1 << len(telling)) - 1
        )  # most questions need 16 bits: what a page holds counts here
        self._passage_mask = np.zeros(index.size, narrow)
        self._unit_mask = np.zeros(len(index.unit_passage), narrow)
        self._score(found)
        self.best = float(self.bm25.max(initial=0))
        self._find_names(terms)

    def _score(self, terms: Sequence[int]) -> None:
        postings = self.index.postings
        for term in terms:
            passages = postings.of(term).astype(np.intp)  # once, and not each time that they point into an array
            self.bm25[passages] += self.index.impact[postings.start[term] : postings.start[term + 1]]
            if term in self._bit:
                self._passage_mask[passages] |= self._bit[term]
                self._unit_mask[self.index.term_units.of(term)] |= self._bit[term]
        if self.readable is not None:
            self.bm25[~self.readable] = 0

    def _find_names(self, terms: Sequence[str]) -> None:
        spans = self.index.names_in(terms)
        whole = [n for s, e, n in spans if not any(a <= s and e <= b and (a, b) != (s, e) for a, b, _ in spans)]
        self._named = np.unique(np.array([name for _, _, name in spans], np.int64))
        self._named_whole = np.unique(np.array(whole, np.int64))

    def named(self, names: Ints) -> Bools:
        """Whether the question has each of these names; -1 stands for "no title"."""
        return _among(names, self._named)

    def named_whole(self, names: Ints) -> Bools:
        """Whether it has them outside of any longer name."""
        return _among(names, self._named_whole)

    def share(self, masks: Ints) -> Floats:
        """Share of the question's idf that the terms in each mask make up, in [0, 1]."""
        parts = np.ascontiguousarray(masks).view(np.uint8).reshape(-1, 8)
        total = np.zeros(len(parts))
        for place, table in enumerate(self._tables):
            total += table[parts[:, place]]
        return total

    def term_weights(self, terms: Ints) -> Floats:
        """Each term's share of `mass`; 0 for terms that are not asked."""
        if not len(self._terms):
            return np.zeros(len(terms))
        at = np.minimum(np.searchsorted(self._terms, terms), len(self._terms) - 1)
        return np.where(self._terms[at] == terms, self._weights[at], 0.0)

    def unit_masks(self, units: Ints) -> Ints:
        """The question's terms in each of these units, a bit each."""
        return self._unit_mask[units].astype(np.int64)

    def passage_masks(self, passages: Ints) -> Ints:
        """The question's terms in each of these passages, a bit each."""
        return self._passage_mask[passages].astype(np.int64)

    def title_share(self, passages: Ints) -> Floats:
        """Share of the question's idf in the passage's title, if the question has it word for word; else 0."""
        name = self.index.titled[passages]
        asked = np.flatnonzero(self.named(name))
        share = np.zeros(len(name))
        share[asked] = np.minimum(self.index.name_mass[name[asked]] / self.mass, 1)
        return share

    def bits(self, folded: Sequence[str]) -> list[int]:
        """For each of these folded words the bit of its term; 0 if that is not asked."""
        return [self._bit.get(self.index.term(word), 0) for word in folded]


def _among(numbers: Ints, few: Ints) -> Bools:
    """Which numbers are among a few that ascend."""
    if not len(few):
        return np.zeros(len(numbers), np.bool_)
    among: Bools = few[np.minimum(np.searchsorted(few, numbers), len(few) - 1)] == numbers
    return among


def _share_tables(weights: Floats) -> list[Floats]:
    """For each byte of a mask, the summed weight of its set bits."""
    padded = np.zeros((len(weights) + 7) // 8 * 8)
    padded[: len(weights)] = weights
    return list(padded.reshape(-1, 8) @ _BYTES)
