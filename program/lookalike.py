"""Names and numbers that are easily taken for each other: "4412" for "4471", "Ana Ortiz" for "Dana Ortiz"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from hopstop.program.text import FUNCTION_WORDS, content_words, names, numbers, words

# Two of three characters alike in order: what remains of a word after one edit in three letters, the shortest that is
# still confusable. difflib's documentation calls a ratio above 0.6 a close match; look-alikes must be closer than that.
ALIKE = 2 / 3
_YEAR = re.compile(r"(?:1\d|20)\d\ds?")
_BETWEEN_NAMES = re.compile(r"[,;/]\s*|\s+(?:and|or|&|et|und|y|for|in)\s+|\s*\b[\d.:-]*\d\S*\s*")


def alike(left: str, right: str) -> bool:
    """Whether two names or numbers look alike without being the same.

    Numbers: as many digits, at least three, and the first half or all but one the same; letters in them the same.
    Names of one word: one letter replaced, put in or left out, but not at the end, where it makes a form of the same
    name ("Germany", "German"). Names of several words: as many, at least one pair the same, and the others alike in at
    least two thirds of their letters and more than an ending. Accents do not count.
    """
    left, right = _plain(left), _plain(right)
    if any(map(str.isdigit, left + right)):
        return _numbers_alike(left, right)
    one, two = content_words(left), content_words(right)
    if len(one) != len(two) or one == two:
        return False
    pairs = [(a, b) for a, b in zip(one, two, strict=True) if a != b]
    if len(one) == 1:
        return _one_edit(*pairs[0])
    return len(pairs) < len(one) and all(_close(a, b) for a, b in pairs)


def _plain(text: str) -> str:
    if text.isascii():
        return text.casefold()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def _numbers_alike(left: str, right: str) -> bool:
    shapes = [re.sub(r"\d", "0", text) for text in (left, right)]
    if left == right or shapes[0] != shapes[1] or shapes[0].count("0") < 3:
        return False
    one, two = ("".join(char for char in text if char.isdigit()) for text in (left, right))
    half = (len(one) + 1) // 2
    return one[:half] == two[:half] or sum(a != b for a, b in zip(one, two, strict=True)) == 1


def _one_edit(left: str, right: str) -> bool:
    short, long = sorted((left, right), key=len)
    if len(short) < 3 or len(long) - len(short) > 1 or long.startswith(short):
        return False
    same = next(at for at in range(len(short)) if short[at] != long[at])
    return short[same + (len(short) == len(long)) :] == long[same + 1 :] and same < len(short) - 1


def _close(left: str, right: str) -> bool:
    if left.removesuffix("s") == right.removesuffix("s"):
        return False
    return SequenceMatcher(None, left, right, autojunk=False).ratio() >= ALIKE


def near_misses(question: str, texts: Sequence[str], *, asker: str = "the question", years: bool = True) -> list[str]:
    """Objections for names and numbers of a question or fact that no quoted passage holds while one holds a look-alike.

    The plain rule "every name of the question must be in a quoted passage" would refuse right answers, because
    passages use abbreviations and descriptions; a look-alike in place of the name is what makes it suspicious. Any
    text about people holds years that look alike, so a year counts only beside the same word ("1990 season" and
    "1991 season").

    Args:
        question: As it was asked.
        texts: Title and text of each quoted passage.
        asker: What the objection says it is that asks.
        years: Whether years are looked at; in the words of a fact they tell rather what something is ("the 1964 film").
    """
    held = frozenset[str]().union(*map(_held, texts))
    objections = []
    for wanted in (*sorted(numbers(question)), *_asked_names(question)):
        if held.issuperset(content_words(_plain(wanted))) or (not years and is_year(wanted, question)):
            continue
        twin = next((name for text in texts for name in _twins(wanted, question, text)), None)
        if twin is not None:
            objections.append(f'{asker} asks for "{wanted}" but the quoted passages speak of "{twin}"')
    return objections


@lru_cache(maxsize=64)  # each round looks again at the passages that the rounds before have quoted
def _held(text: str) -> frozenset[str]:
    return numbers(text).union(map(_plain, content_words(text)))


def _twins(wanted: str, question: str, text: str) -> Iterator[str]:
    for name in (*sorted(numbers(text)), *single_names(text)):
        if alike(wanted, name) and _same_place(wanted, question, name, text):
            yield name


def _asked_names(question: str) -> Iterator[str]:
    """Names of a question; a lone word at its start is rather a verb ("Name the film")."""
    for name in single_names(question):
        if " " in name or not question.lstrip().startswith(name):
            yield name


@lru_cache(maxsize=256)
def single_names(text: str) -> tuple[str, ...]:
    """Names of a text without numbers, those in a list apart."""
    pieces = (piece.strip(" .") for span in names(text) for piece in _BETWEEN_NAMES.split(span))
    return tuple(filter(None, pieces))


def _same_place(wanted: str, question: str, twin: str, text: str) -> bool:
    if not is_year(wanted, question) or not is_year(twin, text):
        return True
    return not _beside(wanted, question).isdisjoint(_beside(twin, text))


def is_year(number: str, text: str) -> bool:
    """Whether a number of a text looks like a year and is no part of a code."""
    return _YEAR.fullmatch(number) is not None and not in_code(number, text)


def in_code(number: str, text: str) -> bool:
    """Whether a number stands in one word with letters ("MATH-2041"), where it is no year."""
    codes = (word.casefold().split("-") for word in words(text) if not word.isalpha())
    return any(number in parts and any(part.isalpha() for part in parts) for parts in codes)


def _beside(number: str, text: str) -> set[tuple[int, str]]:
    """Content words that touch a number: right before it (-1) and right after it (1)."""
    found = [word.casefold() for word in words(text)]
    return {
        (step, found[at + step])
        for at, word in enumerate(found)
        for step in (-1, 1)
        if word == number and 0 <= at + step < len(found) and found[at + step] not in FUNCTION_WORDS
    }
