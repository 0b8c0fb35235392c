"""Forms of one word: accents and ligatures aside, and with another ending ("die", "died"; "bombed", "bombing")."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from hopstop.program.text import stem

# Letters that Unicode does not take apart into a plain one and a mark.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "ħ": "h", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th"}
)
_ENDING = 3  # letters of an ending at most: "-ing", "-ern", "-ies"
_ROOT = 4  # letters that two words with other endings must share


@lru_cache(maxsize=16384)
def plain(word: str) -> str:
    """A word in lower case without accents and ligatures; other scripts than Latin keep their marks.

    >>> plain("Wałęsa"), plain("Beyoncé")
    ('walesa', 'beyonce')
    """
    folded = word.casefold()
    if folded.isascii():
        return folded
    parts = unicodedata.normalize("NFD", folded.translate(_LETTERS))
    latin = "".join(char for char in parts if not "\u0300" <= char <= "\u036f")
    return unicodedata.normalize("NFC", latin if latin.isascii() else parts)


def same_word(left: str, right: str) -> bool:
    """Whether two words, as they are written, are forms of one.

    They have the same stem but for accents. Where one is written in lower case, and so is no name, they may also have
    endings of at most three letters behind the same four, or one letter behind the same three. It is meant for asking
    whether a sentence speaks of something, not for telling answers apart.

    >>> [same_word(*pair) for pair in (("die", "died"), ("Actors", "actor"), ("north", "northern"), ("Iran", "Iraq"))]
    [True, True, True, False]
    """
    one, two = sorted((plain(left), plain(right)), key=len)
    if one == two or stem(one) == stem(two):
        return True
    if not (left.islower() or right.islower()) or not (one.isalpha() and two.isalpha()):
        return False
    shared = _shared(one, two)
    return len(two) - shared <= _ENDING if shared >= _ROOT else len(one) == shared == len(two) - 1 == _ROOT - 1


def _shared(one: str, two: str) -> int:
    pairs = zip(one, two, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(two)))


def missing(wanted: Iterable[str], said: Iterable[str]) -> list[str]:
    """The wanted words of which no form is said, in order."""
    held = list(said)
    return [word for word in wanted if not any(same_word(word, other) for other in held)]
