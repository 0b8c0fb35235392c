"""Ways through the sentences read: from a name of the question over names that lead on to where an answer may stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from hopstop.program.leads import inner_leads
from hopstop.program.line import Line
from hopstop.program.lines import Cover, Lines
from hopstop.program.profile import stems
from hopstop.program.text import FUNCTION_WORDS, names, numbers

LONGEST = 4  # sentences: the longest chains of the labelled sets have four facts
BEAM = 8  # ways carried on at each length
RETURNED = 12  # ways whose ends are worth a look
SHARED = 4  # passages that may hold a name which links them; one in more of what was read tells nothing apart
_NUMBERED = re.compile(r"([^\W\d_]{3,}) ([^\W_]*[\d-][\w-]*)")


@dataclass(frozen=True, slots=True)
class Start:
    """Where the ways of a question begin, and where none of them goes.

    Attributes:
        names: Stems of names; the first line or its title holds one of them, if there are any.
        numbers: Numbers; the first line or its title holds all of them.
        numbered: What each number is a number of ("incident"); a line about another one of these is on no way.
    """

    names: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    numbered: frozenset[tuple[str, str]] = frozenset()


def start(text: str) -> Start:
    """The names and numbers of a question, or of one side of it.

    >>> sorted(start("Who reviewed the fix for incident 4471?").numbered)
    [('incident', '4471')]
    """
    found = frozenset().union(*(stems(name) for name in names(text)))
    return Start(found, numbers(text), _numbered(text))


@lru_cache(maxsize=4096)
def _numbered(text: str) -> frozenset[tuple[str, str]]:
    """Numbers behind the noun that they number, both folded, the noun in the singular."""
    pairs = ((match[1].casefold().removesuffix("s"), match[2].casefold()) for match in _NUMBERED.finditer(text))
    return frozenset(pair for pair in pairs if pair[0] not in FUNCTION_WORDS)


class Path(NamedTuple):
    """Sentences each of which names what leads to the next.

    Attributes:
        lines: One to `LONGEST`, the first one speaking of a name of the question.
        via: The folded name that links each line to the next; one fewer than lines.
        covered: Stems of the question that count and that the lines or their titles hold, as bits.
        joint: Weight of these as a share of the question's, in [0, 1].
        idle: Lines that hold no stem that those before them do not hold.
    """

    lines: tuple[Line, ...]
    via: tuple[str, ...]
    covered: int
    joint: float
    idle: int

    @property
    def last(self) -> Line:
        """Where the answer may stand."""
        return self.lines[-1]


class _State(NamedTuple):
    """A path as numbers: places of its lines, its links, and what is covered as bits."""

    places: tuple[int, ...]
    via: tuple[str, ...]
    bits: int
    idle: int = 0


class _Net:
    """The lines that ways may pass, each with what counts of its bits; how they are linked is found out when asked."""

    def __init__(self, lines: Lines, cover: Cover, begin: Start) -> None:
        self.lines = lines.all
        self.bits = [line.own & cover.mask for line in lines.all]
        self.places = [at for at, line in enumerate(lines.all) if not _of_another(line, begin)]
        self._named = lines.named
        self._asked = frozenset(cover.weights)
        self._out = frozenset(range(len(lines.all))).difference(self.places)
        self._links: dict[int, dict[int, str]] = {}
        self._telling: dict[str, Sequence[int]] = {}

    def links(self, at: int) -> Mapping[int, str]:
        """The lines of other passages that a line leads to, and the name that they share.

        A line leads to every line of a passage titled by a name in it, and to every line that holds the same name.
        """
        if at not in self._links:
            self._links[at] = self._onward(at)
        return self._links[at]

    def _onward(self, at: int) -> dict[int, str]:
        rank, onward = self.lines[at].rank, dict[int, str]()
        for name in self._named.leads(at):
            for other in self._told_by(name):
                if self.lines[other].rank != rank:
                    onward.setdefault(other, name)
        for target, name in self._named.passages[at]:
            if not _said(name, self._asked):
                for other in self._named.members[target]:
                    if other not in self._out:
                        onward.setdefault(other, name)
        return onward

    def _told_by(self, name: str) -> Sequence[int]:
        """The lines that a name leads to: it is in few passages, a name in one of them, and not asked for."""
        if name not in self._telling:
            shared = () if _said(name, self._asked) else self._named.shared(name)
            found = [at for at in shared if at not in self._out]
            few = 1 < len({self.lines[at].rank for at in found}) <= SHARED
            self._telling[name] = found if few and any(self._is_name(name, at) for at in found) else ()
        return self._telling[name]

    def _is_name(self, name: str, at: int) -> bool:
        return name in inner_leads(self.lines[at].sentence.text)


def find_paths(lines: Lines, cover: Cover, begin: Start) -> list[Path]:
    """The ways that speak of most of the question, the best first, shorter ones before longer ones that add nothing.

    Args:
        lines: What was read.
        cover: What counts of the question.
        begin: What the first line must hold.
    """
    net = _Net(lines, cover, begin)
    names_asked = lines.bits(begin.names) & cover.mask
    first = [at for at in net.places if not begin.names or net.bits[at] & names_asked]
    level = _best([_State((at,), (), net.bits[at]) for at in first if _has_numbers(net.lines[at], begin)], cover)
    found = list(level)
    for _ in range(LONGEST - 1):
        level = _best([more for state in level for more in _longer(state, net)], cover)
        found += level
    found = [state for state in found if len(state.places) <= LONGEST]
    found.sort(key=lambda state: (-cover.share(state.bits), len(state.places), state.idle, state.places))
    return [_path(state, net, cover) for state in found[:RETURNED]]


def _has_numbers(line: Line, begin: Start) -> bool:
    return not begin.numbers or begin.numbers <= numbers(line.passage.title) | numbers(line.sentence.text)


def _of_another(line: Line, begin: Start) -> bool:
    """Whether a line is about a look-alike: the same noun with another number, and not with the one asked for."""
    if not begin.numbered:
        return False
    held = _numbered(line.passage.title) | _numbered(line.sentence.text)
    nouns = {noun for noun, _ in begin.numbered}
    return any(noun in nouns for noun, _ in held) and not held & begin.numbered


def _best(states: Iterable[_State], cover: Cover) -> list[_State]:
    """The best states, of those that end in the same line with the same words the first only."""
    ranked = sorted(states, key=lambda state: (-cover.share(state.bits), len(state.places), state.idle))
    kept: dict[tuple[int, int], _State] = {}
    for state in ranked:
        kept.setdefault((state.places[-1], state.bits), state)
    return list(kept.values())[:BEAM]


def _longer(state: _State, net: _Net) -> Iterable[_State]:
    """One line more that adds a word of the question, or two of which the second does."""
    passages = {net.lines[at].rank for at in state.places}
    for at, via in net.links(state.places[-1]).items():
        rank = net.lines[at].rank
        if rank in passages or via in state.via:
            continue
        step = _State((*state.places, at), (*state.via, via), state.bits | net.bits[at], state.idle)
        if step.bits != state.bits:
            yield step
        elif len(step.places) < LONGEST:
            for beyond, name in net.links(at).items():
                bits = step.bits | net.bits[beyond]
                if bits != step.bits and name not in step.via and net.lines[beyond].rank not in (*passages, rank):
                    yield _State((*step.places, beyond), (*step.via, name), bits, state.idle + 1)


def _path(state: _State, net: _Net, cover: Cover) -> Path:
    lines = tuple([net.lines[at] for at in state.places])
    return Path(lines, state.via, state.bits, cover.share(state.bits), state.idle)


@lru_cache(maxsize=4096)
def _said(name: str, asked: frozenset[str]) -> bool:
    """Whether a name is one that the question says itself."""
    return stems(name) <= asked
