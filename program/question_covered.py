"""Whether the facts of a STOP speak of what was asked: which words of the question no fact and no quote has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log

from hopstop.program.composition import is_yes_no
from hopstop.program.faults import Statistics
from hopstop.program.gaps import said_by_kind
from hopstop.program.judge import quote_contexts, quoted_texts
from hopstop.program.profile import stems
from hopstop.program.question_form import QuestionForm, question_form
from hopstop.program.reading import Reading
from hopstop.program.records import NO_GROUPS, Decision, Fact, sound_needs
from hopstop.program.relations import steps
from hopstop.program.text import FUNCTION_WORDS, content_words, numbers, stem, words
from hopstop.program.wordforms import missing, same_word

KEY = 2.0
"""How much more than another word weighs a name or number of a question, which is seldom said in other words, or what
it asks for: the "team" of "which team"."""
MOST, NEAR = 0.42, 0.16
"""Shares of the weight of a question that may be left out, in [0, 1]: in all, and in words that a passage which is not
quoted holds together with the answer. The lowest that refuse at most 3 % of the right STOPs in eval/GUARDS.md."""
_DIGITS = 3  # at least: shorter numbers count things more often than they name them
_LONGEST = 6  # words of an answer that are looked up; of a whole sentence the first ones


@dataclass(frozen=True, slots=True)
class Said:
    """What a decision says.

    Attributes:
        texts: The needs of the facts that it shows, their quotes, and the answer.
        answer: The answer; empty where it is yes or no, or names what the question names.
        passages: The passages that are quoted, with their titles.
    """

    texts: tuple[str, ...]
    answer: str
    passages: tuple[str, ...]


def said_by(question: str, decision: Decision, facts: Sequence[Fact], reading: Reading) -> Said:
    """What a decision says, given its facts as judged.

    What is quoted of another one than was asked for ("incident 4412" where the question is about incident 4471) says
    nothing of the question, unless the answer or another quote names that one.
    """
    shown, quotes = sound_needs(facts), quote_contexts(facts, reading)
    needs = [fact.need for fact in facts if fact.quote is not None]
    texts = [decision.draft, *(fact.need for fact in facts if fact.quote is None and fact.need in shown)]
    for place, (need, quote) in enumerate(zip(needs, quotes, strict=True)):
        if not _of_another(question, quote, [decision.draft, *quotes[:place], *quotes[place + 1 :]]):
            texts += [need, quote]
    known = is_yes_no(decision.draft) or set(content_words(question)).issuperset(content_words(decision.draft))
    return Said(tuple(texts), "" if known else decision.draft, tuple(quoted_texts(facts, reading)))


def _of_another(question: str, quote: str, others: Sequence[str]) -> bool:
    asked, held = _numbered(question), numbers(quote)
    known = numbers(question).union(*map(numbers, others))
    mine = {kind for kind, number in asked if number not in held}
    return any(kind in mine and number not in known for kind, number in _numbered(quote))


def _numbered(text: str) -> Iterator[tuple[str, str]]:
    """The numbers of a text with three digits or more, each with the word before it, or before its hyphen."""
    found = [part for word in words(text) for part in word.casefold().split("-")]
    for kind, number in pairwise(found):
        if sum(map(str.isdigit, number)) >= _DIGITS and kind.isalpha() and kind not in FUNCTION_WORDS:
            yield kind, number


def left_out(question: str, said: Said, statistics: Statistics, groups: frozenset[str] = NO_GROUPS) -> tuple[str, ...]:
    """The words of a question that a decision does not speak of, in order, if they are too much of it; else none.

    A STOP may leave out what it cannot quote: then nothing that it lists is open, and only the question tells. Words
    weigh by their rarity in the index (the idf of Robertson and Zaragoza, 2009), some of them KEY times that. Words
    that no passage holds weigh nothing, as nobody can quote them; nor do those that the kind of the answer answers for
    ("date" where it is a date). Too much is more than MOST of the weight, or more than NEAR in words that stand
    together with the answer in a passage that is not quoted.

    Args:
        question: As it was asked.
        said: See said_by.
        statistics: Of the index.
        groups: Of the user; only passages that they may read count.
    """
    form = question_form(question)
    asked = _asked(question, form)
    spoken = list(dict.fromkeys(word for text in said.texts for word in content_words(text, fold=False)))
    spoken += _steps_said(form, spoken)
    left = missing(asked, spoken)
    if not left:
        return ()
    heads = stems(" ".join(form.heads))
    weights = {word: _weight(word, heads, statistics, groups) for word in asked}
    whole = sum(weights.values())
    if sum(weights[word] for word in left) <= MOST * whole:
        near = (weights[word] for word in left if weights[word] and _stands_elsewhere(word, said, statistics, groups))
        if sum(near) <= NEAR * whole:
            return ()
    return tuple(word for word in left if weights[word])


def _stands_elsewhere(word: str, said: Said, statistics: Statistics, groups: frozenset[str]) -> bool:
    """Whether more passages hold the word and the answer than are quoted."""
    answer = content_words(said.answer)[:_LONGEST]
    if not answer:
        return False
    wanted = {word.casefold(), *answer}
    quoted = sum(wanted <= set(content_words(text)) for text in said.passages)
    return statistics.document_frequency(" ".join((word, *answer)), groups) > quoted


def _asked(question: str, form: QuestionForm) -> tuple[str, ...]:
    kinds = said_by_kind(form)
    return tuple(word for word in dict.fromkeys(content_words(question, fold=False)) if stem(word) not in kinds)


def _steps_said(form: QuestionForm, said: Sequence[str]) -> Iterator[str]:
    """Words of relations of which each single step is said: a paternal grandmother by "father" and "mother"."""
    for relation in form.relations:
        parts = steps(relation)
        if parts != (relation,) and all(any(same_word(part, word) for word in said) for part in parts):
            yield from content_words(relation)


def _weight(word: str, heads: frozenset[str], statistics: Statistics, groups: frozenset[str]) -> float:
    held, n = statistics.document_frequency(word, groups), len(statistics)
    rarity = log(1 + (n - held + 0.5) / (held + 0.5)) if held else 0.0
    return rarity if word.islower() and stem(word) not in heads else KEY * rarity
