"""Which of several values in a sentence belongs to what is asked: the one in whose clause most of that stands."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from hopstop.program.profile import fold, stems
from hopstop.program.question_form import Asks
from hopstop.program.text import names
from hopstop.program.values import amounts, dates

_CUT = re.compile(r"(?:[,;] )?\b(?:and|but|while|whereas|und|aber|während)\b|[,;](?= )")


class _Value(NamedTuple):
    start: int
    end: int
    unit: str


@lru_cache(maxsize=2048)
def of_other_clause(question: str, asks: Asks, sentence: str, answer: str) -> bool:
    """Whether a date or amount is the one of another clause: it speaks less of the question than that of another value.

    Args:
        question: As it was asked.
        asks: The kind of answer; only dates and amounts are judged.
        sentence: As it stands.
        answer: A value in it.
    """
    at = fold(sentence).find(fold(answer))
    values = _values(asks, sentence)
    own = next((place for place, value in enumerate(values) if value.start <= at < value.end), -1)
    if at < 0 or own < 0:
        return False
    same = [value for value in values if value.unit == values[own].unit]
    clauses = _clauses(sentence, same)
    own = same.index(values[own])
    if len(clauses) < 2:
        return False
    asked = stems(question) - stems(answer)
    weighed = stems(" ".join(names(question)))
    scores = [_score(asked, weighed, clause, clauses) for clause in clauses]
    return scores[own] < max(scores)


def _values(asks: Asks, sentence: str) -> list[_Value]:
    if asks is Asks.DATE:
        return [_Value(date.start, date.end, "") for date in dates(sentence)]
    if asks is not Asks.NUMBER:
        return []
    taken = [range(date.start, date.end) for date in dates(sentence) if date.month]
    return [
        _Value(amount.start, amount.end, amount.unit)
        for amount in amounts(sentence)
        if not any(amount.start in span for span in taken)
    ]


def _clauses(sentence: str, values: list[_Value]) -> list[tuple[str, str]]:
    """For each value the text around it, before and behind it; empty unless all are parted by a cut."""
    edges = [0]
    for one, two in pairwise(values):
        cuts = [match.start() for match in _CUT.finditer(sentence, one.end, two.start)]
        if not cuts or "(" in sentence[: one.start].rpartition(")")[2]:  # in brackets stand both ends of a life
            return []
        edges.append(cuts[-1])
    ends = [*edges[1:], len(sentence)]
    return [
        (sentence[first : value.start], sentence[value.end : last])
        for first, last, value in zip(edges, ends, values, strict=True)
    ]


def _score(
    asked: frozenset[str], weighed: frozenset[str], clause: tuple[str, str], clauses: list[tuple[str, str]]
) -> tuple[int, int]:
    """Names, then words of the question that a clause holds; what opens the sentence is left out if all share it."""
    opening = clauses[0][0]
    shared = not any(names(before) for before, _ in clauses[1:])
    own = stems(" ".join(clause)) if not shared else stems(" ".join(clause if clause[0] is not opening else clause[1:]))
    held = own & asked
    return len(held & weighed), len(held)
