"""The sentences read, ranked by how much of the question they speak of together with a sentence they are linked to."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log

from hopstop.program.profile import Profile, Sentence, fold, profile
from hopstop.program.reading import Reading
from hopstop.program.records import Passage
from hopstop.program.text import content_words, stem

_IDENTIFIER = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[^\W\d_])[\w-]{4,}\b")


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence that was read, with what of the question it speaks of.

    Attributes:
        passage: Where it stands.
        view: The profile of that passage.
        number: Number of the sentence in its passage, from 0.
        rank: Place of the passage in the order read, from 0.
        own: Stems of the question in the sentence or the title.
        partner: The sentence of another passage, linked by a name, that adds most of the question; None if none does.
        joint: Weight of the stems of both, as a share of the question's, in [0, 1].
        led_to: Whether the partner names this passage, so that the chain leads from there to here.
    """

    passage: Passage
    view: Profile
    number: int
    rank: int
    own: frozenset[str]
    partner: Line | None = None
    joint: float = 0.0
    led_to: bool = False

    @property
    def sentence(self) -> Sentence:
        """The sentence itself."""
        return self.view.sentences[self.number]


def local_weights(question: str, reading: Reading) -> dict[str, float]:
    """What each content word of the question weighs: the fewer of the passages read hold it, the more.

    The smoothed idf of BM25 (Robertson and Zaragoza, 2009), counted over what was read, so that no index is needed.
    """
    held = [profile(passage).stems for passage in reading.passages]
    asked = dict.fromkeys(map(stem, content_words(question)))  # in order, so that sums are the same in every process
    return {key: log(1 + (len(held) + 1) / (1 + sum(key in words for words in held))) for key in asked}


def ranked_lines(weights: Mapping[str, float], reading: Reading, most: int) -> list[Line]:
    """The best of the sentences read.

    Args:
        weights: Stems of the question with what each weighs, > 0.
        reading: What was read.
        most: How many are wanted.

    Returns:
        At most so many lines, by `joint` and then in the order read.
    """
    plain = plain_lines(frozenset(weights), reading)
    cover = Cover(weights)
    bits = [cover.bits(line.own) for line in plain]
    pairs = [_partner(at, links, bits, cover) for at, links in enumerate(_links(plain, reading))]
    best = sorted(range(len(plain)), key=lambda at: -pairs[at][0])[:most]
    return [_paired(plain[at], pairs[at], plain) for at in best]


class Cover:
    """Sets of stems of a question as bits, and the share of its weight that each holds, which is summed once.

    Args:
        weights: Stems with what each weighs, > 0.
    """

    def __init__(self, weights: Mapping[str, float]) -> None:
        self._bit = {key: 1 << at for at, key in enumerate(weights)}
        self._weights = tuple(weights.values())
        self._total = sum(self._weights) or 1.0
        self._known: dict[int, float] = {}

    def bits(self, stems: frozenset[str]) -> int:
        """Some of the stems as bits."""
        return sum([self._bit[key] for key in stems])

    def stems(self, bits: int) -> frozenset[str]:
        """What bits stand for."""
        return frozenset([key for key, bit in self._bit.items() if bits & bit])

    def share(self, bits: int) -> float:
        """Weight of the stems as a share of that of all, in [0, 1]."""
        if bits not in self._known:
            self._known[bits] = sum(item for at, item in enumerate(self._weights) if bits >> at & 1) / self._total
        return self._known[bits]


def plain_lines(wanted: frozenset[str], reading: Reading) -> list[Line]:
    """Every sentence read with the stems wanted that it or its title holds, without partners."""
    return [line for rank, passage in enumerate(reading.passages) for line in _lines_of(passage, rank, wanted)]


@lru_cache(maxsize=64)  # each round reads again what the rounds before have read
def _lines_of(passage: Passage, rank: int, wanted: frozenset[str]) -> tuple[Line, ...]:
    view = profile(passage)
    of_title = wanted & view.title_stems
    return tuple(
        [
            Line(passage, view, number, rank, (wanted & sentence.stems) | of_title)
            for number, sentence in enumerate(view.sentences)
        ]
    )


def _links(plain: list[Line], reading: Reading) -> list[dict[int, bool]]:
    """For each line the lines that it is linked to, and whether those lead to it.

    A line is linked to every line of a passage whose title, or whose first name where there is no title, it names.
    """
    members: dict[int, list[int]] = defaultdict(list)
    for at, line in enumerate(plain):
        members[line.rank].append(at)
    links: list[dict[int, bool]] = [{} for _ in plain]
    for at, rank, _ in named_passages(plain, reading):
        for other in members[rank]:
            links[other][at] = True
            links[at].setdefault(other, False)
    return links


def named_passages(lines: Sequence[Line], reading: Reading) -> Iterator[tuple[int, int, str]]:
    """Which lines name another passage: place of the line, rank of the passage, the folded name."""
    subjects = [(rank, name) for rank, item in enumerate(reading.passages) for name in subject_names(item)]
    for at, line in enumerate(lines):
        text = fold(line.sentence.text)
        for rank, name in subjects:
            if name in text and rank != line.rank and mentions(text, name):
                yield at, rank, name


def _partner(at: int, links: Mapping[int, bool], bits: Sequence[int], cover: Cover) -> tuple[float, int | None, bool]:
    """Share of the question that a line and its best partner hold, that partner, and whether it leads there."""
    own = bits[at]
    best, partner, led_to = cover.share(own), None, False
    for other, leads in links.items():
        if own | bits[other] != own and cover.share(own | bits[other]) > best:
            best, partner, led_to = cover.share(own | bits[other]), other, leads
    return best, partner, led_to


def _paired(line: Line, pair: tuple[float, int | None, bool], plain: Sequence[Line]) -> Line:
    joint, at, led_to = pair
    partner = None if at is None else plain[at]
    return Line(line.passage, line.view, line.number, line.rank, line.own, partner, joint, led_to)


@lru_cache(maxsize=64)
def subject_names(passage: Passage) -> tuple[str, ...]:
    """What a passage is about, folded: its title without brackets, else its first name; and identifiers in either.

    An identifier is a word of letters and digits ("CHG-9568"), which texts use without the words around it.
    """
    view = profile(passage)
    first = view.sentences[0].names[:1] if view.sentences and not passage.title.strip() else ()
    said = fold(view.title if passage.title.strip() else "".join(first))
    return (said, *_IDENTIFIER.findall(said)) if said else ()


def mentions(text: str, name: str) -> bool:
    """Whether a folded text holds a folded name as whole words."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not text[at - 1 : at].isalnum() and not text[end : end + 1].isalnum():
            return True
        at = text.find(name, at + 1)
    return False


def subject_of(line: Line) -> str:
    """What a line is about, in words: the title of its passage, else the first name in it."""
    return line.passage.title.strip() or (line.sentence.names or ("the passage",))[0]
