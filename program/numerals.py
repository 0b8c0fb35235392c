"""Ordinals, numbered names and units in their spellings: "third" and "3rd", "Henry VIII", "5 km" and "5 kilometres"."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator

Span = tuple[int, int]
Said = tuple[Span, tuple[Hashable, ...]]
"""Where something stands, and what it may say: it is said again by whatever says one of these."""

_ORDINALS = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
sixteenth seventeenth eighteenth nineteenth twentieth
""".split()  # noqa: SIM905 - a block reads better
_ORDINAL_OF = {word: number for number, word in enumerate(_ORDINALS, start=1)}
_ROMANS = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX".split()  # noqa: SIM905
_ROMAN = {numeral: number for number, numeral in enumerate(_ROMANS, start=1)}
_ORDINAL = re.compile(rf"\b(?:(?P<digits>\d+)(?:st|nd|rd|th)|(?P<word>{'|'.join(_ORDINALS)}))\b", re.IGNORECASE)
_NUMERAL = "|".join(
    [*sorted(_ROMANS, key=len, reverse=True), r"\d{1,2}(?:st|nd|rd|th)?", *map(str.capitalize, _ORDINALS)]
)
_NUMBERED = re.compile(rf"(?P<name>\b[^\W\d_a-z][^\W\d_]+) (?P<numeral>(?:the )?(?:{_NUMERAL}))(?![\w.,]*\d)\b")
# Metric, imperial and currency units, one a row, as the International System of Units and ISO 4217 write them and as
# English, German, French and Spanish texts do.
_UNITS = """
km kilometre kilometres kilometer kilometers kilomètres kilómetros|m metre metres meter meters mètres metros
cm centimetre centimetres centimeter centimeters zentimeter|mm millimetre millimetres millimeter millimeters
mi mile miles|ft foot feet|in inch inches|yd yard yards|kg kilogram kilograms kilogramme kilogrammes kilo kilos
g gram grams gramme grammes gramm|lb lbs pound pounds|t tonne tonnes|h hr hrs hour hours stunden|min mins minute minutes
s sec secs second seconds|% percent prozent pourcent|$ us$ usd dollar dollars|€ eur euro euros|£ gbp pound pounds
¥ jpy yen|km2 km²|ha hectare hectares|l litre litres liter liters|mph|kw kilowatt kilowatts|mw megawatt megawatts
"""
_ROWS = [row.split() for row in re.split(r"[|\n]", _UNITS) if row.strip()]
_UNITS_OF = {form: tuple(row[0] for row in _ROWS if form in row) for row in _ROWS for form in row}
_FORMS = "|".join(re.escape(form) for form in sorted(_UNITS_OF, key=len, reverse=True))
_BEFORE = r"US\$|USD|EUR|GBP|JPY|[$€£¥]"
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_MEASURE = re.compile(
    rf"(?<![\w.,])(?:(?P<before>{_BEFORE})\s?(?P<one>{_NUMBER})"
    rf"|(?P<two>{_NUMBER})[\s-]?(?P<after>{_FORMS}|per cent)(?!\w))",
    re.IGNORECASE,
)


def numerals(text: str) -> Iterator[Said]:
    """The ordinals, the numerals of names, and the units of numbers in a text.

    >>> [said for _, said in numerals("Henry VIII rode 5 kilometres")]
    [(('henry', 8),), (('km', 5.0),)]
    """
    for match in _ORDINAL.finditer(text):
        yield match.span(), (("ordinal", int(match["digits"] or _ORDINAL_OF[match["word"].casefold()])),)
    for match in _NUMBERED.finditer(text):
        yield match.span("numeral"), ((match["name"].casefold(), _numeral(match["numeral"])),)
    for match in _MEASURE.finditer(text):
        unit, number = ("before", "one") if match["before"] else ("after", "two")
        names = _UNITS_OF.get(match[unit].casefold(), ("%",))
        yield match.span(unit), tuple((name, float(match[number].replace(",", ""))) for name in names)


def _numeral(text: str) -> int:
    word = text.removeprefix("the ")
    digits = re.match(r"\d+", word)
    return int(digits[0]) if digits else _ROMAN.get(word) or _ORDINAL_OF[word.casefold()]
