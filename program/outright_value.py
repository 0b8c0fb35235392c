"""Whether a sentence says a date, a place or a number outright: "Moor was founded by Ann in 1961.", "Fen has 62 seats."

Plain sentences of English alone, as in `outright`: the thing, the verb, and the value, with nothing between to turn it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from hopstop.program.asked_value import AskedValue
from hopstop.program.outright import ADVERBS, ALSO, ASIDE, END, KIND, LONGEST, is_kind, opens, spans
from hopstop.program.question_form import Asks
from hopstop.program.tense import AT_A_TIME
from hopstop.program.verb_forms import forms
from hopstop.program.whole_words import places

_NOT_OF = r"(?!(?:of|for|with|in|to|at|by|from|on|that|who|which|and)\b)"
_IS_A = rf" (?:is|was) (?:an?|the) (?:{_NOT_OF}[\w-]+ ){{1,6}}(?:(?:that|which|who) (?:is|was) )?"
_DOES = re.compile(
    rf"{KIND}{ASIDE}{ALSO}(?:,? (?:who|which|that))?"
    rf"(?: (?:has|have|can|is|are|was|were|has been|have been))?{ADVERBS} "
)
_IS_DONE = re.compile(
    rf"{KIND}{ASIDE}{ALSO}(?:,? (?:which|that))?(?: (?:is|are|was|were|has been|have been){ADVERBS} )"
    rf"|{KIND}(?:, |{_IS_A})"
)
_FILL = r"(?: by [^,;.()]{1,60}?)?(?: (?:in|at|on|to|near|for|from|into|as|with) (?!\d)[^,;.()\d]{1,50}?)?"
_WHEN = r"(?: (?:in|on)(?: (?:[a-z]+ ){0,2}\d{4}| \d{1,2} [a-z]+ \d{4}))?"
_LIST = re.compile(r"(?:, [^\Wa-z_][^,;.()]*)?,? (?:and|or|&) (?:again |later |in |on |at )*(?:the )?(?:[^\Wa-z_]|\d)")
_LEADING = re.compile(r"(?:in|on) ")
_ABOUT = r"(?:(?:about|around|roughly|approximately|some|exactly|a total of) )?"
_HAS = frozenset("has have had holds hold counts counted contains contain comprises employs employ seats".split())  # noqa: SIM905


def outright_value(readings: Sequence[AskedValue], asks: Asks, sentence: str, entry: str, answer: str) -> bool:
    """Whether a sentence says a value of what a question names, or of the name that the way before leads over.

    Args:
        readings: What the question asks.
        asks: The kind of answer.
        sentence: As it stands.
        entry: The folded name that leads to the sentence; "" if the question names the thing.
        answer: Part of the sentence.
    """
    text = sentence.casefold()
    if len(text) != len(sentence) or len(text) > LONGEST or AT_A_TIME.search(sentence):
        return False
    return any(
        _says(reading, asks, sentence, (entry or reading.subject).casefold(), answer)
        for reading in readings
        if bool(entry) != bool(reading.subject)
    )


def says_behind(readings: Sequence[AskedValue], sentence: str, answer: str) -> bool:
    """Whether a value stands behind the verb and the preposition asked for: "made of silver"; True if none is."""
    stranded = [reading for reading in readings if reading.stranded]
    text, value = sentence.casefold(), answer.casefold()
    ends = [end for reading in stranded for _, end in _verbs(reading, text, reading.rest)]
    return not stranded or any(value in text[end:] for end in ends)


def _says(reading: AskedValue, asks: Asks, sentence: str, subject: str, answer: str) -> bool:
    text, value = sentence.casefold(), answer.casefold()
    behind = _behind(reading, asks)
    if not subject or not value or behind is None:
        return False
    before = _IS_DONE if reading.passive else _DOES
    for first in places(text, subject):
        for start, end in _verbs(reading, text):
            said = first + len(subject) <= start and before.fullmatch(text, first + len(subject), start)
            if not said or not opens(text[:first]):
                continue
            if asks is Asks.DATE and _leads(text, value) and _ends(reading, text, end):
                return True
            if any(_fits(behind, reading, sentence, end, at, at + len(value)) for at in places(text, value)):
                return True
    return False


def _fits(behind: re.Pattern[str], reading: AskedValue, sentence: str, verb: int, start: int, end: int) -> bool:
    """Whether nothing but what may stand there parts a verb from a value, and the value is not one of several."""
    text = sentence.casefold()
    match = behind.fullmatch(text, verb, start) if verb <= start else None
    if match is None or not is_kind(match.groupdict().get("kind") or "") or _LIST.match(sentence, end):
        return False
    if reading.noun:
        return re.match(rf"(?: [\w-]+){{0,2}}? {re.escape(reading.noun.casefold())}\b", text[end:]) is not None
    return END.match(text, end) is not None


@lru_cache(maxsize=256)
def _behind(reading: AskedValue, asks: Asks) -> re.Pattern[str] | None:
    """What may stand between the verb and the value; None if such a question is not read."""
    rest = _object(reading)
    if asks is Asks.DATE:
        return re.compile(rf"{rest}{_FILL} (?:in|on)(?: (?:the|early|late|mid|spring|summer|autumn|winter|of)){{0,3}} ")
    if asks is Asks.PLACE:
        preposition = "" if reading.stranded else r" (?:in|at|on|outside)"
        return re.compile(rf"{rest}{_WHEN}{preposition} (?:the |an? )?(?P<kind>(?:[a-z-]+ ){{0,3}}?)(?:of )?")
    if asks is Asks.NUMBER and (reading.noun or not reading.rest):
        return re.compile(rf"{rest}(?: us)?(?: for)? {_ABOUT}")
    return re.compile(rf"{rest} (?:(?:the|an?) )?(?P<kind>(?:[a-z-]+ ){{0,3}})") if reading.stranded else None


def _object(reading: AskedValue) -> str:
    words = reading.rest.casefold()
    return rf"(?: (?:the|an?|its|his|her|their))? {re.escape(words)}" if words else ""


def _leads(text: str, value: str) -> bool:
    match = _LEADING.match(text)
    return match is not None and text.startswith(value, match.end())


def _ends(reading: AskedValue, text: str, end: int) -> bool:
    """Whether nothing but the object asked for follows the verb: "In 2010 Moor bought Fen."."""
    match = re.compile(_object(reading)).match(text, end)
    return match is not None and END.match(text, match.end()) is not None


def _verbs(reading: AskedValue, text: str, rest: str = "") -> Iterator[tuple[int, int]]:
    """Where a form of the verb stands, with what follows it in the question."""
    verb = reading.verb.casefold()
    said = _HAS if verb == "have" else forms(verb)
    return spans([f"{form} {rest}".rstrip() for form in said], text)
