"""Titles and sentences as words, and the names spelled in them, in any script."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

Key = tuple[str, ...]

MAX_NAME = 8  # words of a name in running text
MAX_TITLE = 12  # words of a title that count as its name

_WORD = re.compile(r"\w+")
_BRACKET = re.compile(r"\s*[(（\[].*?[)）\]]")
_QUOTED = re.compile(r"[\"“„«「]+\s*([^\"“”„«»「」]{2,80}?)\s*[\"”“»」]+")
# What names things in technical prose without a capital: payment-gw, session_cache, core.retry, fooBar.
_CODE = re.compile(r"(?<![\w.-])[^\W\d_]\w*(?:[-._/]\w+)+|\b[a-z]+_\w+|\b[a-z]+[A-Z]\w*")
_GLUE = re.compile(r"[\s\-–'’&./]*")
_MARKS = re.compile("[\u0300-\u036f]")


def fold(word: str) -> str:
    """Case and Latin accents away: "Tekezé" -> "tekeze"."""
    word = word.casefold()
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", word)))


def terms_of(text: str) -> list[str]:
    """The folded words of a text."""
    return [fold(word) for word in _WORD.findall(unicodedata.normalize("NFC", text))]


@dataclass(slots=True)
class Unit:
    """A title or a sentence, analysed.

    Attributes:
        text: In NFC.
        spans: Where each word stands in it.
        words: As written.
        terms: Folded.
        looks_named: For each word, whether it is written like a name: a capital, a number of three or more characters
            with a digit, or a script without capitals. Filled by `mark_named`.
    """

    text: str
    spans: list[tuple[int, int]]
    words: list[str]
    terms: list[str]
    looks_named: list[bool] = field(default_factory=list)


def unit_of(text: str) -> Unit:
    """Analyse a title or a sentence."""
    text = unicodedata.normalize("NFC", text)
    found = list(_WORD.finditer(text))
    words = [match.group() for match in found]
    return Unit(text, [match.span() for match in found], words, [fold(word) for word in words])


def upper_share(units: Iterable[Unit]) -> dict[str, float]:
    """How often each term stands with a capital where no sentence start forces one, in [0, 1]."""
    upper: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for unit in units:
        total.update(unit.terms[1:])
        upper.update(term for word, term in zip(unit.words[1:], unit.terms[1:], strict=True) if _is_upper(word))
    return {term: upper[term] / count for term, count in total.items()}


def mark_named(unit: Unit, share: dict[str, float]) -> None:
    """Fill `looks_named`; a first word counts if it mostly has a capital elsewhere too, or stands nowhere else."""
    for place, (word, term) in enumerate(zip(unit.words, unit.terms, strict=True)):
        number = len(word) >= 3 and any(char.isdigit() for char in word)
        upper = _is_upper(word) and (place > 0 or share.get(term, 1.0) >= 0.5)
        unit.looks_named.append(number or upper or _has_no_case(word))


def spelled_names(unit: Unit) -> set[Key]:
    """Names as spelled: runs of named words, those joined by short words (whole and in parts), quotes, identifiers."""
    found = {tuple(fold(word) for word in _WORD.findall(quote)) for quote in _QUOTED.findall(unit.text)}
    found |= {tuple(fold(word) for word in _WORD.findall(code)) for code in _CODE.findall(unit.text)}
    place = 0
    while place < len(unit.words):
        if not unit.looks_named[place]:
            place += 1
            continue
        start, part = place, place
        while part >= 0:
            place = _run_end(unit, part)
            found |= {tuple(unit.terms[part:place]), tuple(unit.terms[start:place])}
            part = _joined(unit, place)
    return {name for name in found if 0 < len(name) <= MAX_NAME}


def title_name(title: Unit) -> Key:
    """A title as a name: without what stands in brackets, unless nothing else does."""
    base = _BRACKET.sub("", title.text).strip() or title.text
    return tuple(fold(word) for word in _WORD.findall(base))[:MAX_TITLE]


def _is_upper(word: str) -> bool:
    return word[0].isupper() or word[0].istitle()


def _has_no_case(word: str) -> bool:
    return word[0].isalpha() and not word[0].isupper() and not word[0].islower()


def _glued(unit: Unit, place: int) -> bool:
    """Whether only spaces, hyphens, apostrophes or dots stand between this word and the next."""
    return bool(_GLUE.fullmatch(unit.text, unit.spans[place][1], unit.spans[place + 1][0]))


def _run_end(unit: Unit, start: int) -> int:
    """End of the run of named words that starts here; initials belong to it."""
    end = start + 1
    while end < len(unit.words) and _glued(unit, end - 1):
        initial = len(unit.words[end]) == 1 and _is_upper(unit.words[end])
        if not (unit.looks_named[end] or initial):
            break
        end += 1
    return end


def _joined(unit: Unit, end: int) -> int:
    """Where a name goes on after one or two short lower-case words ("of the", "van der"); -1 if it does not."""
    place = end
    while place < len(unit.words) and place - end < 2 and _glued(unit, place - 1):
        if len(unit.words[place]) > 3 or not unit.words[place].islower():
            break
        place += 1
    goes_on = end < place < len(unit.words) and _glued(unit, place - 1) and unit.looks_named[place]
    return place if goes_on else -1
