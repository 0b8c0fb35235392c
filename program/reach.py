"""Answer a chain of any relations: the best ending of the ways through what was read, if it is sure enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

from hopstop.program.endings import Ending, endings
from hopstop.program.gaps import in_order, roles
from hopstop.program.lines import local_weights, subject_of
from hopstop.program.paths import Path, Start, find_paths, start
from hopstop.program.profile import fold
from hopstop.program.question_form import Asks, Property, QuestionForm
from hopstop.program.reading import Reading
from hopstop.program.records import Claim

_READ_BY_CODE = (Property.BIRTH, Property.DEATH, Property.LIFESPAN, Property.NATION)  # see chain.py
_SENTENCE = 50  # characters, unit of the mean length of a line

# Two logistic regressions (the rank: listwise over `endings.FEATURES`; the stop: over what `_right` lists) on the made
# company corpus of seeds 1 to 5 and the dev questions of HotpotQA, 2WikiMultihopQA and MuSiQue that compare nothing,
# each set weighing the same, with 4, 6, 8 and 10 passages read. `SURE` was raised in steps of 0.05 until under 5 % of
# the company questions without an answer were answered. On seeds 21 to 23, looked at only once at the end, the policy
# answered 4 % of those, and 39 % of the others, 99 % of them rightly. In HotpotQA half of what this adds is right (EM).
RANK = (-0.63, -0.15, -0.53, 0.19, -0.92, -0.35, -0.54, 0.38, 2.01, 1.36, 1.01, 0.53, 0.16, 0.22, -0.31)
STOP = (1.03, -1.45, -1.32, -3.31, 1.22, -0.93, -0.56, -2.26)
SURE = 0.65
LIKELY = 0.1  # from which a draft is shown in place of the one that ranked sentences give


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


def reach(
    question: str,
    form: QuestionForm,
    reading: Reading,
    *,
    begin: Start | None = None,
    without: frozenset[str] = frozenset(),
) -> Reached | None:
    """The best ending of the ways from the names of a question; None if there is none or another module reads it.

    Args:
        question: As it was asked.
        form: Its form.
        reading: What was read.
        begin: Where the ways begin; None takes the names and numbers of the question.
        without: Stems of the question that the ways need not speak of.
    """
    if form.asks in (Asks.YES_NO, Asks.CHOICE) or form.property in _READ_BY_CODE:
        return None
    role_of = roles(question, form)
    weights = {
        key: weight for key, weight in local_weights(question, reading).items() if key in role_of and key not in without
    }
    paths = find_paths(weights, begin or start(question), reading)
    found = endings(question, form, weights, paths)
    if not found:
        return None
    best, p = _best(found)
    p = _right(best, p)
    said = best.features[1] > 0
    left = in_order(question, weights.keys() - best.path.covered)
    missing = (Claim(f"{left} of {subject_of(best.path.last)}"),) if left else ()
    return Reached(best.text, _claims(question, best.path), p, p >= SURE and not said, missing)


def _best(found: Sequence[Ending]) -> tuple[Ending, float]:
    """The ending with the highest score, and its share among those that differ (softmax)."""
    scores: dict[str, float] = {}
    best, top = found[0], float("-inf")
    for ending in found:
        score = _dot(RANK, ending.features)
        key = fold(ending.text)
        scores[key] = max(score, scores.get(key, score))
        if score > top:
            best, top = ending, score
    return best, 1 / sum(exp(score - top) for score in scores.values())


def _right(ending: Ending, share: float) -> float:
    """Probability that an ending is right: its score, its rivals, what is not spoken of, and how much the lines say."""
    nouns, _, others, bound = ending.features[:4]
    idle = ending.features[6]
    lines = ending.path.lines
    length = log(sum(len(line.sentence.text) for line in lines) / len(lines) / _SENTENCE)
    against = (_dot(RANK, ending.features), -log(share), nouns, others, bound, idle, length, 1.0)
    return 1 / (1 + exp(-_dot(STOP, against)))


def _dot(weights: Sequence[float], values: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, values, strict=True))


def _claims(question: str, path: Path) -> tuple[Claim, ...]:
    """A fact for each line: the words of the question that it is the first to hold, or the name that leads there."""
    left = path.covered
    claims = []
    for line, via in zip(path.lines, (*path.via, ""), strict=True):
        said = in_order(question, line.own & left) or via
        claims.append(Claim(f"{said} ({subject_of(line)})", line.passage.id, line.sentence.text))
        left -= line.own
    return tuple(claims)
