"""Find many names in many texts: a trie in arrays, which follows all places of a text at once, a word at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hopstop.program.lists import Bools, Ints, small


@dataclass(frozen=True, slots=True)
class NameTrie:
    """A node of depth d stands for the first d words of names; those of depth 1 are the words themselves.

    Attributes:
        words: How many distinct words there are.
        edges: For each depth from 2: for each node (its parent * words + its last word), ascending.
        names: For each depth from 1: for each node the name that ends there, -1 if none does.
        parents: For each depth from 1 but the last: for each node whether a longer name goes on from it.
    """

    words: int
    edges: tuple[Ints, ...]
    names: tuple[Ints, ...]
    parents: tuple[Bools, ...]

    @staticmethod
    def of(terms: Ints, words: int, start: Ints, size: Ints) -> tuple[NameTrie, Ints]:
        """The trie of names, each given any number of times, and the number of each: any, but the same for the same.

        Args:
            terms: Words as numbers in [0, words).
            words: How many distinct ones there are.
            start: Where each name begins in `terms`.
            size: Words of each, > 0.
        """
        edges: list[Ints] = []
        names: list[Ints] = []
        parents: list[Bools] = []
        count = 0
        number = np.empty(len(start), np.int32)
        left, node, nodes, depth = small(np.arange(len(start))), terms[start].astype(np.int64), words, 1
        while True:
            ends = size[left] == depth
            name = np.full(nodes, -1, np.int32)
            name[node[ends]] = 0
            held = np.flatnonzero(name == 0)
            name[held] = np.arange(count, count + len(held))
            count += len(held)
            number[left[ends]] = name[node[ends]]
            names.append(name)
            left, node = left[~ends], node[~ends]
            if not len(left):
                return NameTrie(words, tuple(edges), tuple(names), tuple(parents)), number
            parents.append(np.zeros(nodes, np.bool_))
            parents[-1][node] = True
            edge, node = np.unique(node * words + terms[start[left] + depth], return_inverse=True)
            edges.append(edge)
            nodes, depth = len(edge), depth + 1

    def renumbered(self, number: Ints) -> NameTrie:
        """The same names with other numbers: `number[i]` for i."""
        behind = np.concatenate([number, [-1]]).astype(np.int32)
        return replace(self, names=tuple(behind[name] for name in self.names))

    def matches(self, terms: Ints, left: Ints) -> tuple[Ints, Ints, Ints]:
        """Start, words and number of all names in a text, nested ones too, in the order of their starts and ends.

        Args:
            terms: n, the words of the text.
            left: n, words from each one to the end of its sentence, > 0.
        """
        found = []
        at, node = np.arange(len(terms)), terms
        for depth, name in enumerate(self.names, start=1):
            hit = np.flatnonzero(name[node] >= 0)
            found.append((at[hit], np.full(len(hit), depth), name[node[hit]]))
            if depth > len(self.edges):
                break
            on = np.flatnonzero(self.parents[depth - 1][node] & (left[at] > depth))
            at, edge = at[on], self.edges[depth - 1]
            wanted = node[on].astype(np.int64) * self.words + terms[at + depth]
            node = np.minimum(np.searchsorted(edge, wanted), len(edge) - 1)
            same = np.flatnonzero(edge[node] == wanted)
            at, node = at[same], node[same]
        start, size, name = (np.concatenate(column) for column in zip(*found, strict=True))
        order = np.argsort(start * (len(self.names) + 1) + size, kind="stable")
        return start[order], size[order], name[order]
