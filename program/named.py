"""Names by which the sentences read lead to each other."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain

from hopstop.program.leads import leads
from hopstop.program.line import Line
from hopstop.program.profile import fold
from hopstop.program.text import normalise
from hopstop.program.whole_words import mentions

_IDENTIFIER = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[^\W\d_])[\w-]{4,}\b")


class Named:
    """Which of the sentences read name what another passage is about. Each pair is looked at once.

    Attributes:
        passages: For each line the other passages that it names: the rank of each, and the folded name.
        members: For each passage the places of its lines.
    """

    def __init__(self) -> None:
        self.passages: list[list[tuple[int, str]]] = []
        self.members: list[range] = []
        self._lines: list[Line] = []
        self._folded: list[str] = []
        self._texts: list[str] = []
        self._spelled = ""
        self._begins: list[int] = []
        self._subjects: list[tuple[int, str]] = []
        self._naming: list[list[int]] = []
        self._leads: dict[int, tuple[str, ...]] = {}

    def grow(self, lines: Sequence[Line], members: Sequence[range]) -> None:
        """Look at the lines that were read since the last time, and at the old ones for the new passages.

        Args:
            lines: All that were read.
            members: For each passage the places of its lines.
        """
        old, known = len(self._lines), len(self.members)
        if known == len(members):
            return
        self._lines += lines[old:]
        self.members += members[known:]
        fresh = [
            (rank, name)
            for rank, places in enumerate(members[known:], start=known)
            for name in (subject_names(lines[places[0]]) if places else ())
        ]
        self._subjects += fresh
        self._naming += [[] for _ in members[known:]]
        self._folded += [fold(line.sentence.text) for line in lines[old:]]
        self._texts += ["\n".join(self._folded[places.start : places.stop]) for places in members[known:]]
        self.passages += [[] for _ in lines[old:]]
        for rank, text in enumerate(self._texts):
            subjects = self._subjects if rank >= known else fresh
            self._name(rank, [(other, name) for other, name in subjects if name in text and other != rank])

    def _name(self, rank: int, subjects: Sequence[tuple[int, str]]) -> None:
        """Note which lines of a passage name these others."""
        for at in self.members[rank] if subjects else ():
            for other, name in subjects:
                if mentions(self._folded[at], name):
                    self.passages[at].append((other, name))
                    self._naming[other].append(at)

    def linked(self, at: int) -> tuple[Sequence[int], Iterator[int]]:
        """The lines that name the passage of a line; and these with those of the passages that it names, in order."""
        naming = self._naming[self._lines[at].rank]
        before = bisect_left(naming, at)
        onward = (place for rank, _ in self.passages[at] for place in self.members[rank])
        return naming, chain(naming[:before], onward, naming[before:])

    def leads(self, at: int) -> tuple[str, ...]:
        """The names in a line that may lead on."""
        if at not in self._leads:
            self._leads[at] = leads(self._lines[at].sentence.text)
        return self._leads[at]

    def shared(self, name: str) -> list[int]:
        """The places of the lines that hold a name which may lead on, if it stands in more than one passage.

        Names of other lines are not looked for.
        """
        ranks = self._holding(name)
        return [at for rank in ranks for at in self.members[rank] if name in self.leads(at)] if len(ranks) > 1 else []

    def _holding(self, name: str) -> list[int]:
        """The passages whose text, as names are spelled, holds this: each that may lead on stands in it."""
        self._spell()
        ranks: list[int] = []
        at = self._spelled.find(name)
        while at >= 0:
            ranks.append(bisect_right(self._begins, at) - 1)
            at = self._spelled.find(name, self._begins[ranks[-1] + 1]) if ranks[-1] + 1 < len(self._begins) else -1
        return ranks

    def _spell(self) -> None:
        """Add the passages read since the last time to the text that is searched for names."""
        for places in self.members[len(self._begins) :]:
            lines = self._lines[places.start : places.stop]
            self._begins.append(len(self._spelled))
            self._spelled += fold(normalise(" ".join([line.sentence.text for line in lines]))) + "\n"


def subject_names(line: Line) -> tuple[str, ...]:
    """What a passage is about, folded: its title without brackets, else its first name; and identifiers in either.

    An identifier is a word of letters and digits ("CHG-9568"), which texts use without the words around it.

    Args:
        line: The first of the passage.
    """
    said = fold(line.title or "".join(line.sentence.names[:1]))
    return (said, *_IDENTIFIER.findall(said)) if said else ()
