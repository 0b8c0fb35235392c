"""The names of a corpus, and where they stand: what leads from one passage to another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hopstop.program.lists import Bools, Ints, Lists, bounds, parts, ranges, small
from hopstop.program.name_spans import spelled_spans
from hopstop.program.name_trie import NameTrie
from hopstop.program.unit_table import UnitTable
from hopstop.program.untitled import repeated_han

# A name in more passages leads on to titles only, and one that stands in more titles only to those that it makes up:
# such a name tells little, and the work for a question would grow with the corpus. On dev, 121 titles were the most.
NAME_DF = 100
NAME_TITLES = 200


@dataclass(frozen=True, slots=True)
class Names:
    """All names that titles have or that two passages share. K names, U units, P passages.

    Attributes:
        terms: K lists, the words of each as numbers of the table.
        df: K, passages in which each stands.
        titled: P, the name that is the passage's title, -1 if it has none.
        of_unit: For each unit the names that lead on from it.
        at: For each entry of `of_unit`, its first word in the unit.
        whole: For each entry of `of_unit`, whether it is spelled so there and no part of a longer name.
        units: For each name the units that it leads to.
        units_whole: For each entry of `units`, whether it is spelled so there.
    """

    terms: Lists
    df: Ints
    titled: Ints
    of_unit: Lists
    at: Ints
    whole: Bools
    units: Lists
    units_whole: Bools


@dataclass(frozen=True, slots=True)
class _Known:
    """Every name that is spelled anywhere, those of titles first. K names.

    Attributes:
        trie: Finds them.
        terms: K lists, their words.
        titled: P, the name of each title, -1 if it has none.
        spelled: Unit * K + name of all that are spelled somewhere, ascending.
        lowercase: K, whether a name counts even where nothing is written like a name: titles, but no single word that
            is a proper name.
        titles: How many names are those of titles.
    """

    trie: NameTrie
    terms: Lists
    titled: Ints
    spelled: Ints
    lowercase: Bools
    titles: int


@dataclass(frozen=True, slots=True)
class _Found:
    """Every place where a known name stands: one entry each, by units."""

    unit: Ints
    name: Ints
    at: Ints
    whole: Bools


def find_names(table: UnitTable) -> Names:
    """Find the names of a corpus."""
    known = _known(table)
    parted = [_find(table, known, first, last) for first, last in parts(table.start)]
    found = _Found(*(np.concatenate(column) for column in zip(*parted, strict=True)))
    return _kept(known, found, table)


def _known(table: UnitTable) -> _Known:
    """Number the names: titles in the order of passages, others in that of the units, in one unit by their words."""
    passages, units, words = len(table.titles[0]), len(table.unit_passage), len(table.words)
    titled = np.flatnonzero(table.titles[1])
    unit, start, size = _spelled(table)
    han_start, han_size, terms = _shared_han(table)
    first = small(np.concatenate([titled, passages + unit, np.full(len(han_start), passages + units)]))
    start = small(np.concatenate([table.titles[0][titled], start, han_start]))
    size = np.concatenate([table.titles[1][titled].astype(np.int8), size, han_size.astype(np.int8)])
    trie, number = NameTrie.of(terms, words, start, size)
    sample = np.empty(int(number.max(initial=-1)) + 1, np.int64)
    sample[number[::-1]] = np.arange(len(number))[::-1]  # where each is met first
    order = np.lexsort((*_by_words(table, terms, start[sample], size[sample]), first[sample]))
    anew = np.empty(len(order), np.int32)
    anew[order] = np.arange(len(order))
    number, sample = anew[number], sample[order]
    of_title = np.full(passages, -1, np.int32)
    of_title[titled] = number[: len(titled)]
    places = np.concatenate([table.unit_start[titled], unit]).astype(np.int64)
    spelled = np.sort(places * len(order) + number[: len(places)])
    at, _ = ranges(start[sample], start[sample] + size[sample])
    known = Lists(bounds(size[sample]), terms[at])
    titles = int(of_title.max(initial=-1)) + 1
    proper = (size[sample] == 1) & (table.share[terms[start[sample]]] >= 0.5)
    lowercase = (np.arange(len(order)) < titles) & ~proper
    return _Known(trie.renumbered(anew), known, of_title, spelled, lowercase, titles)


def _spelled(table: UnitTable) -> tuple[Ints, Ints, Ints]:
    """Unit, start and words of all that is spelled like a name in sentences, by units."""
    unit, start, size = (np.concatenate(pair) for pair in zip(spelled_spans(table), table.marked, strict=True))
    order = np.argsort(unit, kind="stable")
    return unit[order], start[order], size[order].astype(np.int8)


def _shared_han(table: UnitTable) -> tuple[Ints, Ints, Ints]:
    """Start and words of names in a script without spaces, and the terms of the table with theirs behind them."""
    keys = sorted(repeated_han(table.han)) if table.han else []
    if not keys:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), table.terms
    wanted = frozenset(char for key in keys for char in key)
    number = {word: place for place, word in enumerate(table.words) if word in wanted}
    size = np.array(list(map(len, keys)))
    terms = np.array([number[char] for key in keys for char in key], table.terms.dtype)
    return len(table.terms) + bounds(size)[:-1], size, np.concatenate([table.terms, terms])


def _by_words(table: UnitTable, terms: Ints, start: Ints, size: Ints) -> list[Ints]:
    """Keys of np.lexsort that put names into the order of their words, as strings."""
    rank = np.empty(len(table.words), np.int32)
    rank[sorted(range(len(rank)), key=table.words.__getitem__)] = np.arange(1, len(rank) + 1, dtype=np.int32)
    longest = int(size.max(initial=0))
    last = len(terms) - 1
    return [np.where(size > at, rank[terms[np.minimum(start + at, last)]], 0) for at in reversed(range(longest))]


def _find(table: UnitTable, known: _Known, first: int, last: int) -> tuple[Ints, Ints, Ints, Bools]:
    """Unit, name, first word in it, and whether it is spelled so there, of the units from first to last.

    A name counts once a unit: where it stands in a title, is spelled so in the unit, has a word in it that is written
    like a name, or is a title that may be written in lower case.
    """
    begin, end = int(table.start[first]), int(table.start[last])
    of = np.arange(first, last, dtype=np.int32).repeat(np.diff(table.start[first : last + 1]))
    start, size, name = known.trie.matches(table.terms[begin:end], table.start[of + 1] - np.arange(begin, end))
    unit = of[start]
    pair = unit.astype(np.int64) * len(known.lowercase) + name
    whole = _in(pair, known.spelled)
    before = np.concatenate([[0], np.cumsum(table.named[begin:end])])
    in_title = table.unit_start[table.unit_passage[unit]] == unit
    counts = np.flatnonzero(in_title | whole | known.lowercase[name] | (before[start + size] > before[start]))
    by_pair = counts[np.argsort(pair[counts], kind="stable")]
    kept = np.sort(by_pair[np.flatnonzero(np.diff(pair[by_pair], prepend=-1))])
    unit = unit[kept]
    return unit, name[kept], (start[kept] + begin - table.start[unit]).astype(np.int32), whole[kept]


def _in(numbers: Ints, ascending: Ints) -> Bools:
    if not len(ascending):
        return np.zeros(len(numbers), np.bool_)
    found: Bools = ascending[np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)] == numbers
    return found


def _kept(known: _Known, found: _Found, table: UnitTable) -> Names:
    """Keep the names that can lead somewhere, and number them anew."""
    names = len(known.lowercase)
    is_title = np.arange(names) < known.titles
    df = _passages_of(found, table, names)
    keep = (df >= 2) | is_title
    number = (np.cumsum(keep) - 1).astype(np.int32)
    leads = np.flatnonzero(((df >= 2) & ((df <= NAME_DF) | is_title))[found.name])
    lands = leads[_lands(known, found.unit[leads], found.name[leads], table, df)]
    into = lands[np.argsort(number[found.name[lands]], kind="stable")]
    kept = np.flatnonzero(keep)
    at, _ = known.terms.take(kept)
    return Names(
        Lists(bounds(np.diff(known.terms.start)[kept]), known.terms.values[at]),
        small(df[keep]),
        np.where(known.titled >= 0, number[known.titled], -1).astype(np.int32) if names else known.titled,
        Lists(_starts(found.unit[leads], len(table.unit_passage)), number[found.name[leads]]),
        found.at[leads],
        found.whole[leads],
        Lists(_starts(number[found.name[lands]], len(kept)), found.unit[into]),
        found.whole[into],
    )


def _lands(known: _Known, unit: Ints, name: Ints, table: UnitTable, df: Ints) -> Bools:
    """Which of these units their names lead to; see NAME_DF."""
    passage = table.unit_passage[unit]
    in_title = table.unit_start[passage] == unit
    is_title = in_title & (known.titled[passage] == name)
    few, few_own = (np.bincount(name[held], minlength=len(df)) <= NAME_TITLES for held in (in_title, is_title))
    lands: Bools = (df <= NAME_DF)[name] | (in_title & few[name]) | (is_title & few_own[name])
    return lands


def _starts(keys: Ints, count: int) -> Ints:
    return small(bounds(np.bincount(keys, minlength=count)))


def _passages_of(found: _Found, table: UnitTable, names: int) -> Ints:
    """K, how many passages hold each name."""
    pair = found.name.astype(np.int64) * len(table.titles[0]) + table.unit_passage[found.unit]
    pair.sort()
    return np.bincount(pair[np.flatnonzero(np.diff(pair, prepend=-1))] // len(table.titles[0]), minlength=names)
