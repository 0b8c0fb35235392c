"""What a question asks for, read from its form without a model: English closed-class words and comparatives.

Questions of other languages keep their names and words and are treated as chains of an unknown kind of answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

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
    """

    asks: Asks
    sides: tuple[str, ...] = ()
    property: Property = Property.OTHER
    most: bool = False
    same: bool = False
    relations: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


# English, closed classes and comparatives only.
_AUXILIARY = re.compile(r"(?:q: )?(?:is|are|was|were|do|does|did|have|has|had|can|could|will|would)\b", re.IGNORECASE)
_WHICH = re.compile(r"\b(?:which|who|whose|what|whom)\b", re.IGNORECASE)
_LOW = frozenset("first earlier earliest older oldest fewer fewest less least smaller smallest shorter lower before".split())
_HIGH = frozenset(
    "later latest last recently recent younger youngest newer newest more most larger largest greater bigger biggest longer "
    "longest higher highest taller tallest after second".split()
)
_BIRTH = re.compile(r"\b(?:born|birth|birthday|birthdate|older|oldest|younger|youngest|age)\b", re.IGNORECASE)
_DEATH = re.compile(r"\b(?:died|die|dies|death|passed away)\b", re.IGNORECASE)
_EITHER = re.compile(r"^(?!.*\bsame\b).* or .*\b(?:first|last|earlier|later|\w+er|more|fewer)\W*$", re.IGNORECASE | re.DOTALL)
_LIFESPAN = re.compile(r"\b(?:lived|live) (?:longer|a longer)|\blonger li(?:fe|ved)|\blongevity\b", re.IGNORECASE)
_NATION = re.compile(r"\b(?:nationality|nationalities|citizenship|countr(?:y|ies))\b", re.IGNORECASE)
_SAME = re.compile(r"\b(?:same|share|shared|in common)\b", re.IGNORECASE)
_TIME = frozenset("first earlier earliest older oldest later latest last recently recent younger newer newest before".split())
_PLACE = re.compile(
    r"\bwhere\b|\b(?:which|what)(?: \w+){0,2} (?:city|town|country|state|county|place|village|continent|island|region|province|"
    r"location|district)\b|\bplace of (?:birth|death|burial)\b|\bbirthplace\b",
    re.IGNORECASE,
)
_DATE = re.compile(r"\bwhen\b|\b(?:which|what)(?: \w+)? (?:year|date|day|month|decade|century)\b|\bdate of\b|\bbirthday\b", re.IGNORECASE)
_NUMBER = re.compile(r"\bhow (?:many|much|long|old|tall|far|large|high)\b|\bnumber of\b|\bpopulation\b", re.IGNORECASE)
_PERSON = re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)
_RELATION = re.compile(
    r"\b(?:whose|has the|have the|had the|has a|have a) (?P<whose>[a-z]{4,})\b"
    r"|\b(?P<of>(?:[mp]aternal |step)?[a-z]{3,}(?:-in-law)?) of\b(?! (?:birth|death))"
    r"|(?<=[^\W\d_])['’]s? (?P<owned>(?:[mp]aternal )?[a-z]{3,}(?:-in-law)?)\b"
    r"|\b(?P<who>[a-z]{4,}) (?:who|that) "
)
_NO_RELATION = frozenset(
    "date place country cause birth death nationality name kind type number part both same citizenship birthday one year "
    "city town capital".split()
)
_LINKS = frozenset("of the de la le du des da di del van von der den und et y and for in a an to with on at by from".split())
# "director of film A and director of film B", "A have the same nationality as B": the second name joined to the first.
_REPEATED = re.compile(r" (and|or) (?:the )?[^\W\d_]{4,} of (?:the )?(?:[a-z]{3,} )?(?=[\"'(]?[^\Wa-z_])")
_SAME_AS = re.compile(r" (?:have|has|share|shares|from|in|located in|born in) the same [a-z ]+? as (?=[\"'(]?[^\Wa-z_])")
_SPLIT = re.compile(r"\S+")


@lru_cache(maxsize=1024)
def question_form(question: str) -> QuestionForm:
    """Take a question apart.

    >>> form = question_form("Which film has the director born later, Blue Moon or Red Sun?")
    >>> form.asks.value, form.sides, form.property.value, form.most, form.relations
    ('which of two', ('Blue Moon', 'Red Sun'), 'date of birth', True, ('director',))
    """
    text = " ".join(question.split())
    sides = _sides(text)
    bare = _without(text, sides)
    found = names(text)
    inside = {word for name in (*found, *sides) for word in content_words(name)}
    return QuestionForm(
        _asks(bare, sides),
        sides,
        _property(bare, sides),
        _direction(bare),
        bool(_SAME.search(bare)),
        _relations(bare),
        found,
        tuple(word for word in content_words(text) if word not in inside),
    )


def _without(text: str, sides: tuple[str, ...]) -> str:
    for side in sides:
        text = text.replace(side, "")
    return text.strip()


def _asks(text: str, sides: tuple[str, ...]) -> Asks:
    if sides:
        if _AUXILIARY.match(text) and not _EITHER.search(text):
            return Asks.YES_NO
        if not _SAME.search(text) and not re.search(r"\bboth\b", text, re.IGNORECASE):
            return Asks.CHOICE
    elif _AUXILIARY.match(text) and not _WHICH.search(text):
        return Asks.YES_NO
    for pattern, asks in ((_DATE, Asks.DATE), (_PLACE, Asks.PLACE), (_NUMBER, Asks.NUMBER)):
        if pattern.search(text):
            return asks
    if _NATION.search(text):
        return Asks.PLACE
    return Asks.PERSON if _PERSON.match(text) or re.search(r"\b(?:by|of|to|with) whom?\b", text) else Asks.THING


def _property(text: str, sides: tuple[str, ...]) -> Property:
    words = frozenset(content_words(text)) | frozenset(text.casefold().split())
    if _LIFESPAN.search(text):
        return Property.LIFESPAN
    place = _PLACE.search(text) is not None and not sides or re.search(r"\bsame place\b", text)
    if not place:
        if _DEATH.search(text):
            return Property.DEATH
        if _BIRTH.search(text):
            return Property.BIRTH
    if _NATION.search(text):
        return Property.NATION
    if sides and words & _TIME:
        return Property.DATE
    return Property.NUMBER if sides and words & (_LOW | _HIGH) else Property.OTHER


def _direction(text: str) -> bool:
    """True if the greater value is asked for; an older person has the earlier date of birth."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    return next((word in _HIGH for word in words if word in _HIGH or word in _LOW), False)


def _relations(text: str) -> tuple[str, ...]:
    """From the named thing outwards: what it has ("its director"), then what that is "of", from right to left."""
    owned, of = [], []
    for match in _RELATION.finditer(text):
        kind = str(match.lastgroup)
        word = match[kind] if match[kind].endswith("ss") else match[kind].removesuffix("s")
        if word not in _NO_RELATION and word not in FUNCTION_WORDS:
            (owned if kind == "owned" else of).append(word)
    return tuple(dict.fromkeys(owned + of[::-1])) if len(set(owned + of)) == len(owned + of) else (*owned, *of[::-1])


def _sides(text: str) -> tuple[str, ...]:
    """The two names around "or", or around "and" in a question about both; empty if there are none."""
    text = _SAME_AS.sub(" and ", _REPEATED.sub(r" \1 ", text))
    tokens = [match.group() for match in _SPLIT.finditer(text)]
    joins = ("or", "and") if _compares(text) else ("or",)
    for join in joins:
        for at in (place for place, token in enumerate(tokens) if token == join):
            left, right = _name_before(tokens, at), _name_after(tokens, at + 1)
            if left and right:
                return left, right
    return ()


def _compares(text: str) -> bool:
    low = text.casefold()
    return bool(_AUXILIARY.match(low) or re.search(r"\b(?:both|between|among|same|share|in common|of the following)\b", low))


def _is_name(token: str) -> bool:
    bare = token.strip("\"'([{,;:?!.")
    if token.rstrip(",?").endswith(")"):
        return True
    return bool(bare) and (bare[0].isupper() or bare[0].isdigit() or not bare[0].isascii())


def _is_link(token: str) -> bool:
    return token.strip("\"',()").casefold() in _LINKS or not any(char.isalnum() for char in token)


def _name_before(tokens: list[str], at: int) -> str:
    """The run of capitalised words that ends here; not the first word of the question if that is a function word."""
    start = at
    place = at - 1
    while place >= 0:
        token = tokens[place]
        if _is_name(token) and not (place == 0 and token.casefold().strip(",:") in FUNCTION_WORDS):
            start = place
        elif not _is_link(token) or token.endswith((",", ":")) or start - place > 2:
            break
        place -= 1
    return _clean(tokens[start:at])


def _name_after(tokens: list[str], at: int) -> str:
    end = at
    place = at
    while place < len(tokens):
        token = tokens[place]
        if _is_name(token) or _opens_name(tokens, place, at):
            end = place + 1
            if token.endswith(("?", ",")) and not (place + 1 < len(tokens) and _is_name(tokens[place + 1])):
                break
        elif not _is_link(token) or place - end >= 2:
            break
        place += 1
    return _clean(tokens[at:end])


def _opens_name(tokens: list[str], place: int, at: int) -> bool:
    """A second side may begin with a lower-case article."""
    return place == at and tokens[place] in ("the", "a") and place + 1 < len(tokens) and _is_name(tokens[place + 1])


def _clean(tokens: list[str]) -> str:
    text = " ".join(tokens).strip(" ,:;?")
    text = re.sub(r"^(?:both|films?|directors?|between) ", "", text, flags=re.IGNORECASE) if " " in text else text
    return text.strip("\"'") if text.count('"') % 2 == 0 and text.count("'") % 2 == 0 else text
