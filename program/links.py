"""The link index: terms and names of every sentence, built with the BM25 index and searched by the offline policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hopstop.program.link_names import find_names
from hopstop.program.lists import PART, Bools, Floats, Ints, Lists, parts, small
from hopstop.program.records import Passage
from hopstop.program.unit_table import UnitTable, read_units
from hopstop.program.units import MAX_TITLE
from hopstop.program.word_table import Numbering, WordTable, load_array, load_text

PREFIX = (
    6  # letters of a term that count: a stemmer for any language; 5 and 7 gave the same recall on the dev questions
)
_TERMS, _NAMES = "links_term_words", "links_name_words"
K1, B = 1.5, 0.75  # Robertson and Zaragoza (2009): "1.2 < k1 < 2 and 0.5 < b < 0.8" do well; bm25s takes these two
NAMES_FILE = "links_names.txt"


@dataclass(frozen=True)
class LinkIndex:
    """What links passages. P passages in the order of their ids, U units (a title or a sentence), T terms, K names.

    Attributes:
        idf: T, Robertson's with + 1 inside the logarithm.
        df: T, passages that hold the term.
        postings: Term -> passages.
        impact: BM25 score of each posting.
        unit_start: P + 1, units of a passage, its title first.
        unit_passage: U, passage of each unit.
        unit_terms: Unit -> terms in the order of the text.
        term_units: Term -> units that hold it.
        name_df: K, passages in which the name stands.
        name_length: K, words of the name.
        name_mass: K, summed idf of the name's terms.
        unit_names: Unit -> names that lead on from it.
        unit_name_at: For each of these its first word in the unit.
        unit_name_whole: For each of these whether it is spelled so there, no part of a longer name.
        name_units: Name -> units that it leads to.
        name_unit_whole: For each of these whether it is spelled so there.
        titled: P, the name that is the passage's title, -1 if it has none.
        title_mass: P, summed idf of the title's terms, > 0.
        vocabulary: T, the letters of each term.
        names: K, folded words of each name.
    """

    idf: Floats
    df: Ints
    postings: Lists
    impact: npt.NDArray[np.float32]
    unit_start: Ints
    unit_passage: Ints
    unit_terms: Lists
    term_units: Lists
    name_df: Ints
    name_length: Ints
    name_mass: Floats
    unit_names: Lists
    unit_name_at: Ints
    unit_name_whole: Bools
    name_units: Lists
    name_unit_whole: Bools
    titled: Ints
    title_mass: Floats
    vocabulary: WordTable
    names: WordTable

    @property
    def size(self) -> int:
        """Number of passages."""
        return len(self.titled)

    @cached_property
    def name_idf(self) -> Floats:
        """K, ln((P + 1) / df)."""
        rarity: Floats = np.log((self.size + 1) / np.maximum(self.name_df, 1))
        return rarity

    def term(self, folded: str) -> int:
        """Number of a folded word's term, -1 if no passage holds it."""
        return self.vocabulary.number(folded[:PREFIX])

    def names_in(self, terms: Sequence[str]) -> list[tuple[int, int, int]]:
        """Every (start, end, name) whose words stand in these folded words, nested ones too."""
        last = len(terms)
        spans = [(start, end) for start in range(last) for end in range(start + 1, min(last, start + MAX_TITLE) + 1)]
        numbers = self.names.numbers([" ".join(terms[start:end]) for start, end in spans])
        return [(*span, number) for span, number in zip(spans, numbers, strict=True) if number >= 0]

    def save(self, folder: Path) -> None:
        """Write the arrays (whole numbers in 32 bits) and the two word lists into a folder."""
        for name, array in self._arrays().items():
            smaller = small(array) if np.issubdtype(array.dtype, np.signedinteger) else array
            np.save(folder / f"links_{name}.npy", smaller, allow_pickle=False)
        terms, names = self.vocabulary.lines(), self.names.lines()
        (folder / NAMES_FILE).write_bytes(b"\n".join((terms, names)).removesuffix(b"\n"))
        self.vocabulary.save(folder, _TERMS)
        self.names.save(folder, _NAMES, offset=len(terms) + 1)

    @classmethod
    def load(cls, folder: Path, *, mmap: bool = True) -> LinkIndex:
        """Open what `save` has written.

        Raises:
            OSError: A file is missing.
            ValueError: The files do not fit each other.
        """
        loaded: dict[str, object] = dict(zip(("vocabulary", "names"), _load_words(folder, mmap=mmap), strict=True))

        def array(name: str) -> Ints:
            return load_array(folder / f"links_{name}.npy", mmapped=mmap)

        for item in fields(cls):
            if item.name in _LISTS:
                loaded[item.name] = Lists(array(f"{item.name}_start"), array(f"{item.name}_values"))
            elif item.name not in loaded:
                loaded[item.name] = array(item.name)
        index = cls(**loaded)  # type: ignore[arg-type]
        if len(index.idf) != len(index.vocabulary) or len(index.name_df) != len(index.names):
            raise ValueError(f"{NAMES_FILE} does not fit the arrays of the links")
        return index

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        arrays: dict[str, npt.NDArray[Any]] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, Lists):
                arrays |= {f"{item.name}_start": value.start, f"{item.name}_values": value.values}
            elif isinstance(value, np.ndarray):
                arrays[item.name] = value
        return arrays


def _load_words(folder: Path, *, mmap: bool) -> tuple[WordTable, WordTable]:
    """The tables of terms and of names, also from a folder without their arrays, as were written before."""
    text = load_text(folder / NAMES_FILE, mmapped=mmap)
    if (folder / f"{_TERMS}_lines.npy").exists():
        terms, names = (WordTable.load(folder, stem, text, mmapped=mmap) for stem in (_TERMS, _NAMES))
        return terms, names
    words = bytes(text).decode().split("\n")
    split = words.index("")
    return WordTable.of(words[:split]), WordTable.of(filter(None, words[split + 1 :]))


_LISTS = frozenset({"postings", "unit_terms", "term_units", "unit_names", "name_units"})


def build_links(passages: Sequence[Passage], *, identifiers: bool = True) -> LinkIndex:
    """Index the terms and names of passages, which must be in the order of the BM25 index.

    Args:
        passages: At least one.
        identifiers: Whether "payment-gw", "session_cache" and the like are names.
    """
    table = read_units(passages, identifiers=identifiers)
    names = find_names(table)
    vocabulary, term_of = _prefixes(table)
    unit_terms = Lists(table.start, term_of[table.terms[: int(table.start[-1])]])
    key_terms = Lists(names.terms.start, term_of[names.terms.values])
    word = table.words.__getitem__
    folded = WordTable.of(" ".join(map(word, names.terms.of(at).tolist())) for at in range(len(names.df)))
    unit_start, unit_passage = table.unit_start, table.unit_passage
    del table  # the weights need the room
    weights = _weigh(Lists(unit_terms.start[unit_start], unit_terms.values), len(vocabulary))
    at, owner = unit_terms.take(unit_start[:-1])
    title_mass = np.bincount(owner, weights=weights.idf[unit_terms.values[at]], minlength=len(passages))
    return LinkIndex(
        weights.idf,
        small(weights.df),
        weights.postings,
        weights.impact,
        unit_start,
        unit_passage,
        unit_terms,
        unit_terms.inverted(len(vocabulary))[0],
        names.df,
        np.diff(names.terms.start),
        _mass(key_terms, weights.idf),
        names.of_unit,
        names.at,
        names.whole,
        names.units,
        names.units_whole,
        names.titled,
        np.maximum(title_mass, 1e-9),
        WordTable.of(vocabulary),
        folded,
    )


def _prefixes(table: UnitTable) -> tuple[Numbering, Ints]:
    """The terms of all words in units, numbered in the order of the text, and the term of each folded word."""
    terms = table.terms[: int(table.start[-1])]
    met = np.full(len(table.words), len(terms), np.int64)
    for at in reversed(range(0, len(terms), PART)):  # of equal places the last one written stays: the first in the text
        part = terms[at : at + PART]
        met[part[::-1]] = np.arange(at, at + len(part))[::-1]
    vocabulary, term_of = Numbering(), np.full(len(table.words), -1, np.int32)
    for word in np.argsort(met, kind="stable")[: np.count_nonzero(met < len(terms))].tolist():
        term_of[word] = vocabulary[table.words[word][:PREFIX]]
    return vocabulary, term_of


def _mass(keys: Lists, idf: Floats) -> Floats:
    """Summed idf of each name's terms."""
    size = np.diff(keys.start)
    mass = np.zeros(len(size))
    for at in range(int(size.max(initial=0))):
        longer = np.flatnonzero(size > at)
        mass[longer] += idf[keys.values[keys.start[longer] + at]]
    return mass


@dataclass(frozen=True, slots=True)
class _Weights:
    df: Ints
    idf: Floats
    postings: Lists
    impact: npt.NDArray[np.float32]


def _weigh(terms: Lists, term_count: int) -> _Weights:
    """BM25 of every posting, given the terms of each passage."""
    passages, length = len(terms.start) - 1, np.diff(terms.start)
    postings, times = terms.inverted(term_count)
    df = np.diff(postings.start)
    idf = np.log(1 + (passages - df + 0.5) / (df + 0.5))
    norm = K1 * (1 - B + B * length / max(float(length.mean()), 1e-9))
    impact = np.empty(len(times), np.float32)
    for first, last in parts(postings.start):
        part = slice(int(postings.start[first]), int(postings.start[last]))
        rarity = idf[first:last].repeat(df[first:last])
        impact[part] = rarity * times[part] * (K1 + 1) / (times[part] + norm[postings.values[part]])
    return _Weights(df, idf, postings, impact)
