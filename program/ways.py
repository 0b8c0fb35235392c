"""Ways to passages that were not read yet, and what speaks for each: the features that the walk weighs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hopstop.program.asked import Asked
from hopstop.program.bm25 import best_positions
from hopstop.program.lists import Bools, Floats, Ints, ranges

POOL = 50  # hits of the question that compete; the 50 deep pools of TREC, beyond which nothing was found on dev
LEAST_P = 1e-3  # shares below are the same as this one, so that a logarithm of them stays bounded

# Of a hit of the question: its BM25 against the best, 1 / rank, share of its title that is asked for, whether its title
# stands in the question, its best sentence's share of the question, whether its title stands there outside of any
# longer name, and a rank that falls in a line.
DIRECT = ("d_bm25", "d_rank", "d_title", "d_titleq", "d_best", "d_whole", "d_top")
# Of a link from a passage that was read, by a name, to a sentence of another one. See `linked_ways`.
LINK = (
    "l_one", "l_bm25", "l_nidf", "l_mass", "l_titled", "l_title", "l_inq", "l_here", "l_read", "l_gain",
    "l_lead_read", "l_lead", "l_titleq", "l_near", "l_depth", "l_soft", "l_whole", "l_logp", "l_whole_read",
    "l_whole_here", "l_shared",
)  # fmt: skip
# Of a passage in the state of the walk: how often its title was read, and the share of the question that it would add.
STATE = ("s_same", "s_new")
FEATURES = DIRECT + LINK + STATE
STATIC = len(DIRECT) + len(LINK)


@dataclass(frozen=True, slots=True)
class Ways:
    """Ways to passages, one row each; several may lead to one passage.

    Attributes:
        passage: n, where each leads.
        features: n x STATIC.
        mask: n, terms of the question that the way has met before its last passage.
        depth: n, 1 for a hit of the question, one more for each link.
        via: n, the name that leads there, -1 for a hit of the question.
    """

    passage: Ints
    features: Floats
    mask: Ints
    depth: Ints
    via: Ints

    def take(self, which: Ints) -> Ways:
        """The ways at these places."""
        return Ways(self.passage[which], self.features[which], self.mask[which], self.depth[which], self.via[which])

    def plus(self, other: Ways) -> Ways:
        """These ways, then others."""
        return Ways(
            np.concatenate([self.passage, other.passage]),
            np.concatenate([self.features, other.features]),
            np.concatenate([self.mask, other.mask]),
            np.concatenate([self.depth, other.depth]),
            np.concatenate([self.via, other.via]),
        )


def first_ways(asked: Asked) -> Ways:
    """The best POOL passages of one BM25 search with the question."""
    index = asked.index
    top = best_positions(asked.bm25, POOL)
    features = np.zeros((len(top), STATIC))
    if len(top):
        rank = np.arange(len(top))
        at, owner = ranges(index.unit_start[top], index.unit_start[top + 1])
        units = asked.unit_masks(at)
        count = index.unit_start[top + 1] - index.unit_start[top]
        first = np.cumsum(count) - count
        title = units[first]
        columns = (
            asked.bm25[top] / asked.bm25[top[0]],
            1 / (1 + rank),
            np.minimum(asked.share(title) * asked.mass / index.title_mass[top], 1),
            asked.title_share(top),
            np.maximum.reduceat(asked.share(units | title[owner]), first),
            asked.named_whole(index.titled[top]),
            np.maximum(1 - rank / 10, 0),
        )
        for place, column in enumerate(columns):
            features[:, place] = column
    return Ways(top, features, np.zeros(len(top), np.int64), np.ones(len(top), np.int64), np.full(len(top), -1))


@dataclass(frozen=True, slots=True)
class Sources:
    """Passages that were read and whose names lead on, one row each.

    Attributes:
        passage: m, their places.
        way: m, terms of the question that the way to each has met.
        depth: m, links from the question to each.
        p: m, share of the score (softmax) that each had when it was chosen, in (0, 1].
    """

    passage: Ints
    way: Ints
    depth: Ints
    p: Floats


@dataclass(frozen=True, slots=True)
class _Exits:
    """The names of the sources, each in the sentence that says most of what is asked, nearest to the name."""

    source: Ints
    name: Ints
    unit: Ints
    mask: Ints
    share: Floats
    near: Floats
    whole: Bools


def _exits(asked: Asked, sources: Sources) -> _Exits:
    index = asked.index
    title = index.unit_start[sources.passage]
    units, of = ranges(title, index.unit_start[sources.passage + 1])
    masks = asked.unit_masks(units) | (asked.unit_masks(title) | sources.way)[of]
    where, owner = index.unit_names.take(units)
    source, name, unit, mask = of[owner], index.unit_names.values[where], units[owner], masks[owner]
    share = asked.share(masks)[owner]
    near = _nearness(asked, unit, name, index.unit_name_at[where])
    order = np.lexsort((-(share + near), name, source))
    key = (source * (len(index.names) + 1) + name)[order]
    best = order[np.concatenate([[True], key[1:] > key[:-1]])] if len(order) else order
    whole = index.unit_name_whole[where[best]]
    return _Exits(source[best], name[best], unit[best], mask[best], share[best], near[best], whole)


def _nearness(asked: Asked, units: Ints, names: Ints, at: Ints) -> Floats:
    """Sum over the question's terms in the unit of idf share / distance to the name in words."""
    terms = asked.index.unit_terms
    where, owner = terms.take(units)
    weight = asked.term_weights(terms.values[where])
    hit = np.flatnonzero(weight)
    owner = owner[hit]
    place = where[hit] - terms.start[units[owner]]
    last = at + asked.index.name_length[names] - 1
    distance = np.maximum(np.maximum(at[owner] - place, place - last[owner]), 0)
    value = np.where(distance > 0, weight[hit] / np.maximum(distance, 1), 0)
    near: Floats = np.bincount(owner, weights=value, minlength=len(units)).astype(np.float64)
    return near


def linked_ways(asked: Asked, sources: Sources, closed: Bools) -> tuple[Ways, Ints]:
    """Ways to the passages that names of the sources lead to, and for each of which source it is.

    Args:
        asked: The question.
        sources: Where the ways begin.
        closed: P, passages that no way shall lead to; the sources themselves are among them.
    """
    index = asked.index
    exits = _exits(asked, sources)
    where, owner = index.name_units.take(exits.name)
    unit = index.name_units.values[where]
    to = index.unit_passage[unit]
    left = np.flatnonzero(~closed[to])
    where, unit, to, owner = where[left], unit[left], to[left], owner[left]
    source, name, title = exits.source[owner], exits.name[owner], index.unit_start[to]
    start, scale = index.unit_start[sources.passage], np.log(index.size + 1)
    in_title = unit == title
    ends, pair = np.unique(source * index.size + to, return_inverse=True)  # several names may lead from one to another
    said = np.where(in_title, asked.passage_masks(to), asked.unit_masks(unit) | asked.unit_masks(title))
    columns = (
        1,
        asked.bm25[to] / max(asked.best, 1e-9),
        index.name_idf[name] / scale,  # how rare the name is
        np.minimum(index.name_mass[name] / scale, 3),  # how long and rare its words are
        index.titled[to] == name,  # it is the passage's title,
        in_title * np.minimum(index.name_mass[name] / index.title_mass[to], 1),  # or this share of it
        asked.named(exits.name)[owner],
        exits.share[owner],  # cover of the question on the way, the sentence with the name included
        asked.share(asked.passage_masks(sources.passage) | sources.way)[source],  # the same with the whole passage
        asked.share(said & ~exits.mask[owner]),  # what the new sentence adds
        (1 / (1 + exits.unit - start[exits.source]))[owner],  # early sentences say what a passage is about
        1 / (1 + unit - title),
        asked.title_share(to),
        exits.near[owner],
        sources.depth[source],
        _title_in(asked, sources.passage, ends)[pair],
        asked.named_whole(index.titled[to]),
        np.log(np.maximum(sources.p, LEAST_P))[source],
        exits.whole[owner],
        index.name_unit_whole[where],
        np.minimum(np.bincount(pair, weights=index.name_idf[name])[pair] / scale, 3),  # all names that they share
    )
    features = np.zeros((len(to), STATIC))
    for place, column in enumerate(columns, start=len(DIRECT)):
        features[:, place] = column
    return Ways(to, features, exits.mask[owner], sources.depth[source] + 1, name), source


def _title_in(asked: Asked, passages: Ints, ends: Ints) -> Floats:
    """Share of the idf of a title whose terms stand in a source, in any order.

    Args:
        asked: The question.
        passages: Of the sources.
        ends: Source * size of the index + the passage that has the title.
    """
    index, terms = asked.index, asked.index.unit_terms
    source, to = np.divmod(ends, index.size)
    first, last = terms.start[index.unit_start[passages]], terms.start[index.unit_start[passages + 1]]
    at, of = ranges(first, last)
    holds = np.zeros((len(passages), len(index.idf)), np.bool_)
    holds[of, terms.values[at]] = True
    at, owner = terms.take(index.unit_start[to])
    term = terms.values[at]
    found = holds[source[owner], term]
    held = np.bincount(owner, weights=found * index.idf[term], minlength=len(to)).astype(np.float64)
    return np.divide(held, index.title_mass[to], dtype=np.float64)
