"""Another sentence in the same words that gives another value: "The lead of the team is Ann." and "... is Bo."."""

from __future__ import annotations

from collections.abc import Iterable

from hopstop.program.profile import fold, stems
from hopstop.program.text import content_words

_LONGEST = 6  # words of a value: what differs in more is another statement


def contradicting(sentence: str, answer: str, others: Iterable[str], asked: frozenset[str]) -> str:
    """The value that another sentence gives in place of an answer; "" if none does.

    What stands before the value must be the same and speak of the question, so that the value is what is said of it:
    several may do a thing ("Ann works for A"), but a thing has one date, one head, one amount.

    Args:
        sentence: Where the answer stands.
        answer: Part of it.
        others: Other sentences read.
        asked: Stems of the question.
    """
    text, value = " ".join(fold(sentence).split()), " ".join(fold(answer).split())
    at = text.find(value)
    before, behind = text[:at], text[at + len(value) :].rstrip(" .")
    if at <= 0 or not stems(before) & asked or len(stems(before) & asked) < 2:
        return ""
    for other in others:
        folded = " ".join(fold(other).split()).rstrip(" .")
        if folded.startswith(before) and folded.endswith(behind) and len(folded) > len(before) + len(behind):
            found = folded[len(before) : len(folded) - len(behind)]
            if found != value and content_words(found) and len(found.split()) <= _LONGEST and value not in found:
                return " ".join(other.split()).rstrip(" .")[len(before) : len(folded) - len(behind)]
    return ""
