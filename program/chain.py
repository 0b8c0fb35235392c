"""Follow a chain of relations from a name in the question: "the birthplace of the director of Blue Moon"."""

from __future__ import annotations

from dataclasses import dataclass

from hopstop.program.profile import place_after
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
    """Follow the relations of a question; None if it has none or does not end in something that code can read."""
    relations = tuple(step for relation in form.relations for step in steps(relation))
    if not relations:
        return None
    start = anchor(question, reading)
    if start is None:
        return None
    claims: list[Claim] = []
    name, subject = start.name, start
    for relation in relations:
        need = f"{relation} of {name}"
        if subject is None:
            return Chained((*claims, Claim(need)))
        found, number, target = follow(subject, relation, reading)
        if not found:
            return Chained((*claims, Claim(need)))
        claims.append(Claim(need, subject.passage.id, subject.profile.sentences[number].text))
        name, subject = found, target
    if not _asks_value(form):
        return Chained(tuple(claims), name)
    return _last(claims, name, subject, form)


def _asks_value(form: QuestionForm) -> bool:
    return form.asks in (Asks.DATE, Asks.PLACE) or form.property is not Property.OTHER


def _last(claims: list[Claim], name: str, subject: Subject | None, form: QuestionForm) -> Chained:
    event = "birth" if form.born else "death"
    what = "country" if form.property is Property.NATION else f"{form.asks.value} of {event}"
    need = f"{what} of {name}"
    text, sentence = _read(subject, form) if subject else ("", 0)
    if subject is None or not text:
        return Chained((*claims, Claim(need)))
    return Chained((*claims, Claim(need, subject.passage.id, subject.profile.sentences[sentence].text)), text)


def _read(subject: Subject, form: QuestionForm) -> tuple[str, int]:
    view = subject.profile
    if form.property is Property.NATION:
        return (view.nation_said.text, view.nation_said.sentence) if view.nation_said else ("", 0)
    if form.asks is Asks.DATE and form.property in (Property.BIRTH, Property.DEATH):
        found = view.born if form.property is Property.BIRTH else view.died
        if found is None or found.date is None:
            return "", 0
        text = view.sentences[found.sentence].text
        return found.words, found.sentence
    return "", 0
