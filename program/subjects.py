"""Which passage speaks of a name, and what a relation leads to from there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hopstop.program.nations import is_nation
from hopstop.program.profile import Profile, fold, profile, stems
from hopstop.program.reading import Reading
from hopstop.program.records import Passage
from hopstop.program.relations import cues
from hopstop.program.text import FUNCTION_WORDS
from hopstop.program.values import is_month

_ALIKE = 0.5  # of the words of a side and a title, the half must be shared: the least that cannot be another's majority
_REACH = 90  # characters behind a cue in which the whole name it announces stands
_START = 40  # characters behind a cue in which that name begins: "directed by the late Jane Roe"
_TITLE = 2  # words of a title after its first: "Caliph", "Mughal emperor", "Pre-Raphaelite designer and ..." no more
_AND = re.compile(r" (?:and|und|et|y) |, (?=[^\W\d_a-z]\w+ [^\W\d_a-z])")
_BRACKET = re.compile(r"\s*\([^()]*\)")


@dataclass(frozen=True, slots=True)
class Subject:
    """A passage that speaks of a side, or of what a relation leads to from it."""

    passage: Passage
    profile: Profile
    name: str


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


def anchor(question: str, reading: Reading) -> Subject | None:
    """The passage about the longest name of the question: one whose title, or first words, the question holds."""
    asked = fold(question)
    same_length = len(asked) == len(question)
    best: tuple[tuple[int, bool], Subject] | None = None
    for passage in reading.passages:
        view = profile(passage)
        name = (
            view.title if passage.title.strip() else (view.sentences[0].names[:1] or ("",))[0] if view.sentences else ""
        )
        at = _place_of(fold(name), asked) if name else -1
        if at < 0 or (same_length and question[at].islower()):
            continue
        rank = len(name), fold(passage.title) in asked
        if best is None or rank > best[0]:
            best = rank, Subject(passage, view, name)
    return best[1] if best else None


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
            near = min((item for item in linked if 0 <= item[0] <= _START), default=None, key=lambda item: item[:2])
            name, at = _first_name(tail, sentence.names, own)
            if near is not None and (
                not name or near[0] <= at + len(name) or _is_title(tail[at + len(name) : near[0]])
            ):
                return near[2].name, number, near[2]
            if name:
                return name, number, _named(name, others)
    return "", -1, None


def _others(subject: Subject, reading: Reading) -> list[Subject]:
    others = [passage for passage in reading.passages if passage.id != subject.passage.id and passage.title.strip()]
    return [Subject(passage, view, view.title) for passage in others if (view := profile(passage)).title_stems]


def _first_name(tail: str, found: Sequence[str], own: str) -> tuple[str, int]:
    """The name that stands first in a folded text, and where; the subject's own is not meant."""
    parts = [part.rstrip(",") for name in found for part in _AND.split(name)]
    single = [part for part in parts if not part[:1].isdigit() and not is_nation(part) and not is_month(part)]
    places = [
        (at, -len(name), name)
        for name in single
        if 0 <= (at := tail.find(fold(name))) <= _START and fold(name) not in own
    ]
    return (min(places)[2], min(places)[0]) if places else ("", -1)


def _is_title(between: str) -> bool:
    """Whether what stands between two names makes the first a title of the second ("Mughal emperor Shah Jahan")."""
    words = between.split()
    return len(words) <= _TITLE and all(word.isalpha() and word not in FUNCTION_WORDS for word in words)


def _named(name: str, others: Sequence[Subject]) -> Subject | None:
    """The passage about a person or thing of this name: same first and last word and the same numbers in it."""
    wanted = fold(name).replace(",", "").split()
    for other in others:
        title = fold(other.name).replace(",", "").split()
        ends = title[-1:] == wanted[-1:] and (title[0] == wanted[0] or title[0][0] == wanted[0].rstrip("."))
        if ends and len(wanted) > 1 and _ordinals(title) == _ordinals(wanted):
            return other
    return None


def _ordinals(words: Sequence[str]) -> set[str]:
    """What tells namesakes apart: numbers in digits or Roman ones."""
    return {word for word in words if word[0].isdigit() or re.fullmatch(r"[ivx]+", word)}


def _place_of(name: str, text: str) -> int:
    """Where a name first stands in a text with no letter, digit or underscore beside it; -1 if nowhere."""
    at = text.find(name)
    while at >= 0:
        beside = text[max(0, at - 1) : at] + text[at + len(name) : at + len(name) + 1]
        if not any(char.isalnum() or char == "_" for char in beside):
            break
        at = text.find(name, at + 1)
    return at
