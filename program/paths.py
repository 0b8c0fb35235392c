"""Ways through the sentences read: from a name of the question over names that lead on to where an answer may stand."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from hopstop.program.lines import Line, mentions, plain_lines, subject_names
from hopstop.program.nations import nations
from hopstop.program.profile import fold, stems
from hopstop.program.reading import Reading
from hopstop.program.text import FUNCTION_WORDS, names, numbers, words
from hopstop.program.values import dates

LONGEST = 4  # sentences: the longest chains of the labelled sets have four facts
BEAM = 8  # ways carried on at each length
RETURNED = 12  # ways whose ends are worth a look
SHARED = 4  # passages that may hold a name which links them; one in more of what was read tells nothing apart
# Letters with a digit ("CHG-9568"), and what technical prose names without capitals ("payment-gw", "session_cache").
_CODE = re.compile(r"(?<![\w-])(?=[\w-]*[^\W\d_])(?:(?=[\w-]*\d)[\w-]{4,}|[^\W\d_]{2,}(?:[-_][^\W_]{2,})+)(?![\w-])")
_APART = re.compile(r" and |, |: ")
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


@lru_cache(maxsize=16384)
def _numbered(text: str) -> frozenset[tuple[str, str]]:
    """Numbers behind the noun that they number, both folded, the noun in the singular."""
    pairs = ((match[1].casefold().removesuffix("s"), match[2].casefold()) for match in _NUMBERED.finditer(text))
    return frozenset(pair for pair in pairs if pair[0] not in FUNCTION_WORDS)


@dataclass(frozen=True, slots=True)
class Path:
    """Sentences each of which names what leads to the next.

    Attributes:
        lines: One to `LONGEST`, the first one speaking of a name of the question.
        via: The folded name that links each line to the next; one fewer than lines.
        covered: Stems of the question that the lines or their titles hold.
        joint: Weight of these as a share of the question's, in [0, 1].
        idle: Lines that hold no stem that those before them do not hold.
    """

    lines: tuple[Line, ...]
    via: tuple[str, ...]
    covered: frozenset[str]
    joint: float
    idle: int

    @property
    def last(self) -> Line:
        """Where the answer may stand."""
        return self.lines[-1]


@dataclass(frozen=True, slots=True)
class _State:
    """A path as numbers: places of its lines, its links, and what is covered as bits."""

    places: tuple[int, ...]
    via: tuple[str, ...]
    bits: int
    idle: int = 0


@dataclass(frozen=True, slots=True)
class _Net:
    """The lines with their bits, passages and links."""

    lines: Sequence[Line]
    bits: Sequence[int]
    links: Sequence[Mapping[int, str]]


def find_paths(weights: Mapping[str, float], begin: Start, reading: Reading) -> list[Path]:
    """The ways that speak of most of the question, the best first, shorter ones before longer ones that add nothing.

    Args:
        weights: Stems of the question with what each weighs, > 0.
        begin: What the first line must hold.
        reading: What was read.
    """
    keys = tuple(weights)
    lines = [line for line in plain_lines(frozenset(weights), reading) if not _of_another(line, begin)]
    bits = [sum(1 << at for at, key in enumerate(keys) if key in line.own) for line in lines]
    net = _Net(lines, bits, _links(lines, frozenset(weights), reading))
    value = _Value([weights[key] for key in keys])
    level = [_State((at,), (), bits[at]) for at, line in enumerate(lines) if _begins(line, begin)]
    level = _best(level, value)
    found = list(level)
    for _ in range(LONGEST - 1):
        level = _best([more for state in level for more in _longer(state, net)], value)
        found += level
    found = [state for state in found if len(state.places) <= LONGEST]
    found.sort(key=lambda state: (-value.of(state.bits), len(state.places), state.idle, state.places))
    return [_path(state, net, keys, value) for state in found[:RETURNED]]


class _Value:
    """Share of the question's weight that a set of bits holds; each set is summed once."""

    def __init__(self, weights: Sequence[float]) -> None:
        self._weights = weights
        self._total = sum(weights) or 1.0
        self._known: dict[int, float] = {}

    def of(self, bits: int) -> float:
        if bits not in self._known:
            self._known[bits] = sum(item for at, item in enumerate(self._weights) if bits >> at & 1) / self._total
        return self._known[bits]


def _begins(line: Line, begin: Start) -> bool:
    if begin.names and not begin.names & line.own:
        return False
    return not begin.numbers or begin.numbers <= numbers(line.passage.title) | numbers(line.sentence.text)


def _of_another(line: Line, begin: Start) -> bool:
    """Whether a line is about a look-alike: the same noun with another number, and not with the one asked for."""
    if not begin.numbered:
        return False
    held = _numbered(line.passage.title) | _numbered(line.sentence.text)
    nouns = {noun for noun, _ in begin.numbered}
    return any(noun in nouns for noun, _ in held) and not held & begin.numbered


def _best(states: Iterable[_State], value: _Value) -> list[_State]:
    """The best states, of those that end in the same line with the same words the first only."""
    ranked = sorted(states, key=lambda state: (-value.of(state.bits), len(state.places), state.idle))
    kept: dict[tuple[int, int], _State] = {}
    for state in ranked:
        kept.setdefault((state.places[-1], state.bits), state)
    return list(kept.values())[:BEAM]


def _longer(state: _State, net: _Net) -> Iterable[_State]:
    """One line more that adds a word of the question, or two of which the second does."""
    passages = {net.lines[at].rank for at in state.places}
    for at, via in net.links[state.places[-1]].items():
        rank = net.lines[at].rank
        if rank in passages or via in state.via:
            continue
        step = _State((*state.places, at), (*state.via, via), state.bits | net.bits[at], state.idle)
        if step.bits != state.bits:
            yield step
        elif len(step.places) < LONGEST:
            for beyond, name in net.links[at].items():
                bits = step.bits | net.bits[beyond]
                if bits != step.bits and name not in step.via and net.lines[beyond].rank not in (*passages, rank):
                    yield _State((*step.places, beyond), (*step.via, name), bits, state.idle + 1)


def _path(state: _State, net: _Net, keys: Sequence[str], value: _Value) -> Path:
    covered = frozenset(key for at, key in enumerate(keys) if state.bits >> at & 1)
    return Path(tuple(net.lines[at] for at in state.places), state.via, covered, value.of(state.bits), state.idle)


def _links(lines: Sequence[Line], asked: frozenset[str], reading: Reading) -> list[dict[int, str]]:
    """For each line the lines of other passages that it leads to, and the name that they share.

    A line leads to every line of a passage titled by a name in it, and to every line that holds the same name.
    """
    members: dict[int, list[int]] = defaultdict(list)
    holding: dict[str, list[int]] = defaultdict(list)
    for at, line in enumerate(lines):
        members[line.rank].append(at)
        for key in link_names(line.sentence.text):
            holding[key].append(at)
    named = {key for line in lines for key in _inner_names(line.sentence.text)}
    usable = {
        key: found
        for key, found in holding.items()
        if key in named and 1 < len({lines[at].rank for at in found}) <= SHARED and not _said(key, asked)
    }
    subjects = [
        (rank, name)
        for rank, item in enumerate(reading.passages)
        for name in subject_names(item)
        if not _said(name, asked)
    ]
    links: list[dict[int, str]] = []
    for line in lines:
        text = fold(line.sentence.text)
        onward: dict[int, str] = {}
        for key in link_names(line.sentence.text):
            for at in usable.get(key, ()):
                if lines[at].rank != line.rank:
                    onward.setdefault(at, key)
        for rank, name in subjects:
            if rank != line.rank and name in text and mentions(text, name):
                for at in members[rank]:
                    onward.setdefault(at, name)
        links.append(onward)
    return links


@lru_cache(maxsize=4096)
def _said(key: str, asked: frozenset[str]) -> bool:
    """Whether a name is one that the question says itself."""
    return stems(key) <= asked


@lru_cache(maxsize=16384)
def link_names(text: str) -> tuple[str, ...]:
    """The folded names in a sentence that may lead on: no countries, dates or bare small numbers."""
    spans = [part for name in names(text) for part in _APART.split(name)]
    found = [fold(part) for part in spans if _leads(part)]
    return tuple(dict.fromkeys((*found, *(fold(code) for code in _CODE.findall(text)))))


@lru_cache(maxsize=16384)
def _inner_names(text: str) -> frozenset[str]:
    """The link names of a sentence without a lone word at its start, which has its capital from there."""
    first = fold((words(text) or [""])[0])
    return frozenset(key for key in link_names(text) if key != first or any(map(str.isdigit, key)) or "-" in key)


def _leads(name: str) -> bool:
    if sum(map(str.isalnum, name)) < 3 or any(end - start == len(name) for _, start, end in nations(name)):
        return False
    return not any(date.end - date.start == len(name) for date in dates(name))
