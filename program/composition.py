"""Checks of a draft answer against what is quoted: nothing read, nothing joined, nothing empty, both sides shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from hopstop.program.generic import is_generic
from hopstop.program.lookalike import single_names
from hopstop.program.question_form import Asks, Property, question_form
from hopstop.program.reading import one_line
from hopstop.program.records import Fact
from hopstop.program.spelling import unsaid, without_said
from hopstop.program.text import FUNCTION_WORDS, content_words, names, numbers, words
from hopstop.program.wordforms import plain

_YES = frozenset({"yes", "ja", "oui", "sí", "да", "はい"})
_YES_NO = _YES | {"no", "nein", "non", "нет", "いいえ"}


def is_yes_no(text: str) -> bool:
    """Whether an answer is yes or no with nothing else in it: "No.", "Yes, both are"."""
    said = {word.casefold() for word in words(text)}
    return not _YES_NO.isdisjoint(said) and said <= _YES_NO | FUNCTION_WORDS


def _is_yes(text: str) -> bool:
    return is_yes_no(text) and not _YES.isdisjoint(word.casefold() for word in words(text))


def not_read(draft: str, passages: Sequence[str]) -> list[str]:
    """Names and numbers of the answer that stand in no quoted passage."""
    return [f'"{one_line(gap)}" of the answer stands in no quoted passage' for gap in _gaps(draft, passages)]


def not_quoted(draft: str, quotes: Sequence[str]) -> list[str]:
    """Names and numbers of the answer that stand in no quote nor in the title of its passage."""
    return [f'"{one_line(gap)}" of the answer stands in no quote; quote its sentence' for gap in _gaps(draft, quotes)]


def _gaps(draft: str, texts: Sequence[str]) -> list[str]:
    """Names and numbers of a draft that no text holds, dates and amounts in any spelling."""
    rest = without_said(draft, texts)
    held = frozenset[str]().union(*map(_held, texts))
    gaps = [*unsaid(draft, texts), *sorted(numbers(rest).difference(*map(numbers, texts)))]
    gaps += [name for name in names(rest) if not held.issuperset(_name_words(name))]
    return list(dict.fromkeys(gaps))


@lru_cache(maxsize=64)  # each round looks again at the passages that the rounds before have quoted
def _held(text: str) -> frozenset[str]:
    return frozenset(_singulars(text))


def _name_words(name: str) -> set[str]:
    """Words of a name but for its numbers, which are looked for apart; plurals and accents do not count."""
    return {word for word in _singulars(name) if not any(char.isdigit() for char in word)}


def merged(draft: str, texts: Sequence[str]) -> list[str]:
    """Names of the answer that no text holds and that are put together from parts of two names: "Ann Lee", "Bo Kim".

    Whole names side by side ("Prime Minister Ann Lee") are no merger, nor is part of one name ("Ann Lee" of "Ann Mary
    Lee"). A name that is itself part of a longer one there counts as that one.
    """
    joined = [(name, wanted) for name in single_names(draft) if len(wanted := set(_singulars(name))) > 1]
    spans = _longest([set(_singulars(name)) for text in texts for name in single_names(text)]) if joined else []
    found = []
    for name, wanted in joined:
        if any(wanted <= span for span in spans):
            continue
        rest = wanted.difference(*(span for span in spans if span <= wanted))
        parts = [span for span in spans if span & rest]
        if len(rest) > 1 and rest <= set().union(*parts):
            found.append(f'"{one_line(name)}" of the answer is joined from different names; give one as it stands')
    return found


def _singulars(text: str) -> list[str]:
    return [plain(word).removesuffix("s") for word in content_words(text)]


def _longest(spans: Sequence[set[str]]) -> list[frozenset[str]]:
    """Each set of words once, without those that are part of another."""
    distinct = {frozenset(span) for span in spans if span}
    return [span for span in distinct if not any(span < other for other in distinct)]


def says_nothing(question: str, draft: str) -> list[str]:
    """An answer all of whose words name a kind: "a person", "the city", "eine Person".

    A word with a capital in front is a name ("Time"). A question for a kind ("what kind of", "which profession") may be
    answered by one, and a choice by its options.
    """
    said = [word for word in content_words(draft) if word not in _ARTICLES]
    if not said or not all(map(is_generic, said)) or _opens_with_name(draft):
        return []
    if question_form(question).asks is Asks.CHOICE or _asks_for_kind(question):
        return []
    if _OR.search(question) and set(said) <= set(content_words(question)):
        return []
    return [f'the answer "{one_line(draft[:100])}" names a kind, not the thing; give its name, or search on']


_ARTICLES = frozenset("ein eine einer einem einen eines der die das dem den un une le la les una el los las".split())  # noqa: SIM905


def _opens_with_name(draft: str) -> bool:
    first = next(iter(words(draft)), "")
    return first[:1].isupper() and first.casefold() not in _ARTICLES | FUNCTION_WORDS


_OR = re.compile(r"\b(?:or|oder|ou|o|или)\b", re.IGNORECASE)


@lru_cache(maxsize=256)
def _asks_for_kind(question: str) -> bool:
    return any(word.removesuffix("s") in _KIND_ASKED or word in _KIND_ASKED for word in content_words(question))


# What the kinds of things are called, so that a kind is the answer.
_KIND_ASKED = frozenset("kind type sort category genre profession occupation job art sorte tipo clase вид".split())  # noqa: SIM905


def unquoted_sides(question: str, draft: str, texts: Sequence[str]) -> list[str]:
    """Sides of a comparison that no quote nor its title names, when the answer is yes, no or one of them.

    A side counts as named by any of its words that the other side does not have. One side is enough where it settles
    the question: for "no", unless both are compared with each other, and for the one of two of which something is
    asked that is no more or less ("which was shot in Graz").
    """
    form = question_form(question)
    sides = form.sides
    if len(sides) != 2 or not (is_yes_no(draft) or set(content_words(draft)) <= set(content_words(question))):
        return []
    compared = form.same or form.property is not Property.OTHER
    if not compared and not _is_yes(draft):
        return []
    held = {word for text in texts for word in content_words(text)}
    own = [set(content_words(side)) for side in sides]
    lone = [words - other or words for words, other in ((own[0], own[1]), (own[1], own[0]))]
    return [
        f'no quote speaks of "{one_line(side)}"; a comparison needs a quote for each side'
        for side, words in zip(sides, lone, strict=True)
        if words and words.isdisjoint(held)
    ]


def lone_derivations(question: str, draft: str, facts: Sequence[Fact]) -> list[str]:
    """Facts said to follow from a single other one while the answer is a new name: those need a quote of their own.

    From one fact one can conclude yes, no, a number, a date, or one of the names that the question lets choose from.
    """
    plain = is_yes_no(draft) or numbers(draft) == frozenset(map(str.casefold, words(draft)))
    said = content_words(draft) or [word.casefold() for word in words(draft)]  # "The Who" is but function words
    if plain or {*content_words(question), *(word.casefold() for word in words(question))}.issuperset(said):
        return []
    lone: Iterator[str] = (fact.need for fact in facts if fact.quote is None and len(fact.follows_from) == 1)
    return [f"this does not follow from one fact alone, quote a sentence that shows it: {need}" for need in lone]
