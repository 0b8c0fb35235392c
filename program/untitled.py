"""Names where a corpus gives none: what a passage without a title is about, and names in a script without spaces."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hopstop.program.lists import Bools, Ints
from hopstop.program.text import FUNCTION_WORDS
from hopstop.program.units import MAX_NAME, Key, Unit, mark_named, run_end, unit_of

MAX_HAN = 6  # Han characters of a name without spaces; two at least
_LINKS = frozenset("of the de la le du des da di del van von der den".split())  # noqa: SIM905 - reads better
OPENING = 1  # words that may stand before a subject, such as an article


def subject(first: Unit, share: dict[str, float]) -> Unit:
    """What a text is about, by its first sentence: the name that it begins with; nothing if it begins otherwise.

    The first sentence of a note or an article mostly says what it is about, as the leads of encyclopaedias do.

    Args:
        first: The first sentence.
        share: How often each term has a capital; see `units.upper_share`.
    """
    mark_named(first, share)
    if True not in first.looks_named[: OPENING + 1]:
        return unit_of("")
    start = first.looks_named.index(True)
    end = run_end(first, start)
    while (last := _linked(first, end)) > end:
        end = last
    alone = end - start == 1 and first.terms[start] in FUNCTION_WORDS
    if alone or end == len(first.forms) or end - start > MAX_NAME:  # a line that is all name is a heading, or shouted
        return unit_of("")
    return unit_of(first.words[start] + "".join(first.gaps[at] + first.words[at] for at in range(start + 1, end)))


def _linked(unit: Unit, end: int) -> int:
    """End of the run of names that follows after "of", "of the", "van der"; the same place if none does."""
    place = end
    while place < min(end + 2, len(unit.forms)) and unit.forms[place].word in _LINKS:
        place += 1
    goes_on = end < place < len(unit.forms) and unit.looks_named[place] and not unit.gaps[place].strip()
    return run_end(unit, place) if goes_on else end


def repeated_han(runs: Sequence[tuple[str, int]]) -> set[Key]:
    """Runs of two to six Han characters that two or more passages share, inside of longer runs.

    A run is left out if a longer one with it stands in as many passages: it is a part of that.

    Args:
        runs: Long runs (see `units.LONG_HAN`), each with its passage.
    """
    text = np.frombuffer("".join(run for run, _ in runs).encode("utf-32-le"), np.uint32).astype(np.int64)
    size = np.array([len(run) for run, _ in runs], dtype=np.int64)
    passage = np.array([number for _, number in runs], dtype=np.int64).repeat(size)
    left = size.cumsum().repeat(size) - np.arange(len(text))
    found: set[Key] = set()
    grams = _longer(_Grams(1, np.arange(len(text)), text, np.zeros(0, np.int64)), text, left, passage)
    while len(grams.at) and grams.length < MAX_HAN:
        longer = _longer(grams, text, left, passage)
        most = np.zeros(len(grams.count), np.int64)  # passages of a longer run with each in it
        for part in (longer.at, longer.at + 1):
            np.maximum.at(most, grams.number[part], longer.count[longer.number[longer.at]])
        found |= _keys(grams, text, grams.count > most)
        grams = longer
    return found | _keys(grams, text, grams.count > 0)


@dataclass(frozen=True, slots=True)
class _Grams:
    """Runs of one length that two or more passages share.

    Attributes:
        length: Characters of each.
        at: Where they begin in the text.
        number: For each place of the text the number of the run that begins there.
        count: For each number the passages that hold it.
    """

    length: int
    at: Ints
    number: Ints
    count: Ints


def _longer(grams: _Grams, text: Ints, left: Ints, passage: Ints) -> _Grams:
    """Those of one character more: what two passages share begins with what two passages share."""
    at = grams.at[left[grams.at] > grams.length]
    _, which = np.unique(grams.number[at] * (sys.maxunicode + 1) + text[at + grams.length], return_inverse=True)
    passages = int(passage.max(initial=0)) + 1
    count = np.bincount(np.unique(which * passages + passage[at]) // passages)
    number = np.zeros(len(text), np.int64)
    number[at] = which
    return _Grams(grams.length + 1, at[count[which] > 1], number, count)


def _keys(grams: _Grams, text: Ints, wanted: Bools) -> set[Key]:
    place = np.zeros(len(grams.count), np.int64)
    place[grams.number[grams.at]] = grams.at
    held = np.zeros(len(grams.count), np.bool_)
    held[grams.number[grams.at]] = True
    starts = place[held & wanted]
    return {tuple(map(chr, text[start : start + grams.length])) for start in starts.tolist()}
