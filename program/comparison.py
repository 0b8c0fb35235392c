"""Compare two things that passages speak of: find each, read its value, let code derive the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hopstop.program.life import Shown
from hopstop.program.nations import nations
from hopstop.program.profile import Profile
from hopstop.program.question_form import Asks, Property, QuestionForm
from hopstop.program.reading import Reading
from hopstop.program.records import Claim
from hopstop.program.subjects import Subject, find_subject, follow
from hopstop.program.text import FUNCTION_WORDS, content_words, stem
from hopstop.program.values import amounts, before

_OF_PERSONS = (Property.BIRTH, Property.DEATH, Property.LIFESPAN, Property.NATION)
_LEAD = 2  # sentences that say what a thing is
_EMPTY = frozenset({"both", "same"})


@dataclass(frozen=True, slots=True)
class Compared:
    """What came of a comparison.

    Attributes:
        claims: Facts of each side, quoted or open, and the derived one.
        draft: The answer; empty if it cannot be derived.
    """

    claims: tuple[Claim, ...]
    draft: str = ""


@dataclass(frozen=True, slots=True)
class _Side:
    """One side: what it is called, the passage whose value counts, and the facts that lead there."""

    name: str
    subject: Subject | None
    claims: tuple[Claim, ...]
    what: str


def compare(form: QuestionForm, reading: Reading) -> Compared:
    """Compare the two sides of a question as far as the passages read allow.

    Values are read by code (dates, lengths of life, counts, countries), and the answer follows from them: it is one of
    the sides, or yes or no. "No" is said only where both values are known and differ: that a passage is silent on
    something shows nothing.
    """
    if form.asks is Asks.CHOICE and form.property is Property.OTHER:
        return _one_of(form, reading)
    sides = tuple(_side(name, form, reading) for name in form.sides)
    facts = tuple(_facts(side, form) for side in sides)
    claims = tuple(claim for side, own in zip(sides, facts, strict=True) for claim in (*side.claims, *own))
    one, two = (side.subject for side in sides)
    shown = all(claim.quote for claim in claims)
    if one is None or two is None or not shown or one.passage.id == two.passage.id:
        return Compared(claims)
    draft = _derive(sides, (one, two), form)
    if not draft:
        return Compared((*claims, Claim(f"how {form.sides[0]} and {form.sides[1]} compare")))
    needs = tuple(claim.need for own in facts for claim in own)
    return Compared((*claims, Claim(conclusion(form), follows_from=needs)), draft)


def _one_of(form: QuestionForm, reading: Reading) -> Compared:
    """Which of two something is true of: the one of which a sentence says all of it while none says it of the other."""
    found = [find_subject(side, reading) for side in form.sides]
    called = [item.name if item else side for item, side in zip(found, form.sides, strict=True)]
    left = {_root(word) for word in (*form.heads, *content_words(" ".join(called)))} | _EMPTY
    words = [word for word in content_words(" ".join((*form.words, *form.names))) if _root(word) not in left]
    said = " ".join(dict.fromkeys(words)) or "what is asked"
    shown: list[Claim] = []
    names = []
    for item, name in zip(found, called, strict=True):
        if item is None:
            return Compared(tuple(Claim(f"{said} of {side}") for side in called))
        number = _says_all(item.profile, frozenset(map(_root, words)))
        if number is not None:
            names.append(name)
            shown.append(Claim(f"{said} of {name}", item.passage.id, item.profile.sentences[number].text))
    if len(shown) != 1:
        return Compared((*shown, Claim(f"{said} of only one of {called[0]} and {called[1]}")))
    return Compared((shown[0], Claim(conclusion(form), follows_from=(shown[0].need,))), names[0])


def _says_all(view: Profile, wanted: frozenset[str]) -> int | None:
    """The first sentence that holds all of these roots, the title helping."""
    title = {_root(word) for word in content_words(view.title)}
    for number, sentence in enumerate(view.sentences):
        if wanted and wanted <= title | {_root(word) for word in content_words(sentence.text)}:
            return number
    return None


def conclusion(form: QuestionForm) -> str:
    """The fact that is derived from those of both sides."""
    one, two = form.sides
    return (
        f"which of {one} and {two} it is" if form.asks is Asks.CHOICE else f"whether it is so of both {one} and {two}"
    )


def _side(name: str, form: QuestionForm, reading: Reading) -> _Side:
    found = find_subject(name, reading)
    said = found.name if found else name
    if form.property not in _OF_PERSONS or not form.relations:
        return _Side(said, found, (), said)
    relation = form.relations[0]
    if found is None:
        return _Side(said, None, (Claim(f"{relation} of {said}"),), f"the {relation} of {said}")
    for relation in form.relations:
        target, number, subject = follow(found, relation, reading)
        if target:
            lead = Claim(f"{relation} of {said}", found.passage.id, found.profile.sentences[number].text)
            return _Side(said, subject, (lead,), f"the {relation} of {said} ({target})")
    return _Side(said, None, (Claim(f"{relation} of {said}"),), f"the {relation} of {said}")


def _facts(side: _Side, form: QuestionForm) -> tuple[Claim, ...]:
    """The values of one side, each with the sentence that says it."""
    if form.property is Property.LIFESPAN:
        one, two = (replace(form, property=part) for part in (Property.BIRTH, Property.DEATH))
        return (*_facts(side, one), *_facts(side, two))
    what = form.property.value
    if form.property is Property.NUMBER:
        what = f"number of {' '.join(form.words)}"
    elif form.property is Property.OTHER:
        what = " ".join(form.words)
    need = f"{what} of {side.what}"
    found = _value(side.subject, form) if side.subject else None
    if side.subject is None or found is None:
        return (Claim(need),)
    return (Claim(need, side.subject.passage.id, side.subject.profile.sentences[found.sentence].text),)


def _value(subject: Subject, form: QuestionForm) -> Shown | None:
    """What a passage says of the property of its subject."""
    view = subject.profile
    if form.property is Property.NUMBER:
        found = _counted(view, form)
        return found[2] if found else None
    if form.property is Property.OTHER:
        return _described(view, form)
    if form.property is Property.BIRTH:
        return view.life.born or view.dated
    if form.property is Property.NATION:
        return view.nation[1] if view.nation else None
    return view.life.died if form.property is Property.DEATH else view.dated


def _derive(sides: Sequence[_Side], subjects: tuple[Subject, Subject], form: QuestionForm) -> str:
    if form.asks is Asks.CHOICE:
        less = _less(subjects, form)
        return "" if less is None else sides[0 if less != form.most else 1].name
    if form.asks is not Asks.YES_NO:
        return ""
    one, two = (_value(subject, form) for subject in subjects)
    if one is None or two is None:
        return ""
    if form.same:
        return _same_country(subjects) if form.property is Property.NATION else ""
    return _both(subjects, form) if form.property is Property.OTHER else ""


def _less(subjects: tuple[Subject, Subject], form: QuestionForm) -> bool | None:
    """Whether the left one comes first (dates) or is less (lives, counts); None if that cannot be said."""
    one, two = (subject.profile for subject in subjects)
    if form.property is Property.LIFESPAN:
        return _smaller(_years_lived(one), _years_lived(two))
    if form.property is Property.NUMBER:
        left, right = _counted(one, form), _counted(two, form)
        return _smaller(left[0], right[0]) if left and right and left[1] == right[1] else None
    first, second = (_value(subject, form) for subject in subjects)
    return before(first.date, second.date) if first and second and first.date and second.date else None


def _smaller(left: float | None, right: float | None) -> bool | None:
    return None if left is None or right is None or left == right else left < right


def _years_lived(view: Profile) -> float | None:
    """Length of a life in years; None if either end is not known. A missing month or day counts as the middle."""
    if view.life.born is None or view.life.died is None or view.life.born.date is None or view.life.died.date is None:
        return None
    one, two = view.life.born.date, view.life.died.date
    return two.year - one.year + ((two.month or 6) - (one.month or 6)) / 12 + ((two.day or 15) - (one.day or 15)) / 365


def _counted(view: Profile, form: QuestionForm) -> tuple[float, str, Shown] | None:
    """The first number, its unit and where it stands, that is of what is asked for.

    Either one of the next three words is asked for ("four studio albums": albums), or it is the only number with a unit
    in a sentence that shares a word with the question ("lasted 115 minutes": lasted).
    """
    wanted = {_root(word) for word in form.words} - {_root(word) for word in content_words(view.title)}
    for number, sentence in enumerate(view.sentences):
        found = amounts(sentence.text)
        for amount in found:
            near = content_words(sentence.text[amount.end : amount.end + 40])[:3]
            if any(_root(word) in wanted for word in near):
                return amount.value, "", Shown(sentence.text[amount.start : amount.end], number)
        measured = [amount for amount in found if amount.unit and amount.unit not in FUNCTION_WORDS]
        if len(measured) == 1 and wanted & {_root(word) for word in content_words(sentence.text)}:
            amount = measured[0]
            return amount.value, amount.unit, Shown(sentence.text[amount.start : amount.end], number)
    return None


def _root(word: str) -> str:
    """The stem of a word, so that a short plural has the stem of its singular."""
    return stem(word.removesuffix("s") if len(word) > 3 else word)


def _wanted(form: QuestionForm) -> tuple[frozenset[str], tuple[str, ...]]:
    """What is said of both sides: roots of the words, and countries."""
    text = " ".join(form.words)
    rest = [name for name in form.names if not any(name in side or side in name for side in form.sides)]
    tails = [side.rsplit(" ", 1)[-1] for side in form.sides[1:]]
    countries = tuple(country for country, _, _ in nations(" ".join((*rest, *tails))))
    words = content_words(f"{text} {' '.join(name for name in rest if not nations(name))}")
    return frozenset(map(_root, words)) - _EMPTY, countries


def _described(view: Profile, form: QuestionForm) -> Shown | None:
    """The sentence of the lead that holds every word of what is said of both sides, or that names another country."""
    wanted, countries = _wanted(form)
    for number, sentence in enumerate(view.sentences[:_LEAD]):
        if wanted and wanted <= {_root(word) for word in content_words(sentence.text)}:
            return Shown(sentence.text, number)
    return view.nation[1] if countries and view.nation and view.nation[0] not in countries else None


def _both(subjects: tuple[Subject, Subject], form: QuestionForm) -> str:
    countries = _wanted(form)[1]
    if not countries:
        return "yes"
    found = [_country(subject) for subject in subjects]
    return "yes" if all(nation in countries for nation in found) else "no" if all(found) else ""


def _same_country(subjects: tuple[Subject, Subject]) -> str:
    one, two = map(_country, subjects)
    return ("yes" if one == two else "no") if one and two else ""


def _country(subject: Subject) -> str:
    return subject.profile.nation[0] if subject.profile.nation else ""
