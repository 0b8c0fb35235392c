"""Which words of a question nothing quoted speaks of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from enum import StrEnum
from functools import lru_cache

from hopstop.program.profile import stems
from hopstop.program.question_form import Asks, Property, QuestionForm
from hopstop.program.reading import Reading
from hopstop.program.records import Claim
from hopstop.program.relations import steps
from hopstop.program.text import content_words, stem, words

# Words that say what kind of answer or property is asked for, and are answered by its kind (English).
_ASKED = {
    Asks.DATE: "date year day month time",
    Asks.PLACE: "place city town location located",
    Asks.NUMBER: "number many much long high large old tall far deep",
}
_SAID_BY = {
    Property.BIRTH: "birth born birthday birthplace native birthdate",
    Property.DEATH: "death died die dies passed away",
    Property.NATION: "country nationality citizenship citizen origin",
}
_FRAME = stems("name person people called known came come")


class Role(StrEnum):
    """How a word of a question binds its answer."""

    NOUN = "noun"  # behind an article, a possessive or a preposition: what must be spoken of
    SAID = "said"  # behind who, that or which: the verb that says a relation
    OTHER = "other"  # the rest, such as the verb that goes with what is asked for ("belong to")


_NOUN = frozenset("the a an its our his her their your my whose each every of for in with by on at from to".split())  # noqa: SIM905
_SAID = frozenset("who that which whom".split())  # noqa: SIM905


def said_by_kind(form: QuestionForm) -> frozenset[str]:
    """Stems of the words that the kind of answer or property of a question answers for, and that no text need say."""
    return _FRAME | stems(_ASKED.get(form.asks, "")) | stems(_SAID_BY.get(form.property, ""))


@lru_cache(maxsize=64)
def roles(question: str, form: QuestionForm) -> Mapping[str, Role]:
    """The role of each stem of the question's content words that its kind of answer does not answer for.

    >>> from hopstop.program.question_form import question_form
    >>> text = "Which team does the reviewer of the fix belong to?"
    >>> {key: role.value for key, role in roles(text, question_form(text)).items()}
    {'team': 'noun', 'review': 'noun', 'fix': 'noun', 'belong': 'other'}
    """
    left = stems(question) - said_by_kind(form)
    heads = stems(" ".join((*form.heads, *form.names)))
    found: dict[str, Role] = {}
    before = ""
    for word in words(question):
        key = before.casefold()
        role = Role.NOUN if key in _NOUN else Role.SAID if key in _SAID else Role.OTHER
        for part in stems(word) & left:
            found.setdefault(part, Role.NOUN if part in heads else role)
        before = word
    return found


def uncovered(question: str, form: QuestionForm, claims: Iterable[Claim], reading: Reading) -> frozenset[str]:
    """Stems of the question that stand in no quoted sentence or its title and are not what the answer's kind says."""
    left = stems(question) - said_by_kind(form)
    for relation in form.relations:
        left -= stems(" ".join((relation, *steps(relation))))
    for claim in claims:
        passage = reading.by_id(claim.passage)
        left -= stems(f"{passage.title if passage else ''} {claim.quote}")
    return left


def in_order(question: str, keys: Set[str]) -> str:
    """Words of the question with these stems, as they stand and in their order."""
    return " ".join(dict.fromkeys(word for word in content_words(question, fold=False) if stem(word) in keys))
