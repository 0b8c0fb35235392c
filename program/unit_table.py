"""The titles and sentences of a corpus as numbers: what names are found in, without an object for each word."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from hopstop.program.lists import PART, Bools, Floats, Ints, Lists, bounds, small
from hopstop.program.records import Passage
from hopstop.program.sentences import sentence_spans
from hopstop.program.units import (
    LONG_HAN,
    Unit,
    fold,
    glued,
    look_at,
    marked_words,
    normal,
    title_words,
    unit_of,
    word_pieces,
)
from hopstop.program.untitled import subject
from hopstop.program.word_table import Numbering


@dataclass(frozen=True, slots=True)
class UnitTable:
    """Titles and sentences as numbers. P passages, U units, N words in them, T distinct folded words.

    Attributes:
        unit_start: P + 1, units of a passage, its title first.
        unit_passage: U, passage of each unit.
        start: U + 1, words of a unit.
        terms: N words of the units, folded, and then those of the names of `titles` and `marked`.
        named: N, whether a word of a sentence is written like a name; see `units.mark_named`.
        glued: N, whether only spaces, hyphens and the like stand between a word and the next one of its unit.
        short: N, whether a lower-case word is short enough to join names ("of", "van").
        titles: P, where the name begins in `terms` that a title is, and its length; 0 if it is none.
        marked: Names in quotes, and identifiers: unit, start in `terms` and length of each, by units.
        han: Long runs of Chinese characters, and the passage of each.
        words: T, folded.
        share: T, how often each stands with a capital in the sentences; see `units.upper_share`.
    """

    unit_start: Ints
    unit_passage: Ints
    start: Ints
    terms: Ints
    named: Bools
    glued: Bools
    short: Bools
    titles: tuple[Ints, Ints]
    marked: tuple[Ints, Ints, Ints]
    han: Sequence[tuple[str, int]]
    words: Sequence[str]
    share: Floats


_UPPER, _MARKED, _SHORT = 1, 2, 4  # what a word looks like, a bit each
_COUNTED = 16 * PART  # words counted at once: each time costs a look at all distinct ones
_SHORT_WORD = 3  # letters of a lower-case word that may join two names


def read_units(passages: Iterable[Passage], *, identifiers: bool = True) -> UnitTable:
    """Read the titles and sentences of passages once, and give passages without a title what they are about instead.

    Args:
        passages: In the order of the index.
        identifiers: Whether "payment-gw" and the like are names.
    """
    read = _Read(identifiers)
    for passage in passages:
        read.passage(passage)
    return read.table()


@dataclass(slots=True)
class _Read:
    """What is read so far: words as numbers of their forms, in arrays that grow."""

    identifiers: bool
    forms: Numbering = field(default_factory=Numbering)
    words: array[int] = field(default_factory=lambda: array("i"))
    glued: bytearray = field(default_factory=bytearray)
    length: array[int] = field(default_factory=lambda: array("i"))  # words of each unit
    units: array[int] = field(default_factory=lambda: array("i"))  # units of each passage
    title_words: array[int] = field(default_factory=lambda: array("i"))
    titles: array[int] = field(default_factory=lambda: array("i"))  # words of each title as a name
    marked_words: array[int] = field(default_factory=lambda: array("i"))
    marked: array[int] = field(default_factory=lambda: array("i"))  # unit and words of each
    untitled: dict[int, str] = field(default_factory=dict)  # passage: its first sentence
    han: list[tuple[str, int]] = field(default_factory=list)

    def passage(self, passage: Passage) -> None:
        """Read one passage."""
        title, spans = normal(passage.title), sentence_spans(passage.text)
        self._unit(title)
        if spans and not self.length[-1]:
            self.untitled[len(self.units)] = passage.text[slice(*spans[0])]
        self.titles.append(self._number(title_words(title), self.title_words))
        for start, end in spans:
            text = normal(passage.text[start:end])
            for words in marked_words(text, self._unit(text), identifiers=self.identifiers):
                self.marked.extend((len(self.length) - 1, self._number(words, self.marked_words)))
        self.units.append(1 + len(spans))

    def _unit(self, text: str) -> list[str]:
        """Read a title or sentence, and give what stands between its words."""
        pieces = word_pieces(text)
        words, between = pieces[1::2], pieces[2:-1:2]
        self.length.append(self._number(words, self.words))
        self.glued.extend(map(glued, between))
        self.glued.extend(b"\0" if words else b"")  # nothing stands behind the last word
        if not text.isascii():
            self.han.extend((run, len(self.units)) for run in LONG_HAN.findall(text))
        return between

    def _number(self, words: Sequence[str], to: array[int]) -> int:
        to.extend(map(self.forms.__getitem__, words))
        return len(words)

    def table(self) -> UnitTable:
        """All that was read; nothing more can be read after it."""
        term_of, looks, folded = _folded(self.forms)
        forms, unit_start = _array(self.words), small(bounds(_array(self.units)))
        terms, look = Lists(small(bounds(_array(self.length))), term_of[forms]), looks[forms]
        titles = Lists(bounds(_array(self.titles)), term_of[_array(self.title_words)])
        joined = np.frombuffer(self.glued, np.bool_)
        del forms
        self.words = array("i")  # neither is needed any more, and both are large
        self.forms.clear()
        share = _share(terms, _in_title(terms, unit_start), look, len(folded))
        subjects = self._subjects(folded, share)
        if subjects:
            passages = np.array(list(subjects))
            title = [[folded[term] for term in unit.terms] for unit in subjects.values()]
            name = [[folded[fold(word)] for word in title_words(unit.text)] for unit in subjects.values()]
            at = terms.start[unit_start[passages]].repeat(list(map(len, title)))
            look, joined = np.insert(look, at, 0), np.insert(joined, at, False)  # never looked at in a title
            terms, titles = _filled(terms, unit_start[passages], title), _filled(titles, passages, name)
            share = np.concatenate([share, np.ones(len(folded) - len(share))])
        unit, size = _array(self.marked).reshape(-1, 2).T
        pool = np.concatenate([terms.values, titles.values, term_of[_array(self.marked_words)]])
        before = len(terms.values) + len(titles.values)
        return UnitTable(
            unit_start=unit_start,
            unit_passage=np.arange(len(unit_start) - 1, dtype=np.int32).repeat(np.diff(unit_start)),
            start=terms.start,
            terms=pool,
            named=_named(terms, _in_title(terms, unit_start), look, share),
            glued=joined,
            short=(look & _SHORT).astype(np.bool_),
            titles=(len(terms.values) + titles.start[:-1], np.diff(titles.start)),
            marked=(unit, before + bounds(size)[:-1], size),
            han=self.han,
            words=list(folded),
            share=share,
        )

    def _subjects(self, folded: Numbering, share: Floats) -> dict[int, Unit]:
        """What the passages without a title are about, where their first sentence says it."""
        found: dict[int, Unit] = {}
        for passage, sentence in self.untitled.items():
            first = unit_of(sentence)
            known = {term: float(share[folded[term]]) for term in first.terms[:1]}
            unit = subject(first, known)
            if unit.forms:
                found[passage] = unit
                self.han.extend((run, passage) for run in LONG_HAN.findall(unit.text))
        return found


def _array(numbers: array[int]) -> Ints:
    return np.frombuffer(numbers, dtype=np.intc) if numbers else np.zeros(0, np.intc)


def _folded(forms: Iterable[str]) -> tuple[Ints, npt.NDArray[np.uint8], Numbering]:
    """The folded word of each form, how it looks, and the number of each folded word."""
    folded, terms, looks = Numbering(), array("i"), bytearray()
    for word in forms:
        form = look_at(word)
        short = len(word) <= _SHORT_WORD and word.islower()
        terms.append(folded[form.term])
        looks.append(_UPPER * form.upper | _MARKED * form.marked | _SHORT * short)
    return _array(terms), np.frombuffer(looks, np.uint8), folded


def _share(terms: Lists, in_title: Bools, look: npt.NDArray[np.uint8], count: int) -> Floats:
    """See UnitTable.share; a word that stands at the start of sentences only has 1."""
    total, upper = np.zeros(count, np.int64), np.zeros(count, np.int64)
    inner = ~in_title
    inner[terms.start[:-1][np.diff(terms.start) > 0]] = False
    for at in range(0, len(inner), _COUNTED):
        part = slice(at, at + _COUNTED)
        total += np.bincount(terms.values[part][inner[part]], minlength=count)
        upper += np.bincount(terms.values[part][inner[part] & (look[part] & _UPPER > 0)], minlength=count)
    return np.divide(upper, total, out=np.ones(count), where=total > 0)


def _named(terms: Lists, in_title: Bools, look: npt.NDArray[np.uint8], share: Floats) -> Bools:
    """See UnitTable.named and `units.mark_named`."""
    named: Bools = (look & (_UPPER | _MARKED) > 0) & ~in_title
    first = terms.start[:-1][np.diff(terms.start) > 0]
    first = first[share[terms.values[first]] < 0.5]
    named[first] &= look[first] & _MARKED > 0
    return named


def _in_title(terms: Lists, unit_start: Ints) -> Bools:
    """N, whether a word stands in a title."""
    titles = np.zeros(len(terms.start) - 1, np.bool_)
    titles[unit_start[:-1]] = True
    return titles.repeat(np.diff(terms.start))


def _filled(lists: Lists, which: Ints, contents: Sequence[Sequence[int]]) -> Lists:
    """The lists with these contents in some of them, which were empty."""
    size = np.diff(lists.start)
    size[which] = list(map(len, contents))
    at = lists.start[which].repeat(size[which])
    new = np.array([number for content in contents for number in content], dtype=lists.values.dtype)
    return Lists(small(bounds(size)), np.insert(lists.values, at, new))
