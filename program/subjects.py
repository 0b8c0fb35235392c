"""Which passage speaks of a name, and what a relation leads to from there."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from hopstop.program.profile import Profile, profile, stems
from hopstop.program.reading import Reading
from hopstop.program.records import Passage
from hopstop.program.relations import cues

_ALIKE = 0.5  # of the words of a side and a title, the half must be shared: the least that cannot be another's majority
_REACH = 90  # characters behind a cue: about fifteen words, within which the name it announces stands
_MARK = re.compile("[\u0300-\u036f]")
_BRACKET = re.compile(r"\s*\([^()]*\)")


@dataclass(frozen=True, slots=True)
class Subject:
    """A passage that speaks of a side, or of what a relation leads to from it."""

    passage: Passage
    profile: Profile
    name: str


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """Case and accents taken away."""
    return _MARK.sub("", unicodedata.normalize("NFD", text.casefold()))


def find_subject(side: str, reading: Reading) -> Subject | None:
    """The passage read whose title, or whose first words, are a side; None if no one is alike enough."""
    best, found = 0.0, None
    for option in _options(side):
        for passage in reading.passages:
            score = _likeness(option, passage)
            if score > best:
                best, found = score, Subject(passage, profile(passage), option)
    return found if best >= _ALIKE else None


def _options(side: str) -> tuple[str, ...]:
    """The side as it stands, and the parts between its commas: one of them may belong to the question."""
    parts = [part.strip() for part in re.split(r",|: ", side)]
    return (side, *parts[1:], *parts[:1]) if len(parts) > 1 else (side,)


def _likeness(side: str, passage: Passage) -> float:
    wanted = stems(_BRACKET.sub("", side) or side)
    view = profile(passage)
    if not wanted:
        return 0.0
    if passage.title.strip():
        shared = len(wanted & view.title_stems) / max(1, len(wanted | view.title_stems))
        exact = fold(side) == fold(passage.title)
        return shared + 0.1 * exact
    lead = fold(passage.text[: 2 * len(side) + 20])
    return 0.9 if fold(side) in lead else 0.0


def follow(subject: Subject, relation: str, reading: Reading) -> tuple[str, int, Subject | None]:
    """What a relation leads to from a subject: the name nearest behind the words that say the relation.

    Returns:
        The name found ("" if none), the number of the sentence that says it, and the passage that speaks of it.
    """
    others = _others(subject, reading)
    own = fold(subject.profile.title)
    for number, sentence in enumerate(subject.profile.sentences):
        for match in cues(relation).finditer(sentence.text):
            tail = fold(sentence.text[match.end() : match.end() + _REACH])
            linked = [(tail.find(fold(other.name)), -len(other.name), other) for other in others]
            near = min((item for item in linked if item[0] >= 0), default=None, key=lambda item: item[:2])
            name, at = _first_name(tail, sentence.names, own)
            if near is not None and (not name or near[0] <= at + len(name)):
                return near[2].name, number, near[2]
            if name:
                return name, number, _named(name, others)
    return "", -1, None


def _others(subject: Subject, reading: Reading) -> list[Subject]:
    others = [passage for passage in reading.passages if passage.id != subject.passage.id and passage.title.strip()]
    return [Subject(passage, view, view.title) for passage in others if (view := profile(passage)).title_stems]


def _first_name(tail: str, found: Sequence[str], own: str) -> tuple[str, int]:
    """The name that stands first in a folded text, and where; the subject's own is not meant."""
    places = [(at, -len(name), name) for name in found if (at := tail.find(fold(name))) >= 0 and fold(name) not in own]
    worded = [place for place in places if not place[2][0].isdigit()]
    return (min(worded)[2], min(worded)[0]) if worded else ("", -1)


def _named(name: str, others: Sequence[Subject]) -> Subject | None:
    """The passage about a person or thing of this name: same last word, and half of all words."""
    wanted = fold(name).split()
    for other in others:
        title = fold(other.profile.title).split()
        if title[-1:] == wanted[-1:] and 2 * len(set(title) & set(wanted)) >= len(set(title) | set(wanted)):
            return other
    return None


