"""The walk of one question: read the passage with the best way to it, follow its names, and so on.

One linear score weighs hits of the question and links alike, so that a chain, a comparison and a plain look-up need no
rules of their own. Its weights are learned from labelled questions (`hopstop calibrate`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hopstop.program.asked import Asked
from hopstop.program.links import LinkIndex
from hopstop.program.lists import Bools, Floats, Ints
from hopstop.program.units import spoken, unit_of
from hopstop.program.ways import STATIC, Sources, Ways, first_ways, linked_ways

KEEP = 60  # ways kept of one passage: more were never read within ten passages on dev


@dataclass(frozen=True, slots=True)
class Step:
    """One passage chosen.

    Attributes:
        passage: Its place in the index.
        via: The name that leads to it; "" for a hit of the question.
        query: The search in words: that name, and what the question asks that its way has not met.
        p: Share of the score (softmax over all ways) that it had, in (0, 1].
    """

    passage: int
    via: str
    query: str
    p: float


class Walk:
    """A walk for one question and user. Not for several threads.

    Args:
        index: What links the passages.
        question: As it was asked.
        weights: One for each of FEATURES.
        readable: P, the passages that the user may read; None means all.
    """

    def __init__(self, index: LinkIndex, question: str, weights: Floats, readable: Bools | None = None) -> None:
        self._index = index
        self._asked = Asked(index, question, readable)
        self._question = question
        unit = unit_of(question)
        self._words = tuple(zip(unit.words, self._asked.bits(unit.terms), strict=True))
        self._weights = weights
        self._read: list[int] = []
        self._open: list[tuple[int, int, int, float]] = []  # what is read and not followed: a row of Sources each
        self._closed = np.zeros(index.size, np.bool_) if readable is None else ~readable  # read, or not for this user
        self._titles: list[int] = []  # of the passages read
        self._covered = np.int64(0)
        self._set(first_ways(self._asked))

    @property
    def read(self) -> tuple[int, ...]:
        """Places of the passages chosen so far, in order."""
        return tuple(self._read)

    def choose(self, k: int) -> list[Step]:
        """Choose at most k passages, the best first, after following the names of those chosen before."""
        if k > 0:
            self.follow()
        steps: list[Step] = []
        while len(steps) < k and len(self._ways.passage):
            score = self.scores()
            best = int(score.argmax())
            steps.append(self._take(best, float(1 / np.exp(score - score[best]).sum())))
        return steps

    def follow(self) -> None:
        """Add the ways that lead on from the passages chosen since the last call."""
        if not self._open:
            return
        passage, way, depth, p = map(np.array, zip(*self._open, strict=True))
        more, source = linked_ways(self._asked, Sources(passage, way, depth, p), self._closed)
        score = more.features @ self._weights[:STATIC]
        kept = np.concatenate([_best(score, np.flatnonzero(source == at)) for at in range(len(passage))])
        self._set(self._ways.plus(more.take(kept)), np.concatenate([self._static, score[kept]]))
        self._open.clear()

    def features(self) -> Floats:
        """n x FEATURES of all ways that compete now."""
        return np.concatenate([self._ways.features, self._state()], axis=1)

    def places(self) -> Ints:
        """n, where these ways lead."""
        return self._ways.passage

    def scores(self) -> Floats:
        """n, the score of each way."""
        total: Floats = self._static + self._state() @ self._weights[STATIC:]
        return total

    def _set(self, ways: Ways, static: Floats | None = None) -> None:
        self._ways = ways
        self._static = ways.features @ self._weights[:STATIC] if static is None else static

    def _state(self) -> Floats:
        titled, same = self._index.titled[self._ways.passage], np.zeros(len(self._ways.passage))
        for title in self._titles:
            same += titled == title
        new = self._asked.share(self._asked.passage_masks(self._ways.passage) & ~self._covered)
        return np.stack([same, new], axis=1)

    def _take(self, row: int, p: float) -> Step:
        ways = self._ways
        passage, way, via = int(ways.passage[row]), int(ways.mask[row]), int(ways.via[row])
        name = spoken(self._index.names[via]) if via >= 0 else ""
        step = Step(passage, name, self._query(name, way), p)
        self._read.append(passage)
        self._closed[passage] = True
        title = int(self._index.titled[passage])
        if title >= 0:
            self._titles.append(title)
        self._covered |= self._asked.passage_masks(np.array([passage]))[0]
        self._open.append((passage, way, int(ways.depth[row]), p))
        others = np.flatnonzero(ways.passage != passage)
        self._set(ways.take(others), self._static[others])
        return step

    def _query(self, name: str, way: int) -> str:
        if not name:
            return self._question
        return " ".join([name, *(word for word, bit in self._words if bit & ~way)])


def _best(score: Floats, rows: Ints) -> Ints:
    """The KEEP rows with the highest scores, in no order."""
    return rows[(-score[rows]).argpartition(KEEP)[:KEEP]] if len(rows) > KEEP else rows
