"""Ways through the sentences read: from a name of the question over names that lead on to where an answer may stand."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from hopstop.program.lines import Cover, Line, named_passages, plain_lines
from hopstop.program.nations import is_nation
from hopstop.program.profile import fold, stems
from hopstop.program.reading import Reading
from hopstop.program.text import FUNCTION_WORDS, names, numbers, words
from hopstop.program.values import dates

LONGEST = 4  # sentences: the longest chains of the labelled sets have four facts
BEAM = 8  # ways carried on at each length
RETURNED = 12  # ways whose ends are worth a look
SHARED = 4  # passages that may hold a name which links them; one in more of what was read tells nothing apart
# Letters with a digit ("CHG-9568"), and what technical prose names without capitals ("payment-gw", "session_cache").
_CODE = re.compile(r"(?=[\w-]*[^\W\d_])(?:(?=[\w-]*\d)[\w-]{4,}|[^\W\d_]{2,}(?:[-_][^\W_]{2,})+)")
_RUN = re.compile(r"[\w-]+")
_FIRST = 100  # characters among which the first word of a sentence stands
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


@lru_cache(maxsize=4096)
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


class _State(NamedTuple):
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
    cover = Cover(weights)
    lines = [line for line in plain_lines(frozenset(weights), reading) if not _of_another(line, begin)]
    bits = [cover.bits(line.own) for line in lines]
    net = _Net(lines, bits, _links(lines, frozenset(weights), reading))
    level = [_State((at,), (), bits[at]) for at, line in enumerate(lines) if _begins(line, begin)]
    level = _best(level, cover)
    found = list(level)
    for _ in range(LONGEST - 1):
        level = _best([more for state in level for more in _longer(state, net)], cover)
        found += level
    found = [state for state in found if len(state.places) <= LONGEST]
    found.sort(key=lambda state: (-cover.share(state.bits), len(state.places), state.idle, state.places))
    return [_path(state, net, cover) for state in found[:RETURNED]]


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


def _path(state: _State, net: _Net, cover: Cover) -> Path:
    lines = tuple([net.lines[at] for at in state.places])
    return Path(lines, state.via, cover.stems(state.bits), cover.share(state.bits), state.idle)


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
    telling = {
        key: found
        for key, found in holding.items()
        if len(found) > 1 and _tells(key, [lines[at] for at in found], asked)
    }
    links: list[dict[int, str]] = [{} for _ in lines]
    for line, onward in zip(lines, links, strict=True) if telling else ():
        for key in link_names(line.sentence.text):
            for other in telling.get(key, ()):
                if lines[other].rank != line.rank:
                    onward.setdefault(other, key)
    for at, rank, name in named_passages(lines, reading):
        if not _said(name, asked):
            for other in members[rank]:
                links[at].setdefault(other, name)
    return links


def _tells(key: str, lines: Sequence[Line], asked: frozenset[str]) -> bool:
    """Whether a name that these lines hold leads from one to another: in few passages, a name in one, not asked for."""
    if not 1 < len({line.rank for line in lines}) <= SHARED or _said(key, asked):
        return False
    return any(key in _inner_names(line.sentence.text) for line in lines)


@lru_cache(maxsize=4096)
def _said(key: str, asked: frozenset[str]) -> bool:
    """Whether a name is one that the question says itself."""
    return stems(key) <= asked


@lru_cache(maxsize=4096)
def link_names(text: str) -> tuple[str, ...]:
    """The folded names in a sentence that may lead on: no countries, dates or bare small numbers."""
    found = [fold(part) for name in names(text) for part in _APART.split(name) if _leads(part)]
    return tuple(dict.fromkeys([*found, *map(fold, _codes(text))]))


def _codes(text: str) -> list[str]:
    return [run for run in _RUN.findall(text) if not run.isalpha() and _CODE.fullmatch(run)]


@lru_cache(maxsize=4096)
def _inner_names(text: str) -> frozenset[str]:
    """The link names of a sentence without a lone word at its start, which has its capital from there."""
    first = fold((words(text[:_FIRST]) or [""])[0])
    return frozenset(key for key in link_names(text) if key != first or any(map(str.isdigit, key)) or "-" in key)


def _leads(name: str) -> bool:
    if is_nation(name) or sum(map(str.isalnum, name)) < 3:
        return False
    return name.isalpha() or not any(date.end - date.start == len(name) for date in dates(name))
