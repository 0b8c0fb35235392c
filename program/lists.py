"""Many lists of whole numbers in two arrays, so that numpy can take thousands of them at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


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
        return Lists(bounds(np.bincount(keys, minlength=count)), values[order])

    def of(self, which: int) -> Ints:
        """The values of one list."""
        return self.values[self.start[which] : self.start[which + 1]]

    def take(self, which: Ints) -> tuple[Ints, Ints]:
        """Positions in `values` of all members of these lists, and for each which of them it is of."""
        return ranges(self.start[which], self.start[which + 1])


def bounds(counts: Ints) -> Ints:
    """Where lists of these lengths start, with the end of the last."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])


def ranges(start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """The numbers of all ranges [start, end) behind each other, and for each which range it is of."""
    count = end - start
    owner = np.arange(len(count)).repeat(count)
    return np.arange(len(owner)) + (start + count - count.cumsum())[owner], owner
