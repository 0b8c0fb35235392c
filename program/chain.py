"""Follow a chain of relations from a name in the question: "the birthplace of the director of Blue Moon"."""

from __future__ import annotations

from dataclasses import dataclass

from hopstop.program.life import Shown
from hopstop.program.question_form import Asks, Property, QuestionForm
from hopstop.program.reading import Reading
from hopstop.program.records import Claim
from hopstop.program.relations import steps
from hopstop.program.subjects import Subject, anchor, follow


@dataclass(frozen=True, slots=True)
class Chained:
    """What came of following a chain.

    Attributes:
        claims: One fact a step, quoted or open.
        draft: The answer; empty if the chain breaks.
    """

    claims: tuple[Claim, ...]
    draft: str = ""


def chain(question: str, form: QuestionForm, reading: Reading) -> Chained | None:
    """Follow the relations of a question; None if it has none or its first name is in no passage read."""
    relations = tuple(step for relation in form.relations for step in steps(relation))
    subject = anchor(question, reading) if relations else None
    if subject is None:
        return None
    claims: list[Claim] = []
    name = subject.name
    for relation in relations:
        need = f"{relation} of {name}"
        found, number, target = follow(subject, relation, reading) if subject else ("", -1, None)
        if not found or subject is None:
            return Chained((*claims, Claim(need)))
        claims.append(Claim(need, subject.passage.id, subject.profile.sentences[number].text))
        name, subject = found, target
    if form.asks in (Asks.PERSON, Asks.THING) and form.property is Property.OTHER:
        return Chained(tuple(claims), name)
    return _valued(tuple(claims), name, subject, form)


def _valued(claims: tuple[Claim, ...], name: str, subject: Subject | None, form: QuestionForm) -> Chained:
    """The last fact: what a passage says of the property asked for."""
    need = f"{_property_words(form)} of {name}"
    found = _read(subject, form) if subject else None
    if subject is None or found is None:
        return Chained((*claims, Claim(need)))
    last = Claim(need, subject.passage.id, subject.profile.sentences[found.sentence].text)
    return Chained((*claims, last), _short(found, form))


def _short(found: Shown, form: QuestionForm) -> str:
    """The shortest answer: the year if that is asked for, a place without the region it lies in."""
    if form.year and found.date is not None:
        return str(found.date.year)
    return found.text.split(",")[0] if form.asks is Asks.PLACE else found.text


def _property_words(form: QuestionForm) -> str:
    if form.property in (Property.BIRTH, Property.DEATH) and form.asks in (Asks.DATE, Asks.PLACE):
        return f"{form.asks.value} of {form.property.value.removeprefix('date of ')}"
    return "country" if form.property is Property.NATION else " ".join(form.words)


def _read(subject: Subject, form: QuestionForm) -> Shown | None:
    life = subject.profile.life
    if form.property is Property.NATION:
        return subject.profile.nation[1] if subject.profile.nation else None
    return {
        (Asks.PLACE, Property.BIRTH): life.born_in,
        (Asks.PLACE, Property.DEATH): life.died_in,
        (Asks.DATE, Property.BIRTH): life.born,
        (Asks.DATE, Property.DEATH): life.died,
    }.get((form.asks, form.property))
