"""When and where somebody was born and died, from brackets behind a name or from "was born ..." and "died ..."."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hopstop.program.values import Date, dates, is_month

_LEAD = 3  # sentences: where a text says who it is about
_NEAR = 120  # characters behind "born" or "died" in which date and place are said
_BRACKET = re.compile(r"[(（]([^()（）]{0,160})[)）]")
_DASH = re.compile(r"\s*(?:[-–—;]|to|until|bis)\s*|[-–—]|;.*†")
# Cues in English, German, French and Spanish, and the signs that all of them use.
_BORN = re.compile(r"\b(?:born|b\.|birth|geboren|geb\.|née?|nacid[oa])|\*", re.IGNORECASE)
_DIED = re.compile(r"\b(?:died|death|d\.|passed away|gestorben|starb|mort|murió)|†", re.IGNORECASE)
_CAPITAL = r"[^\W\d_a-z][^\W\d_]*(?:['’\-.][^\W\d_]+)*"
# What follows a comma belongs to the place only if it ends like one: "Graz, Austria." but not "In Graz, Roe began".
_PLACE = (
    rf"(?:the )?({_CAPITAL}(?: (?:(?:of|the|de|la|le|del|am|upon|on|an|in) ){{0,2}}{_CAPITAL}){{0,4}}"
    rf"(?:, (?:the )?{_CAPITAL}(?: (?:of )?{_CAPITAL}){{0,2}}"
    rf"(?=\s*(?:[,.;:)(–—-]|$| (?:and|on|to|in|as|at|from|of|who)\b))){{0,3}})"
)
_IN_PLACE = re.compile(rf"\b(?:in|at|near|à|en) {_PLACE}")
_PLACE_BEHIND = re.compile(rf"^(?:,| in| at)+ {_PLACE}")
_PLACE_BEFORE = re.compile(rf"^\W*(?:born )?(?:in )?{_PLACE}(?:,| on)? $")


@dataclass(frozen=True, slots=True)
class Shown:
    """Something that one sentence shows.

    Attributes:
        text: The words that say it.
        sentence: Number of the sentence, from 0.
        date: The date, if it is one.
    """

    text: str
    sentence: int
    date: Date | None = None


@dataclass(frozen=True, slots=True)
class Life:
    """What a text says of a life; None for what it does not say."""

    born: Shown | None = None
    died: Shown | None = None
    born_in: Shown | None = None
    died_in: Shown | None = None


def read_life(sentences: Sequence[str]) -> Life:
    """Read a life from the sentences of a text: brackets of the lead first, then the first sentence that says it.

    >>> life = read_life(["Ada Roe (born 5 May 1901 in Graz) was a poet.", "She died in Linz on 2 June 1970."])
    >>> [shown.text for shown in (life.born, life.born_in, life.died, life.died_in)]
    ['5 May 1901', 'Graz', '2 June 1970', 'Linz']
    """
    bracketed = _first_bracket(sentences)
    return Life(
        bracketed.born or _said(_BORN, sentences),
        bracketed.died or _said(_DIED, sentences),
        bracketed.born_in or _place(_BORN, sentences),
        bracketed.died_in or _place(_DIED, sentences),
    )


def _first_bracket(sentences: Sequence[str]) -> Life:
    for number, sentence in enumerate(sentences[:_LEAD]):
        for match in _BRACKET.finditer(sentence):
            life = _bracket(match.group(1), number)
            if life is not None:
                return life
    return Life()


def _bracket(text: str, number: int) -> Life | None:
    found = dates(text)
    if not found:
        return None
    first, rest = found[0], found[1:]
    head = text[: first.start]
    if rest and not _is_span(text[first.end : rest[0].start]):
        rest = ()
    if not rest and not _BORN.search(head) and not _DIED.search(head):
        return None
    shown = [Shown(text[date.start : date.end], number, date) for date in (first, *rest[:1])]
    if _DIED.search(head) and not _BORN.search(head):
        return Life(died=shown[0])
    end = rest[0].start if rest else len(text)
    born_in = _beside(text, first, end, number)
    return Life(
        shown[0], shown[1] if rest else None, born_in, _beside(text, rest[0], len(text), number) if rest else None
    )


def _is_span(between: str) -> bool:
    return _DASH.search(between) is not None


def _beside(text: str, date: Date, end: int, number: int) -> Shown | None:
    """The place behind a date of a bracket, or before it."""
    start = max((match.end() for match in re.finditer(r"[-–—;]", text[: date.start])), default=0)
    match = _PLACE_BEHIND.search(text[date.end : end]) or _PLACE_BEFORE.search(text[start : date.start])
    return Shown(match.group(1), number) if match and not is_month(match.group(1)) else None


def _said(cue: re.Pattern[str], sentences: Sequence[str]) -> Shown | None:
    """The first date behind the cue."""
    for number, text, start in _cued(cue, sentences):
        for date in dates(text):
            if 0 <= date.start - start <= _NEAR:
                return Shown(text[date.start : date.end], number, date)
    return None


def _place(cue: re.Pattern[str], sentences: Sequence[str]) -> Shown | None:
    """The first place behind the cue that is no month."""
    for number, text, start in _cued(cue, sentences):
        for match in _IN_PLACE.finditer(text, start, start + _NEAR):
            if not is_month(match.group(1)):
                return Shown(match.group(1).rstrip(" .,"), number)
    return None


def _cued(cue: re.Pattern[str], sentences: Sequence[str]) -> Iterator[tuple[int, str, int]]:
    for number, text in enumerate(sentences):
        match = cue.search(text)
        if match is not None:
            yield number, text, match.end()
