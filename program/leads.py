"""Names in a sentence that may lead on to another one, folded."""

from __future__ import annotations

import re
from functools import lru_cache

from hopstop.program.nations import is_nation
from hopstop.program.profile import fold
from hopstop.program.text import names, words
from hopstop.program.values import dates

# Letters with a digit ("CHG-9568"), and what technical prose names without capitals ("payment-gw", "session_cache").
_CODE = re.compile(r"(?=[\w-]*[^\W\d_])(?:(?=[\w-]*\d)[\w-]{4,}|[^\W\d_]{2,}(?:[-_][^\W_]{2,})+)")
_MAY_BE_CODE = re.compile(r"[\d_-]")
_DIGIT = re.compile(r"\d")
_THREE = re.compile(r"(?:[\W_]*[^\W_]){3}")
_RUN = re.compile(r"[\w-]+")
_FIRST = 100  # characters among which the first word of a sentence stands
_APART = re.compile(r" and |, |: ")


@lru_cache(maxsize=4096)
def leads(text: str) -> tuple[str, ...]:
    """The folded names in a sentence that may lead on: no countries, dates or bare small numbers."""
    found = [fold(part) for name in names(text) for part in _APART.split(name) if _leads(part)]
    return tuple(dict.fromkeys([*found, *map(fold, _codes(text))]))


def _codes(text: str) -> list[str]:
    if not _MAY_BE_CODE.search(text):
        return []
    return [run for run in _RUN.findall(text) if not run.isalpha() and _CODE.fullmatch(run)]


def _leads(name: str) -> bool:
    if is_nation(name) or not _THREE.match(name):
        return False
    return not _DIGIT.search(name) or not any(date.end - date.start == len(name) for date in dates(name))


@lru_cache(maxsize=4096)
def inner_leads(text: str) -> frozenset[str]:
    """The same without a lone word at the start of the sentence, which has its capital from there."""
    first = fold((words(text[:_FIRST]) or [""])[0])
    return frozenset(key for key in leads(text) if key != first or any(map(str.isdigit, key)) or "-" in key)
