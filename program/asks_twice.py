"""Queries that ask for several things at once, told by their form."""

from __future__ import annotations

import re

from hopstop.program.text import content_words, names, numbers, words

_QUESTION_MARK = re.compile("[?？؟]+")
_SEMICOLON, _COMMA, _BRACKETS = re.compile("[;；\n]"), re.compile("[,、，،]"), re.compile(r"\([^()]*\)")
_NUMBERED = re.compile(r"(?:^|\s)\(?\d{1,2}[.)]\s")
_AND_ASKS = re.compile(
    r"\b(?:and|und|et|y|и)\s+(?:on |in |at )?(?:who|whom|whose|which|what|when|where|why|how|wer|wen|was|wann|wo|wie|"
    r"welche[rsmn]?|qui|quand|où|quel(?:le)?s?|comment|quién|qué|cuándo|dónde|cuál|cómo|кто|что|где|когда|какой)\b",
    re.IGNORECASE,
)


def asks_twice(query: str) -> bool:
    """Whether a query holds two questions or a list.

    Two questions: two question marks with words before each, or a question word behind "and". A list: numbered, parted
    by semicolons, or of three parts between commas of which two name nothing, as the parts of a place do.

    >>> asks_twice("who wrote it and when was it merged"), asks_twice("Springfield, Ohio, United States")
    (True, False)
    """
    questions = [part for part in _QUESTION_MARK.split(query)[:-1] if words(part)]
    return len(questions) > 1 or _AND_ASKS.search(query) is not None or _is_list(query)


def _is_list(query: str) -> bool:
    if len(_NUMBERED.findall(query)) > 1:
        return True
    if sum(bool(content_words(part)) for part in _SEMICOLON.split(query)) > 1:
        return True
    parts = [part for part in _COMMA.split(_BRACKETS.sub("", query)) if content_words(part)]
    return len(parts) > 2 and sum(not names(part) and not numbers(part) for part in parts) > 1
