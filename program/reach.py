"""Answer a chain of any relations: the best ending of the ways through what was read, if it is sure enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from operator import mul

from hopstop.program.answer_weights import DEFAULT, AnswerWeights
from hopstop.program.endings import Ending, endings
from hopstop.program.gaps import in_order, roles
from hopstop.program.lines import Cover, Lines
from hopstop.program.paths import Path, Start, find_paths, start
from hopstop.program.profile import fold
from hopstop.program.question_form import Asks, Property, QuestionForm
from hopstop.program.records import Claim

_READ_BY_CODE = (Property.BIRTH, Property.DEATH, Property.LIFESPAN, Property.NATION)  # see chain.py
_SENTENCE = 50  # characters, unit of the mean length of a line
LIKELY = 0.1  # from which a draft is shown in place of the one that ranked sentences give


@dataclass(frozen=True, slots=True)
class Side:
    """Where ways begin, and what they need not speak of.

    Attributes:
        begin: None takes the names and numbers of the question.
        without: Stems of the question that the ways need not speak of.
    """

    begin: Start | None = None
    without: frozenset[str] = frozenset()


WHOLE = Side()


@dataclass(frozen=True, slots=True)
class Reached:
    """What the best path leads to.

    Attributes:
        text: A possible answer.
        claims: One quoted fact for each sentence of the path.
        missing: The open fact, if words of the question stand in none of them.
        p: Probability that it is right, in [0, 1].
        sure: Whether that is a reason to stop.
    """

    text: str
    claims: tuple[Claim, ...]
    p: float
    sure: bool
    missing: tuple[Claim, ...] = ()


def reach(form: QuestionForm, lines: Lines, weights: AnswerWeights = DEFAULT, side: Side = WHOLE) -> Reached | None:
    """The best ending of the ways from the names of a question; None if there is none or another module reads it.

    Args:
        form: Of the question.
        lines: What was read for it.
        weights: How endings are ranked, and when the best is a reason to stop.
        side: Of a comparison, or the whole question.
    """
    cover, found = ends(form, lines, side)
    if not found:
        return None
    best, share = best_ending(found, weights.end)
    p = 1 / (1 + exp(-_dot(weights.right, against(best, share, weights.end))))
    said = best.features[1] > 0
    left = in_order(lines.question, lines.stems(cover.mask & ~best.path.covered))
    missing = (Claim(f"{left} of {best.path.last.subject}"),) if left else ()
    return Reached(best.text, _claims(lines, best.path), p, p >= weights.right_sure and not said, missing)


def ends(form: QuestionForm, lines: Lines, side: Side = WHOLE) -> tuple[Cover, list[Ending]]:
    """What the ways of `reach` should speak of, and all their endings."""
    if form.asks in (Asks.YES_NO, Asks.CHOICE) or form.property in _READ_BY_CODE:
        return Cover(lines, {}), []
    wanted = roles(lines.question, form).keys() - side.without
    cover = Cover(lines, {key: weight for key, weight in lines.weights.items() if key in wanted})
    paths = find_paths(lines, cover, side.begin or start(lines.question))
    return cover, endings(form, lines, cover, paths)


def best_ending(found: Sequence[Ending], weights: Sequence[float]) -> tuple[Ending, float]:
    """The ending with the highest score, and its share among those that differ (softmax)."""
    scores: dict[str, float] = {}
    best, top = found[0], float("-inf")
    for ending in found:
        score = _dot(weights, ending.features)
        key = fold(ending.text)
        scores[key] = max(score, scores.get(key, score))
        if score > top:
            best, top = ending, score
    return best, 1 / sum(exp(score - top) for score in scores.values())


def against(ending: Ending, share: float, weights: Sequence[float]) -> tuple[float, ...]:
    """What tells whether an ending is right: its score, its rivals, what is not spoken of, and how long its lines are.

    Args:
        ending: The best one.
        share: See `best_ending`.
        weights: By which it is the best.

    Returns:
        One value for each of `answer_weights.RIGHT`.
    """
    nouns, _, others, bound = ending.features[:4]
    idle = ending.features[6]
    lines = ending.path.lines
    length = log(sum(len(line.sentence.text) for line in lines) / len(lines) / _SENTENCE)
    return (_dot(weights, ending.features), -log(share), nouns, others, bound, idle, length, 1.0)


def _dot(weights: Sequence[float], values: Sequence[float]) -> float:
    return float(sum(map(mul, weights, values)))


def _claims(lines: Lines, path: Path) -> tuple[Claim, ...]:
    """A fact for each line: the words of the question that it is the first to hold, or the name that leads there."""
    left = path.covered
    claims = []
    for line, via in zip(path.lines, (*path.via, ""), strict=True):
        said = in_order(lines.question, lines.stems(line.own & left)) or via
        claims.append(Claim(f"{said} ({line.subject})", line.passage.id, line.sentence.text))
        left &= ~line.own
    return tuple(claims)
