"""Names by which the sentences read lead to each other."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from hopstop.program.leads import leads
from hopstop.program.line import Line
from hopstop.program.profile import fold

_IDENTIFIER = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[^\W\d_])[\w-]{4,}\b")


class Named:
    """Which of the sentences read name what another passage is about. Each pair is looked at once.

    Attributes:
        passages: For each line the other passages that it names: the rank of each, and the folded name.
        members: For each passage the places of its lines.
        leads: For each line the names in it that may lead on, as far as `holding` was asked for.
    """

    def __init__(self) -> None:
        self.passages: list[list[tuple[int, str]]] = []
        self.members: list[range] = []
        self.leads: list[tuple[str, ...]] = []
        self._lines: list[Line] = []
        self._folded: list[str] = []
        self._subjects: list[tuple[int, str]] = []
        self._naming: list[list[int]] = []
        self._holding: dict[str, list[int]] = defaultdict(list)

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
        self.passages += [[] for _ in lines[old:]]
        for at, text in enumerate(self._folded):
            for rank, name in self._subjects if at >= old else fresh:
                if name in text and rank != lines[at].rank and mentions(text, name):
                    self.passages[at].append((rank, name))
                    self._naming[rank].append(at)

    def linked(self, at: int) -> tuple[Sequence[int], Iterator[int]]:
        """The lines that name the passage of a line; and these with those of the passages that it names, in order."""
        naming = self._naming[self._lines[at].rank]
        before = bisect_left(naming, at)
        onward = (place for rank, _ in self.passages[at] for place in self.members[rank])
        return naming, chain(naming[:before], onward, naming[before:])

    def holding(self) -> Mapping[str, Sequence[int]]:
        """Each name that may lead on, and the places of the lines that hold it."""
        for at in range(len(self.leads), len(self._lines)):
            self.leads.append(leads(self._lines[at].sentence.text))
            for name in self.leads[at]:
                self._holding[name].append(at)
        return self._holding


def subject_names(line: Line) -> tuple[str, ...]:
    """What a passage is about, folded: its title without brackets, else its first name; and identifiers in either.

    An identifier is a word of letters and digits ("CHG-9568"), which texts use without the words around it.

    Args:
        line: The first of the passage.
    """
    said = fold(line.title or "".join(line.sentence.names[:1]))
    return (said, *_IDENTIFIER.findall(said)) if said else ()


def mentions(text: str, name: str) -> bool:
    """Whether a folded text holds a folded name as whole words."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not text[at - 1 : at].isalnum() and not text[end : end + 1].isalnum():
            return True
        at = text.find(name, at + 1)
    return False
