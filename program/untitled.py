"""Names where a corpus gives none: what a passage without a title is about, and names in a script without spaces."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from hopstop.program.text import FUNCTION_WORDS
from hopstop.program.units import LONG_HAN, MAX_NAME, Key, Unit, mark_named, run_end, unit_of

HAN_NAME = (2, 6)  # Han characters of a name without spaces
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


def repeated_han(units: Iterable[Unit], of_passage: Sequence[int]) -> set[Key]:
    """Runs of two to six Han characters that two or more passages share, inside of longer runs.

    A run is left out if a longer one with it stands in as many passages: it is a part of that.
    """
    held: dict[Key, set[int]] = defaultdict(set)
    for place, unit in enumerate(units):
        for run in LONG_HAN.findall(unit.text):
            for gram in _grams(tuple(run)):
                held[gram].add(of_passage[place])
    count = Counter({gram: len(passages) for gram, passages in held.items() if len(passages) > 1})
    parts = {part for gram, number in count.items() for part in (gram[1:], gram[:-1]) if count[part] == number}
    return set(count) - parts


def _grams(run: Key) -> Iterator[Key]:
    least, most = HAN_NAME
    for start in range(len(run)):
        for end in range(start + least, min(len(run), start + most) + 1):
            yield run[start:end]
