"""The link index: terms and names of every sentence, built with the BM25 index and searched by the offline policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hopstop.program.link_names import find_names, sentence_share
from hopstop.program.lists import Bools, Floats, Ints, Lists, bounds
from hopstop.program.records import Passage
from hopstop.program.sentences import sentence_spans
from hopstop.program.units import MAX_TITLE, Key, Unit, unit_of
from hopstop.program.untitled import subject

PREFIX = (
    6  # letters of a term that count: a stemmer for any language; 5 and 7 gave the same recall on the dev questions
)
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
        vocabulary: Term -> number.
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
    vocabulary: dict[str, int]
    names: list[str]

    @property
    def size(self) -> int:
        """Number of passages."""
        return len(self.titled)

    @cached_property
    def name_idf(self) -> Floats:
        """K, ln((P + 1) / df)."""
        rarity: Floats = np.log((self.size + 1) / np.maximum(self.name_df, 1))
        return rarity

    @cached_property
    def number_of_name(self) -> dict[str, int]:
        """Name -> number."""
        return {name: number for number, name in enumerate(self.names)}

    def term(self, folded: str) -> int:
        """Number of a folded word's term, -1 if no passage holds it."""
        return self.vocabulary.get(folded[:PREFIX], -1)

    def names_in(self, terms: Sequence[str]) -> list[tuple[int, int, int]]:
        """Every (start, end, name) whose words stand in these folded words, nested ones too."""
        found = []
        for start in range(len(terms)):
            for end in range(start + 1, min(len(terms), start + MAX_TITLE) + 1):
                number = self.number_of_name.get(" ".join(terms[start:end]))
                if number is not None:
                    found.append((start, end, number))
        return found

    def save(self, folder: Path) -> None:
        """Write the arrays (whole numbers in 32 bits) and the two word lists into a folder."""
        for name, array in self._arrays().items():
            small = array.astype(np.int32) if array.dtype == np.int64 else array
            np.save(folder / f"links_{name}.npy", small, allow_pickle=False)
        words = [*self.vocabulary, "", *self.names]
        (folder / NAMES_FILE).write_text("\n".join(words), encoding="utf-8", newline="\n")

    @classmethod
    def load(cls, folder: Path, *, mmap: bool = True) -> LinkIndex:
        """Open what `save` has written.

        Raises:
            OSError: A file is missing.
            ValueError: The files do not fit each other.
        """
        words = (folder / NAMES_FILE).read_text(encoding="utf-8").split("\n")
        split = words.index("")
        loaded: dict[str, object] = {
            "vocabulary": {term: number for number, term in enumerate(words[:split])},
            "names": words[split + 1 :] if words[split + 1 :] != [""] else [],
        }

        def array(name: str) -> Ints:
            mapped = np.load(folder / f"links_{name}.npy", mmap_mode="r" if mmap else None, allow_pickle=False)
            plain: Ints = np.asarray(mapped)  # the same memory: indexing a np.memmap costs ten times as much
            return plain

        for item in fields(cls):
            if item.name in _LISTS:
                loaded[item.name] = Lists(array(f"{item.name}_start"), array(f"{item.name}_values"))
            elif item.name not in loaded:
                loaded[item.name] = array(item.name)
        index = cls(**loaded)  # type: ignore[arg-type]
        if len(index.idf) != len(index.vocabulary) or len(index.name_df) != len(index.names):
            raise ValueError(f"{NAMES_FILE} does not fit the arrays of the links")
        return index

    def _arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        arrays: dict[str, npt.NDArray[np.generic]] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, Lists):
                arrays |= {f"{item.name}_start": value.start, f"{item.name}_values": value.values}
            elif isinstance(value, np.ndarray):
                arrays[item.name] = value
        return arrays


_LISTS = frozenset({"postings", "unit_terms", "term_units", "unit_names", "name_units"})


def build_links(passages: Sequence[Passage], *, identifiers: bool = True) -> LinkIndex:
    """Index the terms and names of passages, which must be in the order of the BM25 index.

    Args:
        passages: At least one.
        identifiers: Whether "payment-gw", "session_cache" and the like are names.
    """
    texts = [[passage.title, *_sentences(passage.text)] for passage in passages]
    units = [unit_of(text) for part in texts for text in part]
    unit_start = bounds(np.array([len(part) for part in texts]))
    of_passage = np.repeat(np.arange(len(passages)), np.diff(unit_start))
    _name_untitled(units, unit_start)
    vocabulary: dict[str, int] = {}
    numbers = (vocabulary.setdefault(term[:PREFIX], len(vocabulary)) for unit in units for term in unit.terms)
    flat = np.fromiter(numbers, dtype=np.int64)
    unit_terms = Lists(bounds(np.array([len(unit.terms) for unit in units])), flat)
    weights = _weigh(flat, np.repeat(of_passage, np.diff(unit_terms.start)), len(vocabulary), len(passages))
    names = find_names(units, unit_start, of_passage, identifiers=identifiers)
    at, owner = unit_terms.take(unit_start[:-1])
    idf = weights.idf
    return LinkIndex(
        idf,
        weights.df,
        weights.postings,
        weights.impact,
        unit_start,
        of_passage,
        unit_terms,
        _units_of_terms(unit_terms, len(vocabulary)),
        names.df,
        np.array([len(key) for key in names.keys], dtype=np.int64),
        np.array([_mass(key, idf, vocabulary) for key in names.keys], dtype=np.float64),
        names.of_unit,
        names.at,
        names.whole,
        names.units,
        names.units_whole,
        names.titled,
        np.maximum(np.bincount(owner, weights=idf[flat[at]], minlength=len(passages)), 1e-9),
        vocabulary,
        [" ".join(key) for key in names.keys],
    )


def _name_untitled(units: list[Unit], unit_start: Ints) -> None:
    """Give passages without a title what they are about in its place."""
    untitled = [place for place in unit_start[:-1].tolist() if not units[place].forms]
    share = sentence_share(units, unit_start) if untitled else {}
    for place in untitled:
        units[place] = subject(units[place + 1], share) if place + 1 < len(units) else units[place]


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def _units_of_terms(unit_terms: Lists, term_count: int) -> Lists:
    units = len(unit_terms.start) - 1
    owner = np.repeat(np.arange(units), np.diff(unit_terms.start))
    pair = unit_terms.values * max(1, units) + owner
    pair.sort()  # not np.unique, whose hashing takes ten times as long on millions of them
    pair = pair[np.concatenate([[True], pair[1:] > pair[:-1]])] if len(pair) else pair
    return Lists(bounds(np.bincount(pair // max(1, units), minlength=term_count)), pair % max(1, units))


def _mass(key: Key, idf: Floats, vocabulary: dict[str, int]) -> float:
    return float(sum(idf[vocabulary[term[:PREFIX]]] for term in key))


@dataclass(frozen=True, slots=True)
class _Weights:
    df: Ints
    idf: Floats
    postings: Lists
    impact: npt.NDArray[np.float32]


def _weigh(terms: Ints, passage: Ints, term_count: int, passage_count: int) -> _Weights:
    """BM25 of every posting."""
    pair, count = np.unique(terms * passage_count + passage, return_counts=True)
    term, where = pair // passage_count, pair % passage_count
    length = np.bincount(passage, minlength=passage_count)
    df = np.bincount(term, minlength=term_count)
    idf = np.log(1 + (passage_count - df + 0.5) / (df + 0.5))
    norm = K1 * (1 - B + B * length[where] / max(float(length.mean()), 1e-9))
    impact = idf[term] * count * (K1 + 1) / (count + norm)
    return _Weights(df, idf, Lists(bounds(df), where), impact.astype(np.float32))
