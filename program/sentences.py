"""Split a passage into sentences, as offsets into its text."""

from __future__ import annotations

import re
from functools import lru_cache

# Where a sentence may end: at . ! ? with closing quotes or brackets, before white space; at the full stops of scripts
# that put no space after them; at a line break.
_END = re.compile(
    r"""[.!?\n。！？।؟](?:(?<=[.!?])(?<![.!?][.!?])[.!?]*+(?:["'”’»)\]]|[ \u00a0\u202f]»){0,4}(?=\s)"""
    r"""|(?<=[。！？।؟])[」』”’）]*|(?<=\n))\s*"""
)
_OPENING = "\"'“‘„«¿¡([*_` \u00a0\u202f"
_ABBREVIATION = re.compile(
    r"\b(?:[A-ZÀ-Öbcdvr]|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|Lt|Col|Gen|Sgt|Capt|Rev|Hon|No|Nr|vs|cf|ca|fl|approx|e\.g|i\.e|Inc|Ltd|"
    r"Co|Corp|Mt|Ft|vol|pp|fig|Fig|ed|Ed|Bd|bzw|z\.B|d\.h|usw|evtl|U\.S|U\.K|D\.C)\.$"
)
_LOOK_BACK = 10  # characters: longer than every abbreviation with the character before it
_GERMAN_DAY = re.compile(r"\b\d{1,2}\.\s+(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Jahrh)")
_LIST_NUMBER = re.compile(r"\s*\d{1,3}\.$")
_WRAPPED = 50  # characters: a shorter line was hardly broken to fit a page


@lru_cache(maxsize=1024)
def sentence_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Offsets (start, end) of the sentences of a text, in order, without surrounding white space.

    Every character that is not white space lies in exactly one span.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        if _ends(text, start, match):
            spans.append((start, match.end()))
            start = match.end()
    spans.append((start, len(text)))
    return tuple(trimmed for span in spans if (trimmed := _trim(text, *span)) is not None)


def _ends(text: str, start: int, match: re.Match[str]) -> bool:
    mark = match.group().rstrip()
    lines = match.group().count("\n")
    if not mark:
        return not _is_wrapped(text, start, match)
    if lines > 1 or mark[0] not in ".!?":
        return True
    if text[match.end() : match.end() + 1].islower() or (not lines and _goes_on(text, match.end())):
        return False
    return mark != "." or not _is_abbreviated(text, start, match)


def _goes_on(text: str, at: int) -> bool:
    """Whether what stands here begins no sentence: it is neither a capital, a digit nor a letter without case."""
    rest = text[at : at + 10].lstrip(_OPENING)
    return bool(rest) and (rest[0].islower() or not rest[0].isalnum())


def _is_abbreviated(text: str, start: int, match: re.Match[str]) -> bool:
    stop = match.start() + 1
    return bool(
        _ABBREVIATION.search(text[max(start, stop - _LOOK_BACK) : stop])
        or _GERMAN_DAY.search(text, max(start, stop - 4), match.end() + 6)
        or (stop - start < _LOOK_BACK and _LIST_NUMBER.fullmatch(text, start, stop))
    )


def _is_wrapped(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether a line break only fits a sentence to a page: after a long line, before a lower-case letter."""
    line = match.start() - max(start, text.rfind("\n", start, match.start()) + 1)
    return match.group() == "\n" and line >= _WRAPPED and text[match.end() : match.end() + 1].islower()


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    stripped = piece.strip()
    return (start + left, start + left + len(stripped)) if stripped else None
