"""Titles and sentences as words, and the names spelled in them, in any script."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
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
    return [fold(word) for word in _WORD.findall(normal(text))]


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


def look_at(word: str) -> Form:
    """A word, looked at."""
    number = len(word) >= 3 and not word.isalpha() and any(char.isdigit() for char in word)
    no_case = word[0].isalpha() and not word[0].isupper() and not word[0].islower() and not "ぁ" <= word[0] <= "ゟ"
    return Form(word, fold(word), word[0].isupper() or word[0].istitle(), number or no_case)


form_of = lru_cache(maxsize=1 << 17)(look_at)  # a corpus is written with few words, which are looked at and kept once


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
    text = normal(text)
    pieces = word_pieces(text)
    forms = list(map(form_of, pieces[1::2]))
    return Unit(text, pieces[::2], forms, [form.term for form in forms])


def normal(text: str) -> str:
    """In Unicode's NFC, as all of this module reads it."""
    return unicodedata.normalize("NFC", text)


def word_pieces(text: str) -> list[str]:
    """What stands before the first word, the word, what stands between it and the next one, and so on to the end."""
    return _WORD_KEPT.split(text)


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


def marked_words(text: str, between: Sequence[str], *, identifiers: bool = True) -> list[list[str]]:
    """The words of what a text in NFC marks as a name: what stands in quotes, and identifiers.

    Args:
        text: A sentence.
        between: What stands between its words.
        identifiers: Whether those count.
    """
    found = [_WORD.findall(quote) for quote in _QUOTED.findall(text)]
    if identifiers and (not _CODE_GAPS.isdisjoint(between) or _CODE_WORD.search(text)):
        found += [_WORD.findall(code) for code in _CODE.findall(text)]
    return [words for words in found if 0 < len(words) <= MAX_NAME]


def title_words(title: str) -> list[str]:
    """The words of a title in NFC as a name: without what stands in brackets, unless nothing else does."""
    base = _BRACKET.sub(" ", title).strip() or title
    return _WORD.findall(base)[:MAX_TITLE]


def spoken(name: str) -> str:
    """The folded words of a name as they are written in a query: no space between Chinese characters."""
    return _BETWEEN_HAN.sub("", name)


@lru_cache(maxsize=4096)
def glued(between: str) -> bool:
    """Whether what stands between two words is only spaces, hyphens, apostrophes or dots, as inside of a name."""
    return bool(_GLUE.fullmatch(between))


def run_end(unit: Unit, start: int) -> int:
    """End of the run of named words that starts here, initials among them."""
    end = start + 1
    while end < len(unit.forms) and unit.looks_named[end] and glued(unit.gaps[end]):
        end += 1
    return end
