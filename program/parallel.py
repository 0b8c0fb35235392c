"""Compare what the same chain leads to from each of two sides: "which contract has the higher penalty, A or B?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hopstop.program import question_words as english
from hopstop.program.answer_weights import DEFAULT, AnswerWeights
from hopstop.program.asked_role import AskedRole
from hopstop.program.comparison import Compared, conclusion
from hopstop.program.direction import against_direction
from hopstop.program.lines import Lines
from hopstop.program.paths import start
from hopstop.program.profile import profile, stems
from hopstop.program.question_form import Asks, Property, QuestionForm
from hopstop.program.reach import Reached, Side, reach
from hopstop.program.reading import Reading
from hopstop.program.records import Claim
from hopstop.program.text import FUNCTION_WORDS
from hopstop.program.values import amounts
from hopstop.program.verb_forms import root
from hopstop.program.verb_places import says_verb

_COMPARED = stems(" ".join(english.LOW | english.HIGH)) | stems("same both")
_VERB = re.compile(r" (?P<verb>[a-z]+) (?P<by>by|at|in|on|from|to|for|with|under) the same ")
_LIES = frozenset({"located", "situated"})  # texts say "is a city in"
_LOWER = re.compile(r"\b[a-z]+\b")
LIKELY = 0.3  # of each end: two that fit each other need less than one alone; all of seeds 1 to 5 were right at it


def compare_ends(form: QuestionForm, lines: Lines, weights: AnswerWeights = DEFAULT) -> Compared | None:
    """Follow the chain from both sides and compare its ends: amounts in one unit, or whether both are the same.

    Returns:
        None if an end is not found on both sides, or they cannot be compared.
    """
    number = form.asks is Asks.CHOICE and form.property is Property.NUMBER
    if not number and not (form.asks is Asks.YES_NO and form.same and form.property is Property.OTHER):
        return None
    ends = [_end(side, form, lines, weights) for side in form.sides]
    if number and (None in ends or _larger(ends, form) is None):
        ends = [_measured(side, lines.reading) for side in form.sides]
    one, two = ends
    if one is None or two is None or _rest_on_one(one, two):
        return None
    if not number and not all(_is_shown(lines.question, end) for end in (one, two)):
        return None  # two names that happen to differ are no "no"
    draft = _larger(ends, form) if number else "yes" if one.text.casefold() == two.text.casefold() else "no"
    if draft is None:
        return None
    told = [
        replace(claim, need=f"{claim.need} of {side}")
        for side, end in zip(form.sides, (one, two), strict=True)
        for claim in end.claims
    ]
    needs = (told[len(one.claims) - 1].need, told[-1].need)
    return Compared((*told, Claim(conclusion(form), follows_from=needs)), draft)


def _is_shown(question: str, end: Reached) -> bool:
    """Whether a quote says the verb of "were A and B built by the same yard" with the end on its side."""
    match = _VERB.search(question)
    if match is None or match["verb"] in FUNCTION_WORDS | _LIES:
        return True
    asked = AskedRole(match["verb"], doer=True)
    if match["by"] == "by":
        said = [claim.quote for claim in end.claims if says_verb(asked, claim.quote)]
        return any(not against_direction(asked, quote, end.text) for quote in said)
    return any(end.text in behind for claim in end.claims for behind in _behind(match["verb"], claim.quote))


def _behind(verb: str, text: str) -> list[str]:
    """What stands in a text behind each word in lower case that is made of a verb."""
    return [text[word.end() :] for word in _LOWER.finditer(text) if root(word[0]).startswith(root(verb))]


def _rest_on_one(one: Reached, two: Reached) -> bool:
    """Whether a sentence that is all there is of one side is where the other ends: it speaks of that side alone."""
    short, long = sorted((one.claims, two.claims), key=len)
    last = (long[-1].passage, long[-1].quote)
    return len(short) < len(long) and last in {(claim.passage, claim.quote) for claim in short}


def _larger(ends: Sequence[Reached | None], form: QuestionForm) -> str | None:
    """The side that has more, or less, as the question asks; None if the amounts are not of one kind or are equal."""
    found = [next(iter(amounts(end.text)), None) if end is not None else None for end in ends]
    left, right = found
    if left is None or right is None or left.unit != right.unit or left.value == right.value:
        return None
    return form.sides[0 if (left.value > right.value) == form.most else 1]


def _measured(side: str, reading: Reading) -> Reached | None:
    """The one length or time that the sentences say which name a side; None if they say none or several."""
    wanted = stems(side)
    found: list[Reached] = []
    for passage in reading.passages:
        for sentence in profile(passage).sentences:
            for amount in amounts(sentence.text) if len(sentence.held(wanted)) == len(wanted) else ():
                if amount.unit in english.MEASURES and str(int(amount.value)) not in wanted:
                    claim = Claim(f"{amount.unit} of {side}", passage.id, sentence.text)
                    text = f"{sentence.text[amount.start : amount.end]} {amount.unit}"
                    found.append(Reached(text, (claim,), 1.0, sure=True))
    return found[0] if len(found) == 1 else None


def _end(side: str, form: QuestionForm, lines: Lines, weights: AnswerWeights) -> Reached | None:
    """What the chain leads to from one side; the other side and the comparing words are not part of its question."""
    others = [other for other in form.sides if other != side]
    persons, kind = english.PERSONS.search(lines.question), english.SAME_KIND.search(lines.question)
    heads = tuple(kind[1].split()) if kind else ()
    asks = Asks.NUMBER if form.asks is Asks.CHOICE else Asks.PERSON if persons else Asks.THING
    alone = replace(form, asks=asks, property=Property.OTHER, sides=(), names=(side,), heads=heads, counts=False)
    without = _COMPARED | (stems(" ".join(others)) - stems(side))
    end = reach(alone, lines, weights, Side(start(side), without))
    return end if end is not None and end.p >= LIKELY else None
