"""What a question says of the way to its answer: which of its words lead on, and which belong to a name in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from hopstop.program.asked_role import AskedRole, described_role
from hopstop.program.gaps import roles
from hopstop.program.leads import leads
from hopstop.program.profile import fold, stems
from hopstop.program.question_form import QuestionForm
from hopstop.program.text import FUNCTION_WORDS, content_words, stem, words
from hopstop.program.verb_forms import PAST, forms

_ASKING = re.compile(
    r"\b(?:does|did|do)\s+"
    r"(?:(?:the|a|an|his|her|its)\b|[^\Wa-z_]|[\w-]*[-_\d])[^?]*?\s([^\W\d_]+)(?:\s(?:to|for|with|from|by|of|on|in|at))?\W*$"
)
_BESIDE, _LAST = 60, 400  # characters: beside a name, and at the end of a question, of which no more is looked at
_OF = re.compile(r"([^\W\d_]{3,}) of (?:the )?$")
_THAT = re.compile(r"(?:that|which|whom|where) (?:the )?$")
_VERB = re.compile(r"^ (?:(?:was|is|does|did|has|had|were) )?([^\W\d_]{3,})")
_BEFORE = re.compile(r"([^\W\d_]{3,}) $")


@dataclass(frozen=True, slots=True)
class AskedWay:
    """The relations that a question names, by stems.

    Attributes:
        names: The folded names of the question.
        coded: Those of them that are written without capitals ("payment-gw").
        leading: What may lead from one thing to the next, in the order asked: neither in a name, nor the kind of a
            name ("the service Moor"), nor what is asked for.
        heads: The noun that is asked for ("team" in "which team").
        asking: Forms of the verb of "who does the owner of Moor report to"; none if the question has another form.
        of: Noun before "of" a name, with that name.
        that: Verb that a name does ("the service that Moor calls"), with that name.
        described: What a relative clause at the end says of a name ("the service that Moor calls"); None without one.
    """

    names: frozenset[str]
    coded: frozenset[str]
    leading: tuple[str, ...]
    heads: frozenset[str]
    asking: frozenset[str] = frozenset()
    of: tuple[tuple[str, str], ...] = ()
    that: tuple[tuple[str, str], ...] = ()
    described: AskedRole | None = None


@lru_cache(maxsize=256)
def asked_way(question: str, form: QuestionForm) -> AskedWay:
    """Read the relations of a question.

    >>> from hopstop.program.question_form import question_form
    >>> text = "Which team owns the service that Moor depends on?"
    >>> way = asked_way(text, question_form(text))
    >>> way.leading, sorted(way.heads), way.that
    (('owns', 'own', 'owned', 'owning', 'servic', 'depend'), ['team'], (('depend', 'moor'),))
    """
    coded = _coded(question)
    found = [name for name in dict.fromkeys((*form.names, *coded)) if name in question]
    of, that, kinds = [], [], set()
    for name in found:
        at = question.find(name)
        before, behind = question[max(0, at - _BESIDE) : at], question[at + len(name) :][:_BESIDE]
        if match := _OF.search(before):
            of.append((stem(match[1]), fold(name)))
        if _THAT.search(before) and (match := _VERB.match(behind)) and match[1] not in FUNCTION_WORDS:
            that.append((stem(match[1]), fold(name)))
        if match := _BEFORE.search(before):
            kinds.add(stem(match[1]))
    said = stems(" ".join(found))
    heads = frozenset(map(stem, _nouns(question, form.heads)))
    match = _ASKING.search(question[-_LAST:])
    asking = match[1] if match and fold(match[1]) not in FUNCTION_WORDS else ""
    wanted = roles(question, form).keys() - said - heads
    described = described_role(question)
    verbs = {stem(described.verb)} if described is not None else set()
    verbs |= {key for key, _ in that} | {stem(word) for word in words(question) if word[-2:] == "ed" or word in PAST}
    leading = [key for word in content_words(question) if stem(word) in wanted for key in _stems(word)]
    left = tuple(key for key in dict.fromkeys(leading) if key not in kinds or key in verbs)
    return AskedWay(
        frozenset(map(fold, found)),
        frozenset(name for name in coded if name.islower()),
        left,
        heads,
        frozenset(map(stem, forms(asking) if asking else ())),
        tuple(of),
        tuple(that),
        described,
    )


def _stems(word: str) -> Iterator[str]:
    """The stem of a word, and those of its other forms ("fixes": fix, "owns": owned)."""
    yield stem(word)
    yield from sorted(map(stem, forms(word)))


def _nouns(question: str, heads: tuple[str, ...]) -> tuple[str, ...]:
    """The noun asked for, without a verb taken for a part of it ("which service calls ...", "what replaced ...")."""
    last = re.escape(heads[-1]) if heads else ""
    match = re.search(rf"\b{last} (?:(?:the|a|an|its|his|her|their)\b|[^\Wa-z_]|[\w]+[-_\d])", question)
    if heads and heads[-1][-1:] == "s" and len(heads) > 1:
        match = match or re.search(rf"\b{last} (?:to|in|on|at|by|for|from|with)\b", question)
    return heads[:-1] if heads and match else heads


def _coded(question: str) -> tuple[str, ...]:
    """Names without capitals ("rate-engine"), as they stand."""
    low = fold(question)
    same = len(low) == len(question)
    return tuple(question[at : at + len(key)] for key in leads(question) if same and (at := low.find(key)) >= 0)
