"""Many lists of whole numbers in two arrays, so that numpy can take thousands of them at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.signedinteger[Any]]  # of 64 bits, or of 32 where they fit
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

PART = 1 << 20  # numbers worked on at once: 8 MB of each array, little beside what is made of them


@dataclass(frozen=True, slots=True)
class Lists:
    """List i is `values[start[i] : start[i + 1]]`.

    Attributes:
        start: (n + 1,) ascending, from 0 to len(values).
        values: All lists behind each other.
    """

    start: Ints
    values: Ints

    @staticmethod
    def group(keys: Ints, values: Ints, count: int) -> Lists:
        """Put each value into the list of its key, in [0, count), in the order given."""
        order = np.argsort(keys, kind="stable")
        return Lists(small(bounds(np.bincount(keys, minlength=count))), values[order])

    def of(self, which: int) -> Ints:
        """The values of one list."""
        return self.values[self.start[which] : self.start[which + 1]]

    def take(self, which: Ints) -> tuple[Ints, Ints]:
        """Positions in `values` of all members of these lists, and for each which of them it is of."""
        return ranges(self.start[which], self.start[which + 1])

    def inverted(self, count: int) -> tuple[Lists, Ints]:
        """For each value, in [0, count), the lists that hold it, ascending, and how often each of them does.

        In time linear in the values, and part by part: the memory beyond what is returned does not grow with them.
        """
        held = np.zeros(count, np.int64)
        for value, _, _ in self._counted():
            first, size = _runs(value)
            held[value[first]] += size
        start = bounds(held)
        place, total = start[:-1].copy(), int(start[-1])
        holders, times = np.empty(total, np.int32), np.empty(total, np.int32)
        for value, holder, often in self._counted():
            first, size = _runs(value)
            at = np.arange(len(value)) + (place[value[first]] - first).repeat(size)
            holders[at], times[at] = holder, often
            place[value[first]] += size
        return Lists(small(start), holders), times

    def _counted(self) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Value, list, and how often it stands there, ascending, of one part of the lists after the other."""
        for first, last in parts(self.start):
            size = np.diff(self.start[first : last + 1])
            values = self.values[int(self.start[first]) : int(self.start[last])].astype(np.int64)
            pair = values * (last - first) + np.arange(last - first).repeat(size)
            pair.sort()  # not np.unique, whose hashing takes ten times as long on millions of them
            at, often = _runs(pair)
            pair = pair[at]
            yield pair // (last - first), pair % (last - first) + first, often


def _runs(ascending: Ints) -> tuple[Ints, Ints]:
    """Where each new number begins, and how often it stands there."""
    first = np.flatnonzero(np.concatenate([[True], ascending[1:] != ascending[:-1]])[: len(ascending)])
    return first, np.diff(first, append=len(ascending))


def parts(start: Ints, size: int = PART) -> Iterator[tuple[int, int]]:
    """Ranges [first, last) of neighbouring lists with at most this many values together, or one list with more."""
    first, count = 0, len(start) - 1
    while first < count:
        end = int(start[first]) + size
        last = count if end >= int(start[-1]) else int(np.searchsorted(start, end, side="right")) - 1
        last = max(first + 1, last)
        yield first, last
        first = last


def small(numbers: Ints) -> Ints:
    """The same whole numbers, in 32 bits where they fit: half the memory, and as a saved index holds them."""
    fits = not len(numbers) or -(1 << 31) <= int(numbers.min()) <= int(numbers.max()) < 1 << 31
    return numbers.astype(np.int32, copy=False) if fits else numbers


def bounds(counts: Ints) -> Ints:
    """Where lists of these lengths start, with the end of the last."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])


def ranges(start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """The numbers of all ranges [start, end) behind each other, and for each which range it is of."""
    count = end - start
    owner = np.arange(len(count)).repeat(count)
    return np.arange(len(owner)) + (start + count - count.cumsum())[owner], owner
