"""Where the clauses of an English sentence part: "written by A | and reviewed by B", "A wrote it; | B read it"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from hopstop.program.text import FUNCTION_WORDS
from hopstop.program.verb_forms import PAST

# What may begin a clause: marks, conjunctions, relative words, and a comma before a word that is no part of a list.
_JOINT = re.compile(
    r"(?P<mark>; |[.!?] (?=[^\W\d_]))"
    r"|(?P<comma>, (?:and |but |or |while )?)"
    r"|(?P<word> (?:and|but|while|whereas|after|before|until|because|although|though|who|which|whose|where|that) )"
)
_TOKEN = re.compile(r"[^\s,;:()]+")
_BE = frozenset("is was are were has had have does did will would".split())  # noqa: SIM905
_JOINS = (" and ", ", ", ", and ", ", or ")
_RELATIVE = frozenset("who which whose where".split())  # noqa: SIM905
_LIST_END = 3  # words of a name behind a joint after which its verb stands


@lru_cache(maxsize=4096)
def clauses(text: str) -> tuple[tuple[int, int], ...]:
    """Offsets (start, end) of the clauses of a sentence, in order; all of it where none can be told apart.

    >>> text = "CHG-1 was written by Ida Roe and reviewed by Max Poe."
    >>> [text[start:end] for start, end in clauses(text)]
    ['CHG-1 was written by Ida Roe', ' and reviewed by Max Poe.']
    """
    starts = [0]
    for match in _JOINT.finditer(text):
        if _begins_clause(text, starts[-1], match):
            starts.append(match.start())
    return tuple(zip(starts, (*starts[1:], len(text)), strict=True))


def clause_texts(text: str) -> list[str]:
    """The clauses as they stand."""
    return [text[start:end] for start, end in clauses(text)]


def _begins_clause(text: str, start: int, match: re.Match[str]) -> bool:
    if match.lastgroup == "mark" or match.group() not in _JOINS:
        return True
    words = _TOKEN.findall(text[match.end() : match.end() + 60])[: _LIST_END + 1]
    if not words:
        return False
    if words[0][0].islower():
        if match.group() == " and " and _is_verb(_TOKEN.findall(text[start : match.start()])[-1:]):
            return False  # both verbs say what follows: "reviewed and approved by"
        return words[0] in _RELATIVE or _is_verb(words)
    at = next((at for at, word in enumerate(words) if word[0].islower()), len(words))
    named = " ".join(words[:at])
    joined = text.startswith(named, match.end())  # no mark stands between the name and the verb
    return joined and _is_verb(words[at:]) and has_verb(text[start : match.start()])


def _is_verb(words: Sequence[str]) -> bool:
    """Whether the first of these words is a verb by its form; what ends in "s" may be a noun, unless more follows."""
    if not words:
        return False
    word, behind = words[0], words[1:2]
    if word in _BE or word in PAST or word.endswith("ed"):
        return True
    return word not in FUNCTION_WORDS and word.endswith(("s", "ing")) and bool(behind) and not _is_noun(behind[0])


def _is_noun(word: str) -> bool:
    return word[0].islower() and word not in FUNCTION_WORDS


def has_verb(text: str) -> bool:
    """Whether a clause may have a verb of its own: it has a word in lower case that is no function word."""
    return any(word[0].islower() and (word not in FUNCTION_WORDS or word in _BE) for word in _TOKEN.findall(text))
