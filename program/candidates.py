"""Short answers that the sentences read could give, each with what speaks for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from hopstop.program.line import Line
from hopstop.program.lines import Lines, ranked_lines
from hopstop.program.nations import is_nation, nations
from hopstop.program.profile import STEM, fold, stems
from hopstop.program.question_form import Asks, QuestionForm
from hopstop.program.question_words import MEASURES
from hopstop.program.text import FUNCTION_WORDS, names, stem
from hopstop.program.values import amounts, dates

_DIGIT = re.compile(r"\d")
_RUN = re.compile(r"[^\W_]+")
LONGEST_PHRASE = 8  # words of an answer that is no name: longer ones are clauses
_WHEN = re.compile(r" (?:in|since|until|for|im Jahr) \d.*$")  # "the Calder Prize in 2003", "Moor in 2015 for 72"
_EXTENT = frozenset({"long", "far", "tall", "deep", "wide"})
_UNIT = re.compile(r"[\s-]+(?P<word>[^\W\d_]+)(?P<joined>-)?")
# "1.2 kilometres north of it" is no length.
_AWAY = re.compile(r"[\s-]\w+ (?:north|south|east|west|downstream|upstream|inland|away|from|above|below|off)\b")
BEAM = 8  # sentences whose candidates are looked at


class Candidate(NamedTuple):
    """A possible answer in a line, and the features of `FEATURES`."""

    text: str
    line: Line
    features: tuple[float, ...]


FEATURES = ("joint", "typed", "near", "headed", "led_to")


def candidates(form: QuestionForm, lines: Lines) -> list[Candidate]:
    """Possible answers from the best lines, none of which the question itself says."""
    asked = frozenset(lines.bit)
    heads = frozenset(stem(word) for word in form.heads)
    found = []
    for line in ranked_lines(lines, BEAM):
        led_to = float(line.led_to)
        for text, kind, near, headed in _offers(line.sentence.text, line.title, form, asked):
            about = lines.about.get(fold(text)) if heads else None
            if about is not None and about.sentences and heads & about.sentences[0].stems:
                headed = 1.0
            found.append(Candidate(text, line, (line.joint, kind, near, headed, led_to)))
    return found


@lru_cache(maxsize=256)  # each round looks again at sentences that the rounds before have read
def _offers(
    sentence: str, title: str, form: QuestionForm, asked: frozenset[str]
) -> tuple[tuple[str, float, float, float], ...]:
    """What a sentence offers, and of it the features "typed", "near" and "headed" as far as the sentence tells them."""
    wanted = {stem(word) for word in form.words}
    heads = frozenset(stem(word) for word in form.heads)
    places = [start for start, _, key in stem_places(sentence) if key in wanted]
    offers = []
    for text, at in dict(texts(sentence, title, form)).items():
        if text and not stems(text) <= asked:
            near, headed = _near(at, at + len(text), places), _headed(text, at, sentence, heads)
            offers.append((text, typed(text, at, sentence, form), near, headed))
    return tuple(offers)


@lru_cache(maxsize=1024)
def stem_places(text: str) -> tuple[tuple[int, int, str], ...]:
    """Where each word of a text stands, start and end, with its stem."""
    if not text.isascii():
        return tuple([(*match.span(), stem(match[0])) for match in _RUN.finditer(text)])
    found = _RUN.finditer(text.lower())  # the same, faster: a word is all letters, or has a digit
    return tuple([(at.start(), at.end(), word[:STEM] if (word := at[0]).isalpha() else word) for at in found])


def texts(text: str, title: str, form: QuestionForm) -> Iterator[tuple[str, int]]:
    """Possible answers of the kind asked for in a sentence and its title, each with its place in it, -1 if nowhere."""
    if form.asks is Asks.DATE:
        yield from ((str(date.year) if form.year else text[date.start : date.end], date.start) for date in dates(text))
        return
    if form.asks is Asks.NUMBER:
        units = MEASURES if _EXTENT & set(form.words) else frozenset()
        yield from measures(text, bare=form.counts, units=units)
        return
    place = form.asks is Asks.PLACE
    for spelled in names(text):
        name = _WHEN.sub("", spelled)
        at = text.find(name)
        parts = [part.rstrip(",") for part in name.split(" and ")]
        for part in dict.fromkeys((name, *parts, *(name.split(", ")[:1] if place else ()))):
            if place or (not is_nation(part) and not (form.asks is Asks.PERSON and _has_digit(part))):
                yield part, (text.find(part) if at >= 0 else -1)
    if place:
        yield from ((text[start:end], start) for _, start, end in nations(text))
    elif title and not (form.asks is Asks.PERSON and _has_digit(title)):
        yield title, text.find(title)


def measures(text: str, *, bare: bool, units: frozenset[str] = frozenset()) -> Iterator[tuple[str, int]]:
    """The amounts of a text as they are said, with what they are measured in unless bare ones are asked for.

    Args:
        text: A sentence.
        bare: Whether the number alone is asked for.
        units: Those that are asked for; none: any.
    """
    for amount in amounts(text):
        if units and (amount.unit not in units or _AWAY.match(text, amount.end)):
            continue
        behind = _UNIT.match(text, amount.end)
        if behind is not None and (behind["joined"] or (not bare and behind["word"].istitle())):
            continue  # "two low-budget films" is no budget, and in "twelve Moor lamps" a name is no unit
        unit = "" if bare or amount.unit in FUNCTION_WORDS else amount.unit
        end = text.casefold().find(unit, amount.end) + len(unit) if unit else amount.end
        yield text[amount.start : end], amount.start


_LINK_VERB = re.compile(r"\W*(?:\w+ ){0,2}?(?:is|was|are|were|by)(?: by)? +(?=(?:an?|the|une?|des?|eine?n?) )")


def complement(text: str, after: int) -> tuple[str, int] | None:
    """The noun phrase behind a verb of being or "by" that follows this place, up to its end; None if nothing."""
    match = _LINK_VERB.match(text, after)
    rest = text[match.end() :].rstrip(" .!?;") if match else ""
    return (rest, match.end()) if match and 0 < len(rest.split()) <= LONGEST_PHRASE else None


def _has_digit(text: str) -> bool:
    return _DIGIT.search(text) is not None


_IN = re.compile(r"\b(?:in|at|of|from|near|to) (?:the )?$")


def typed(text: str, at: int, sentence: str, form: QuestionForm) -> float:
    """How much a candidate looks like the kind of answer asked for, in [0, 1]."""
    if form.asks in (Asks.DATE, Asks.NUMBER):
        return min(1.0, len(text) / 12)
    digits = _has_digit(text)
    if form.asks is Asks.PLACE:
        return float(not digits and _IN.search(sentence[max(0, at - 12) : max(0, at)]) is not None)
    if form.asks is Asks.PERSON:
        return float(not digits and 2 <= len(text.split()) <= 4)
    return float(not digits)


def _near(start: int, end: int, places: Sequence[int]) -> float:
    """How near the nearest word of the question outside its names is, 1 for the next character."""
    if start < 0 or not places:
        return 0.0
    gap = min(start - place if place < start else max(0, place - end) for place in places)
    return 1 / (1 + max(0, gap) / 10)


def _headed(text: str, at: int, sentence: str, heads: frozenset[str]) -> float:
    """Whether the noun that the question asks for ("which band") is said of the candidate."""
    if not heads:
        return 0.0
    if heads & stems(text):
        return 1.0
    around = sentence[max(0, at - 25) : at + len(text) + 25] if at >= 0 else ""
    low = around.casefold()
    beside = any(key in low for key in heads) and any(key in heads for _, _, key in stem_places(around))
    return 0.5 if beside else 0.0
