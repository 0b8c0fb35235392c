"""Which words of a question nothing quoted speaks of."""

from __future__ import annotations

from collections.abc import Iterable

from hopstop.program.profile import stems
from hopstop.program.question_form import Asks, Property, QuestionForm
from hopstop.program.reading import Reading
from hopstop.program.records import Claim
from hopstop.program.relations import steps

# Words that say what kind of answer or property is asked for, and are answered by its kind (English).
_ASKED = {
    Asks.DATE: "date year day month time",
    Asks.PLACE: "place city town location located",
    Asks.NUMBER: "number many much",
}
_SAID = {
    Property.BIRTH: "birth born birthday birthplace native birthdate",
    Property.DEATH: "death died die dies passed away",
    Property.NATION: "country nationality citizenship citizen origin",
}
_FRAME = stems("name person people called known came come")


def uncovered(question: str, form: QuestionForm, claims: Iterable[Claim], reading: Reading) -> frozenset[str]:
    """Stems of the question that stand in no quoted sentence or its title and are not what the answer's kind says."""
    left = stems(question) - _FRAME - stems(_ASKED.get(form.asks, "")) - stems(_SAID.get(form.property, ""))
    for relation in form.relations:
        left -= stems(" ".join((relation, *steps(relation))))
    for claim in claims:
        passage = reading.passage(claim.passage) if claim.passage else None
        left -= stems(f"{passage.title if passage else ''} {claim.quote}")
    return left
