"""What a question asks for, read from its form without a model: English closed-class words and comparatives.

Questions of other languages keep their names and words and are treated as chains of an unknown kind of answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from hopstop.program import question_words as english
from hopstop.program.sides import sides as sides_of
from hopstop.program.text import FUNCTION_WORDS, content_words, names


class Asks(StrEnum):
    """The kind of answer."""

    PERSON = "person"
    PLACE = "place"
    DATE = "date"
    NUMBER = "number"
    YES_NO = "yes/no"
    CHOICE = "which of two"
    THING = "thing"


class Property(StrEnum):
    """What is compared or asked of a subject, where it is one that code can read."""

    BIRTH = "date of birth"
    DEATH = "date of death"
    LIFESPAN = "length of life"
    DATE = "date"
    NUMBER = "number"
    NATION = "country"
    OTHER = ""


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """A question, taken apart.

    Attributes:
        asks: The kind of answer.
        sides: The two things compared; empty in a chain.
        property: What is compared or asked.
        most: Whether the later, larger or longer one is asked for.
        same: Whether it asks if both are the same in something.
        relations: Nouns that lead from a named thing to another ("director" in "the director of ...").
        names: Names in the question.
        words: Content words outside names, in order.
        year: Whether no more than the year of a date is asked for.
        counts: Whether a bare number is asked for ("how many"), not a measure with its unit ("how long").
        heads: The noun that the question asks for ("band" in "which band ..."); empty if it is not said.
    """

    asks: Asks
    sides: tuple[str, ...] = ()
    property: Property = Property.OTHER
    most: bool = False
    same: bool = False
    relations: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    year: bool = False
    counts: bool = False


@lru_cache(maxsize=1024)
def question_form(question: str) -> QuestionForm:
    """Take a question apart.

    >>> form = question_form("Which film has the director born later, Blue Moon or Red Sun?")
    >>> form.asks.value, form.sides, form.property.value, form.most, form.relations
    ('which of two', ('Blue Moon', 'Red Sun'), 'date of birth', True, ('director',))
    """
    text = " ".join(question.split())
    sides = sides_of(text)
    bare = _without(text, sides)
    found = names(text)
    inside = {word for name in (*found, *sides) for word in content_words(name)}
    return QuestionForm(
        _asks(bare, sides),
        sides,
        _property(bare, sides),
        _direction(bare),
        bool(english.SAME.search(bare)),
        _relations(bare),
        found,
        tuple(word for word in content_words(text) if word not in inside),
        _heads(text),
        bool(english.YEAR.search(text)),
        bool(english.COUNT.search(text)),
    )


def _without(text: str, sides: tuple[str, ...]) -> str:
    for side in sides:
        text = text.replace(side, "")
    return text.strip()


def _asks(text: str, sides: tuple[str, ...]) -> Asks:
    if sides:
        if english.AUXILIARY.match(text) and not english.EITHER.search(text):
            return Asks.YES_NO
        if not english.SAME.search(text) and not english.BOTH.search(text):
            return Asks.CHOICE
    elif english.AUXILIARY.match(text) and not english.WHICH.search(text):
        return Asks.YES_NO
    for pattern, asks in ((english.DATE, Asks.DATE), (english.NUMBER, Asks.NUMBER), (english.PLACE, Asks.PLACE)):
        if pattern.search(text):
            return asks
    if english.NATION.search(text):
        return Asks.PLACE
    return Asks.PERSON if english.PERSON.search(text) else Asks.THING


def _property(text: str, sides: tuple[str, ...]) -> Property:
    words = frozenset(content_words(text)) | frozenset(text.casefold().split())
    if english.LIFESPAN.search(text):
        return Property.LIFESPAN
    if not english.SAME_PLACE.search(text):
        if english.DEATH.search(text):
            return Property.DEATH
        if english.BIRTH.search(text):
            return Property.BIRTH
    if english.NATION.search(text):
        return Property.NATION
    if sides and words & english.TIME:
        return Property.DATE
    return Property.NUMBER if sides and words & (english.LOW | english.HIGH) else Property.OTHER


def _direction(text: str) -> bool:
    """True if the greater value is asked for; an older person has the earlier date of birth."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    return next((word in english.HIGH for word in words if word in english.HIGH or word in english.LOW), False)


def _relations(text: str) -> tuple[str, ...]:
    """From the named thing outwards: what it has ("its director"), then what that is "of", from right to left."""
    owned: list[str] = []
    of: list[str] = []
    for match in english.RELATION.finditer(text):
        kind = str(match.lastgroup)
        word = match[kind] if match[kind].endswith("ss") else match[kind].removesuffix("s")
        if word not in english.NO_RELATION and word not in FUNCTION_WORDS:
            (owned if kind == "owned" else of).append(word)
    return (*owned, *of[::-1])


def _heads(text: str) -> tuple[str, ...]:
    match = english.HEAD.search(text)
    return tuple(content_words(match.group(1))[-2:]) if match else ()
