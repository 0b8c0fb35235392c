"""Titles and sentences as words, and the names spelled in them, in any script."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

Key = tuple[str, ...]

MAX_NAME = 8  # words of a name in running text
MAX_TITLE = 12  # words of a title that count as its name

# Chinese and Japanese put no space between words: there each character is one, kana apart, whose runs are.
_HAN, _HIRAGANA, _KATAKANA = (
    "\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff",
    "\u3041-\u309f",
    "\u30a1-\u30fa\u30fc-\u30ff",
)
_WORD = re.compile(rf"[{_HAN}]|[{_HIRAGANA}]+|[{_KATAKANA}]+|[^\W{_HAN}{_HIRAGANA}{_KATAKANA}]+")
LONG_HAN = re.compile(f"[{_HAN}]{{5,}}")  # more than a name, or one that the text cuts nowhere
_WORD_KEPT = re.compile(f"({_WORD.pattern})")
_BETWEEN_HAN = re.compile(f"(?<=[{_HAN}]) (?=[{_HAN}])")
_BRACKET = re.compile(r"\s*[(（\[].*?[)）\]]")
_QUOTED = re.compile(r"[\"“„«「]+\s*([^\"“”„«»「」]{2,80}?)\s*[\"”“»」]+")
# What names things in technical prose without a capital: payment-gw, session_cache, core.retry, fooBar.
_CODE = re.compile(r"(?<![\w.-])[^\W\d_]\w*(?:[-._/]\w+)+|\b[a-z]+_\w+|\b[a-z]+[A-Z]\w*")
_CODE_GAPS = frozenset("-./")  # one of them stands between two words of an identifier, if not inside of one word
_CODE_WORD = re.compile(r"_|[a-z][A-Z]")
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


@dataclass(frozen=True, slots=True)
class Form:
    """A word as it is written.

    Attributes:
        word: As written.
        term: Folded.
        upper: Whether it begins with a capital.
        marked: Whether it looks like a name without one: three or more characters with a digit, or a script that has
            no capitals, but for hiragana, which are mostly endings and particles.
    """

    word: str
    term: str
    upper: bool
    marked: bool


@lru_cache(maxsize=1 << 17)  # a corpus is written with few words, which are looked at and kept once
def form_of(word: str) -> Form:
    """A word, looked at."""
    number = len(word) >= 3 and any(char.isdigit() for char in word)
    no_case = word[0].isalpha() and not word[0].isupper() and not word[0].islower() and not "ぁ" <= word[0] <= "ゟ"
    return Form(word, fold(word), word[0].isupper() or word[0].istitle(), number or no_case)


@dataclass(slots=True)
class Unit:
    """A title or a sentence, analysed.

    Attributes:
        text: In NFC.
        gaps: What stands before the first word, between two words, and after the last: one more than words.
        forms: The words.
        terms: The words, folded.
        looks_named: For each word, whether it is written like a name: `upper` or `marked`. Filled by `mark_named`.
    """

    text: str
    gaps: list[str]
    forms: list[Form]
    terms: list[str]
    looks_named: list[bool] = field(default_factory=list)

    @property
    def words(self) -> list[str]:
        """As written."""
        return [form.word for form in self.forms]


def unit_of(text: str) -> Unit:
    """Analyse a title or a sentence."""
    text = unicodedata.normalize("NFC", text)
    pieces = _WORD_KEPT.split(text)
    forms = list(map(form_of, pieces[1::2]))
    return Unit(text, pieces[::2], forms, [form.term for form in forms])


def upper_share(units: Iterable[Unit]) -> dict[str, float]:
    """How often each term stands with a capital where no sentence start forces one, in [0, 1]."""
    upper: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for unit in units:
        total.update(unit.terms[1:])
        upper.update([form.term for form in unit.forms[1:] if form.upper])
    return {term: upper[term] / count for term, count in total.items()}


def mark_named(unit: Unit, share: dict[str, float]) -> None:
    """Fill `looks_named`; a first word counts if it mostly has a capital elsewhere too, or stands nowhere else."""
    unit.looks_named = [form.upper or form.marked for form in unit.forms]
    if unit.forms and share.get(unit.terms[0], 1.0) < 0.5:
        unit.looks_named[0] = unit.forms[0].marked


def spelled_names(unit: Unit, *, identifiers: bool = True) -> set[Key]:
    """Names as spelled: runs of named words, those joined by short words (whole and in parts), quotes, identifiers."""
    found = {_key(quote) for quote in _QUOTED.findall(unit.text)}
    if identifiers and (not _CODE_GAPS.isdisjoint(unit.gaps[1:-1]) or _CODE_WORD.search(unit.text)):
        found |= {_key(code) for code in _CODE.findall(unit.text)}
    named, place = unit.looks_named, 0
    while True in named[place:]:
        start = part = named.index(True, place)
        while part >= 0:
            place = run_end(unit, part)
            found |= {tuple(unit.terms[part:place]), tuple(unit.terms[start:place])}
            part = _joined(unit, place)
    return {name for name in found if 0 < len(name) <= MAX_NAME}


def title_name(title: Unit) -> Key:
    """A title as a name: without what stands in brackets, unless nothing else does."""
    base = _BRACKET.sub("", title.text).strip() or title.text
    return _key(base)[:MAX_TITLE]


def spoken(name: str) -> str:
    """The folded words of a name as they are written in a query: no space between Chinese characters."""
    return _BETWEEN_HAN.sub("", name)


def _key(text: str) -> Key:
    return tuple(fold(word) for word in _WORD.findall(text))


def _glued(unit: Unit, place: int) -> bool:
    """Whether only spaces, hyphens, apostrophes or dots stand between this word and the next."""
    gap = unit.gaps[place + 1]
    return gap == " " or bool(_GLUE.fullmatch(gap))


def run_end(unit: Unit, start: int) -> int:
    """End of the run of named words that starts here; initials belong to it."""
    end = start + 1
    while end < len(unit.forms) and (unit.looks_named[end] or _is_initial(unit.forms[end])) and _glued(unit, end - 1):
        end += 1
    return end


def _is_initial(form: Form) -> bool:
    return form.upper and len(form.word) == 1


def _joined(unit: Unit, end: int) -> int:
    """Where a name goes on after one or two short lower-case words ("of the", "van der"); -1 if it does not."""
    place = end
    while place < len(unit.forms) and place - end < 2 and _glued(unit, place - 1):
        word = unit.forms[place].word
        if len(word) > 3 or not word.islower():
            break
        place += 1
    goes_on = end < place < len(unit.forms) and unit.looks_named[place] and _glued(unit, place - 1)
    return place if goes_on else -1
