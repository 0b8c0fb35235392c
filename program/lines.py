"""The sentences read for one question, and how much of it they and one sentence linked to them speak of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from math import log
from operator import or_

from hopstop.program.line import Line
from hopstop.program.named import Named
from hopstop.program.profile import Profile, fold, profile
from hopstop.program.reading import Reading
from hopstop.program.text import content_words, stem
from hopstop.program.verb_forms import forms


class Lines:
    """Every sentence read for one question. Grows, so that no round looks again at what one before it has looked at.

    Args:
        question: As it was asked.

    Attributes:
        question: As it was asked.
        bit: Stem of a content word of the question -> its bit, in order.
        weights: What each of these stems weighs: the fewer of the passages read hold it, the more. The smoothed idf of
            BM25 (Robertson and Zaragoza, 2009), counted over what was read, so that no index is needed.
        reading: What was read.
        all: The sentences, in the order read.
        about: Folded title -> the profile of its passage.
        passage_bits: For each passage the stems of the question that its sentences or its title hold, as bits.
    """

    def __init__(self, question: str) -> None:
        self.question = question
        self.bit = {key: 1 << at for at, key in enumerate(dict.fromkeys(map(stem, content_words(question))))}
        self._bit_of = self._with_forms()
        self.weights: Mapping[str, float] = {}
        self.reading = Reading()
        self.all: list[Line] = []
        self.about: dict[str, Profile] = {}
        self.passage_bits: list[int] = []
        self._holding = dict.fromkeys(self.bit, 0)
        self._members: list[range] = []
        self._stems: dict[int, frozenset[str]] = {}
        self._named = Named()

    def read(self, reading: Reading) -> None:
        """Take in what was read since the last time."""
        self.reading = reading
        if len(reading.passages) == len(self._members) > 0:
            return
        for passage in reading.passages[len(self._members) :]:
            start, view = len(self.all), profile(passage)
            held = of_title = self.bits(view.title_stems)
            for number, sentence in enumerate(view.sentences):
                own = reduce(or_, map(self._bit_of.__getitem__, sentence.held(self._bit_of)), of_title)
                held |= own
                self.all.append(Line(passage, view, number, len(self._members), own))
            for key in self.stems(held):
                self._holding[key] += 1
            self.passage_bits.append(held)
            self._members.append(range(start, len(self.all)))
            if passage.title.strip():
                self.about[fold(view.title)] = view
        size = len(self._members)
        self.weights = {key: log(1 + (size + 1) / (1 + count)) for key, count in self._holding.items()}

    def _with_forms(self) -> dict[str, int]:
        """The stems of the question and of other forms of its words, each with the bit that it counts for."""
        bit_of = dict(self.bit)
        for word in content_words(self.question, fold=False):
            if word.islower() and word.isascii() and word.isalpha():
                for form in forms(word):
                    bit_of.setdefault(stem(form), self.bit[stem(word)])
        return bit_of

    @property
    def named(self) -> Named:
        """How they name each other."""
        self._named.grow(self.all, self._members)
        return self._named

    def bits(self, keys: Iterable[str]) -> int:
        """Those of these stems, each given once, that the question has."""
        return sum([self.bit[key] for key in keys if key in self.bit])

    def stems(self, bits: int) -> frozenset[str]:
        """What bits stand for."""
        if bits not in self._stems:
            self._stems[bits] = frozenset([key for key, bit in self.bit.items() if bits & bit])
        return self._stems[bits]


def lines_of(question: str, reading: Reading, before: Lines | None = None) -> Lines:
    """The sentences of what was read.

    Args:
        question: As it was asked.
        reading: What was read.
        before: What was made of the first of these passages; it grows. None: nothing.
    """
    known = before.reading.passages if before is not None else ()
    lines = before if before is not None and reading.passages[: len(known)] == known else Lines(question)
    lines.read(reading)
    return lines


class Cover:
    """The share of the weight of a question that some of its stems have; each sum is made once.

    Args:
        lines: Of the question.
        weights: Stems that count with what each weighs, > 0.
    """

    def __init__(self, lines: Lines, weights: Mapping[str, float]) -> None:
        self.weights = weights
        self.mask = lines.bits(weights)
        self._items = [(lines.bit[key], weight) for key, weight in weights.items()]
        self._total = sum(weights.values()) or 1.0
        self._known: dict[int, float] = {}

    def share(self, bits: int) -> float:
        """Weight of those of the stems that count, as a share of that of all that do, in [0, 1]."""
        if bits not in self._known:
            self._known[bits] = sum([weight for bit, weight in self._items if bits & bit]) / self._total
        return self._known[bits]


def ranked_lines(lines: Lines, most: int) -> list[Line]:
    """The sentences that, each with its best partner, speak of most of the question, then in the order read.

    Args:
        lines: What was read.
        most: How many are wanted.
    """
    cover, named = Cover(lines, lines.weights), lines.named
    own = [line.own for line in lines.all]
    pairs = [_partner(at, own, named, cover) for at in range(len(own))]
    best = sorted(range(len(pairs)), key=lambda at: -pairs[at][0])[:most]
    return [_paired(lines.all[at], pairs[at], lines) for at in best]


def _partner(at: int, own: Sequence[int], named: Named, cover: Cover) -> tuple[float, int | None, bool]:
    """Share of the question that a line and its best partner hold, that partner, and whether it leads there.

    A line is linked to every line of a passage whose title, or whose first name where there is no title, it names.
    """
    mine, partner = own[at], None
    best = cover.share(mine)
    naming, linked = named.linked(at)
    tried = {mine}  # few of the lines hold different words
    for other in linked:
        both = mine | own[other]
        if both not in tried:
            tried.add(both)
            share = cover.share(both)
            if share > best:
                best, partner = share, other
    return best, partner, partner in naming


def _paired(line: Line, pair: tuple[float, int | None, bool], lines: Lines) -> Line:
    joint, at, led_to = pair
    partner = None if at is None else lines.all[at]
    return Line(line.passage, line.view, line.number, line.rank, line.own, partner, joint, led_to)
