"""A name asked for that texts hold only as the start of another: "Atlas" in "Atlas Pro" or "Atlas 2"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from hopstop.program.generic import KINDS
from hopstop.program.text import names
from hopstop.program.whole_words import lowered, places

# What behind a name makes no other name of it: forms of companies, and kinds of things (with KINDS). English, German.
SAME_KIND = frozenset(
    """
    gmbh ag kg se ohg ug eg inc ltd llc llp corp co plc sa sarl spa srl bv nv ab oy oyj as asa limited incorporated
    corporation group holding team service project system department office incident contract unit plant jr sr
    """.split()  # noqa: SIM905
)
_NEXT = re.compile(r" (?P<next>[^\Wa-z_][\w.-]*)|-\w[\w-]*")
_YEAR = re.compile(r"(?:1\d|20)\d\d\W*")


def longer_names(question: str, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Names of a question that texts hold only inside longer ones, each with such a one.

    A name that no text holds at all is not among them, nor one that some text also holds alone or with words before it
    ("Disney" in "Walter Disney").

    Args:
        question: As it was asked.
        texts: Quoted sentences and the titles of their passages, each apart.
    """
    said = frozenset(question.casefold().split())
    for name in names(question):
        found = [longer for text in texts for longer in _spans(name, text, said)]
        if found and all(found):
            yield name, found[0]


@lru_cache(maxsize=4096)
def _spans(name: str, text: str, said: frozenset[str]) -> tuple[str, ...]:
    """Of each place of a name in a text, the longer name that it begins there, "" if it stands alone."""
    found = []
    for start in places(lowered(text), lowered(name)):
        if text[start - 1 : start] != "-":
            more = _NEXT.match(text, start + len(name))
            found.append(text[start : more.end()] if more and not _is_same(more["next"], said) else "")
    return tuple(found)


def _is_same(following: str | None, said: frozenset[str]) -> bool:
    """Whether a capitalised word behind a name makes no other name of it; None: the name goes on behind a hyphen."""
    low = (following or "").casefold().strip(".,:-")
    known = low in SAME_KIND or low in KINDS or low in said or _YEAR.fullmatch(low) is not None
    return following is not None and (known or not low)
