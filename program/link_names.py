"""The names of a corpus, and where they stand: what leads from one passage to another."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hopstop.program.lists import Bools, Ints, Lists
from hopstop.program.units import Key, Unit, mark_named, spelled_names, title_name, upper_share
from hopstop.program.untitled import repeated_han

NAME_DF = 100  # a name in more passages leads on to the passage that it titles only: it tells little, and costs much

Trie = dict[str, "Trie | int"]
_END = ""


@dataclass(frozen=True, slots=True)
class Names:
    """All names that titles have or that two passages share. K names, U units, P passages.

    Attributes:
        keys: K, folded words of each.
        df: K, passages in which each stands.
        titled: P, the name that is the passage's title, -1 if it has none.
        of_unit: For each unit the names that lead on from it.
        at: For each entry of `of_unit`, its first word in the unit.
        whole: For each entry of `of_unit`, whether it is spelled so there and no part of a longer name.
        units: For each name the units that it leads to.
        units_whole: For each entry of `units`, whether it is spelled so there.
    """

    keys: list[Key]
    df: Ints
    titled: Ints
    of_unit: Lists
    at: Ints
    whole: Bools
    units: Lists
    units_whole: Bools


@dataclass(frozen=True, slots=True)
class _Found:
    """Every place where a known name stands: one entry each."""

    unit: Ints
    name: Ints
    at: Ints
    whole: Bools


def find_names(units: Sequence[Unit], unit_start: Ints, of_passage: Ints, *, identifiers: bool = True) -> Names:
    """Find the names of a corpus.

    Args:
        units: U, each passage's title followed by its sentences.
        unit_start: P + 1, where the units of each passage start.
        of_passage: U, the passage of each unit.
        identifiers: Whether "payment-gw" and the like are names.
    """
    titles = frozenset(unit_start[:-1].tolist())
    share = sentence_share(units, unit_start)
    title_keys = [title_name(units[place]) for place in unit_start[:-1]]
    known: dict[Key, int] = {}
    for key in filter(None, title_keys):
        known.setdefault(key, len(known))
    titled_count = len(known)
    spelled: list[frozenset[int]] = []
    for place, unit in enumerate(units):
        mark_named(unit, share)
        keys = (
            {title_keys[of_passage[place]]} - {()} if place in titles else spelled_names(unit, identifiers=identifiers)
        )
        spelled.append(frozenset(known.setdefault(key, len(known)) for key in sorted(keys)))
    for key in sorted(repeated_han(units, of_passage.tolist())):
        known.setdefault(key, len(known))
    found = _find(units, known, spelled, _lowercase_titles(known, titled_count, share), titles)
    titled = np.array([known[key] if key else -1 for key in title_keys], dtype=np.int64)
    return _kept(list(known), titled_count, titled, found, (unit_start, of_passage))


def sentence_share(units: Sequence[Unit], unit_start: Ints) -> dict[str, float]:
    """How often each term has a capital in the sentences, titles apart; see `units.upper_share`."""
    titles = frozenset(unit_start[:-1].tolist())
    return upper_share(unit for place, unit in enumerate(units) if place not in titles)


def _lowercase_titles(known: dict[Key, int], titled_count: int, share: dict[str, float]) -> frozenset[int]:
    """Names that count even where nothing is written like a name: titles, but no single word that is a proper name."""
    return frozenset(
        number
        for key, number in known.items()
        if number < titled_count and not (len(key) == 1 and share.get(key[0], 1.0) >= 0.5)
    )


def _find(
    units: Sequence[Unit],
    known: dict[Key, int],
    spelled: Sequence[frozenset[int]],
    lowercase: frozenset[int],
    titles: frozenset[int],
) -> _Found:
    trie = _make_trie(known)
    rows = array("q")
    for place, unit in enumerate(units):
        seen: set[int] = set()
        own, named, is_title = spelled[place], unit.looks_named, place in titles
        for start, end, name in _matches(trie, unit.terms):
            if name not in seen and (is_title or True in named[start:end] or name in own or name in lowercase):
                seen.add(name)
                rows.extend((place, name, start, name in own))
    table = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return _Found(table[0], table[1], table[2], table[3].astype(np.bool_))


def _kept(keys: list[Key], titled_count: int, titled: Ints, found: _Found, layout: tuple[Ints, Ints]) -> Names:
    """Keep the names that can lead somewhere, and number them anew."""
    unit_start, of_passage = layout
    passages = len(unit_start) - 1
    pairs = np.unique(found.name * passages + of_passage[found.unit])
    df = np.bincount(pairs // max(1, passages), minlength=len(keys))
    is_title = np.arange(len(keys)) < titled_count
    keep = (df >= 2) | is_title
    number = np.cumsum(keep) - 1
    rare = df[found.name] <= NAME_DF
    leads = (df[found.name] >= 2) & (rare | is_title[found.name])
    lands = keep[found.name] & (rare | np.isin(found.unit, unit_start[:-1]))
    out = np.argsort(found.unit[leads], kind="stable")
    into = np.argsort(number[found.name[lands]], kind="stable")
    return Names(
        [key for key, kept in zip(keys, keep.tolist(), strict=True) if kept],
        df[keep],
        np.where(titled >= 0, number[titled], -1) if len(number) else titled,
        Lists.group(found.unit[leads], number[found.name[leads]], int(unit_start[-1])),
        found.at[leads][out],
        found.whole[leads][out],
        Lists.group(number[found.name[lands]], found.unit[lands], int(keep.sum())),
        found.whole[lands][into],
    )


def _make_trie(known: dict[Key, int]) -> Trie:
    """First word -> next word -> ... -> the name's number, which stands under _END if a longer name goes on there."""
    root: Trie = {}
    for key, number in known.items():
        node = root
        for term in key[:-1]:
            following = node.setdefault(term, {})
            if isinstance(following, int):
                following = node[term] = {_END: following}
            node = following
        last = node.get(key[-1])
        if isinstance(last, dict):
            last[_END] = number
        else:
            node[key[-1]] = number
    return root


def _matches(trie: Trie, terms: Sequence[str]) -> list[tuple[int, int, int]]:
    """Every (start, end, name) whose words stand in the terms, nested ones too."""
    found: list[tuple[int, int, int]] = []
    for start, first in enumerate(terms):
        node, end = trie.get(first), start
        while node is not None:
            end += 1
            if isinstance(node, int):
                found.append((start, end, node))
                break
            if _END in node:
                found.append((start, end, node[_END]))  # type: ignore[arg-type]
            node = node.get(terms[end]) if end < len(terms) else None
    return found
