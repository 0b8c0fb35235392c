"""Dates and amounts read from text in several spellings, as values that can be compared."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

# Full month names of English, German, French and Spanish, January first; three letters or more also name a month
# where they are the beginning of an English one ("Sept.").
_MONTHS = (
    ("january", "januar", "jänner", "janvier", "enero"),
    ("february", "februar", "février", "febrero"),
    ("march", "märz", "mars", "marzo"),
    ("april", "avril", "abril"),
    ("may", "mai", "mayo"),
    ("june", "juni", "juin", "junio"),
    ("july", "juli", "juillet", "julio"),
    ("august", "août", "agosto"),
    ("september", "septembre", "septiembre"),
    ("october", "oktober", "octobre", "octubre"),
    ("november", "novembre", "noviembre"),
    ("december", "dezember", "décembre", "diciembre"),
)
_NUMBER_OF = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names}
_NUMBER_OF |= {
    names[0][:length]: number for names, number in zip(_MONTHS, range(1, 13), strict=True) for length in (3, 4)
}
# Three letters that every one of them begins with: a quick look for what cannot hold a date with a month.
_MONTH_STARTS = sorted({name[:3] for name in _NUMBER_OF})
_MAY_BE_YEAR = re.compile(r"\d\d\d")
_MAY_BE_ERA = re.compile(r"\d\s*(?:BC|B\.C|v\. C|av\. J|a\. C)", re.IGNORECASE)
_MONTH = "|".join(sorted(_NUMBER_OF, key=len, reverse=True))
_YEAR = r"\d{3,4}"
_ERA = r"(?:\s*(?P<bc>BCE?|B\.C\.|v\. Chr\.|av\. J\.-C\.|a\. C\.))?"
_ISO, *_WITH_MONTH, _LONE_YEAR, _OF_ERA = (
    re.compile(form, re.IGNORECASE)
    for form in (
        r"\b(?P<year>\d{4})-(?P<month_number>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])\b",
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.)?\s+(?:of\s+|de\s+)?(?P<month>{_MONTH})\.?,?\s+(?:de\s+|del\s+)?"
        rf"(?P<year>{_YEAR})\b{_ERA}",
        rf"\b(?P<month>{_MONTH})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>{_YEAR})\b{_ERA}",
        rf"\b(?P<month>{_MONTH})\.?,?\s+(?:de\s+|of\s+)?(?P<year>\d{{4}})\b{_ERA}",
        # A bare number is a year if it has four digits of our time, or an era.
        r"(?P<year>1\d{3}|20\d{2})(?<![\w.,$€£#-]\d{4})\b(?![.,]?\d|\s*(?:km|m|ft|kg|miles|people|%)\b|%)",
        rf"\b(?P<year>\d{{1,4}})\b{_ERA[:-1]}",
    )
)


@dataclass(frozen=True, slots=True)
class Date:
    """A date in a text.

    Attributes:
        year: Negative before the common era.
        month: 1 to 12, 0 if not said.
        day: 1 to 31, 0 if not said.
        start: Offset of its first character in the text.
        end: Offset behind its last character.
    """

    year: int
    month: int
    day: int
    start: int
    end: int

    @property
    def parts(self) -> tuple[int, ...]:
        """Year, month and day as far as they are said."""
        return (self.year, self.month, self.day)[: 3 if self.day else 2 if self.month else 1]


def before(left: Date, right: Date) -> bool | None:
    """Whether the left date comes first; None if they are equal as far as both are said."""
    one, two = left.parts, right.parts
    shared = min(len(one), len(two))
    return None if one[:shared] == two[:shared] else one < two


@lru_cache(maxsize=4096)
def dates(text: str) -> tuple[Date, ...]:
    """The dates of a text in order, the fullest reading of each place.

    >>> [date.parts for date in dates("from 5 May 1999 to June 12, 2001, and 1850")]
    [(1999, 5, 5), (2001, 6, 12), (1850,)]
    """
    found: list[Date] = []
    for form in _forms_in(text):
        for match in form.finditer(text):
            if all(match.end() <= other.start or match.start() >= other.end for other in found):
                date = _date(match)
                found += [date] if date else []
    return tuple(sorted(found, key=lambda date: date.start))


def _forms_in(text: str) -> list[re.Pattern[str]]:
    """The forms that a text may hold: most sentences hold no number, and those that do mostly no month."""
    forms: list[re.Pattern[str]] = []
    if _MAY_BE_YEAR.search(text):
        forms += [_ISO] if "-" in text else []
        low = text.casefold()
        forms += _WITH_MONTH if any(start in low for start in _MONTH_STARTS) else []
        forms += [_LONE_YEAR]
    return [*forms, _OF_ERA] if _MAY_BE_ERA.search(text) else forms


def _date(match: re.Match[str]) -> Date | None:
    said = match.groupdict()
    month = int(said.get("month_number") or 0) or _NUMBER_OF.get((said.get("month") or "").casefold(), 0)
    day = int(said.get("day") or 0)
    if day > 31:
        return None
    year = int(said["year"])
    return Date(-year if said.get("bc") else year, month, day, match.start(), match.end())


_SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
_VALUE_OF = {word: float(value) for value, word in enumerate(_SMALL)}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_AMOUNT = re.compile(
    rf"(?<![\w.,])(?<![^\W\d_]-)(?P<digits>\d{{1,3}}(?:[,\u00a0\u202f]\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)(?!\w)"
    rf"(?:[\s-](?P<scale>{'|'.join(_SCALES)})\b)?|\b(?P<word>{'|'.join(_SMALL)})\b(?:[\s-](?P<wscale>{'|'.join(_SCALES)})\b)?",
    re.IGNORECASE,
)
_UNIT = re.compile(r"[\s\-]*([^\W\d_]+|%)")


@dataclass(frozen=True, slots=True)
class Amount:
    """A number in a text.

    Attributes:
        value: What it says, scales ("12 million") multiplied in.
        unit: The word behind it in lower case, "" if there is none.
        start: Offset of its first character in the text.
        end: Offset behind its last character, scale included.
    """

    value: float
    unit: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def amounts(text: str) -> tuple[Amount, ...]:
    """The numbers of a text in order, in digits or in English words up to twenty; parts of dates are left out.

    >>> [(amount.value, amount.unit) for amount in amounts("1,000 acts, 12 million people and three seas in 1999")]
    [(1000.0, 'acts'), (12000000.0, 'people'), (3.0, 'seas')]
    """
    taken = [(date.start, date.end) for date in dates(text)]
    found = []
    for match in _AMOUNT.finditer(text):
        if any(start < match.end() and match.start() < end for start, end in taken):
            continue
        unit = _UNIT.match(text, match.end())
        found.append(Amount(_amount(match), unit[1].casefold() if unit else "", match.start(), match.end()))
    return tuple(found)


def _amount(match: re.Match[str]) -> float:
    if match["digits"]:
        value = float("".join(char for char in match["digits"] if char.isdigit() or char == "."))
        return value * _SCALES.get((match["scale"] or "").casefold(), 1.0)
    return _VALUE_OF[match["word"].casefold()] * _SCALES.get((match["wscale"] or "").casefold(), 1.0)


def is_month(text: str) -> bool:
    """Whether a text begins with the name of a month."""
    return (text.split() or [""])[0].strip(".,").casefold() in _NUMBER_OF
