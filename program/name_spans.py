"""Where names are spelled: runs of words that are written like names, whole and in parts, in whole corpora at once."""

from __future__ import annotations

import numpy as np

from hopstop.program.lists import Bools, Ints, parts
from hopstop.program.unit_table import UnitTable
from hopstop.program.units import MAX_NAME

LOOK_AHEAD = 3  # words behind a name that are looked at: two short ones, and the one at which it goes on

Spans = tuple[Ints, Ints, Ints]  # unit, start in the words of the table, and words of each


def spelled_spans(table: UnitTable) -> Spans:
    """The names as spelled in sentences: runs of named words, and those joined by short words, whole and in parts."""
    found = [_of_part(table, first, last) for first, last in parts(table.start)]
    unit, start, size = (np.concatenate(column) for column in zip(*found, strict=True))
    return unit, start, size


def _of_part(table: UnitTable, first: int, last: int) -> Spans:
    """Those of the units from first to last."""
    begin, end = int(table.start[first]), int(table.start[last])
    words = slice(begin, end)
    start, stop = _spans(*(_padded(flags[words]) for flags in (table.named, table.glued, table.short)))
    size = stop - start
    start, size = start[size <= MAX_NAME] + begin, size[size <= MAX_NAME]
    unit = np.searchsorted(table.start, start, side="right") - 1
    return unit.astype(np.int32), start.astype(table.start.dtype), size.astype(np.int8)


def _padded(flags: Bools) -> Bools:
    return np.concatenate([flags, np.zeros(LOOK_AHEAD, np.bool_)])


def _spans(named: Bools, glued: Bools, short: Bools) -> tuple[Ints, Ints]:
    """Start and end of each name.

    Args:
        named: n, whether each word is written like a name.
        glued: n, whether only spaces and the like stand between it and the next one; False at the end of a unit.
        short: n, whether it is a short lower-case word.
    """
    goes_on = np.zeros_like(named)
    goes_on[1:] = named[1:] & named[:-1] & glued[:-1]
    begin = np.flatnonzero(named & ~goes_on)
    end = np.flatnonzero(named[:-1] & ~goes_on[1:]) + 1
    at = end + 1 + (glued[end] & short[end + 1])
    bridge = glued[end - 1] & short[end] & named[at] & glued[at - 1]
    joined = np.concatenate([[False], bridge[:-1]])[: len(begin)]
    part = np.where(joined, np.concatenate([[0], at[:-1]])[: len(begin)], begin)
    chain = begin[np.maximum.accumulate(np.where(joined, 0, np.arange(len(begin))))]
    longer = np.flatnonzero(chain < part)
    return np.concatenate([part, chain[longer]]), np.concatenate([end, end[longer]])
