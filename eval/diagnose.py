"""Where did it go wrong: one cause for each question that was not answered with proof."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hopstop.eval.outcomes import Row
from hopstop.eval.score import Crash, Score


class Cause(StrEnum):
    """Why a question is not proven. Each question has the first that holds, in this order."""

    CRASHED = "crashed"
    ANSWERED_UNANSWERABLE = "answered_unanswerable"
    NO_GOLD_LABELLED = "no_gold_labelled"
    EARLY_STOP = "early_stop"
    GOLD_NOT_QUOTED = "gold_not_quoted"
    FALSE_REFUSAL = "false_refusal"
    HOP_NEVER_FOUND = "hop_never_found"
    HOP_NOT_READ = "hop_not_read"
    WRONG_STOP = "wrong_stop"
    EXHAUSTED = "exhausted"


MEANING: Mapping[Cause, str] = {
    Cause.CRASHED: "the run raised an error",
    Cause.ANSWERED_UNANSWERABLE: "answered, though the corpus does not hold the answer",
    Cause.NO_GOLD_LABELLED: "not right, and no gold passage is labelled that could say why",
    Cause.EARLY_STOP: "answered while a gold passage was never found",
    Cause.GOLD_NOT_QUOTED: "right, with all gold passages found, but one of them not quoted",
    Cause.FALSE_REFUSAL: "code refused a right STOP with all gold passages at hand",
    Cause.HOP_NEVER_FOUND: "not answered, and a gold passage was found by no search",
    Cause.HOP_NOT_READ: "a search found a gold passage, which was not chosen to be read",
    Cause.WRONG_STOP: "answered wrongly with all gold passages read",
    Cause.EXHAUSTED: "not answered with all gold passages read",
}


@dataclass(frozen=True, slots=True)
class Case:
    """A question that was not answered with proof.

    Attributes:
        id: Id of the question.
        cause: Why.
        passages: The gold passages that the cause is about: never found, not read or not quoted; empty if none.
    """

    id: str
    cause: Cause
    passages: tuple[str, ...] = ()


def diagnose(rows: Iterable[Row]) -> tuple[Case, ...]:
    """The cases among these questions, in their order.

    Proven questions, unanswerable ones left unanswered, and right answers where no gold is labelled are no cases.
    """
    return tuple(case for row in rows if (case := _case(row)) is not None)


def by_cause(cases: Iterable[Case]) -> dict[Cause, tuple[Case, ...]]:
    """The cases of each cause that occurred, the most frequent cause first, then in the order of `Cause`."""
    every = list(cases)
    counts = Counter(case.cause for case in every)
    order = sorted((cause for cause in Cause if counts[cause]), key=lambda cause: -counts[cause])
    return {cause: tuple(case for case in every if case.cause is cause) for cause in order}


def _case(row: Row) -> Case | None:
    score = row.result
    if isinstance(score, Crash):
        return Case(row.id, Cause.CRASHED)
    if not score.answerable:
        return Case(row.id, Cause.ANSWERED_UNANSWERABLE) if score.answered else None
    if score.proven:
        return None
    gold = row.asked["gold"]
    if not gold:
        return None if score.correct else Case(row.id, Cause.NO_GOLD_LABELLED)
    return Case(row.id, *_cause(score, gold, row.outcome or {}))


def _cause(score: Score, gold: Sequence[str], outcome: Mapping[str, Any]) -> tuple[Cause, tuple[str, ...]]:
    unread = _without(gold, outcome["passages"])
    missed = _without(unread, (name for item in outcome["rounds"] for name in item["hits"]))
    if score.early_stop:
        return Cause.EARLY_STOP, missed
    if score.correct:
        return Cause.GOLD_NOT_QUOTED, _without(gold, (item["passage_id"] for item in outcome["citations"]))
    if score.false_refusal:
        return Cause.FALSE_REFUSAL, ()
    if missed:
        return Cause.HOP_NEVER_FOUND, missed
    if unread:
        return Cause.HOP_NOT_READ, unread
    return (Cause.WRONG_STOP if score.answered else Cause.EXHAUSTED), ()


def _without(names: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    gone = set(known)
    return tuple(name for name in names if name not in gone)
