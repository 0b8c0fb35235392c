"""Answer a chain of any relations: the best ending of the ways through what was read, if it is sure enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import exp, log
from operator import mul, or_

from hopstop.program.answer_weights import DEFAULT, AnswerWeights
from hopstop.program.asked_role import AskedRole, asked_role, described_role, kinds_described
from hopstop.program.asked_value import asked_value
from hopstop.program.asked_way import AskedWay, asked_way
from hopstop.program.asserted import negates, stated
from hopstop.program.endings import Ending, endings
from hopstop.program.gaps import in_order, roles
from hopstop.program.generic import is_generic
from hopstop.program.lines import Cover, Lines
from hopstop.program.outright import outright
from hopstop.program.outright_value import outright_value
from hopstop.program.paths import Path, Start, find_paths, start
from hopstop.program.profile import fold
from hopstop.program.proof import Quoted, doubt
from hopstop.program.question_form import Asks, Property, QuestionForm
from hopstop.program.records import Claim
from hopstop.program.sound_way import Step, is_sound
from hopstop.program.stands_for import said_of, with_title
from hopstop.program.tense import AT_A_TIME, is_past
from hopstop.program.text import stem
from hopstop.program.verb_places import says_verb

_READ_BY_CODE = (Property.BIRTH, Property.DEATH, Property.LIFESPAN, Property.NATION)  # see chain.py
_SENTENCE = 50  # characters, unit of the mean length of a line
OUTRIGHT = 0.96  # that such an answer is right: the 95 % bound (rule of three) of 89 of 89 in made corpora
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
    way, spare = asked_way(lines.question, form), side is not WHOLE
    plain = [
        end
        for end in (_outright(lines.question, form.asks, found) if side is WHOLE else [])
        if not _left(lines, cover.mask & ~end.path.covered) and not _doubted(form, lines, end)
    ]
    best, share = _best_sound(plain, weights.end, way, spare=spare)
    least = OUTRIGHT if best is not None else 0.0
    if best is None:
        best, share = _best_sound(found, weights.end, way, spare=spare)
    if best is None:
        return None
    doubted = _doubted(form, lines, best) if side is WHOLE else ""
    if doubted:
        shown = [ending for ending in found if _in_place(form, lines, ending)]
        other, its_share = _best_sound(shown, weights.end, way, spare=spare)
        if other is not None:
            best, share, doubted = other, its_share, ""
    p = max(least, 1 / (1 + exp(-_dot(weights.right, against(best, share, weights.end)))))
    said = best.features[1] > 0
    left = _left(lines, cover.mask & ~best.path.covered)
    open_needs = [f"{left} of {best.path.last.subject}"] * bool(left) + [doubted] * bool(doubted)
    missing = tuple(map(Claim, open_needs))
    enough = weights.right_sure if any(best.features[:3]) else weights.whole_sure
    sure = p >= enough and not said and not doubted
    return Reached(best.text, _claims(lines, best.path), p, sure, missing)


def _doubted(form: QuestionForm, lines: Lines, ending: Ending) -> str:
    """What the last line does not show of the answer, or one before it of the name that leads on; "" if nothing."""
    path, last = ending.path, ending.path.last
    described = described_role(lines.question)
    for line, via in zip(path.lines, path.via, strict=False):
        if described is not None and is_past(described, lines.question, line.sentence.text):
            return f'that "{described.verb}" is still so'
        if not negates(lines.question) and not stated(line.sentence.text, via):
            return f"that {line.subject} has to do with {via}, said as a fact"
    quoted = Quoted(said_of(last, lines.question, ending.text), last.passage.title, last.passage.text)
    return doubt(lines.question, form, quoted, ending.text, path.via[-1] if path.via else "")


def _in_place(form: QuestionForm, lines: Lines, ending: Ending) -> bool:
    """Whether an ending may stand in for a doubted one: its sentence says the verb asked for, if there is one."""
    asked = asked_role(lines.question)
    return (asked is None or says_verb(asked, ending.path.last.sentence.text)) and not _doubted(form, lines, ending)


def _best_sound(
    found: Sequence[Ending], weights: Sequence[float], way: AskedWay, *, spare: bool
) -> tuple[Ending | None, float]:
    """The best ending of a way that says what is asked for; (None, 0) if there is none."""
    left = list(found)
    while left:
        best, share = best_ending(left, weights)
        if is_sound(way, steps_of(best), spare=spare):
            return best, share
        left.remove(best)
    return None, 0.0


def _left(lines: Lines, bits: int) -> str:
    """Words of the question that a way does not speak of, without those that name no more than a kind ("person")."""
    words = in_order(lines.question, lines.stems(bits)).split()
    return " ".join(words) if any(not is_generic(word.casefold()) for word in words) else ""


def _outright(question: str, asks: Asks, found: Sequence[Ending]) -> list[Ending]:
    """The endings that are said outright of what the question or the way names; none if they differ."""
    asked, values = asked_role(question), asked_value(question)
    if asked is None and not values:
        return []
    plain = [end for end in found if _is_outright(question, asks, end)]
    past = any(AT_A_TIME.search(line.sentence.text) for end in plain for line in end.path.lines)
    return plain if len({fold(end.text) for end in plain}) == 1 and not past else []


def _is_outright(question: str, asks: Asks, end: Ending) -> bool:
    said, asked = with_title(end.path.last, question), asked_role(question)
    if asked is not None and asks not in (Asks.DATE, Asks.PLACE, Asks.NUMBER):
        return outright(asked, said, _entry(asked, end), end.text)
    return outright_value(asked_value(question), asks, said, "".join(end.path.via[-1:]), end.text)


def _entry(asked: AskedRole, ending: Ending) -> str:
    return ending.path.via[-1] if ending.path.via else asked.other


def steps_of(ending: Ending) -> list[Step]:
    """The way to an ending, sentence by sentence."""
    via = ending.path.via
    leaves = (*via, fold(ending.text))
    return [
        Step(line.sentence.text, line.title, entry, leave, line.view.is_own(line.number))
        for line, entry, leave in zip(ending.path.lines, ("", *via), leaves, strict=True)
    ]


def ends(form: QuestionForm, lines: Lines, side: Side = WHOLE) -> tuple[Cover, list[Ending]]:
    """What the ways of `reach` should speak of, and all their endings."""
    if form.asks in (Asks.YES_NO, Asks.CHOICE) or form.property in _READ_BY_CODE:
        return Cover(lines, {}), []
    wanted = roles(lines.question, form).keys() - side.without - _unsaid_kinds(lines)
    cover = Cover(lines, {key: weight for key, weight in lines.weights.items() if key in wanted})
    paths = find_paths(lines, cover, side.begin or start(lines.question))
    kinds = lines.bits(set(map(stem, kinds_described(lines.question)))) & cover.mask
    return cover, endings(form, lines, cover, [_with_kinds(lines, path, kinds) for path in paths] if kinds else paths)


def _with_kinds(lines: Lines, path: Path, kinds: int) -> Path:
    """A path that covers too what kinds of things its passages are said to be about, in whichever sentence."""
    held = reduce(or_, [lines.passage_bits[line.rank] for line in path.lines])
    return path._replace(covered=path.covered | held & kinds)


def _unsaid_kinds(lines: Lines) -> frozenset[str]:
    """Stems of nouns that call a thing described ("the club that insures Fen"), but not in any sentence read."""
    held = reduce(or_, lines.passage_bits, 0)
    return frozenset(
        stem(noun)
        for noun in kinds_described(lines.question)
        if is_generic(noun) or not lines.bit.get(stem(noun), 0) & held
    )


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
