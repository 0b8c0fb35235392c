"""Dates, numbers, units and countries of an answer that a text says, in another spelling or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hopstop.program.nations import countries
from hopstop.program.numerals import Span, numerals
from hopstop.program.text import words
from hopstop.program.values import amounts, dates

# Thousands parted by a space, an apostrophe or, as in German, a point: 1 000, 1'000, 1.000.
_PARTED = re.compile(
    r"(?<![\w.,'’])\d{1,3}(?:(?P<mark>[ .'’\u00a0\u2009\u202f,])\d{3})(?:(?P=mark)\d{3})*(?!\w|[.,]\d)"
)
_WHOLE = re.compile(r"(?<![\w.,'’-])\d+(?![\w'’]|[.,]\d)")


def without_said(draft: str, texts: Sequence[str]) -> str:
    """A draft without the dates, numbers, units and countries that a text says, in whatever spelling.

    A date is said by one that is as full or fuller: "May 1999" by "5 May 1999". A number is said by the same value:
    "1,000" by "1 000", "12 million" by "12,000,000", "five" by "5"; so are an ordinal, the numeral of a name, and the
    unit of a number. A country is said by its adjective and the other way round: "India" by "Indian".

    >>> without_said("on May 5, 1999 for 1,000 euros", ["1999-05-05: 1 000 EUR"])
    'on  for  euros'
    """
    spans = list(_said(draft, texts))
    return _cut(draft, spans) if spans else draft


def _said(draft: str, texts: Sequence[str]) -> Iterator[Span]:
    if dates(draft) or any(_values(draft)):
        known = _known(texts)
        yield from ((date.start, date.end) for date in dates(draft) if date.parts in known.dates)
        yield from (span for span, value in _values(draft) if value in known.values)
    if numbered := list(numerals(draft)):
        held = {said for text in texts for _, saids in numerals(text) for said in saids}
        yield from (span for span, saids in numbered if not held.isdisjoint(saids))
    if named := countries(draft):
        lands = {country for text in texts for country, *_ in countries(text)}
        yield from ((start, end) for country, start, end in named if country in lands)


def unsaid(draft: str, texts: Sequence[str]) -> list[str]:
    """What looking for each word of a draft apart would miss: a month that no text names, a number of another scale."""
    if not dates(draft) and not amounts(draft):
        return []
    known = _known(texts)
    months = {parts[1] for parts in known.dates if len(parts) > 1}
    said = {word.casefold() for text in texts for word in words(text)}
    unsaid_dates = (date for date in dates(draft) if date.month and date.month not in months)
    spans = [(item.start, item.end) for item in unsaid_dates if said.isdisjoint(_letters(draft[item.start : item.end]))]
    scaled = (item for item in amounts(draft) if item.value >= 100 and item.value not in known.values)
    spans += [(item.start, item.end) for item in scaled if _letters(draft[item.start : item.end])]
    return [draft[start:end] for start, end in spans]


@dataclass(frozen=True, slots=True)
class _Known:
    dates: frozenset[tuple[int, ...]]
    values: frozenset[float]


def _known(texts: Sequence[str]) -> _Known:
    """Dates, each also without its day and its month, and numbers that the texts say."""
    full = [date.parts for text in texts for date in dates(text)]
    parts = frozenset(date[:length] for date in full for length in range(1, len(date) + 1))
    return _Known(parts, frozenset(value for text in texts for _, value in _values(text)))


def _letters(text: str) -> list[str]:
    return [word.casefold() for word in words(text) if word.isalpha()]


def _values(text: str) -> Iterator[tuple[Span, float]]:
    """Where the numbers of a text stand, and what they say; years are numbers too, as "1000" may be one."""
    parted = list(_PARTED.finditer(text))
    for match in (*parted, *_WHOLE.finditer(text)):
        if match in parted or not any(other.start() <= match.start() < other.end() for other in parted):
            yield match.span(), float("".join(char for char in match.group() if char.isdigit()))
    for amount in amounts(text):
        if not any(other.start() <= amount.start < other.end() for other in parted):
            yield (amount.start, amount.end), amount.value


def _cut(text: str, spans: Iterable[Span]) -> str:
    gone = {at for start, end in spans for at in range(start, end)}
    return "".join(char for at, char in enumerate(text) if at not in gone)
