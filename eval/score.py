"""Score one outcome against its question, and sum up many scores. What was not measured is None, never 0."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hopstop.eval import metrics
from hopstop.eval.questions import Question
from hopstop.program.records import Outcome, StopReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What one run was worth.

    Measures of the answer are None for unanswerable questions, those that need gold passages are None where none are
    labelled or the question is unanswerable, and `abstain_right` is None for answerable ones.

    Attributes:
        id: Id of the question.
        type: Kind of the question.
        hops: Facts that the answer rests on; None if unknown.
        answerable: Whether the corpus holds the answer.
        reason: Why the run ended.
        answered: Whether it gave an answer.
        correct: Whether it gave the right answer: em = 1. False for any answer to an unanswerable question, and
            for no answer.
        em: Exact match, 0 or 1; 0 if not answered.
        f1: Word overlap, in [0, 1]; 0 if not answered.
        all_support: Whether every gold passage was read.
        recall_at_5: Share of the gold passages among the first 5 of the ranking, in [0, 1].
        recall_at_10: The same for the first 10.
        proven: Answered, correct, and every gold passage quoted.
        wrong_stop: Answered and not correct.
        early_stop: Answered while a gold passage was never retrieved.
        false_refusal: A right STOP with all gold passages at hand was refused.
        abstain_right: An unanswerable question was left unanswered.
        passages: Passages read.
        rounds: Rounds run.
        calls: LM calls.
        tokens: Input and output tokens of all LM calls.
        parse_failures: LM replies that could not be read.
        cost_usd: Price of the calls; None if unknown.
        ms: Wall clock in milliseconds; None if most of it was waiting for a batch.
        quotes: Quotes given.
        quotes_verified: Of these, the ones that stand in their passage at their offsets, looked up anew.
    """

    id: str
    type: str
    hops: int | None
    answerable: bool
    reason: StopReason
    answered: bool
    correct: bool
    em: float | None
    f1: float | None
    all_support: bool | None
    recall_at_5: float | None
    recall_at_10: float | None
    proven: bool | None
    wrong_stop: bool
    early_stop: bool | None
    false_refusal: bool | None
    abstain_right: bool | None
    passages: int
    rounds: int
    calls: int
    tokens: int
    parse_failures: int
    cost_usd: float | None
    ms: float | None
    quotes: int
    quotes_verified: int


@dataclass(frozen=True, slots=True)
class Crash:
    """A question whose run raised. It is counted apart and enters no mean.

    Attributes:
        id: Id of the question.
        error: The kind of the error and its message.
    """

    id: str
    error: str


Value = float | None
Measure = Callable[[Score], Value]

MEANS: Mapping[str, Measure] = {
    "all_support": lambda item: item.all_support,
    "recall_at_5": lambda item: item.recall_at_5,
    "recall_at_10": lambda item: item.recall_at_10,
    "passages_mean": lambda item: item.passages,
    "rounds_mean": lambda item: item.rounds,
    "answered": lambda item: item.answered,
    "em": lambda item: item.em,
    "f1": lambda item: item.f1,
    "precision": lambda item: item.correct if item.answered else None,
    "proven": lambda item: item.proven,
    "wrong_stop": lambda item: item.wrong_stop,
    "early_stop": lambda item: item.early_stop,
    "false_refusal": lambda item: item.false_refusal,
    "abstain_right": lambda item: item.abstain_right,
    "tokens_mean": lambda item: item.tokens,
    "calls_mean": lambda item: item.calls,
    "cost_usd_mean": lambda item: item.cost_usd,
    "ms_mean": lambda item: item.ms,
}
"""Measures that are a mean over the scores in which they were measured (not None).

Hence `em` and `f1` are over answerable questions, an unanswered one counting 0; `all_support`, recalls, `proven`,
`early_stop` and `false_refusal` over answerable questions with labelled gold passages; `answered` and `wrong_stop`
over all; `precision` (share of right answers) over answered questions, answerable or not; `abstain_right` over
unanswerable ones.
"""


def score(question: Question, outcome: Outcome) -> Score:
    """Score one outcome.

    Args:
        question: The question with its labels.
        outcome: What the run of this question came to.
    """
    answered = outcome.answer is not None
    exact = metrics.em(outcome.answer or "", question.answers) if answered and question.answerable else 0.0
    overlap = metrics.f1(outcome.answer or "", question.answers) if answered and question.answerable else 0.0
    correct = exact == 1.0
    gold = question.gold_ids if question.answerable else ()
    read = [passage.id for passage in outcome.evidence]
    retrieved = {*read, *(name for item in outcome.rounds for name in item.hits)}
    quotes = [fact.quote for fact in outcome.facts if fact.quote is not None]
    quoted = {quote.passage_id for quote in quotes}
    return Score(
        id=question.id,
        type=question.type,
        hops=question.hops,
        answerable=question.answerable,
        reason=outcome.reason,
        answered=answered,
        correct=correct,
        em=exact if question.answerable else None,
        f1=overlap if question.answerable else None,
        all_support=metrics.all_support(read, gold) if gold else None,
        recall_at_5=metrics.recall_at_k(outcome.ranking, gold, 5) if gold else None,
        recall_at_10=metrics.recall_at_k(outcome.ranking, gold, 10) if gold else None,
        proven=metrics.proven(quoted, gold, answered=answered, correct=correct) if gold else None,
        wrong_stop=metrics.wrong_stop(answered=answered, correct=correct),
        early_stop=metrics.early_stop(retrieved, gold, answered=answered) if gold else None,
        false_refusal=metrics.false_refusal(outcome.rounds, question.answers, gold) if gold else None,
        abstain_right=None if question.answerable else metrics.abstain_right(answered=answered),
        passages=len(read),
        rounds=len(outcome.rounds),
        calls=outcome.usage.calls,
        tokens=outcome.usage.tokens,
        parse_failures=outcome.usage.parse_failures,
        cost_usd=outcome.usage.cost_usd,
        ms=outcome.seconds * 1000,
        quotes=len(quotes),
        quotes_verified=_verified(outcome),
    )


def aggregate(scores: Iterable[Score | Crash]) -> dict[str, float | int | None]:
    """Sum up scores; see `MEANS` for what each mean is over.

    Returns:
        `n` (scored questions), `crashed` (not among n), every name of `MEANS`, `ms_p50` and `ms_p95`,
        `tokens_per_correct` (tokens of all questions / right answers), `citations_verified` (share of all quotes that
        stand at their offsets), `parse_failures` (a sum). Shares in [0, 1]; None where nothing was measured.
    """
    every = list(scores)
    scored = [item for item in every if isinstance(item, Score)]
    times = [item.ms for item in scored if item.ms is not None]
    right = sum(item.correct for item in scored)
    quotes = sum(item.quotes for item in scored)
    return {
        "n": len(scored),
        "crashed": len(every) - len(scored),
        **{name: _mean([measure(item) for item in scored]) for name, measure in MEANS.items()},
        "ms_p50": float(np.percentile(times, 50)) if times else None,
        "ms_p95": float(np.percentile(times, 95)) if times else None,
        "tokens_per_correct": sum(item.tokens for item in scored) / right if right else None,
        "citations_verified": sum(item.quotes_verified for item in scored) / quotes if quotes else None,
        "parse_failures": sum(item.parse_failures for item in scored),
    }


def by_stop_reason(scores: Iterable[Score | Crash]) -> dict[str, dict[str, float | int | None]]:
    """The aggregate of each StopReason that occurred, with its `share` of all scored questions, most frequent first."""
    scored = [item for item in scores if isinstance(item, Score)]
    groups: dict[str, list[Score]] = {}
    for item in scored:
        groups.setdefault(item.reason.value, []).append(item)
    order = sorted(groups, key=lambda reason: (-len(groups[reason]), reason))
    return {reason: {"share": len(groups[reason]) / len(scored), **aggregate(groups[reason])} for reason in order}


def _verified(outcome: Outcome) -> int:
    texts = {passage.id: passage.text for passage in outcome.evidence}
    quotes = [fact.quote for fact in outcome.facts if fact.quote is not None]
    return sum(
        bool(quote.text) and texts.get(quote.passage_id, "")[quote.start : quote.end] == quote.text for quote in quotes
    )


def _mean(values: Sequence[Value]) -> Value:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
