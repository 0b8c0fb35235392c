"""Learn what speaks for an answer without a model, and when that is a reason to stop, from labelled questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp
from typing import Any

import numpy as np

from hopstop.eval.metrics import em
from hopstop.optimize.labelled_sets import Item
from hopstop.optimize.replay import Replayed
from hopstop.optimize.walk_fit import BUDGET, Choice, fit
from hopstop.optimize.worth import mean, weights_of, worth
from hopstop.program.answer_weights import AnswerWeights
from hopstop.program.answering import Method, decide, pick
from hopstop.program.candidates import Candidate, candidates
from hopstop.program.chain import chain
from hopstop.program.endings import Ending
from hopstop.program.lines import lines_of
from hopstop.program.lists import Floats
from hopstop.program.question_form import QuestionForm, question_form
from hopstop.program.reach import against, best_ending, ends
from hopstop.program.reading import Reading
from hopstop.program.records import StopReason
from hopstop.program.walk import Walk

SIZES = (4, 7, BUDGET)  # passages read when a decision is looked at: early, midway, and at the end of a walk
THRESHOLDS = tuple(round(step / 20, 2) for step in range(1, 20))
HALVES = 2  # a threshold is chosen on probabilities from weights that have seen the other half of the questions

Sure = Callable[["Moment", AnswerWeights], tuple[float, str]]
"""Probability of a method's answer at a moment, 0 where it is no reason to stop whatever the threshold; the answer."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What could be answered after some passages.

    Attributes:
        item: The question.
        reading: What was read.
        ends: Endings of the ways of reach.py; none where another module answers.
        found: Candidates of the best sentences.
        stops: Which of these, by text and sentence, may be a reason to stop; filled as they are asked for.
    """

    item: Item
    reading: Reading
    ends: Sequence[Ending]
    found: Sequence[Candidate]
    stops: dict[tuple[str, int, int], bool] = field(default_factory=dict, compare=False)


def moments(items: Sequence[Item], weights: Floats) -> list[Moment]:
    """After each of SIZES passages of a walk with these weights, for all questions that compare nothing."""
    made = []
    for item in items:
        question, form = item.question.question, question_form(item.question.question)
        if form.sides:
            continue
        walk = Walk(item.index.links, question, weights, item.index.readable(item.question.groups))
        while len(walk.read) < BUDGET and walk.choose(2):
            pass
        passages = tuple(item.index.at(place) for place in walk.read)
        made += [_moment(item, form, Reading(passages[:size])) for size in SIZES]
    return made


def _moment(item: Item, form: QuestionForm, reading: Reading) -> Moment:
    question = item.question.question
    chained = chain(question, form, reading)
    known = chained is not None and bool(chained.draft)  # a chain of known relations goes first
    lines = lines_of(question, reading)
    return Moment(item, reading, () if known else ends(form, lines)[1], () if known else candidates(form, lines))


def learn_answers(seen: Sequence[Moment], present: AnswerWeights) -> AnswerWeights:
    """New weights, or the present ones where those are not better by more than a standard error.

    What is compared is the `worth` of the questions of each half with weights fitted on the other; a set counts as much
    as its weight. The rule is that of `limit_search.choose`.
    """
    gains: list[float] = []
    items: list[Item] = []
    for unseen, others in zip(_halves(seen), reversed(_halves(seen)), strict=True):
        fresh = fit_answers(others, present)
        for mine in _by_question(unseen):
            items.append(mine[0].item)
            gains.append(_worth(mine, fresh) - _worth(mine, present))
    if not items:
        return present
    weights, gained = weights_of(items), np.array(gains)
    average = float(np.average(gained, weights=weights))
    error = float(np.sqrt((weights**2 * (gained - average) ** 2).sum()) / weights.sum())
    return fit_answers(seen, present) if average > error else present


def fit_answers(seen: Sequence[Moment], present: AnswerWeights) -> AnswerWeights:
    """The orders and the probability by logistic regression, the thresholds by what stopping at them is worth.

    The penalty is on the distance from the present weights, so that few questions change little. Probabilities for the
    thresholds, and endings for the probability, come from weights that have seen the other half of the questions only.
    """
    parts = _halves(seen)
    blind = [fit_orders(part, present) for part in reversed(parts)]
    weights, share = fit_orders(seen, present), _shares(seen)
    stops = [
        _stop(moment, known.end, share)
        for part, known in zip(parts, blind, strict=True)
        for moment in part
        if moment.ends
    ]
    weights = replace(weights, right=_fitted(stops, present.right))
    for name, sure in (("right_sure", _reached), ("ranked_sure", _ranked)):
        told = [(moment, *sure(moment, known)) for part, known in zip(parts, blind, strict=True) for moment in part]
        change: dict[str, Any] = {name: best_threshold(told, getattr(present, name))}
        weights = replace(weights, **change)
    return weights


def _halves(seen: Sequence[Moment]) -> list[list[Moment]]:
    place = {key: number for number, key in enumerate(dict.fromkeys(moment.item.key for moment in seen))}
    return [[moment for moment in seen if place[moment.item.key] % HALVES == half] for half in range(HALVES)]


def _by_question(seen: Sequence[Moment]) -> list[list[Moment]]:
    found: dict[str, list[Moment]] = {}
    for moment in seen:
        found.setdefault(moment.item.key, []).append(moment)
    return list(found.values())


def fit_orders(seen: Sequence[Moment], present: AnswerWeights) -> AnswerWeights:
    """All weights but the thresholds, which stay as they are."""
    share = _shares(seen)
    ranked = [_choice(moment, moment.found, share) for moment in seen]
    weights = replace(present, ranked=_fitted([choice for choice in ranked if choice], present.ranked))
    end = [_choice(moment, moment.ends, share) for moment in seen]
    weights = replace(weights, end=_fitted([choice for choice in end if choice], present.end))
    stops = [_stop(moment, weights.end, share) for moment in seen if moment.ends]
    return replace(weights, right=_fitted(stops, present.right))


def best_threshold(told: Sequence[tuple[Moment, float, str]], usual: float) -> float:
    """The threshold of THRESHOLDS from which stopping is worth most; the usual one if nothing ever stops.

    Args:
        told: Moments in the order in which a run meets them, each with the probability and the answer there.
        usual: Returned where there is nothing to tell.
    """
    by_question: dict[str, list[tuple[Moment, float, str]]] = {}
    for entry in told:
        by_question.setdefault(entry[0].item.key, []).append(entry)
    if not any(p > 0 for _, p, _ in told):
        return usual
    weights = weights_of([entries[0][0].item for entries in by_question.values()])
    every = np.ones(len(weights), dtype=np.bool_)

    def gain(threshold: float) -> float:
        values = []
        for entries in by_question.values():
            answer = next((text for _, p, text in entries if p >= threshold), None)
            values.append(_worth_of(entries[-1][0], answer))
        return mean(np.array(values), weights, every)

    return max(THRESHOLDS, key=lambda threshold: (round(gain(threshold), 9), threshold))


def _worth(mine: Sequence[Moment], weights: AnswerWeights) -> float:
    """Of stopping at the first of a question's moments at which a method is sure."""
    for moment in mine:
        for threshold, sure in ((weights.right_sure, _reached), (weights.ranked_sure, _ranked)):
            p, text = sure(moment, weights)
            if p >= threshold:
                return _worth_of(moment, text)
    return _worth_of(mine[-1], None)


def _worth_of(moment: Moment, answer: str | None) -> float:
    read = tuple(passage.id for passage in moment.reading.passages)
    reason = StopReason.ROUND_LIMIT if answer is None else StopReason.ANSWERED
    run = Replayed(reason=reason, answer=answer, read=read, quoted=(), rounds=1, tokens=0, seconds=0.0)
    return worth(moment.item.question, run)


def _reached(moment: Moment, weights: AnswerWeights) -> tuple[float, str]:
    if not moment.ends:
        return 0.0, ""
    best, share = best_ending(moment.ends, weights.end)
    score = float(np.dot(weights.right, against(best, share, weights.end)))
    return (0.0 if best.features[1] > 0 else 1 / (1 + exp(-score))), best.text


def _ranked(moment: Moment, weights: AnswerWeights) -> tuple[float, str]:
    best, p = pick(moment.found, weights.ranked)
    if best is None:
        return 0.0, ""
    key = best.text, best.line.rank, best.line.number
    if key not in moment.stops:
        always = replace(weights, ranked_sure=0.0)
        question, methods = moment.item.question.question, frozenset({Method.RANKED})
        moment.stops[key] = decide(question, moment.reading, weights=always, methods=methods).stop
    return (p if moment.stops[key] else 0.0), best.text


def _shares(seen: Sequence[Moment]) -> Mapping[str, float]:
    """Set -> what one of its moments weighs."""
    count = {name: sum(moment.item.name == name for moment in seen) for name in {moment.item.name for moment in seen}}
    return {moment.item.name: moment.item.weight / count[moment.item.name] for moment in seen}


def _choice(moment: Moment, offered: Sequence[Ending | Candidate], share: Mapping[str, float]) -> Choice | None:
    """Among the answers offered, if some is right and some is not."""
    answers = moment.item.question.answers if moment.item.question.answerable else ()
    right = np.array([bool(answers) and em(offer.text, answers) == 1 for offer in offered], dtype=np.bool_)
    if not right.any() or right.all():
        return None
    return Choice(np.array([offer.features for offer in offered]), right, share[moment.item.name])


def _stop(moment: Moment, end: Sequence[float], share: Mapping[str, float]) -> Choice:
    """Between the best ending and none: a logistic regression is a softmax over it and zeros."""
    best, part = best_ending(moment.ends, end)
    question = moment.item.question
    right = question.answerable and em(best.text, question.answers) == 1
    values = np.array(against(best, part, end))
    return Choice(np.stack([values, np.zeros(len(values))]), np.array([right, not right]), share[moment.item.name])


def _fitted(choices: Sequence[Choice], usual: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(fit(choices, centre=np.array(usual)).tolist()) if choices else usual
